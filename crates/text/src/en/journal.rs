//! What the journal says: why it can't be written, what verification found, what a verdict is. In English.

use crate::journal::JournalTexts;

pub(super) const TEXTS: JournalTexts = JournalTexts {};
