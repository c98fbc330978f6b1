//! Is this kernel new enough? On an older one some checks would pass unproven, so it is refused.

use crate::linux::held::inode_of;
use crate::linux::image::reports_execs;
use lychgate_text::words;
use rustix::fs::{fstatfs, statfs};
use rustix::process::{Pid, PidfdFlags, getpid, pidfd_open};
use rustix::system::uname;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

/// The kernel can't carry the evidence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", (words().peer().kernel.refused)(found, fault))]
pub struct KernelTooOld {
    /// Release that was found, as `uname -r` says it.
    pub found: String,
    /// What is wrong with it.
    pub fault: KernelFault,
}

/// What is wrong with a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KernelFault {
    /// It is older than the one that is needed.
    TooOld,
    /// Its release is no number.
    NoNumber,
    /// Something that was tried and did not do what it must; with the system's error, where there was one.
    Fails(Probed, Option<String>),
}

/// What is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probed {
    /// `/proc` is a proc file system.
    Proc,
    /// A process has an inode of its own on pidfs.
    ProcessInodes,
    /// A held memory map tells whether the process executed another program.
    HeldMap,
    /// Each message on a Unix socket carries its writer.
    MessageSenders,
}

impl fmt::Display for KernelFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let say = &words().peer().kernel;
        let what = |probed: &Probed| match probed {
            Probed::Proc => say.proc_files,
            Probed::ProcessInodes => say.process_inodes,
            Probed::HeldMap => say.held_map,
            Probed::MessageSenders => say.message_senders,
        };
        match self {
            Self::TooOld => f.write_str(say.too_old),
            Self::NoNumber => f.write_str(say.release_unclear),
            Self::Fails(probed, None) => f.write_str(&(say.does_not_work)(&what(probed))),
            Self::Fails(probed, Some(error)) => f.write_str(&(say.fails)(&what(probed), error)),
        }
    }
}

/// First release with PROCMAP_QUERY; pidfs with inodes of its own came in 6.9.
const NEEDED: (u32, u32) = (6, 11);

/// `PID_FS_MAGIC` of `linux/magic.h`.
const PIDFS: u64 = 0x5049_4446;
/// `PROC_SUPER_MAGIC` of `linux/magic.h`.
const PROCFS: u64 = 0x9fa0;

/// Looks at the release and tries each thing that the evidence rests on.
///
/// # Errors
/// Names the first thing that is missing. Serve nothing then.
pub fn check() -> Result<(), KernelTooOld> {
    let found = uname().release().to_string_lossy().into_owned();
    let refused = |fault: KernelFault| KernelTooOld { found: found.clone(), fault };
    match release(&found) {
        Some(version) if version >= NEEDED => {}
        Some(_) => return Err(refused(KernelFault::TooOld)),
        None => return Err(refused(KernelFault::NoNumber)),
    }
    // Now, while descriptors are there for certain. A container has no such reports, and goes on with less.
    let _ = reports_execs();
    for (what, probe) in PROBES {
        match probe() {
            Ok(true) => {}
            Ok(false) => return Err(refused(KernelFault::Fails(*what, None))),
            Err(error) => return Err(refused(KernelFault::Fails(*what, Some(error.to_string())))),
        }
    }
    Ok(())
}

type Probe = fn() -> io::Result<bool>;

const PROBES: &[(Probed, Probe)] = &[
    (Probed::Proc, proc_is_procfs),
    (Probed::ProcessInodes, inodes_differ),
    (Probed::HeldMap, map_can_be_asked),
    (Probed::MessageSenders, messages_carry_senders),
];

fn proc_is_procfs() -> io::Result<bool> {
    Ok(statfs("/proc")?.f_type as u64 == PROCFS)
}

fn inodes_differ() -> io::Result<bool> {
    let own = pidfd_open(getpid(), PidfdFlags::empty())?;
    let again = pidfd_open(getpid(), PidfdFlags::empty())?;
    let (first, second) = (inode_of(own.as_fd())?, inode_of(again.as_fd())?);
    let other =
        if getpid() == Pid::INIT { None } else { Some(inode_of(pidfd_open(Pid::INIT, PidfdFlags::empty())?.as_fd())?) };
    Ok(fstatfs(&own)?.f_type as u64 == PIDFS && first == second && other != Some(first))
}

fn map_can_be_asked() -> io::Result<bool> {
    lychgate_sys::image_unchanged(File::open("/proc/self/maps")?.as_fd())
}

fn messages_carry_senders() -> io::Result<bool> {
    use std::io::Write;
    let (ours, mut theirs) = UnixStream::pair()?;
    lychgate_sys::pass_sender(ours.as_fd())?;
    theirs.write_all(b"?")?;
    let received = lychgate_sys::recv(ours.as_fd(), &mut [0; 1])?;
    let connector = inode_of(lychgate_sys::peer_pidfd(ours.as_fd())?.as_fd())?;
    Ok(received.sender.is_ok_and(|sender| inode_of(sender.pidfd.as_fd()).is_ok_and(|inode| inode == connector)))
}

/// The first two numbers of a release.
fn release(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_ordered_as_numbers() {
        assert_eq!(release("6.18.44-generic"), Some((6, 18)));
        assert_eq!(release("6.9-rc1"), Some((6, 9)));
        assert!(release("6.9.1") < Some(NEEDED));
        assert!(release("7.0") > Some(NEEDED));
        for strange in ["", "linux", "6", "v6.12"] {
            assert_eq!(release(strange), None, "{strange}");
        }
    }

    #[test]
    fn this_kernel_passes_or_says_what_it_lacks() {
        assert_eq!(check(), Ok(()));
    }

    #[test]
    fn what_was_tried_in_vain_is_named_with_the_systems_error() {
        let fault = KernelFault::Fails(Probed::MessageSenders, Some("ENOPROTOOPT".to_owned()));
        let text = KernelTooOld { found: "6.12.0".to_owned(), fault }.to_string();
        assert!(text.contains("SO_PASSPIDFD") && text.contains("ENOPROTOOPT"), "{text}");
    }

    #[test]
    fn a_refusal_says_what_was_found_and_what_to_do() {
        let text = KernelTooOld { found: "5.15.0".to_owned(), fault: KernelFault::TooOld }.to_string();
        assert!(text.contains("5.15.0") && text.contains("6.11") && text.contains("Update the kernel"), "{text}");
    }
}
