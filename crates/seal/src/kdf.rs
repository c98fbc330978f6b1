//! From a passphrase to a slot key: Argon2id (RFC 9106), with bounds that are checked before any memory is taken.

use argon2::{Algorithm, Argon2, Block, Params, Version};
use lychgate_text::words;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// Bytes of a salt.
pub const SALT_BYTES: usize = 32;
/// Bytes of a slot key.
pub const SLOT_KEY_BYTES: usize = 64;

/// What one try of a passphrase costs. Stored with the slot, so each file keeps the cost it was made with.
///
/// [`Cost::measured`] is what a product uses. A smaller one is valid (a file says what it says) and makes guessing
/// cheap: only throw-away files and a PIN inside a sealed payload may have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cost {
    /// Memory, in KiB. 8 per lane to 4 GiB.
    pub memory_kib: u32,
    /// Passes over the memory. 1 to 100.
    pub passes: u32,
    /// Lanes. 1 to 16. They are computed one after the other here, so more than one helps an attacker only.
    pub lanes: u32,
}

/// A cost outside the bounds, or more memory than there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CostError {
    /// Outside the bounds. Nothing was allocated.
    #[error("{}", (words().seal().cost_out_of_bounds)([*.memory_kib, *.passes, *.lanes], MOST))]
    OutOfBounds {
        /// As given.
        memory_kib: u32,
        /// As given.
        passes: u32,
        /// As given.
        lanes: u32,
    },
    /// The memory could not be had.
    #[error("{}", (words().seal().no_memory)(*.0))]
    Memory(u32),
}

const MOST: [u32; 3] = [Cost::MOST.memory_kib, Cost::MOST.passes, Cost::MOST.lanes];

impl Cost {
    /// The lowest cost that [`Cost::measured`] gives: RFC 9106's second recommendation, in one lane.
    pub const FLOOR: Self = Self { memory_kib: 64 * 1024, passes: 3, lanes: 1 };
    /// The upper bounds.
    pub const MOST: Self = Self { memory_kib: 4 * 1024 * 1024, passes: 100, lanes: 16 };
    /// [`Cost::measured`] does not ask for more memory than this; it then adds passes.
    const MEASURED_MEMORY_KIB: u32 = 1024 * 1024;

    /// The cost at which one try takes about `target` on this machine, never below [`Cost::FLOOR`].
    ///
    /// Takes as long as one try at the floor (a fraction of a second) and 64 MiB.
    ///
    /// # Errors
    /// [`CostError::Memory`] where not even the floor's memory can be had.
    pub fn measured(target: Duration) -> Result<Self, CostError> {
        let start = Instant::now();
        derive(&[0; SALT_BYTES], &[0; SALT_BYTES], Self::FLOOR)?;
        Ok(Self::scaled(start.elapsed(), target))
    }

    /// The floor, scaled from the time that it took to `target`: memory first, then passes.
    fn scaled(floor_took: Duration, target: Duration) -> Self {
        let took = floor_took.as_micros().max(1);
        let times = |value: u32, most: u32| {
            let scaled = u128::from(value) * target.as_micros() / took;
            u32::try_from(scaled).unwrap_or(u32::MAX).clamp(value, most)
        };
        let memory_kib = times(Self::FLOOR.memory_kib, Self::MEASURED_MEMORY_KIB);
        let passes = if memory_kib < Self::MEASURED_MEMORY_KIB {
            Self::FLOOR.passes
        } else {
            let grown = Self::MEASURED_MEMORY_KIB / Self::FLOOR.memory_kib;
            (times(Self::FLOOR.passes, Self::MOST.passes * grown) / grown).clamp(Self::FLOOR.passes, Self::MOST.passes)
        };
        Self { memory_kib, passes, lanes: Self::FLOOR.lanes }
    }

    /// Checks the bounds. Costs nothing.
    ///
    /// # Errors
    /// [`CostError::OutOfBounds`].
    pub fn check(self) -> Result<(), CostError> {
        let Self { memory_kib, passes, lanes } = self;
        let good = (1..=Self::MOST.lanes).contains(&lanes)
            && (8 * lanes..=Self::MOST.memory_kib).contains(&memory_kib)
            && (1..=Self::MOST.passes).contains(&passes);
        good.then_some(()).ok_or(CostError::OutOfBounds { memory_kib, passes, lanes })
    }
}

/// What a passphrase becomes: 64 bytes that open one key slot. Worth as much as the passphrase, for this file.
pub struct SlotKey(Zeroizing<Vec<u8>>);

impl SlotKey {
    /// Takes a key over, as it comes from the program that asked for the passphrase. `None` for another length.
    #[must_use]
    pub fn from_bytes(bytes: Zeroizing<Vec<u8>>) -> Option<Self> {
        (bytes.len() == SLOT_KEY_BYTES).then_some(Self(bytes))
    }

    /// The bytes, for the way to the gateway. Keep the borrow short and copy nothing.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for SlotKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SlotKey(..)")
    }
}

