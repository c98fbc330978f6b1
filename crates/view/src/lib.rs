//! The viewer: opens audit.key and decrypts journal rows
