//! The sealed vault: channels, credentials, epoch, action store
