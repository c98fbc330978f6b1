//! From an origin to addresses that were judged. Nothing else in this crate may dial.

use crate::address::{Class, classify};
use crate::bounds::ADDRESSES_TRIED;
use crate::connect::NotConnected;
use lychgate_core::channel::Origin;
use lychgate_text::words;
use std::net::{IpAddr, SocketAddr};

/// Addresses that all passed. Private field: [`Pinned::judged`] is the only way to one, so an address that was not
/// looked at can't be dialled, and a second look-up has no place to go (no rebinding).
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Pinned(Vec<SocketAddr>);

impl Pinned {
    /// Judges every address. One that is refused refuses all: a name that also leads inside is not to be trusted.
    pub(crate) fn judged(origin: &Origin, found: Vec<SocketAddr>, allow_private: bool) -> Result<Self, NotConnected> {
        let say = &words().http().resolve;
        if found.is_empty() {
            return Err(NotConnected::connect((say.empty)(&origin.host())));
        }
        for address in &found {
            let class = classify(address.ip());
            if !class.allowed(allow_private) {
                return Err(NotConnected::connect(refused(origin, address.ip(), class)));
            }
            // Origins are checked where they are made; this is where it would hurt.
            if origin.scheme() != "https" && class != Class::Loopback {
                return Err(NotConnected::connect((say.plain_http)(origin, &address.ip())));
            }
        }
        Ok(Self(found.into_iter().take(ADDRESSES_TRIED).collect()))
    }

    pub(crate) fn addresses(&self) -> &[SocketAddr] {
        &self.0
    }
}

/// Resolves the origin's host, once. A literal address is taken as it stands.
pub(crate) async fn resolve(origin: &Origin) -> Result<Vec<SocketAddr>, NotConnected> {
    if let Some(address) = literal(origin.host()) {
        return Ok(vec![SocketAddr::new(address, origin.port())]);
    }
    match tokio::net::lookup_host((origin.host(), origin.port())).await {
        Ok(found) => Ok(found.collect()),
        // The system's text names neither the request nor the credential, but says little; ours says what to do.
        Err(_) => Err(NotConnected::connect((words().http().resolve.failed)(&origin.host()))),
    }
}

/// The address, where the host is one; IPv6 stands in brackets.
pub(crate) fn literal(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inner) => inner.parse().ok().map(IpAddr::V6),
        None => host.parse().ok().map(IpAddr::V4),
    }
}

fn refused(origin: &Origin, address: IpAddr, class: Class) -> String {
    let say = &words().http().resolve;
    match class {
        Class::Never(_) => (say.never)(&origin.host(), &address, &class.words()),
        Class::Public | Class::Loopback | Class::Private(_) => (say.private)(&origin.host(), &address, &class.words()),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn sockets(texts: &[&str]) -> Vec<SocketAddr> {
        texts.iter().map(|text| SocketAddr::new(text.parse().unwrap(), 443)).collect()
    }

    fn judged(origin: &str, found: &[&str], allow_private: bool) -> Result<Pinned, NotConnected> {
        Pinned::judged(&origin.parse().unwrap(), sockets(found), allow_private)
    }

    #[test]
    fn a_name_that_leads_outside_and_inside_is_refused_whole() {
        for order in [["8.8.8.8", "127.0.0.1"], ["127.0.0.1", "8.8.8.8"]] {
            let refusal = judged("https://rebind.example", &order, false).unwrap_err();
            assert!(refusal.detail.contains("127.0.0.1") && refusal.detail.contains("--allow-private"), "{refusal}");
        }
        assert!(judged("https://rebind.example", &["8.8.8.8", "169.254.169.254"], true).is_err());
    }

    #[test]
    fn what_was_judged_is_what_is_dialled() {
        let pinned = judged("https://api.example", &["8.8.8.8", "2606:4700::1"], false).unwrap();
        assert_eq!(pinned.addresses(), sockets(&["8.8.8.8", "2606:4700::1"]));
    }

    #[test]
    fn an_empty_answer_is_no_permission() {
        assert!(judged("https://api.example", &[], true).is_err());
    }

    #[test]
    fn plain_http_leaves_this_machine_in_no_case() {
        let url = url::Url::parse("http://intranet.example/").unwrap();
        let origin = Origin::of(&url).unwrap();
        assert!(Pinned::judged(&origin, sockets(&["10.0.0.1"]), true).is_err());
        assert!(Pinned::judged(&origin, sockets(&["8.8.8.8"]), true).is_err());
        assert!(Pinned::judged(&origin, sockets(&["127.0.0.1", "10.0.0.1"]), true).is_err());
        assert!(Pinned::judged(&origin, sockets(&["127.0.0.1"]), true).is_ok());
    }

    #[test]
    fn literals_are_recognised_in_the_form_that_origins_have() {
        assert_eq!(literal("[::1]"), Some("::1".parse().unwrap()));
        assert_eq!(literal("127.0.0.1"), Some("127.0.0.1".parse().unwrap()));
        for name in ["api.example", "::1", "[127.0.0.1]", "[::1", "127.1"] {
            assert_eq!(literal(name), None, "{name}");
        }
    }

    #[tokio::test]
    async fn whatever_spelling_of_an_address_a_url_allows_is_judged_as_the_address() {
        for text in ["https://2130706433/", "https://0x7f.1/", "https://017700000001/", "https://[::ffff:127.0.0.1]/"] {
            let origin: Origin = text.parse().unwrap();
            let found = resolve(&origin).await.unwrap();
            assert!(Pinned::judged(&origin, found, false).is_err(), "{text}");
        }
    }
}
