//! What the vault says: its file, its epoch, its rules, its action store.
//!
//! A field with arguments is a function; text that comes in has been made visible by whoever shows the sentence.

use std::fmt::Display;

/// The sentences and phrases.
#[derive(Debug)]
pub struct VaultTexts {
    /// What to do about a damaged vault file; ends a sentence of [`crate::SealTexts`].
    pub remedy: &'static str,
    /// Where a vault was looked for.
    pub no_vault: fn(path: &dyn Display) -> String,
    /// The missing file, and the version before it.
    pub only_previous: fn(vault: &dyn Display, previous: &dyn Display) -> String,
    /// Where one is already.
    pub exists: fn(path: &dyn Display) -> String,
    /// The vault file.
    pub exchanged: fn(path: &dyn Display) -> String,
    /// The vault file; the payload's format, and the one that is read here.
    pub payload_of_other_version: fn(file: &dyn Display, found: u16, known: u16) -> String,
    /// The vault file.
    pub payload_unknown: fn(file: &dyn Display) -> String,
    /// Why nothing was written.
    pub nothing_changed: fn(why: &dyn Display) -> String,
    /// Why the version before still opens with the old passphrase.
    pub previous_not_sealed: fn(why: &dyn Display) -> String,
    /// The file of the counters.
    pub counters_damaged: fn(path: &dyn Display) -> String,
    /// How many there can be.
    pub too_many_agents: fn(most: usize) -> String,
    /// The name.
    pub no_agent: fn(name: &dyn Display) -> String,
    /// Channels in the vault.
    pub channel: VaultChannelTexts,
    /// A credential is not released.
    pub release: ReleaseTexts,
    /// Vault file and epoch mark do not fit together.
    pub epoch: EpochTexts,
    /// A passphrase or PIN will not do.
    pub rule: RuleTexts,
    /// The action store.
    pub store: StoreTexts,
}

/// Why a channel is not added, changed or removed.
#[derive(Debug)]
pub struct VaultChannelTexts {
    /// The channel.
    pub exists: fn(name: &dyn Display) -> String,
    /// The channel.
    pub absent: fn(name: &dyn Display) -> String,
    /// The channel.
    pub without_origin: fn(name: &dyn Display) -> String,
    /// The channel.
    pub without_path: fn(name: &dyn Display) -> String,
    /// The channel.
    pub without_method: fn(name: &dyn Display) -> String,
    /// The channel, and the most bytes of a secret.
    pub secret_length: fn(name: &dyn Display, most: usize) -> String,
    /// How many there can be.
    pub too_many: fn(most: usize) -> String,
}

/// Why a credential is not released.
#[derive(Debug)]
pub struct ReleaseTexts {
    /// The permit's epoch, and the vault's. Equal numbers happen.
    pub other_epoch: fn(permit: u64, now: u64) -> String,
    /// The channel.
    pub no_channel: fn(name: &dyn Display) -> String,
    /// The channel; the permit's version of it, and the vault's.
    pub other_version: fn(name: &dyn Display, permit: u32, now: u32) -> String,
}

/// What an unlock found wrong between the vault file and the epoch mark. Epochs of the file, and by the mark.
#[derive(Debug)]
pub struct EpochTexts {
    /// The file's epoch, and that of the newest save.
    pub older_vault: fn(file: u64, mark: u64) -> String,
    /// The file's epoch, and the mark's.
    pub mark_behind: fn(file: u64, mark: u64) -> String,
    /// The file's epoch.
    pub mark_lost: fn(file: u64) -> String,
    /// The file's epoch.
    pub mark_damaged: fn(file: u64) -> String,
    /// The file's epoch, and the mark's.
    pub mark_foreign: fn(file: u64, mark: u64) -> String,
}

/// Why a passphrase or a PIN will not do.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it; the English is beside")]
pub struct RuleTexts {
    pub passphrase_empty: &'static str,
    /// The fewest characters.
    pub passphrase_short: fn(least: usize) -> String,
    pub passphrase_not_text: &'static str,
    pub passphrase_control: &'static str,
    /// The fewest and the most characters.
    pub pin_length: fn(least: usize, most: usize) -> String,
    pub pin_not_text: &'static str,
    pub pin_control: &'static str,
    pub pin_is_passphrase: &'static str,
}

/// What the action store says. What shows damage stands in the middle of [`StoreTexts::damaged`].
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it; the English is beside")]
pub struct StoreTexts {
    /// The store's file.
    pub not_used_any_more: fn(path: &dyn Display) -> String,
    /// The store's file.
    pub record_not_sealed: fn(path: &dyn Display) -> String,
    /// How many bytes a crash left incomplete.
    pub cut_tail: fn(bytes: u64) -> String,
    /// What shows it, and where the damaged file is now.
    pub damaged: fn(why: &dyn Display, aside: &dyn Display) -> String,
    /// What the system says.
    pub not_readable: fn(error: &dyn Display) -> String,
    pub shorter_than_head: &'static str,
    pub other_head: &'static str,
    /// How many records before it are whole.
    pub length_changed: fn(records: usize) -> String,
    /// How many records before it are whole.
    pub record_changed: fn(records: usize) -> String,
    /// How many records before it are whole.
    pub record_of_other_version: fn(records: usize) -> String,
}
