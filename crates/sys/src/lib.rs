//! The system calls that need unsafe
