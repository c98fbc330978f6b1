//! What a process gives up before it holds a secret.

/// A step of that. In the order in which they are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HardenStep {
    /// Unreadable to others of the same user.
    Hiding,
    /// No core files.
    CoreDumps,
    /// No program that it executes has more rights (`no_new_privs`).
    NewPrivileges,
    /// No memory becomes code that was writable.
    WritableCode,
    /// No file is written.
    Files,
    /// No system call that it has no use for.
    SystemCalls,
}
