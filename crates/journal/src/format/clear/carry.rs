//! The protocol state as an OPEN repeats it.

use super::fields::Field;
use crate::format::bytes::Cursor;
use crate::protocol::{Carry, OpenAction};

impl Field for Carry {
    fn put(&self, out: &mut Vec<u8>) {
        self.last_grant.put(out);
        self.grants.put(out);
        self.actions.put(out);
    }
    fn take(from: &mut Cursor<'_>) -> Option<Self> {
        Some(Self { last_grant: Field::take(from)?, grants: Field::take(from)?, actions: Field::take(from)? })
    }
}

impl Field for OpenAction {
    fn put(&self, out: &mut Vec<u8>) {
        self.boot.put(out);
        self.epoch.put(out);
        self.grant.put(out);
        self.dispatched.put(out);
    }
    fn take(from: &mut Cursor<'_>) -> Option<Self> {
        Some(Self {
            boot: Field::take(from)?,
            epoch: Field::take(from)?,
            grant: Field::take(from)?,
            dispatched: Field::take(from)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carried_entries_out_of_order_are_refused() {
        let with_grants = |grants: [u32; 2]| {
            let mut bytes = [5u32.to_le_bytes(), 2u32.to_le_bytes()].concat();
            for grant in grants {
                bytes.extend_from_slice(&grant.to_le_bytes());
                bytes.extend_from_slice(&1u64.to_le_bytes());
            }
            bytes.extend_from_slice(&0u32.to_le_bytes());
            Carry::take(&mut Cursor::new(&bytes))
        };
        assert!(with_grants([1, 2]).is_some());
        assert_eq!(with_grants([2, 1]), None);
        assert_eq!(with_grants([1, 1]), None);
    }
}
