//! The channel that this crate's tests decide about.
#![expect(clippy::unwrap_used, reason = "tests")]

use crate::channel::{ApprovalMode, ApprovalSettings, Ceremony, Channel, CredentialKind, HttpBinding};

/// A session channel without limits: GET and POST below `/v1/`. Tests change what they are about.
pub(crate) fn channel(name: &str) -> Channel {
    Channel {
        name: name.parse().unwrap(),
        version: 1,
        binding: HttpBinding {
            origins: vec!["https://api.example.com".parse().unwrap()],
            paths: vec!["/v1/".parse().unwrap()],
            methods: vec!["GET".parse().unwrap(), "POST".parse().unwrap()],
            allow_private: false,
            ca_pem: None,
        },
        kind: CredentialKind::Bearer,
        approval: ApprovalSettings {
            mode: ApprovalMode::Session,
            per_call_methods: Vec::new(),
            ceremony: Ceremony::Presence,
            max_uses: None,
            max_minutes: None,
            allow_unverified: false,
            allow_unreadable: false,
        },
    }
}
