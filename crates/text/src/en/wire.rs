//! What the two local protocols say when a connection fails. In English.

use crate::wire::WireTexts;

pub(super) const TEXTS: WireTexts = WireTexts {
    closed: "the connection was closed",
    cut_off: "the connection was closed in the middle of a frame",
    no_sender: "the writer of a frame can't be seen",
    mixed_senders: "two processes wrote pieces of one frame",
    descriptor: "a frame carried a file descriptor",
    too_large: |bytes| format!("a frame of {bytes} bytes is over the limit"),
    too_slow: |seconds| format!("a frame was begun and not completed within {seconds} s"),
    crowded: "too many large frames at once, and the most of them by this process",
    socket_failed: |error| format!("the socket failed: {error}"),
};
