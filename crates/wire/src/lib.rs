//! Messages and framing on the two local sockets.
//!
//! A frame is a length (`u32`, little endian) and that many bytes of JSON. Each frame has one sender: the kernel names
//! the writer of every piece that arrives, and pieces of different writers never make one frame ([`transport`]).
//! Answers may be read by whoever holds the descriptor, so nothing secret is ever in one.
#![forbid(unsafe_code)]

pub mod agent;
pub mod crowd;
pub mod operator;
pub mod sensitive;
pub mod transport;

/// Version of the messages. Shim and gateway come from one file, so a difference means that one of them is old.
pub const WIRE: u32 = 1;
