//! The request as it goes out: what was decided, and what the gateway adds.

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, HOST, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};
use hyper::{Method, Request, Uri};
use lychgate_core::request::CanonicalRequest;
use lychgate_text::words;

const OWN_NAME: &str = concat!("lychgate/", env!("CARGO_PKG_VERSION"));

/// Builds it. `Err` says what could not be expressed; nothing was sent then.
///
/// `accept-encoding` is always `identity`, whatever the caller wrote: the gateway does not decompress, and what it
/// can't read it can't search for the credential (see [`crate::response`]).
pub(crate) fn build(
    request: &CanonicalRequest,
    authorization: HeaderValue,
) -> Result<Request<Full<Bytes>>, &'static str> {
    let say = &words().http().message;
    let method = Method::from_bytes(request.method().as_str().as_bytes()).map_err(|_| say.method)?;
    let target: Uri = request.target().parse().map_err(|_| say.target)?;
    // What was shown is what is sent: a library that tidies the target up would change the request.
    if target.path_and_query().map(|sent| sent.as_str()) != Some(request.target()) {
        return Err(say.target_would_change);
    }
    let mut outgoing = Request::new(Full::new(Bytes::copy_from_slice(request.body())));
    *outgoing.method_mut() = method;
    *outgoing.uri_mut() = target;
    *outgoing.headers_mut() = headers(request, authorization)?;
    Ok(outgoing)
}

fn headers(request: &CanonicalRequest, authorization: HeaderValue) -> Result<HeaderMap, &'static str> {
    let say = &words().http().message;
    let mut headers = HeaderMap::with_capacity(request.headers().len() + 5);
    let host = HeaderValue::from_str(&request.origin().authority()).map_err(|_| say.host)?;
    headers.insert(HOST, host);
    headers.insert(USER_AGENT, HeaderValue::from_static(OWN_NAME));
    headers.insert(AUTHORIZATION, authorization);
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    // RFC 9110 section 8.6: methods that usually carry content say so where they carry none.
    if !request.body().is_empty() || matches!(request.method().as_str(), "POST" | "PUT" | "PATCH") {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(request.body().len()));
    }
    if request.headers().iter().any(|(name, _)| name == USER_AGENT.as_str()) {
        headers.remove(USER_AGENT);
    }
    for (name, value) in request.headers() {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| say.header_name)?;
        let value = HeaderValue::from_str(value).map_err(|_| say.header_value)?;
        if name == ACCEPT_ENCODING {
            continue;
        }
        // Refused when the request was made canonical; here it would send two of them.
        if matches!(name, HOST | AUTHORIZATION | CONTENT_LENGTH) {
            return Err(say.header_of_the_gateway);
        }
        headers.append(name, value);
    }
    Ok(headers)
}
