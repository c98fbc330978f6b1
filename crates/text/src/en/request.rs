//! Why a channel's form, a request's form or a number was refused. In English.

use lychgate_core::agent_pin::NotAnAgentName;
use lychgate_core::channel::{ChannelError, OriginFault};
use lychgate_core::ids::{IdKind, NotAnId};
use lychgate_core::proof::Mismatch;
use lychgate_core::request::{Asked, HeaderFault, InvalidRequest, RequestPart, UrlFault};

pub(super) fn not_an_agent_name(error: &NotAnAgentName) -> String {
    format!("name `{}`: use 1 to 40 of a-z, 0-9, `-`, `_` and `.`, beginning with a letter", error.0)
}

pub(super) fn channel_error(error: &ChannelError) -> String {
    match error {
        ChannelError::Name(name) => {
            format!("channel name `{name}`: use 1 to 40 of a-z, 0-9, `-` and `_`, beginning with a letter")
        }
        ChannelError::Origin { origin, fault } => format!("origin `{origin}`: {}", origin_fault(*fault)),
        ChannelError::Path(path) => {
            format!("path `{path}`: a prefix begins with `/` and holds no `..`, `//`, `?`, `#`, `%` or `\\`")
        }
        ChannelError::Method(method) => {
            format!("method `{method}`: use the HTTP method's name in capital letters, such as GET")
        }
    }
}

fn origin_fault(fault: OriginFault) -> &'static str {
    match fault {
        OriginFault::NotAUrl => "write it as https://api.example.com or https://host:8443",
        OriginFault::HoldsLogin => "no user name or password belongs here; the credential is asked for separately",
        OriginFault::HoldsMore => "only scheme, host and port belong here; give paths with --path",
        OriginFault::NotHttps => "the scheme must be https",
        OriginFault::PlainHttp => "plain http is only allowed to a loopback address such as http://127.0.0.1:8080",
        OriginFault::DotAtEnd => "the host must not end with a dot",
    }
}

pub(super) fn invalid_request(error: &InvalidRequest) -> String {
    match error {
        InvalidRequest::Url(fault) => format!("url: {}", url_fault(*fault)),
        InvalidRequest::Method => "method: use the HTTP method's name in capital letters, such as GET".to_owned(),
        InvalidRequest::TooLarge { part: RequestPart::Url, limit } => {
            format!("the url is over the limit of {limit} bytes")
        }
        InvalidRequest::TooLarge { part: RequestPart::Body, limit } => {
            format!("the body is over the limit of {limit} bytes")
        }
        InvalidRequest::TooLarge { part: RequestPart::HeaderCount, limit } => {
            format!("the number of headers is over the limit of {limit}")
        }
        InvalidRequest::TooLarge { part: RequestPart::Headers, limit } => {
            format!("the headers are over the limit of {limit} bytes in all")
        }
        InvalidRequest::Header(name, fault) => {
            format!("header `{name}` can't be set by the caller: {}", header_fault(*fault))
        }
        InvalidRequest::NotBound { channel, asked, covers } => {
            let asked = match asked {
                Asked::Origin(origin) => origin.to_string(),
                Asked::Path(path) => format!("the path {path}"),
                Asked::Method(method) => format!("the method {method}"),
            };
            let covers = if covers.is_empty() { "nothing".to_owned() } else { covers.join(", ") };
            format!("channel `{channel}` does not cover {asked}; it covers {covers}")
        }
    }
}

fn url_fault(fault: UrlFault) -> &'static str {
    match fault {
        UrlFault::NotHttps => "it must begin with https:// and name a host",
        UrlFault::NotAscii => "it holds a space, a control character or a letter outside ASCII; percent-encode it",
        UrlFault::Backslash => "it holds a backslash, which servers read in different ways",
        UrlFault::NotAbsolute => "it is not an absolute url such as https://api.example.com/v1/items",
        UrlFault::HoldsLogin => "it holds a user name or a password",
        UrlFault::Fragment => "it holds a fragment (#…), which is never sent",
        UrlFault::Host => "its host is empty or ends with a dot",
        UrlFault::EncodedSeparator => {
            "its path holds an encoded slash, backslash or dot, which servers read in different ways"
        }
        UrlFault::MisleadingSegment => {
            "its path holds a segment of dots, or a percent-encoding that is no UTF-8 text, which servers read in \
             different ways"
        }
        UrlFault::EmptySegment => "its path holds `//`, which servers read in different ways",
    }
}

fn header_fault(fault: HeaderFault) -> &'static str {
    match fault {
        HeaderFault::NotAName => "that is not a header name (RFC 9110)",
        HeaderFault::Value => "its value holds a control character, a letter outside ASCII, or outer spaces",
        HeaderFault::Credential => "the gateway adds the credential",
        HeaderFault::Proxy => "the gateway makes the connection",
        HeaderFault::FollowsFromUrl => "it follows from the url",
        HeaderFault::OfOneConnection => "it belongs to one connection, and the gateway makes that",
        HeaderFault::Framing => "the gateway frames the body",
        HeaderFault::Upgrade => "it would turn the request into something else",
        HeaderFault::Expectation => "the gateway decides when the body is sent",
        HeaderFault::ChangesMethod => "it would change the method that was approved",
        HeaderFault::ChangesPath => "it would change the path that was approved",
        HeaderFault::ChangesHost => "it would change the host that was approved",
    }
}

pub(super) fn not_an_id(error: &NotAnId) -> String {
    let kind = match error.kind {
        IdKind::RunId => "a run's number like R31; `lych runs` lists them",
        IdKind::ActionNo => "an action's number like Q44",
        IdKind::CardNo => "a card's number like C7; `lych approvals` lists them",
        IdKind::BootNo => "a gateway's number like B8",
        IdKind::GrantNo => "an approval's number like G3",
        IdKind::BootId => "a boot id (32 hexadecimal digits)",
        IdKind::LaunchNonce => "a launch nonce (32 hexadecimal digits)",
        IdKind::Ref => "an action_id (32 hexadecimal digits)",
        IdKind::ApprovalId => "the id of an approval (32 hexadecimal digits)",
        IdKind::Digest => "a SHA-256 digest (64 hexadecimal digits)",
    };
    format!("`{}` is not {kind}", error.text)
}

pub(super) fn mismatch(Mismatch: &Mismatch) -> String {
    "the journal's row or the credential belongs to another action than the permit; start over".to_owned()
}
