//! What the two local protocols say when a connection fails. In English.

use crate::wire::WireTexts;

pub(super) const TEXTS: WireTexts = WireTexts {};
