//! What was seen of the answer, without what is not the agent's to see.

use crate::body::Kept;
use crate::redact::Needles;
use hyper::StatusCode;
use hyper::header::{CONNECTION, CONTENT_ENCODING, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING};
use lychgate_core::ids::Digest;
use lychgate_core::limits::RESPONSE_KEPT_BYTES;
use sha2::{Digest as _, Sha256};
use std::fmt;
use zeroize::Zeroize;

/// An answer whose status was seen. Nothing in it holds the injected credential in a form that [`Withheld`] names.
///
/// Redirects are returned like any other answer and never followed. Trailers and informational (1xx) answers are
/// dropped. `Debug` shows sizes and no content.
#[derive(Clone, PartialEq, Eq)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Headers in the order of the wire, names in lower case. Values that are not UTF-8 are read as ISO 8859-1.
    pub headers: Vec<(String, String)>,
    /// Names of headers that were kept back because they belong to the connection or would set a cookie, each once.
    pub kept_back: Vec<String>,
    /// The body, at most [`RESPONSE_KEPT_BYTES`]; empty where it is withheld. Still encoded where `content-encoding`
    /// says so, which does not happen for a body that is handed on.
    pub body: Vec<u8>,
    /// Body bytes that came in. Where `cut_by_peer` or `cut_by_us` is set, there were more.
    pub total_bytes: u64,
    /// `body` holds less than what came in, or reading was ended by us.
    pub truncated: bool,
    /// SHA-256 of `body` as it stands here: cut and withheld. Of what came in it would tell more than is handed on.
    pub body_sha256: Digest,
    /// The body ended before its length or framing said so. The status stands; the content is incomplete.
    pub cut_by_peer: bool,
    /// We stopped reading: the body was longer than is read at all, or the time was up.
    pub cut_by_us: bool,
    /// What was taken out. `None`: nothing.
    pub withheld: Option<Withheld>,
}

/// What was taken out of a response, for the notice that goes with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withheld {
    /// Why the body is empty here, if it was withheld.
    pub body: Option<BodyWithheld>,
    /// Names of headers that held the credential; `(unnamed)` for one whose name did.
    pub headers: Vec<String>,
}

/// Why a body was withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BodyWithheld {
    /// It holds the credential, or was cut within it: plain, in base64, percent-encoded or JSON-escaped.
    HoldsCredential,
    /// It is compressed although `identity` was asked for, so that it can't be searched.
    Encoded,
}

impl Withheld {
    /// True where the server sent the credential back. The third time in a run ends the approval.
    #[must_use]
    pub fn holds_credential(&self) -> bool {
        self.body == Some(BodyWithheld::HoldsCredential) || !self.headers.is_empty()
    }
}

impl Response {
    /// Where a redirect that was not followed points to, if the server said so.
    #[must_use]
    pub fn redirect_not_followed(&self) -> Option<&str> {
        let redirects = matches!(self.status, 301 | 302 | 303 | 307 | 308);
        let location = self.headers.iter().find(|(name, _)| name == "location");
        location.filter(|_| redirects).map(|(_, value)| value.as_str())
    }
}

impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.status)
            .field("headers", &self.headers.len())
            .field("total_bytes", &self.total_bytes)
            .field("truncated", &self.truncated)
            .field("cut_by_peer", &self.cut_by_peer)
            .field("cut_by_us", &self.cut_by_us)
            .field("withheld", &self.withheld)
            .finish_non_exhaustive()
    }
}

/// How the body ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyEnd {
    /// As its framing says.
    Complete,
    /// Before that.
    CutByPeer,
    /// By us.
    CutByUs,
}

/// Puts the answer together and takes out what is not the agent's to see.
pub(crate) fn assemble(status: StatusCode, head: &HeaderMap, kept: Kept, end: BodyEnd, needles: &Needles) -> Response {
    let (mut body, total_bytes) = kept.into_parts();
    let Headers { handed_on, kept_back, holding } = sort(head, needles);
    let why = judge(head, &body, total_bytes, end, needles);
    if why.is_some() {
        body.zeroize();
    }
    body.truncate(RESPONSE_KEPT_BYTES);
    let withheld = (why.is_some() || !holding.is_empty()).then_some(Withheld { body: why, headers: holding });
    Response {
        status: status.as_u16(),
        headers: handed_on,
        kept_back,
        total_bytes,
        truncated: total_bytes > RESPONSE_KEPT_BYTES as u64 || end == BodyEnd::CutByUs,
        body_sha256: Digest(Sha256::digest(&body).into()),
        cut_by_peer: end == BodyEnd::CutByPeer,
        cut_by_us: end == BodyEnd::CutByUs,
        body,
        withheld,
    }
}

fn judge(head: &HeaderMap, body: &[u8], total: u64, end: BodyEnd, needles: &Needles) -> Option<BodyWithheld> {
    if body.is_empty() {
        return None;
    }
    // Where the end is missing, it may be missing from the middle of the credential.
    let ends_early = end != BodyEnd::Complete && total == body.len() as u64;
    if needles.in_text(body) || (ends_early && needles.begun_at_end(body)) {
        return Some(BodyWithheld::HoldsCredential);
    }
    is_encoded(head).then_some(BodyWithheld::Encoded)
}

/// True where a coding other than `identity`, or a transfer coding other than `chunked`, lies over the body.
fn is_encoded(head: &HeaderMap) -> bool {
    let other = |name: HeaderName, plain: &[u8]| {
        head.get_all(name)
            .iter()
            .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
            .map(<[u8]>::trim_ascii)
            .any(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case(plain))
    };
    other(CONTENT_ENCODING, b"identity") || other(TRANSFER_ENCODING, b"chunked")
}

struct Headers {
    handed_on: Vec<(String, String)>,
    kept_back: Vec<String>,
    holding: Vec<String>,
}

/// RFC 9110 section 7.6.1, and what sets state or speaks of proxies.
const KEPT_BACK: [&str; 10] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authentication-info",
    "proxy-connection",
    "set-cookie",
    "set-cookie2",
    "te",
    "transfer-encoding",
    "upgrade",
];

fn sort(head: &HeaderMap, needles: &Needles) -> Headers {
    let named: Vec<String> = head
        .get_all(CONNECTION)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .map(|name| String::from_utf8_lossy(name.trim_ascii()).to_ascii_lowercase())
        .collect();
    let mut sorted = Headers { handed_on: Vec::with_capacity(head.len()), kept_back: Vec::new(), holding: Vec::new() };
    for (name, value) in head {
        let name = name.as_str();
        if needles.in_lower_case(name) {
            sorted.holding.push("(unnamed)".to_owned());
        } else if needles.in_text(value.as_bytes()) {
            sorted.holding.push(name.to_owned());
        } else if KEPT_BACK.contains(&name) || named.iter().any(|other| other == name) {
            sorted.kept_back.push(name.to_owned());
        } else {
            sorted.handed_on.push((name.to_owned(), text(value)));
        }
    }
    sorted.kept_back.dedup();
    sorted.holding.dedup();
    sorted
}

fn text(value: &HeaderValue) -> String {
    match std::str::from_utf8(value.as_bytes()) {
        Ok(text) => text.to_owned(),
        Err(_) => value.as_bytes().iter().copied().map(char::from).collect(),
    }
}
