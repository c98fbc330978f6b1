//! Channels: one credential with its binding and its approval settings. Everything here lives in the sealed vault.

use crate::evidence::{Attestation, Unverified};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;
use std::str::FromStr;
use url::Url;

/// A text that cannot be part of a channel. Holds no words: `lychgate-text` says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChannelError {
    /// The name has another form: 1 to 40 of a-z, 0-9, `-` and `_`, beginning with a letter.
    Name(String),
    /// The origin is not `https://host[:port]`.
    Origin {
        /// As given.
        origin: String,
        /// What is wrong.
        fault: OriginFault,
    },
    /// A path prefix has another form: `/…` without `..`, `//`, `?`, `#`, `%` and `\`.
    Path(String),
    /// A method has another form: capital letters alone, and none that makes something else of the request.
    Method(String),
}

/// What is wrong with an origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OriginFault {
    /// Not a URL at all.
    NotAUrl,
    /// It holds a user name or a password.
    HoldsLogin,
    /// It holds a path, a query or a fragment.
    HoldsMore,
    /// Another scheme than https, or no host.
    NotHttps,
    /// Plain http to another address than one of loopback.
    PlainHttp,
    /// The host ends with a dot.
    DotAtEnd,
}

/// Serde for a type that travels as its text. A refusal names the type alone: it stands in damaged data and not in what
/// a person typed, who is answered with a [`ChannelError`].
macro_rules! travels_as_text {
    ($name:ident, $code:literal) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                // One piece, whatever the format: it stands in the sealed vault and must not come out in another form.
                s.serialize_str(&self.to_string())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                String::deserialize(d)?.parse().map_err(|_: ChannelError| de::Error::custom($code))
            }
        }
    };
}

/// A channel's name. Short, lower case, the same in every place.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChannelName(String);

impl ChannelName {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ChannelName {
    type Err = ChannelError;
    fn from_str(text: &str) -> Result<Self, ChannelError> {
        let tail = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_';
        let good =
            text.len() <= 40 && text.bytes().next().is_some_and(|b| b.is_ascii_lowercase()) && text.bytes().all(tail);
        good.then(|| Self(text.to_owned())).ok_or_else(|| ChannelError::Name(text.chars().take(80).collect()))
    }
}

travels_as_text!(ChannelName, "channel_name");

impl fmt::Display for ChannelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Scheme, host and port, exact. Default ports are made explicit, so that two spellings compare equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    scheme: String,
    host: String,
    port: u16,
}

impl Origin {
    /// `https` or `http`.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.scheme
    }
    /// Host name in lower case (IDNA applied), or an address; IPv6 in brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }
    /// Port number.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }
    /// The value of the `Host` header: without the port where it is the scheme's default.
    #[must_use]
    pub fn authority(&self) -> String {
        match (self.scheme.as_str(), self.port) {
            ("https", 443) | ("http", 80) => self.host.clone(),
            (_, port) => format!("{}:{port}", self.host),
        }
    }

    /// The origin of a URL that was parsed already; `None` where it has no host or another scheme.
    #[must_use]
    pub fn of(url: &Url) -> Option<Self> {
        let scheme = url.scheme();
        if scheme != "https" && scheme != "http" {
            return None;
        }
        Some(Self { scheme: scheme.to_owned(), host: url.host_str()?.to_owned(), port: url.port_or_known_default()? })
    }
}

impl FromStr for Origin {
    type Err = ChannelError;
    fn from_str(text: &str) -> Result<Self, ChannelError> {
        let refuse = |fault| ChannelError::Origin { origin: text.chars().take(200).collect(), fault };
        let url = Url::parse(text).map_err(|_| refuse(OriginFault::NotAUrl))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(refuse(OriginFault::HoldsLogin));
        }
        if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
            return Err(refuse(OriginFault::HoldsMore));
        }
        let origin = Self::of(&url).ok_or_else(|| refuse(OriginFault::NotHttps))?;
        let loopback = matches!(url.host(), Some(url::Host::Ipv4(a)) if a.is_loopback())
            || matches!(url.host(), Some(url::Host::Ipv6(a)) if a.is_loopback());
        if origin.scheme == "http" && !loopback {
            return Err(refuse(OriginFault::PlainHttp));
        }
        if origin.host.ends_with('.') {
            return Err(refuse(OriginFault::DotAtEnd));
        }
        Ok(origin)
    }
}

