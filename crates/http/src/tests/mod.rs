//! Black-box tests over real sockets on the loopback address, against servers that write down what they get.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod answers;
mod endings;
mod environment;
mod fixture;
mod redaction;
mod request;
mod server;
mod tls;
