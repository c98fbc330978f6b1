//! What process evidence says: consoles, the kernel, the own process, refused requesters. In English.

use crate::peer::{ConsoleTexts, KernelTexts, OwnTexts, PeerTexts, UnseenTexts};

pub(super) const TEXTS: PeerTexts = PeerTexts {
    requester_refused: |pid, program, reason| format!("the requester (process {pid}, {program}) was refused: {reason}"),
    cannot_see: |what, why| {
        format!("this process can't see {what}: {why}; look whether /proc is mounted without restrictions")
    },
    own: OwnTexts {
        program_file: "its own program file",
        namespaces: "its own namespaces",
        ancestors: "its own ancestors",
        proc_entry: "itself in /proc",
    },
    unseen: UnseenTexts {
        gone: "it ended, or changed while it was looked at",
        not_readable: "the kernel does not allow it",
        foreign_namespace: "it is in another namespace",
        unclear: "the kernel's answer was not understood",
    },
    console: ConsoleTexts {
        other_program: "this is not the gateway's own `lych`, or one of another build; restart the gateway after an update",
        traced: |pid| format!("process {pid} traces this console; start it without a debugger"),
        preloaded: |variable| format!("this console was started with {variable} set; unset it and start it again"),
        foreign_code: |file| {
            format!(
                "this console runs code from {file}, which programs of its user can change; start it again in a clean \
                 environment"
            )
        },
        code_without_file: "this console runs code that is in no file; start it again in a clean environment",
        foreign_namespace: "this console runs in a container or another namespace; start it outside",
        unseen: |why| format!("this console could not be looked at: {why}; start it again"),
    },
    kernel: KernelTexts {
        refused: |release, why| {
            format!(
                "this kernel can't be relied on (Linux {release}): {why}. Lychgate needs Linux 6.11 or newer, because on \
                 others some checks of who is asking would pass without proof. Update the kernel, or run Lychgate on \
                 another machine"
            )
        },
        too_old: "it is too old",
        release_unclear: "its release number is not understood",
        does_not_work: |what| format!("{what} does not work"),
        fails: |what, error| format!("{what} does not work ({error})"),
        proc_files: "/proc",
        process_inodes: "identity of processes by pidfs inode",
        held_map: "telling an execve by a held memory map (PROCMAP_QUERY)",
        message_senders: "the sender of each message on a Unix socket (SO_PASSPIDFD)",
    },
};