travels_as_text!(Origin, "origin");

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.authority())
    }
}

/// An HTTP method in capital letters (RFC 9110 token, letters only).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Method(String);

impl Method {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Method {
    type Err = ChannelError;
    fn from_str(text: &str) -> Result<Self, ChannelError> {
        // CONNECT and TRACE turn a request into something else than a request to this origin.
        let good = (1..=20).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_uppercase())
            && !matches!(text, "CONNECT" | "TRACE");
        good.then(|| Self(text.to_owned())).ok_or_else(|| ChannelError::Method(text.chars().take(40).collect()))
    }
}

travels_as_text!(Method, "method");

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A path prefix in canonical form, matched at segment borders.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathPrefix(String);

impl PathPrefix {
    /// The text, beginning with `/`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True where `path` (canonical) is the prefix itself or lies below it.
    #[must_use]
    pub fn covers(&self, path: &str) -> bool {
        let Some(rest) = path.strip_prefix(self.0.trim_end_matches('/')) else { return false };
        rest.starts_with('/') || (rest.is_empty() && !self.0.ends_with('/')) || path == self.0
    }
}

impl FromStr for PathPrefix {
    type Err = ChannelError;
    fn from_str(text: &str) -> Result<Self, ChannelError> {
        let good = text.starts_with('/')
            && text.len() <= 1024
            && text.bytes().all(|b| b.is_ascii_graphic() && !b"?#%\\".contains(&b))
            && !text.contains("//")
            && !text.split('/').any(|segment| segment == "." || segment == "..");
        good.then(|| Self(text.to_owned())).ok_or_else(|| ChannelError::Path(text.chars().take(200).collect()))
    }
}

travels_as_text!(PathPrefix, "path_prefix");

impl fmt::Display for PathPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the credential may be used for. An empty list matches nothing: there is no empty-means-all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpBinding {
    /// Origins, exact.
    pub origins: Vec<Origin>,
    /// Path prefixes; `/` covers every path.
    pub paths: Vec<PathPrefix>,
    /// Methods.
    pub methods: Vec<Method>,
    /// Addresses of private and loopback ranges are allowed.
    pub allow_private: bool,
    /// Certificates (PEM) that replace the system's roots for this channel.
    pub ca_pem: Option<String>,
}

/// How the credential is attached. Kinds other than `bearer` come with their own variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CredentialKind {
    /// `Authorization: Bearer …` (RFC 6750).
    Bearer,
}

/// Whether one yes serves a run's lifetime or each use is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalMode {
    /// A session approval suffices.
    Session,
    /// A session approval *and* a yes for each use (R13).
    PerCall,
}

/// What a person's yes takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ceremony {
    /// One key in a signed-in console.
    Click,
    /// PIN or passkey for this decision. The default, and the stricter.
    Presence,
}

/// When the person is asked, and how strictly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalSettings {
    /// For every method that is not listed in `per_call_methods`.
    pub mode: ApprovalMode,
    /// Methods that ask each time even where `mode` is `session`.
    pub per_call_methods: Vec<Method>,
    /// Needed for a yes on this channel.
    pub ceremony: Ceremony,
    /// A session approval ends after so many uses.
    pub max_uses: Option<u32>,
    /// A session approval ends after so many minutes.
    pub max_minutes: Option<u32>,
    /// A run whose requester is unverified may ask, each time for one action (R5). Without it such a run is refused.
    pub allow_unverified: bool,
    /// A run whose program is unreadable may have a session approval. Without it each action is asked for.
    pub allow_unreadable: bool,
}

/// What a use of a channel takes, for one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Takes {
    /// A session approval.
    Session,
    /// A session approval, and a yes to this very action on top of it (R13).
    SessionAndCall,
    /// A yes to this very action, which stands alone: there is no session that it could rest on (R5).
    CallAlone,
}

impl ApprovalSettings {
    /// True where a use with `method` needs its own yes.
    #[must_use]
    pub fn asks_each_time(&self, method: &Method) -> bool {
        self.mode == ApprovalMode::PerCall || self.per_call_methods.contains(method)
    }

