//! Which addresses a credential may be sent to. Pure: one address in, one class out.
//!
//! Sources: the IANA registries of special-purpose IPv4 and IPv6 addresses (RFC 6890 and its successors), the
//! documentation of the cloud providers for their metadata services, and the RFCs named at each range.

use lychgate_text::words;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What kind of address it is, as far as sending a credential is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Ordinary, reachable from everywhere.
    Public,
    /// This machine. Only for channels with `allow_private`.
    Loopback,
    /// A local network, or one that is shared behind a carrier's translation. Only for channels with `allow_private`.
    Private(Local),
    /// Never, whatever the channel says.
    Never(NoServer),
}

/// Networks that are not the Internet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Local {
    /// RFC 1918 and RFC 4193.
    Network,
    /// Behind a carrier's translation, or an overlay that uses its range (RFC 6598).
    Shared,
    /// For tests of devices, used by tunnels too (RFC 2544).
    Test,
}

/// Where no server is, or none that may be sent a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoServer {
    /// A cloud's metadata service.
    Metadata,
    /// `0.0.0.0/8`, `::`.
    Unspecified,
    /// Of one link.
    LinkLocal,
    /// Of many.
    Multicast,
    /// Of all on one link.
    Broadcast,
    /// Handed out to nobody, or for documentation.
    Reserved,
    /// IPv4 in IPv6: `::ffff:0:0/96`.
    Mapped,
    /// IPv4 in IPv6: `::ffff:0:0:0/96` (RFC 2765).
    Translated,
    /// IPv4 in IPv6: `::/96`.
    Compatible,
    /// IPv4 in IPv6: RFC 6052.
    Nat64,
    /// IPv4 in IPv6: RFC 3056.
    SixToFour,
    /// IPv4 in IPv6: RFC 4380.
    Teredo,
    /// IPv4 in IPv6: RFC 5214.
    Isatap,
}

impl Class {
    /// True where a channel with this `allow_private` may be sent there.
    #[must_use]
    pub fn allowed(self, allow_private: bool) -> bool {
        match self {
            Self::Public => true,
            Self::Loopback | Self::Private(_) => allow_private,
            Self::Never(_) => false,
        }
    }

    /// The kind in words, to follow "is".
    #[must_use]
    pub fn words(self) -> &'static str {
        let say = &words().http().address;
        match self {
            Self::Public => say.public,
            Self::Loopback => say.loopback,
            Self::Private(Local::Network) => say.private_network,
            Self::Private(Local::Shared) => say.shared_network,
            Self::Private(Local::Test) => say.test_network,
            Self::Never(NoServer::Metadata) => say.metadata,
            Self::Never(NoServer::Unspecified) => say.unspecified,
            Self::Never(NoServer::LinkLocal) => say.link_local,
            Self::Never(NoServer::Multicast) => say.multicast,
            Self::Never(NoServer::Broadcast) => say.broadcast,
            Self::Never(NoServer::Reserved) => say.reserved,
            Self::Never(NoServer::Mapped) => say.v4_mapped,
            Self::Never(NoServer::Translated) => say.v4_translated,
            Self::Never(NoServer::Compatible) => say.v4_compatible,
            Self::Never(NoServer::Nat64) => say.v4_nat64,
            Self::Never(NoServer::SixToFour) => say.v4_6to4,
            Self::Never(NoServer::Teredo) => say.v4_teredo,
            Self::Never(NoServer::Isatap) => say.v4_isatap,
        }
    }
}

/// Judges one address.
///
/// IPv6 forms that carry an IPv4 address are refused whatever they carry: no server is reached by one that could not
/// be reached by its plain address, and a check that looks at one form only has been walked around often enough.
#[must_use]
pub fn classify(address: IpAddr) -> Class {
    match address {
        IpAddr::V4(address) => v4(address),
        IpAddr::V6(address) => v6(address),
    }
}

fn v4(address: Ipv4Addr) -> Class {
    match address.octets() {
        // Azure's host agent and Oracle's metadata service have addresses outside the link-local range.
        [168, 63, 129, 16] | [192, 0, 0, 192] | [100, 100, 100, 200] => Class::Never(NoServer::Metadata),
        [169, 254, 169, 254] | [169, 254, 170, 2 | 23] => Class::Never(NoServer::Metadata),
        [0, ..] => Class::Never(NoServer::Unspecified),
        [127, ..] => Class::Loopback,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Class::Private(Local::Network),
        [100, 64..=127, ..] => Class::Private(Local::Shared),
        [198, 18..=19, ..] => Class::Private(Local::Test),
        [169, 254, ..] => Class::Never(NoServer::LinkLocal),
        [224..=239, ..] => Class::Never(NoServer::Multicast),
        [255, 255, 255, 255] => Class::Never(NoServer::Broadcast),
        [240..=255, ..] | [192, 0, 0 | 2, _] | [192, 88, 99, _] | [198, 51, 100, _] | [203, 0, 113, _] => {
            Class::Never(NoServer::Reserved)
        }
        _ => Class::Public,
    }
}

