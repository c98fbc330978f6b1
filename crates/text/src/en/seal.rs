//! What sealed files and careful file handling say. In English.

use crate::seal::SealTexts;

pub(super) const TEXTS: SealTexts = SealTexts {};
