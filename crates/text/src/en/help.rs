//! What `lych --help` and the help of its commands say. In English.

use crate::help::HelpTexts;

pub(super) const TEXTS: HelpTexts = HelpTexts {};
