//! The canonical request: the only form that is shown, hashed, decided and sent.

use crate::channel::{Channel, ChannelName, HttpBinding, Method, Origin};
use crate::ids::Digest;
use crate::limits;
use sha2::{Digest as _, Sha256};
use url::Url;

/// Why a request was refused before anyone was asked. Nothing has been sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRequest {
    /// Not a URL that this product sends.
    #[error("url: {0}")]
    Url(&'static str),
    /// The method has another form.
    #[error("method: use the HTTP method's name in capital letters, such as GET")]
    Method,
    /// Over a limit.
    #[error("{what} is over the limit of {limit} {unit}")]
    TooLarge {
        /// Which part.
        what: &'static str,
        /// The limit.
        limit: usize,
        /// Its unit.
        unit: &'static str,
    },
    /// A header that the caller may not set.
    #[error("header `{0}` can't be set by the caller: {1}")]
    Header(String, &'static str),
    /// The channel's binding does not cover it.
    #[error("channel `{channel}` does not cover {what}; it covers {covers}")]
    NotBound {
        /// Channel.
        channel: ChannelName,
        /// What was asked.
        what: String,
        /// The nearest thing that would match.
        covers: String,
    },
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
}

/// Header names (lower case) that the caller never sets, and why.
const REFUSED_HEADERS: &[(&str, &str)] = &[
    ("authorization", "the gateway adds the credential"),
    ("proxy-authorization", "the gateway makes the connection"),
    ("cookie", "the gateway adds the credential"),
    ("host", "it follows from the url"),
    ("connection", "it belongs to one connection, and the gateway makes that"),
    ("keep-alive", "it belongs to one connection, and the gateway makes that"),
    ("proxy-connection", "it belongs to one connection, and the gateway makes that"),
    ("te", "it belongs to one connection, and the gateway makes that"),
    ("trailer", "it belongs to one connection, and the gateway makes that"),
    ("transfer-encoding", "the gateway frames the body"),
    ("content-length", "the gateway frames the body"),
    ("upgrade", "it would turn the request into something else"),
    ("expect", "the gateway decides when the body is sent"),
    ("x-http-method", "it would change the method that was approved"),
    ("x-http-method-override", "it would change the method that was approved"),
    ("x-method-override", "it would change the method that was approved"),
    ("x-original-url", "it would change the path that was approved"),
    ("x-rewrite-url", "it would change the path that was approved"),
    ("x-original-path", "it would change the path that was approved"),
    ("x-original-uri", "it would change the path that was approved"),
    ("x-forwarded-uri", "it would change the path that was approved"),
    ("x-forwarded-path", "it would change the path that was approved"),
    ("x-forwarded-prefix", "it would change the path that was approved"),
    ("x-forwarded-host", "it would change the host that was approved"),
    ("forwarded", "it would change the host that was approved"),
];

impl CanonicalRequest {
    /// Brings `raw` into canonical form and checks it against the channel's binding.
    ///
    /// # Errors
    /// Says by name what is wrong and what would be right. A refusal here means that nothing was sent.
    pub fn new(channel: &Channel, raw: RawRequest) -> Result<Self, InvalidRequest> {
        let method: Method = raw.method.parse().map_err(|_| InvalidRequest::Method)?;
        let url = canonical_url(&raw.url)?;
        let origin = Origin::of(&url).ok_or(InvalidRequest::Url("it must begin with https:// and name a host"))?;
        let headers = canonical_headers(raw.headers)?;
        if raw.body.len() > limits::REQUEST_BODY_BYTES {
            return Err(InvalidRequest::TooLarge {
                what: "the body",
                limit: limits::REQUEST_BODY_BYTES,
                unit: "bytes",
            });
        }
        bound(&channel.name, &channel.binding, &method, &origin, &url)?;
        Ok(Self {
            channel: channel.name.clone(),
            channel_version: channel.version,
            method,
            origin,
            url,
            headers,
            body: raw.body,
        })
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

    /// SHA-256 over every field, each with its length before it, so that no two requests share a digest.
    #[must_use]
    pub fn digest(&self) -> Digest {
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
        return Err(InvalidRequest::TooLarge { what: "the url", limit: limits::URL_BYTES, unit: "bytes" });
    }
    if !text.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(InvalidRequest::Url(
            "it holds a space, a control character or a letter outside ASCII; percent-encode it",
        ));
    }
    if text.contains('\\') {
        return Err(InvalidRequest::Url("it holds a backslash, which servers read in different ways"));
    }
    let url = Url::parse(text)
        .map_err(|_| InvalidRequest::Url("it is not an absolute url such as https://api.example.com/v1/items"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(InvalidRequest::Url("it holds a user name or a password"));
    }
    if url.fragment().is_some() {
        return Err(InvalidRequest::Url("it holds a fragment (#…), which is never sent"));
    }
    if url.host_str().is_none_or(|host| host.ends_with('.')) {
        return Err(InvalidRequest::Url("its host is empty or ends with a dot"));
    }
    let path = url.path().to_ascii_lowercase();
    let doubled = ["%2f", "%5c", "%00", "%252e", "%252f", "%255c"];
    if doubled.iter().any(|hidden| path.contains(hidden)) {
        return Err(InvalidRequest::Url(
            "its path holds an encoded slash, backslash or dot, which servers read in different ways",
        ));
    }
    if path.split('/').any(is_misleading) {
        return Err(InvalidRequest::Url(
            "its path holds a segment of dots, or a percent-encoding that is no UTF-8 text, which servers read in different ways",
        ));
    }
    if path.contains("//") {
        return Err(InvalidRequest::Url("its path holds `//`, which servers read in different ways"));
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
        return Err(InvalidRequest::TooLarge {
            what: "the number of headers",
            limit: limits::HEADER_COUNT,
            unit: "headers",
        });
    }
    let mut total = 0usize;
    let mut headers = Vec::with_capacity(raw.len());
    for (name, value) in raw {
        let name = name.to_ascii_lowercase();
        let shown: String = name.chars().take(80).collect();
        let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        if name.is_empty() || !name.bytes().all(token) {
            return Err(InvalidRequest::Header(shown, "that is not a header name (RFC 9110)"));
        }
        // Many servers hand both spellings to the application under one name.
        let alike = name.replace('_', "-");
        if let Some((_, why)) = REFUSED_HEADERS.iter().find(|(refused, _)| *refused == alike) {
            return Err(InvalidRequest::Header(shown, why));
        }
        let text = |b: u8| b == b'\t' || (0x20..0x7f).contains(&b);
        if !value.bytes().all(text) || value.trim_matches([' ', '\t']).len() != value.len() {
            return Err(InvalidRequest::Header(
                shown,
                "its value holds a control character, a letter outside ASCII, or outer spaces",
            ));
        }
        total += name.len() + value.len();
        headers.push((name, value));
    }
    if total > limits::HEADER_BYTES {
        return Err(InvalidRequest::TooLarge { what: "the headers", limit: limits::HEADER_BYTES, unit: "bytes" });
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
    let list = |items: Vec<String>| if items.is_empty() { "nothing".to_owned() } else { items.join(", ") };
    let refuse = |what: String, covers: String| InvalidRequest::NotBound { channel: name.clone(), what, covers };
    if !binding.origins.contains(origin) {
        return Err(refuse(origin.to_string(), list(binding.origins.iter().map(ToString::to_string).collect())));
    }
    if !binding.paths.iter().any(|prefix| prefix.covers(url.path())) {
        let what: String = url.path().chars().take(200).collect();
        return Err(refuse(format!("the path {what}"), list(binding.paths.iter().map(ToString::to_string).collect())));
    }
    if !binding.methods.contains(method) {
        return Err(refuse(
            format!("the method {method}"),
            list(binding.methods.iter().map(ToString::to_string).collect()),
        ));
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
        for path in [
            "/v1/../admin",
            "/v1/%2e%2e/admin",
            "/v1/%252e%252e/admin",
            "/v1//admin",
            "/v1/%2fadmin",
            "/v1/..;/admin",
            "/v1/%2e%2e;/admin",
            "/v1/..%3b/admin",
            "/v1/%c0%ae%c0%ae/admin",
            "/v1/%u002e%u002e/admin",
            "/v1/..%09/admin",
            "/v1/a%00",
            "/v10/",
            "/v1",
        ] {
            assert!(canonical(&format!("https://api.example.com{path}"), &[]).is_err(), "{path}");
        }
        for url in [
            "https://user@api.example.com/v1/",
            "https://api.example.com./v1/",
            "https://api.example.com:444/v1/",
            "https://api.example.com/v1/#a",
            "https://api.example.com\\@evil.example/v1/",
            "http://api.example.com/v1/",
            "https://evil.example/v1/",
        ] {
            assert!(canonical(url, &[]).is_err(), "{url}");
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
        for name in [
            "Authorization",
            "Cookie",
            "Host",
            "Connection",
            "Transfer-Encoding",
            "X-HTTP-Method-Override",
            "x_http_method_override",
            "x_forwarded_host",
            "x-original-uri",
            "X-Forwarded-Prefix",
        ] {
            let refused = canonical("https://api.example.com/v1/", &[(name, "x")]);
            assert!(matches!(refused, Err(InvalidRequest::Header(..))), "{name}");
        }
        assert!(canonical("https://api.example.com/v1/", &[("X-Custom_Header", "x")]).is_ok());
    }
}
