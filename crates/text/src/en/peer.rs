//! What process evidence says: consoles, the kernel, the own process, refused requesters. In English.

use crate::peer::PeerTexts;

pub(super) const TEXTS: PeerTexts = PeerTexts {};