/// Argon2id, version 1.3, of `passphrase`. Slow on purpose; its memory is wiped.
///
/// # Errors
/// [`CostError`]; the bounds are checked before memory is taken.
pub fn derive(passphrase: &[u8], salt: &[u8; SALT_BYTES], cost: Cost) -> Result<SlotKey, CostError> {
    cost.check()?;
    let out_of_bounds =
        |_| CostError::OutOfBounds { memory_kib: cost.memory_kib, passes: cost.passes, lanes: cost.lanes };
    let params = Params::new(cost.memory_kib, cost.passes, cost.lanes, Some(SLOT_KEY_BYTES)).map_err(out_of_bounds)?;
    let blocks = params.block_count();
    let mut memory: Zeroizing<Vec<Block>> = Zeroizing::new(Vec::new());
    memory.try_reserve_exact(blocks).map_err(|_| CostError::Memory(cost.memory_kib))?;
    memory.resize(blocks, Block::default());
    let mut key = Zeroizing::new(vec![0; SLOT_KEY_BYTES]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into_with_memory(passphrase, salt, &mut key, memory.as_mut_slice())
        .map_err(out_of_bounds)?;
    Ok(SlotKey(key))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    const SMALL: Cost = Cost { memory_kib: 8, passes: 1, lanes: 1 };

    #[test]
    fn a_cost_out_of_bounds_is_refused_before_any_memory_is_taken() {
        for bad in [
            Cost { memory_kib: 7, ..SMALL },
            Cost { memory_kib: u32::MAX, ..SMALL },
            Cost { memory_kib: Cost::MOST.memory_kib + 1, ..SMALL },
            Cost { passes: 0, ..SMALL },
            Cost { passes: 101, ..SMALL },
            Cost { lanes: 0, ..SMALL },
            Cost { lanes: 2, ..SMALL },
            Cost { memory_kib: 1024, lanes: 17, ..SMALL },
        ] {
            let start = Instant::now();
            assert!(matches!(derive(b"x", &[0; 32], bad), Err(CostError::OutOfBounds { .. })), "{bad:?}");
            assert!(start.elapsed() < Duration::from_millis(100), "{bad:?} was computed");
        }
        assert_eq!(SMALL.check(), Ok(()));
        assert_eq!(Cost::MOST.check(), Ok(()));
        assert_eq!(Cost::FLOOR.check(), Ok(()));
    }

    #[test]
    fn passphrase_salt_and_cost_all_change_the_key() {
        let key = |pass: &[u8], salt, cost| derive(pass, &[salt; 32], cost).unwrap().expose().to_vec();
        let base = key(b"one", 1, SMALL);
        assert_eq!(base, key(b"one", 1, SMALL));
        assert_ne!(base, key(b"two", 1, SMALL));
        assert_ne!(base, key(b"one", 2, SMALL));
        assert_ne!(base, key(b"one", 1, Cost { passes: 2, ..SMALL }));
        assert_ne!(base, key(b"one", 1, Cost { memory_kib: 16, ..SMALL }));
    }

    /// The expected bytes were made by the reference implementation in C (through argon2-cffi 25.1), not by this one.
    #[test]
    fn the_derivation_agrees_with_the_reference_implementation() {
        let key = derive(b"password", &[b's'; 32], Cost { memory_kib: 64, passes: 2, lanes: 1 }).unwrap();
        let hex: String = key.expose().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(
            hex,
            "a4b9de8c54ca575211718a64fa0a246f99a79ef29827581bf29c13ad27f7cf38\
             ebbcb32ed7ee0d80864099a04311f710c973c3493c480902a4c4d1d5966cda35"
        );
    }

    #[test]
    fn the_measured_cost_never_falls_below_the_floor_and_grows_with_the_machine() {
        let ms = Duration::from_millis;
        assert_eq!(Cost::scaled(ms(2000), ms(500)), Cost::FLOOR);
        assert_eq!(Cost::scaled(ms(500), ms(500)), Cost::FLOOR);
        assert_eq!(Cost::scaled(ms(125), ms(500)), Cost { memory_kib: 256 * 1024, ..Cost::FLOOR });
        assert_eq!(Cost::scaled(ms(10), ms(500)), Cost { memory_kib: 1024 * 1024, passes: 9, lanes: 1 });
        assert_eq!(Cost::scaled(Duration::ZERO, ms(500)).check(), Ok(()));
        assert_eq!(Cost::scaled(ms(1), Duration::MAX).check(), Ok(()));
    }

    #[test]
    fn a_slot_key_prints_nothing_and_has_one_length() {
        let key = derive(b"canary", &[1; 32], SMALL).unwrap();
        assert_eq!(format!("{key:?}"), "SlotKey(..)");
        assert!(SlotKey::from_bytes(Zeroizing::new(vec![0; 63])).is_none());
        assert!(SlotKey::from_bytes(Zeroizing::new(vec![0; 64])).is_some());
    }
}
