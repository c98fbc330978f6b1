//! Why something with the vault was not done. Nothing of a payload is ever in these words.

use crate::channels::BindingList;
use crate::rules::RuleBroken;
use lychgate_core::agent_pin::AgentName;
use lychgate_core::channel::ChannelName;
use lychgate_seal::SealError;
use lychgate_seal::durable::{DirRefused, LockRefused, ReadRefused};
use lychgate_seal::memory::NoLockedMemory;
use lychgate_seal::random::NoRandomness;
use lychgate_text::words;
use std::fmt::Display;
use std::io;
use std::path::PathBuf;

/// Why something with the vault was not done. Each names the file, and says what to do.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// There is no vault.
    #[error("{}", (words().vault().no_vault)(&.0.display()))]
    Absent(PathBuf),
    /// The vault is gone and the version before it is not.
    #[error("{}", (words().vault().only_previous)(&.vault.display(), &.previous.display()))]
    OnlyPrevious {
        /// The missing file.
        vault: PathBuf,
        /// The version before it.
        previous: PathBuf,
    },
    /// A vault is there already.
    #[error("{}", (words().vault().exists)(&.0.display()))]
    Exists(PathBuf),
    /// The file has other key slots than those that the passphrase was tried against.
    #[error("{}", (words().vault().exchanged)(&.0.display()))]
    Exchanged(PathBuf),
    /// The payload is of another program version.
    #[error("{}", (words().vault().payload_of_other_version)(&.file.display(), *.found, *.known))]
    PayloadVersion {
        /// The file.
        file: PathBuf,
        /// Its format.
        found: u16,
        /// The format that is read here.
        known: u16,
    },
    /// The payload opened and is not what this program writes.
    #[error("{}", (words().vault().payload_unknown)(&.0.display()))]
    Payload(PathBuf),
    /// The sealed file itself.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// No memory for secrets.
    #[error(transparent)]
    Memory(#[from] NoLockedMemory),
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
    #[error("{}", (words().vault().nothing_changed)(.0))]
    Write(io::Error),
    /// The new key slots hold, and the previous version could not be sealed under them.
    #[error("{}", (words().vault().previous_not_sealed)(.0))]
    PreviousNotSealed(io::Error),
    /// No randomness.
    #[error(transparent)]
    Random(#[from] NoRandomness),
    /// A passphrase or PIN that will not do.
    #[error(transparent)]
    Rule(#[from] RuleBroken),
    /// A channel of that name is there.
    #[error("{}", (words().vault().channel.exists)(.0))]
    ChannelExists(ChannelName),
    /// There is no such channel.
    #[error("{}", (words().vault().channel.absent)(.0))]
    NoChannel(ChannelName),
    /// A channel that could never be used.
    #[error("{}", empty_binding(*.what)(.name))]
    EmptyBinding {
        /// Channel.
        name: ChannelName,
        /// Which list.
        what: BindingList,
    },
    /// The secret is empty or too long.
    #[error("{}", (words().vault().channel.secret_length)(.name, *.most))]
    SecretLength {
        /// Channel.
        name: ChannelName,
        /// The limit.
        most: usize,
    },
    /// No more channels fit.
    #[error("{}", (words().vault().channel.too_many)(*.0))]
    TooManyChannels(usize),
    /// There are no more places for pinned programs.
    #[error("{}", (words().vault().too_many_agents)(*.0))]
    TooManyAgents(usize),
    /// No program is pinned under this name.
    #[error("{}", (words().vault().no_agent)(.0))]
    NoAgent(AgentName),
}

fn empty_binding(what: BindingList) -> fn(&dyn Display) -> String {
    let words = &words().vault().channel;
    match what {
        BindingList::Origins => words.without_origin,
        BindingList::Paths => words.without_path,
        BindingList::Methods => words.without_method,
    }
}
