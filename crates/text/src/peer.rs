//! What process evidence says: consoles, the kernel, the own process, refused requesters.
//!
//! A field with arguments is a function; text that comes in has been made visible by whoever shows the sentence.

use std::fmt::Display;

/// The sentences and phrases.
#[derive(Debug)]
pub struct PeerTexts {
    /// A requester that can't be attested. Process id, program, the word of the reason.
    pub requester_refused: fn(u32, &dyn Display, &dyn Display) -> String,
    /// This process can't see something of itself. One of `own`, and one of `unseen`.
    pub cannot_see: fn(&dyn Display, &dyn Display) -> String,
    /// What it can't see.
    pub own: OwnTexts,
    /// Why something could not be seen.
    pub unseen: UnseenTexts,
    /// Why a console is refused.
    pub console: ConsoleTexts,
    /// Why a kernel can't carry the evidence.
    pub kernel: KernelTexts,
}

/// What a process looks at of itself.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it; the English is beside")]
pub struct OwnTexts {
    pub program_file: &'static str,
    pub namespaces: &'static str,
    pub ancestors: &'static str,
    pub proc_entry: &'static str,
}

/// Why something could not be seen. "It" is the process.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it; the English is beside")]
pub struct UnseenTexts {
    pub gone: &'static str,
    pub not_readable: &'static str,
    pub foreign_namespace: &'static str,
    pub unclear: &'static str,
}

/// Why a console is refused.
#[derive(Debug)]
pub struct ConsoleTexts {
    /// It runs another program file than the gateway's.
    pub other_program: &'static str,
    /// A debugger is attached. Its process id.
    pub traced: fn(u32) -> String,
    /// A library was to be loaded into it. The variable.
    pub preloaded: fn(&dyn Display) -> String,
    /// It runs code of a file that its user's programs can write. The file.
    pub foreign_code: fn(&dyn Display) -> String,
    /// It runs code that is in no file.
    pub code_without_file: &'static str,
    /// It lives in another namespace.
    pub foreign_namespace: &'static str,
    /// It could not be looked at. One of `unseen`.
    pub unseen: fn(&dyn Display) -> String,
}

/// Why a kernel can't carry the evidence.
#[derive(Debug)]
pub struct KernelTexts {
    /// The whole refusal. The release, and one of the reasons below.
    pub refused: fn(&dyn Display, &dyn Display) -> String,
    /// The release is before the one that is needed.
    pub too_old: &'static str,
    /// The release can't be read as a number.
    pub release_unclear: &'static str,
    /// One thing does not work. One of the things below.
    pub does_not_work: fn(&dyn Display) -> String,
    /// One thing ends with an error. One of the things below, the error.
    pub fails: fn(&dyn Display, &dyn Display) -> String,
    /// `/proc`.
    pub proc_files: &'static str,
    /// Process inodes on pidfs.
    pub process_inodes: &'static str,
    /// `PROCMAP_QUERY`.
    pub held_map: &'static str,
    /// `SO_PASSPIDFD`.
    pub message_senders: &'static str,
}
