//! What the vault says: its file, its epoch, its rules, its action store. In English.

use crate::vault::VaultTexts;

pub(super) const TEXTS: VaultTexts = VaultTexts {};
