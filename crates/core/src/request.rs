//! The canonical request: the only form that is shown, hashed, decided and sent.

use crate::channel::{Channel, ChannelName, HttpBinding, Method, Origin};
use crate::ids::Digest;
use crate::limits;
use sha2::{Digest as _, Sha256};
use url::Url;

/// Why a request was refused before anyone was asked. Nothing has been sent. Holds no words: `lychgate-text` says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidRequest {
    /// Not a URL that this product sends.
    Url(UrlFault),
    /// The method has another form.
    Method,
    /// Over a limit.
    TooLarge {
        /// Which part. Its kind says the unit.
        part: RequestPart,
        /// The most that is allowed.
        limit: usize,
    },
    /// A header that the caller may not set: its name, cut, and why.
    Header(String, HeaderFault),
    /// The channel's binding does not cover it.
    NotBound {
        /// Channel.
        channel: ChannelName,
        /// What was asked.
        asked: Asked,
        /// What it covers instead; empty for nothing.
        covers: Vec<String>,
    },
}

/// What is wrong with a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UrlFault {
    /// No https URL with a host.
    NotHttps,
    /// A space, a control character or a letter outside ASCII.
    NotAscii,
    /// A backslash, which servers read in different ways.
    Backslash,
    /// Not an absolute URL.
    NotAbsolute,
    /// A user name or a password.
    HoldsLogin,
    /// A fragment, which is never sent.
    Fragment,
    /// The host is empty or ends with a dot.
    Host,
    /// An encoded slash, backslash or dot in the path.
    EncodedSeparator,
    /// A segment of dots, or an encoding that is no UTF-8 text, in the path.
    MisleadingSegment,
    /// `//` in the path.
    EmptySegment,
}

/// A part of a request that has a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestPart {
    /// The URL, in bytes.
    Url,
    /// The body, in bytes.
    Body,
    /// How many headers there are.
    HeaderCount,
    /// Names and values of all headers, in bytes.
    Headers,
}

/// Why the caller may not set a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HeaderFault {
    /// That is not a header name (RFC 9110).
    NotAName,
    /// Its value holds a control character, a letter outside ASCII, or outer spaces.
    Value,
    /// The gateway adds the credential.
    Credential,
    /// The gateway makes the connection.
    Proxy,
    /// It follows from the URL.
    FollowsFromUrl,
    /// It belongs to one connection.
    OfOneConnection,
    /// The gateway frames the body.
    Framing,
    /// It would turn the request into something else.
    Upgrade,
    /// The gateway decides when the body is sent.
    Expectation,
    /// It would change the method that was approved.
    ChangesMethod,
    /// It would change the path that was approved.
    ChangesPath,
    /// It would change the host that was approved.
    ChangesHost,
}

/// What of a request its channel does not cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// The origin.
    Origin(Origin),
    /// The path, cut.
    Path(String),
    /// The method.
    Method(Method),
}

/// A request as it came from the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawRequest {
    /// Method.
    pub method: String,
    /// Absolute URL.
    pub url: String,
    /// Headers in the caller's order.
    pub headers: Vec<(String, String)>,
    /// Body; empty means none.
    pub body: Vec<u8>,
}

/// A request in canonical form, inside the binding of its channel. Private fields: see [`CanonicalRequest::new`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalRequest {
    channel: ChannelName,
    channel_version: u32,
    method: Method,
    origin: Origin,
    url: Url,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// Of all of the above: bodies are large, and nobody hashes them under a lock.
    body_sha256: Digest,
    digest: Digest,
}

/// Header names (lower case) that the caller never sets, and why.
const REFUSED_HEADERS: &[(&str, HeaderFault)] = &[
    ("authorization", HeaderFault::Credential),
    ("proxy-authorization", HeaderFault::Proxy),
    ("cookie", HeaderFault::Credential),
    ("host", HeaderFault::FollowsFromUrl),
    ("connection", HeaderFault::OfOneConnection),
    ("keep-alive", HeaderFault::OfOneConnection),
    ("proxy-connection", HeaderFault::OfOneConnection),
    ("te", HeaderFault::OfOneConnection),
    ("trailer", HeaderFault::OfOneConnection),
    ("transfer-encoding", HeaderFault::Framing),
    ("content-length", HeaderFault::Framing),
    ("upgrade", HeaderFault::Upgrade),
    ("expect", HeaderFault::Expectation),
    ("x-http-method", HeaderFault::ChangesMethod),
    ("x-http-method-override", HeaderFault::ChangesMethod),
    ("x-method-override", HeaderFault::ChangesMethod),
    ("x-original-url", HeaderFault::ChangesPath),
    ("x-rewrite-url", HeaderFault::ChangesPath),
    ("x-original-path", HeaderFault::ChangesPath),
    ("x-original-uri", HeaderFault::ChangesPath),
    ("x-forwarded-uri", HeaderFault::ChangesPath),
    ("x-forwarded-path", HeaderFault::ChangesPath),
    ("x-forwarded-prefix", HeaderFault::ChangesPath),
    ("x-forwarded-host", HeaderFault::ChangesHost),
    ("forwarded", HeaderFault::ChangesHost),
];

