//! Why something failed, where this program knows it better than the system does.

/// A reason. It stands inside a sentence or on a line of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause<'a> {
    /// In the words of whoever found it: the system, another crate, the gateway. Made visible by the caller.
    Said(&'a str),

    /// The gateway sent something that can't be read.
    UnknownMessage,
    /// The gateway answered another question.
    OtherAnswer {
        /// Name of the answer on the wire.
        kind: &'a str,
    },
    /// The socket is another user's.
    ServedByUser {
        /// Its uid.
        uid: u32,
    },
    /// Several processes answered on one connection.
    SeveralProcesses,
    /// There is no such card.
    NoSuchCard,
    /// The card is not what it was.
    CardChanged,
    /// There is no such channel.
    NoSuchChannel,
    /// The vault is locked.
    VaultLocked,

    /// A credential longer than servers take.
    LongerThanHeaders,
    /// A credential with bytes that no header takes.
    NoBareToken,

    /// A journal stands where a vault is to be made.
    JournalWithoutVault,
    /// The vault can't be opened with a passphrase.
    NoPassphraseSlot,

    /// A file that is too large to hold certificates.
    TooLargeForCertificates,
    /// A file of certificates that holds a private key.
    HoldsPrivateKey,
    /// A file without certificates.
    NoCertificate,
    /// A file that is too large for a receipt or a checkpoint.
    TooLargeForEvidence,
    /// A file that is no receipt.
    NoReceipt,

    /// The path leaves no room for a socket below it.
    StateDirTooLong {
        /// Bytes that a socket's path may have.
        most: usize,
    },
    /// A path that no configuration file can hold.
    PathUnwritable,
    /// An environment that must be empty.
    EnvironmentNotEmpty,
    /// A method asks each time and is not allowed at all.
    MethodNotAllowed {
        /// Which.
        method: &'a str,
    },
    /// An origin that takes a flag of its own.
    PrivateOrigin {
        /// Which.
        origin: &'a str,
    },

    /// A process that was started with pipes has none.
    NoPipes,
    /// A process ended.
    Ended,
    /// The demo has no agent at this moment.
    NoAgent,
    /// A line of standard input.
    InputLine {
        /// What the parser said.
        why: &'a str,
    },
    /// A program is to be executed and none is named.
    NoProgramNamed,
    /// A file system on which no program may be started.
    MountedNoexec,
}

impl<'a> From<&'a str> for Cause<'a> {
    /// Foreign words, made visible already.
    fn from(said: &'a str) -> Self {
        Self::Said(said)
    }
}
