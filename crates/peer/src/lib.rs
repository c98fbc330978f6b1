//! Who is at the socket: pin, read, re-verify
