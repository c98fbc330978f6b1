//! The gateway: sockets, tasks, hardening
