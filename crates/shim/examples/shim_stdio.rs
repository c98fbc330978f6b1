//! The smallest program around the shim; the tests drive it as a client would.
//!
//! `shim_stdio SOCKET [CONVERSATION]`
#![expect(clippy::print_stderr, reason = "a program's own error message")]

use lychgate_shim::{ShimOptions, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(socket) = arguments.next() else {
        eprintln!("usage: shim_stdio SOCKET [CONVERSATION]");
        return ExitCode::from(2);
    };
    let options = ShimOptions {
        agent_socket: socket.into(),
        conversation: arguments.next(),
        build: env!("CARGO_PKG_VERSION").to_owned(),
        own_uid: rustix::process::getuid().as_raw(),
        speaks_for_agent: true,
    };
    match run(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lych mcp: {error}");
            ExitCode::FAILURE
        }
    }
}
