//! What reading the journal says. In English.

use crate::view::ViewTexts;

pub(super) const TEXTS: ViewTexts = ViewTexts {};
