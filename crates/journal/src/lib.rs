//! The write-blind, hash-chained journal: append, recover, verify