impl CanonicalRequest {
    /// Brings `raw` into canonical form and checks it against the channel's binding. Hashes the body, twice: not under a
    /// lock.
    ///
    /// # Errors
    /// Says by name what is wrong and what would be right. A refusal here means that nothing was sent.
    pub fn new(channel: &Channel, raw: RawRequest) -> Result<Self, InvalidRequest> {
        let method: Method = raw.method.parse().map_err(|_| InvalidRequest::Method)?;
        let url = canonical_url(&raw.url)?;
        let origin = Origin::of(&url).ok_or(InvalidRequest::Url(UrlFault::NotHttps))?;
        let headers = canonical_headers(raw.headers)?;
        if raw.body.len() > limits::REQUEST_BODY_BYTES {
            return Err(InvalidRequest::TooLarge { part: RequestPart::Body, limit: limits::REQUEST_BODY_BYTES });
        }
        bound(&channel.name, &channel.binding, &method, &origin, &url)?;
        let mut request = Self {
            channel: channel.name.clone(),
            channel_version: channel.version,
            method,
            origin,
            url,
            headers,
            body_sha256: Digest(Sha256::digest(&raw.body).into()),
            body: raw.body,
            digest: Digest([0; 32]),
        };
        request.digest = request.hashed();
        Ok(request)
    }

    /// The channel whose binding it was checked against.
    #[must_use]
    pub fn channel(&self) -> &ChannelName {
        &self.channel
    }
    /// That channel's version at the time.
    #[must_use]
    pub fn channel_version(&self) -> u32 {
        self.channel_version
    }
    /// Method.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.method
    }
    /// Where the connection goes.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }
    /// The whole URL.
    #[must_use]
    pub fn url(&self) -> &str {
        self.url.as_str()
    }
    /// Path and query, as the request line carries them.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.url[url::Position::BeforePath..]
    }
    /// The path alone.
    #[must_use]
    pub fn path(&self) -> &str {
        self.url.path()
    }
    /// Headers, names in lower case, in the caller's order.
    #[must_use]
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }
    /// Body; empty means none.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// SHA-256 of the body alone.
    #[must_use]
    pub fn body_sha256(&self) -> Digest {
        self.body_sha256
    }
    /// SHA-256 over every field, each with its length before it, so that no two requests share a digest.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    fn hashed(&self) -> Digest {
        let mut hash = Sha256::new();
        hash.update(b"lychgate/request/1\0");
        let mut part = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        part(self.channel.as_str().as_bytes());
        part(&self.channel_version.to_le_bytes());
        part(self.method.as_str().as_bytes());
        part(self.url.as_str().as_bytes());
        part(&(self.headers.len() as u64).to_le_bytes());
        for (name, value) in &self.headers {
            part(name.as_bytes());
            part(value.as_bytes());
        }
        part(&self.body);
        Digest(hash.finalize().into())
    }
}

fn canonical_url(text: &str) -> Result<Url, InvalidRequest> {
    if text.len() > limits::URL_BYTES {
        return Err(InvalidRequest::TooLarge { part: RequestPart::Url, limit: limits::URL_BYTES });
    }
    if !text.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(InvalidRequest::Url(UrlFault::NotAscii));
    }
    if text.contains('\\') {
        return Err(InvalidRequest::Url(UrlFault::Backslash));
    }
    let url = Url::parse(text).map_err(|_| InvalidRequest::Url(UrlFault::NotAbsolute))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(InvalidRequest::Url(UrlFault::HoldsLogin));
    }
    if url.fragment().is_some() {
        return Err(InvalidRequest::Url(UrlFault::Fragment));
    }
    if url.host_str().is_none_or(|host| host.ends_with('.')) {
        return Err(InvalidRequest::Url(UrlFault::Host));
    }
    let path = url.path().to_ascii_lowercase();
    let doubled = ["%2f", "%5c", "%00", "%252e", "%252f", "%255c"];
    if doubled.iter().any(|hidden| path.contains(hidden)) {
        return Err(InvalidRequest::Url(UrlFault::EncodedSeparator));
    }
    if path.split('/').any(is_misleading) {
        return Err(InvalidRequest::Url(UrlFault::MisleadingSegment));
    }
    if path.contains("//") {
        return Err(InvalidRequest::Url(UrlFault::EmptySegment));
    }
    Ok(url)
}

