//! `lych-attest`: the attestor as a program of its own. Started by a service manager, as a user of its own, with
//! `CAP_SYS_PTRACE` and no other right.
#![forbid(unsafe_code)]

use lychgate_attest::{Serving, serve};
use lychgate_harden::Role;
use lychgate_peer::Linux;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use rustix::thread::{CapabilitySet, capabilities};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::process::ExitCode;
use std::sync::Arc;

/// Connections of a gateway that wait to be taken.
const BACKLOG: i32 = 16;

fn main() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is there to hear that nothing could be said.
            let _ = writeln!(io::stderr(), "lych-attest: {error}");
            ExitCode::FAILURE
        }
    }
}

fn start() -> io::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let number = |argument: Option<std::ffi::OsString>| {
        argument.and_then(|text| text.to_str()?.parse::<u32>().ok()).ok_or(io::ErrorKind::InvalidInput)
    };
    let path = arguments.next().ok_or(io::ErrorKind::InvalidInput)?;
    let serving = Serving { gateway: number(arguments.next())?, person: number(arguments.next())? };
    one_right()?;
    let listener = rustix::net::socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    rustix::net::bind(&listener, &SocketAddrUnix::new(&*path)?)?;
    // Anybody may knock: the kernel says who it is, and only the gateway is answered.
    rustix::fs::chmod(&path, rustix::fs::Mode::from_raw_mode(0o666))?;
    rustix::net::listen(&listener, BACKLOG)?;
    lychgate_harden::harden(Role::Attestor).map_err(|refused| refused.error)?;
    // The one line on standard output, for whoever waits.
    writeln!(io::stdout(), "ready")?;
    serve(Arc::new(Linux), serving, || next(&listener))
}

fn next(listener: &OwnedFd) -> io::Result<OwnedFd> {
    Ok(rustix::net::accept_with(listener, SocketFlags::CLOEXEC)?)
}

/// With less it sees nothing, and with more it is worth more to an attacker than it has to be.
fn one_right() -> io::Result<()> {
    let sets = capabilities(None)?;
    let wanted = CapabilitySet::SYS_PTRACE;
    if sets.effective == wanted && sets.permitted == wanted && !rustix::process::getuid().is_root() {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::PermissionDenied, "cap_sys_ptrace"))
    }
}
