//! Why something with the vault was not done. Nothing of a payload is ever in these words.

use crate::rules::RuleBroken;
use lychgate_core::channel::ChannelName;
use lychgate_seal::SealError;
use lychgate_seal::durable::{DirRefused, LockRefused, ReadRefused};
use lychgate_seal::random::NoRandomness;
use std::io;
use std::path::PathBuf;

/// Why something with the vault was not done. Each names the file, and says what to do.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// There is no vault.
    #[error("there is no vault at {0}; `lych up` or `lych init` makes one")]
    Absent(PathBuf),
    /// The vault is gone and the version before it is not.
    #[error("{vault} is gone, but {previous} is there; put it back with `lych restore --previous`")]
    OnlyPrevious {
        /// The missing file.
        vault: PathBuf,
        /// The version before it.
        previous: PathBuf,
    },
    /// A vault is there already.
    #[error("there is a vault at {0} already; use it, or choose another --state-dir. Nothing was changed")]
    Exists(PathBuf),
    /// The file has other key slots than those that the passphrase was tried against.
    #[error(
        "{0} was replaced by another file while the vault was locked; try again, so that the new file's key slots are used"
    )]
    Exchanged(PathBuf),
    /// The payload is of another program version.
    #[error(
        "{file}: its payload is of another lychgate version (format {found}, this program reads {known}); use that version"
    )]
    PayloadVersion {
        /// The file.
        file: PathBuf,
        /// Its format.
        found: u16,
        /// The format that is read here.
        known: u16,
    },
    /// The payload opened and is not what this program writes.
    #[error("{0}: its payload holds what this program does not know; use the lychgate version that wrote it")]
    Payload(PathBuf),
    /// The sealed file itself.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// A file that must be ours alone is not, or can't be read.
    #[error(transparent)]
    Read(#[from] ReadRefused),
    /// The state directory is not ours alone.
    #[error(transparent)]
    Dir(#[from] DirRefused),
    /// Another process has the vault.
    #[error(transparent)]
    Lock(#[from] LockRefused),
    /// A file could not be written. The old one is whole.
    #[error("nothing was changed: {0}")]
    Write(io::Error),
    /// The new key slots hold, and the previous version could not be sealed under them.
    #[error(
        "the new passphrase holds, but the version before could not be sealed with it and still opens with the old one ({0}); do it again"
    )]
    PreviousNotSealed(io::Error),
    /// No randomness.
    #[error(transparent)]
    Random(#[from] NoRandomness),
    /// A passphrase or PIN that will not do.
    #[error(transparent)]
    Rule(#[from] RuleBroken),
    /// A channel of that name is there.
    #[error("there is a channel `{0}` already; use another name, or remove it first with `lych channel remove`")]
    ChannelExists(ChannelName),
    /// There is no such channel.
    #[error("there is no channel `{0}`; `lych channel list` shows them")]
    NoChannel(ChannelName),
    /// A channel that could never be used.
    #[error("channel `{name}`: it needs at least one {what}, since an empty list matches nothing")]
    EmptyBinding {
        /// Channel.
        name: ChannelName,
        /// Which list.
        what: &'static str,
    },
    /// The secret is empty or too long.
    #[error("the secret of channel `{name}` must have 1 to {most} bytes")]
    SecretLength {
        /// Channel.
        name: ChannelName,
        /// The limit.
        most: usize,
    },
    /// No more channels fit.
    #[error("a vault has at most {0} channels; remove one that is not used")]
    TooManyChannels(usize),
}