/// Dots up to a path parameter or a control character, which some servers cut off before they resolve the path; and
/// encodings that some servers decode in ways of their own.
fn is_misleading(segment: &str) -> bool {
    let Some(decoded) = percent_decoded(segment) else { return true };
    let Ok(text) = std::str::from_utf8(&decoded) else { return true };
    let name = text.split([';', '?', '#']).next().unwrap_or_default();
    let dots = name.trim_matches(|c: char| c.is_control() || c.is_whitespace());
    text.chars().any(char::is_control)
        || (name.len() != text.len() || dots.len() != name.len()) && matches!(dots, "." | "..")
}

/// `None` where a percent sign is not followed by two hexadecimal digits.
fn percent_decoded(segment: &str) -> Option<Vec<u8>> {
    let mut bytes = segment.bytes();
    let mut decoded = Vec::with_capacity(segment.len());
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let digits = [bytes.next()?, bytes.next()?];
        let mut value = [0u8; 1];
        hex::decode_to_slice(digits, &mut value).ok()?;
        decoded.extend(value);
    }
    Some(decoded)
}

fn canonical_headers(raw: Vec<(String, String)>) -> Result<Vec<(String, String)>, InvalidRequest> {
    if raw.len() > limits::HEADER_COUNT {
        return Err(InvalidRequest::TooLarge { part: RequestPart::HeaderCount, limit: limits::HEADER_COUNT });
    }
    let mut total = 0usize;
    let mut headers = Vec::with_capacity(raw.len());
    for (name, value) in raw {
        let name = name.to_ascii_lowercase();
        let shown: String = name.chars().take(80).collect();
        let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        if name.is_empty() || !name.bytes().all(token) {
            return Err(InvalidRequest::Header(shown, HeaderFault::NotAName));
        }
        // Many servers hand both spellings to the application under one name.
        let alike = name.replace('_', "-");
        if let Some((_, why)) = REFUSED_HEADERS.iter().find(|(refused, _)| *refused == alike) {
            return Err(InvalidRequest::Header(shown, *why));
        }
        let text = |b: u8| b == b'\t' || (0x20..0x7f).contains(&b);
        if !value.bytes().all(text) || value.trim_matches([' ', '\t']).len() != value.len() {
            return Err(InvalidRequest::Header(shown, HeaderFault::Value));
        }
        total += name.len() + value.len();
        headers.push((name, value));
    }
    if total > limits::HEADER_BYTES {
        return Err(InvalidRequest::TooLarge { part: RequestPart::Headers, limit: limits::HEADER_BYTES });
    }
    Ok(headers)
}

