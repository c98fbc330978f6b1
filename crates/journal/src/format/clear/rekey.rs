//! REKEY: a new opening of the ratchet.

use super::clear_data;
use crate::format::tree::Hash;

clear_data! {
    /// REKEY: a new opening of the ratchet within a segment. The row itself is the first one sealed under it.
    pub struct Rekey {
        /// Number of the opening within its segment; the OPEN's is 0.
        pub opening: u32,
        /// Root over the rows before this one.
        pub prev_root: Hash,
        /// HPKE encapsulated key.
        pub enc: Vec<u8>,
    }
}