fn v6(address: Ipv6Addr) -> Class {
    let s = address.segments();
    match s {
        [0, 0, 0, 0, 0, 0, 0, 0] => Class::Never(NoServer::Unspecified),
        [0, 0, 0, 0, 0, 0, 0, 1] => Class::Loopback,
        [0, 0, 0, 0, 0, 0xffff, _, _] => Class::Never(NoServer::Mapped),
        [0, 0, 0, 0, 0xffff, 0, _, _] => Class::Never(NoServer::Translated),
        [0, 0, 0, 0, 0, 0, _, _] => Class::Never(NoServer::Compatible),
        [0x64, 0xff9b, ..] => Class::Never(NoServer::Nat64),
        [0x2002, ..] => Class::Never(NoServer::SixToFour),
        [0x2001, 0, ..] => Class::Never(NoServer::Teredo),
        // RFC 5214 section 6.1; the second form has the universal bit set.
        [_, _, _, _, 0 | 0x200, 0x5efe, _, _] => Class::Never(NoServer::Isatap),
        [0xfd00, 0xec2, ..] | [0xfd20, 0xce, ..] | [0xfd00, 0x42, ..] => Class::Never(NoServer::Metadata),
        [0xfc00..=0xfdff, ..] => Class::Private(Local::Network),
        [0xfe80..=0xfebf, ..] => Class::Never(NoServer::LinkLocal),
        [0xff00..=0xffff, ..] => Class::Never(NoServer::Multicast),
        // RFC 2928 (2001::/23), RFC 3849 and RFC 9637 (documentation): none of them is a server on the Internet.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Class::Never(NoServer::Reserved),
        // Global unicast is what IANA has handed out so far; the rest is nobody's.
        [0x2000..=0x3fff, ..] => Class::Public,
        _ => Class::Never(NoServer::Reserved),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(text: &str) -> Class {
        let Ok(address) = text.parse() else { unreachable!("fixture {text}") };
        classify(address)
    }

    #[test]
    fn every_form_that_wraps_an_ipv4_address_is_refused_whatever_it_wraps() {
        for wrapped in [
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::ffff:169.254.169.254",
            "::127.0.0.1",
            "::8.8.8.8",
            "::ffff:0:10.0.0.1",
            "64:ff9b::127.0.0.1",
            "64:ff9b::8.8.8.8",
            "64:ff9b:1::10.0.0.1",
            "2002:7f00:1::",
            "2002:808:808::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            "2001::1",
            "2606:4700::5efe:10.0.0.1",
            "2606:4700::200:5efe:10.0.0.1",
            "fe80::5efe:10.0.0.1",
            "fd12::5efe:127.0.0.1",
        ] {
            assert!(matches!(class(wrapped), Class::Never(_)), "{wrapped}: {:?}", class(wrapped));
            assert!(!class(wrapped).allowed(true), "{wrapped}");
        }
    }

    #[test]
    fn metadata_services_are_refused_even_where_private_is_allowed() {
        for address in [
            "169.254.169.254",
            "169.254.170.2",
            "169.254.170.23",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "fd00:ec2::254",
            "fd00:ec2::23",
            "fd20:ce::254",
            "fd00:42::42",
        ] {
            assert_eq!(class(address), Class::Never(NoServer::Metadata), "{address}");
        }
    }

    #[test]
    fn what_is_no_server_is_refused_even_where_private_is_allowed() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "169.254.0.1",
            "169.254.255.255",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.254",
            "255.255.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "198.51.100.7",
            "203.0.113.9",
            "::",
            "::2",
            "100::1",
            "2001:2::1",
            "2001:20::1",
            "2001:db8::1",
            "3fff:fff::1",
            "4000::1",
            "5f00::1",
            "fe00::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
            "1::",
        ] {
            assert!(!class(address).allowed(true), "{address}: {:?}", class(address));
        }
    }

    #[test]
    fn local_networks_and_this_machine_need_the_channels_word() {
        for address in [
            "127.0.0.1",
            "127.255.255.254",
            "10.0.0.0",
            "10.255.255.255",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "198.18.0.1",
            "198.19.255.255",
            "::1",
            "fc00::1",
            "fd12:3456::1",
        ] {
            assert!(class(address).allowed(true), "{address}: {:?}", class(address));
            assert!(!class(address).allowed(false), "{address}: {:?}", class(address));
        }
    }

    #[test]
    fn neighbours_of_the_ranges_are_public() {
        for address in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.1",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.1",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2001:200::1",
            "2001:4860:4860::8888",
            "2003::1",
            "2606:4700:4700::1111",
            "3ffe::1",
        ] {
            assert_eq!(class(address), Class::Public, "{address}");
        }
    }
}
