//! Why it failed. Inside a sentence: lower case, no end mark.

use crate::problem::Cause as C;

pub(in crate::en) fn cause(cause: &C<'_>) -> String {
    match *cause {
        C::Said(said) => said,
        C::UnknownMessage => "it sent something that this program does not know",
        C::OtherAnswer { kind } => return format!("it answered with `{kind}` to another question"),
        C::ServedByUser { uid } => return format!("the socket is served by user {uid}"),
        C::SeveralProcesses => "answers on one connection came from different processes",
        C::NoSuchCard => "there is no such card; it may be closed",
        C::CardChanged => "the card has changed since; look at it anew",
        C::NoSuchChannel => "there is no channel of this name; `lych channel list` lists them",
        C::VaultLocked => "the vault is locked; unlock it with `lych unlock`",
        C::LongerThanHeaders => "it is longer than 16 KiB, more than servers take in a header",
        C::NoBareToken => "it holds a space, a control character or a letter outside ASCII; give the bare token",
        C::JournalWithoutVault => {
            "there is a journal without a vault; put the vault back, or move the journal and audit.key away"
        }
        C::NoPassphraseSlot => "it has no key slot for a passphrase",
        C::TooLargeForCertificates => "it is too large for a file of certificates",
        C::HoldsPrivateKey => "it holds a private key; give a file with certificates only",
        C::NoCertificate => "it holds no certificate in PEM form",
        C::TooLargeForEvidence => "it is too large for a receipt or checkpoint",
        C::NoReceipt => "it is no receipt",
        C::StateDirTooLong { most } => {
            return format!("--state-dir is too long: the path of a socket below it must fit into {most} bytes");
        }
        C::PathUnwritable => {
            "the path of this program or of the state directory has characters that can't be written into a \
             configuration"
        }
        C::EnvironmentNotEmpty => "--clean-env was given and the environment is not empty",
        C::MethodNotAllowed { method } => {
            return format!("--per-call-methods names {method}, which --method does not allow");
        }
        C::PrivateOrigin { origin } => {
            return format!(
                "{origin} is an address of this machine or of a private network, which a channel may reach only with \
                 --allow-private; add --allow-private if this is meant"
            );
        }
        C::NoPipes => "it has no pipes",
        C::Ended => "it ended",
        C::NoAgent => "no agent runs",
        C::InputLine { why } => return format!("standard input: {why}"),
        C::NoProgramNamed => "exec names no program",
        C::MountedNoexec => "no program may be started there (it is mounted noexec)",
    }
    .to_owned()
}