fn bound(
    name: &ChannelName,
    binding: &HttpBinding,
    method: &Method,
    origin: &Origin,
    url: &Url,
) -> Result<(), InvalidRequest> {
    fn refuse<T: ToString>(channel: &ChannelName, asked: Asked, covers: &[T]) -> InvalidRequest {
        let covers = covers.iter().map(ToString::to_string).collect();
        InvalidRequest::NotBound { channel: channel.clone(), asked, covers }
    }
    if !binding.origins.contains(origin) {
        return Err(refuse(name, Asked::Origin(origin.clone()), &binding.origins));
    }
    if !binding.paths.iter().any(|prefix| prefix.covers(url.path())) {
        let path = url.path().chars().take(200).collect();
        return Err(refuse(name, Asked::Path(path), &binding.paths));
    }
    if !binding.methods.contains(method) {
        return Err(refuse(name, Asked::Method(method.clone()), &binding.methods));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn canonical(url: &str, headers: &[(&str, &str)]) -> Result<CanonicalRequest, InvalidRequest> {
        let mut channel = crate::fixture::channel("items");
        channel.binding.methods = vec!["GET".parse().unwrap()];
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        CanonicalRequest::new(&channel, RawRequest { method: "GET".into(), url: url.into(), headers, body: Vec::new() })
    }

    #[test]
    fn spellings_that_leave_the_binding_at_some_server_are_refused() {
        for (path, why) in [
            ("/v1/%252e%252e/admin", UrlFault::EncodedSeparator),
            ("/v1//admin", UrlFault::EmptySegment),
            ("/v1/%2fadmin", UrlFault::EncodedSeparator),
            ("/v1/..;/admin", UrlFault::MisleadingSegment),
            ("/v1/%2e%2e;/admin", UrlFault::MisleadingSegment),
            ("/v1/..%3b/admin", UrlFault::MisleadingSegment),
            ("/v1/%c0%ae%c0%ae/admin", UrlFault::MisleadingSegment),
            ("/v1/%u002e%u002e/admin", UrlFault::MisleadingSegment),
            ("/v1/..%09/admin", UrlFault::MisleadingSegment),
            ("/v1/a%00", UrlFault::EncodedSeparator),
        ] {
            let refused = canonical(&format!("https://api.example.com{path}"), &[]);
            assert_eq!(refused, Err(InvalidRequest::Url(why)), "{path}");
        }
        for (url, why) in [
            ("https://user@api.example.com/v1/", UrlFault::HoldsLogin),
            ("https://api.example.com./v1/", UrlFault::Host),
            ("https://api.example.com/v1/#a", UrlFault::Fragment),
            ("https://api.example.com\\@evil.example/v1/", UrlFault::Backslash),
            ("https://api.example.com/v1/é", UrlFault::NotAscii),
            ("/v1/", UrlFault::NotAbsolute),
            ("ftp://api.example.com/v1/", UrlFault::NotHttps),
        ] {
            assert_eq!(canonical(url, &[]), Err(InvalidRequest::Url(why)), "{url}");
        }
    }

    #[test]
    fn what_the_channel_does_not_cover_is_named_with_what_it_covers() {
        let not_bound = |asked: Asked, covers: &str| {
            let covers = vec![covers.to_owned()];
            Err(InvalidRequest::NotBound { channel: "items".parse().unwrap(), asked, covers })
        };
        for path in ["/v10/", "/v1", "/v1/../admin", "/v1/%2e%2e/admin"] {
            let url = Url::parse(&format!("https://api.example.com{path}")).unwrap();
            let refused = canonical(&format!("https://api.example.com{path}"), &[]);
            assert_eq!(refused, not_bound(Asked::Path(url.path().to_owned()), "/v1/"), "{path}");
        }
        for url in ["https://api.example.com:444/v1/", "http://api.example.com/v1/", "https://evil.example/v1/"] {
            let asked = Origin::of(&Url::parse(url).unwrap()).unwrap();
            assert_eq!(canonical(url, &[]), not_bound(Asked::Origin(asked), "https://api.example.com"), "{url}");
        }
    }

    #[test]
    fn ordinary_paths_go_through_unchanged() {
        for path in ["/v1/", "/v1/a.b", "/v1/%C3%A9t%C3%A9", "/v1/a;b=1", "/v1/...", "/v1/x?q=%2F..%2F&a=b"] {
            let request = canonical(&format!("https://api.example.com{path}"), &[]);
            assert_eq!(request.map(|request| request.target().to_owned()), Ok(path.to_owned()));
        }
    }

    #[test]
    fn headers_that_would_change_what_was_approved_are_refused_in_both_spellings() {
        for (name, why) in [
            ("Authorization", HeaderFault::Credential),
            ("Cookie", HeaderFault::Credential),
            ("Host", HeaderFault::FollowsFromUrl),
            ("Connection", HeaderFault::OfOneConnection),
            ("Transfer-Encoding", HeaderFault::Framing),
            ("X-HTTP-Method-Override", HeaderFault::ChangesMethod),
            ("x_http_method_override", HeaderFault::ChangesMethod),
            ("x_forwarded_host", HeaderFault::ChangesHost),
            ("x-original-uri", HeaderFault::ChangesPath),
            ("X-Forwarded-Prefix", HeaderFault::ChangesPath),
            ("x y", HeaderFault::NotAName),
        ] {
            let refused = canonical("https://api.example.com/v1/", &[(name, "x")]);
            assert_eq!(refused, Err(InvalidRequest::Header(name.to_ascii_lowercase(), why)));
        }
        let folded = canonical("https://api.example.com/v1/", &[("x-a", "x\r\nx-b: y")]);
        assert_eq!(folded, Err(InvalidRequest::Header("x-a".to_owned(), HeaderFault::Value)));
        assert!(canonical("https://api.example.com/v1/", &[("X-Custom_Header", "x")]).is_ok());
    }
}