    /// Whether a run of this attestation can have a session approval at all.
    ///
    /// # Errors
    /// The reason why it can't even ask.
    pub fn gives_sessions(&self, attestation: Attestation) -> Result<bool, Unverified> {
        match attestation {
            Attestation::Whole => Ok(true),
            Attestation::ProgramUnreadable => Ok(self.allow_unreadable),
            Attestation::Unverified(_) if self.allow_unverified => Ok(false),
            Attestation::Unverified(why) => Err(why),
        }
    }

    /// What a use with `method` takes from a run of this attestation.
    ///
    /// # Errors
    /// The reason why nothing the person could say would allow it.
    pub fn takes(&self, attestation: Attestation, method: &Method) -> Result<Takes, Unverified> {
        Ok(match self.gives_sessions(attestation)? {
            false => Takes::CallAlone,
            true if self.asks_each_time(method) => Takes::SessionAndCall,
            true => Takes::Session,
        })
    }
}

/// A channel without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channel {
    /// Name.
    pub name: ChannelName,
    /// Rises when the binding or the approval settings change; not when the secret does.
    pub version: u32,
    /// What it may be used for.
    pub binding: HttpBinding,
    /// How the credential is attached.
    pub kind: CredentialKind,
    /// When the person is asked.
    pub approval: ApprovalSettings,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_compare_equal_whatever_the_spelling() {
        let plain: Result<Origin, _> = "https://API.example.com".parse();
        assert_eq!(plain, "https://api.example.com:443/".parse());
        assert_eq!(plain.map(|o| o.authority()), Ok("api.example.com".to_owned()));
    }

    #[test]
    fn origins_that_could_mislead_are_refused() {
        for (bad, why) in [
            ("api.example.com", OriginFault::NotAUrl),
            ("https://", OriginFault::NotAUrl),
            ("http://api.example.com", OriginFault::PlainHttp),
            ("http://localhost:1", OriginFault::PlainHttp),
            ("https://user@api.example.com", OriginFault::HoldsLogin),
            ("https://api.example.com/v1", OriginFault::HoldsMore),
            ("https://api.example.com?x", OriginFault::HoldsMore),
            ("ftp://api.example.com", OriginFault::NotHttps),
            ("https://api.example.com.", OriginFault::DotAtEnd),
        ] {
            let refused = bad.parse::<Origin>();
            assert!(matches!(refused, Err(ChannelError::Origin { fault, .. }) if fault == why), "{bad}: {refused:?}");
        }
    }

    #[test]
    fn what_travels_as_text_is_judged_on_arrival_and_its_refusal_quotes_nothing() {
        let path: Result<PathPrefix, _> = serde_json::from_str("\"/v1\"");
        assert_eq!(path.ok(), "/v1".parse().ok());
        let refused = serde_json::from_str::<Method>("\"canary\"").map_err(|error| error.to_string());
        assert!(refused.is_err_and(|text| text.starts_with("method") && !text.contains("canary")));
        assert!(serde_json::from_str::<ChannelName>("\"Upper\"").is_err());
        assert!(serde_json::from_str::<Origin>("\"https://a.example/v1\"").is_err());
        let origin: Result<Origin, _> = "https://a.example".parse();
        assert_eq!(serde_json::to_string(&origin.ok()).ok().as_deref(), Some("\"https://a.example\""));
    }

    #[test]
    fn a_prefix_ends_at_a_segment_border() {
        let bare: Result<PathPrefix, _> = "/v1".parse();
        let slash: Result<PathPrefix, _> = "/v1/".parse();
        let all: Result<PathPrefix, _> = "/".parse();
        let (Ok(bare), Ok(slash), Ok(all)) = (bare, slash, all) else { unreachable!("fixtures") };
        assert!(bare.covers("/v1") && bare.covers("/v1/x") && !bare.covers("/v10") && !bare.covers("/"));
        assert!(slash.covers("/v1/") && slash.covers("/v1/x") && !slash.covers("/v1") && !slash.covers("/v10/"));
        assert!(all.covers("/") && all.covers("/anything"));
    }
}
