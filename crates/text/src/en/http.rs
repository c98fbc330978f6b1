//! What the HTTP executor says: why a request was not sent, why no answer came. In English.

use crate::http::{
    AddressTexts, CertificateTexts, CredentialTexts, DialTexts, HandshakeTexts, HttpTexts, MessageTexts, ResolveTexts,
    RootsTexts, UnobservedTexts, UnsentTexts,
};

pub(super) const TEXTS: HttpTexts = HttpTexts {
    connect_phase: |why| format!("connect phase: {why}"),
    tls_phase: |why| format!("tls phase: {why}; no part of the request was sent"),
    no_connection: |origin, why| format!("no connection to {origin}: {why}"),
    no_trust: |origin, why| format!("no trusted connection to {origin}: {why}"),
    too_slow: |origin, seconds| format!("{origin} took longer than {seconds} s; check the network, or try again later"),
    no_tls: |origin, why| format!("{origin}: {why}"),
    other_scheme: |scheme| format!("the scheme {scheme} is not spoken here; use https"),
    no_certificate_name: |host| format!("{host} is not a name that a certificate can have; check the spelling"),
    resolve: RESOLVE,
    address: ADDRESS,
    dial: DIAL,
    handshake: HANDSHAKE,
    certificate: CERTIFICATE,
    roots: ROOTS,
    credential: CREDENTIAL,
    message: MESSAGE,
    unsent: UNSENT,
    unobserved: UNOBSERVED,
};

const RESOLVE: ResolveTexts = ResolveTexts {
    failed: |host| {
        format!(
            "the name {host} could not be resolved; check its spelling, the network and this machine's name service"
        )
    },
    empty: |host| format!("no address was found for {host}; check the spelling and this machine's name service"),
    plain_http: |origin, address| {
        format!("{origin} is plain http and leads to {address}, which is not this machine; use https")
    },
    never: |host, address, kind| {
        format!(
            "{host} leads to {address}, which is {kind}; a credential is never sent there, and no setting changes that"
        )
    },
    private: |host, address, kind| {
        format!(
            "{host} leads to {address}, which is {kind}; if that is meant, the operator allows it for the channel with \
             --allow-private"
        )
    },
};

const ADDRESS: AddressTexts = AddressTexts {
    public: "a public address",
    loopback: "this machine itself",
    private_network: "an address of a private network",
    shared_network: "an address of a shared (carrier or overlay) network",
    test_network: "an address of a test or tunnel network",
    unspecified: "an unspecified address",
    link_local: "a link-local address",
    multicast: "a multicast address",
    broadcast: "the broadcast address",
    metadata: "the address of a cloud's metadata service, which hands out credentials",
    reserved: "a reserved address",
    v4_mapped: "an IPv4 address in IPv6 form (mapped)",
    v4_translated: "an IPv4 address in IPv6 form (translated)",
    v4_compatible: "an IPv4 address in IPv6 form (compatible)",
    v4_nat64: "an IPv4 address in IPv6 form (NAT64)",
    v4_6to4: "an IPv4 address in IPv6 form (6to4)",
    v4_teredo: "an IPv4 address in IPv6 form (Teredo)",
    v4_isatap: "an IPv4 address in IPv6 form (ISATAP)",
};

const DIAL: DialTexts = DialTexts {
    refused: "nothing accepts connections there; check the port and that the server runs",
    unreachable: "there is no way to it from here; check the network",
    silent: "it does not answer; check the address and the firewalls between",
    reset: "it ended the connection at once; try again later",
    not_permitted: "this system does not allow the connection; check its firewall rules",
    no_own_address: "this machine has no address of its own to reach it from; check the network",
    other: "the system refused the connection; check the network",
};

const HANDSHAKE: HandshakeTexts = HandshakeTexts {
    no_http1: "it does not speak HTTP/1.1, and the gateway speaks nothing else yet",
    unknown_name: "it does not know the host name; check the spelling",
    wants_client_certificate: "it wants a client certificate, which this channel does not have",
    refused: "it refused the handshake; check the port and the host name",
    too_old: "it speaks no TLS version or cipher that is still safe (TLS 1.2 or 1.3)",
    no_tls: "it does not answer with TLS; check the port",
    other: "the handshake went wrong; check the port and the server's TLS settings",
    ended: "it ended the connection during the handshake; check the port, or try again later",
};

const CERTIFICATE: CertificateTexts = CertificateTexts {
    unknown_issuer: "its certificate is not signed by anyone on the trusted list; if it is a private server, give the \
                     channel its certificate authority with --ca",
    expired: "its certificate has expired; check this machine's clock, else the server's owner must renew it",
    not_yet: "its certificate is not valid yet; check this machine's clock",
    other_name: "its certificate is for another name; check the origin, someone may stand in between",
    revoked: "its certificate was revoked; do not use it",
    bad_signature: "its certificate's signature is false; someone may stand in between",
    not_for_servers: "its certificate can't be used for a server (a certificate authority's own certificate, a purpose \
                      or a form that is not allowed); the server's owner must replace it",
};

const ROOTS: RootsTexts = RootsTexts {
    setup: |why| format!("tls can't be set up: {why}; this build of the program is broken, install it again"),
    none: |places| {
        format!(
            "this system has no root certificates that the gateway may use (a file owned by root and writable by root \
             alone at one of: {places}); install the package ca-certificates, or give the channel its own with --ca"
        )
    },
    unreadable: "a certificate in the channel's --ca file can't be read; give it again as PEM",
    empty: "the channel's --ca file holds no certificate; give it again as PEM",
};

const CREDENTIAL: CredentialTexts = CredentialTexts {
    empty: "the channel's credential is empty; remove the channel and add it again",
    too_long: "the channel's credential is longer than servers take; check it and remove the channel and add it again",
    bad_bytes: "the channel's credential holds a space, a line end, a control character or a letter outside ASCII; \
                remove the channel and add it again",
    no_header: "the channel's credential can't stand in a header; remove the channel and add it again",
};

const MESSAGE: MessageTexts = MessageTexts {
    method: "the method can't be sent",
    target: "the path or query can't be sent as it stands",
    target_would_change: "the path or query would change on the way out",
    host: "the host can't be sent",
    header_name: "a header name can't be sent",
    header_value: "a header value can't be sent",
    header_of_the_gateway: "it sets a header that belongs to the gateway",
};

const UNSENT: UnsentTexts = UnsentTexts {
    authority_ended: "its authority ended before the first byte; ask for it again",
    other_origin: |connection, request| {
        format!("the connection leads to {connection}, the request to {request}; start over")
    },
    change_request: |why| format!("{why}; change the request"),
    nothing_written: |why| format!("{why}; nothing of the request had been written"),
};

const UNOBSERVED: UnobservedTexts = UnobservedTexts {
    cut_after_status: |status| {
        format!("the gateway cut the connection because the authority ended; status {status} had arrived")
    },
    cut: "the gateway cut the connection because the authority ended",
    time_up: |seconds| format!("the server did not answer within {seconds} s"),
    silent: |seconds| format!("the server did not answer within {seconds} s after the request went out"),
    ended: "the exchange ended without an answer",
    reset: "the server broke the connection off before it answered",
    closed: "the server closed the connection before it answered",
    failed: "the connection failed before an answer arrived",
    no_http: "what came back is not an HTTP response that can be read",
    other: "the connection ended before an answer arrived",
};
