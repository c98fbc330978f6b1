//! The credential as a header value: checked, marked, wiped.

use crate::bounds::SECRET_BYTES;
use hyper::body::Bytes;
use hyper::header::HeaderValue;
use lychgate_core::channel::CredentialKind;
use lychgate_core::secret::SecretBytes;
use lychgate_text::words;
use zeroize::Zeroizing;

/// The value of `Authorization`. Refusals hold nothing of the secret, its length included.
///
/// The bytes are wiped when the last owner of the value goes. HTTP and TLS libraries copy them into their write
/// buffers; that memory is for the program's allocator to clear.
pub(crate) fn authorization(kind: CredentialKind, secret: &SecretBytes) -> Result<HeaderValue, &'static str> {
    let say = &words().http().credential;
    let secret = secret.expose();
    if secret.is_empty() {
        return Err(say.empty);
    }
    if secret.len() > SECRET_BYTES {
        return Err(say.too_long);
    }
    // RFC 6750 section 2.1 allows less; tokens outside of it are in use, but none with spaces or control characters.
    if !secret.iter().all(u8::is_ascii_graphic) {
        return Err(say.bad_bytes);
    }
    let prefix: &[u8] = match kind {
        CredentialKind::Bearer => b"Bearer ",
    };
    // Room for all of it at once: a buffer that grows leaves a copy behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(prefix.len() + secret.len()));
    bytes.extend_from_slice(prefix);
    bytes.extend_from_slice(secret);
    let mut value = HeaderValue::from_maybe_shared(Bytes::from_owner(Wiped(bytes))).map_err(|_| say.no_header)?;
    value.set_sensitive(true);
    Ok(value)
}

struct Wiped(Zeroizing<Vec<u8>>);

impl AsRef<[u8]> for Wiped {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn bearer(secret: &[u8]) -> Result<HeaderValue, &'static str> {
        authorization(CredentialKind::Bearer, &SecretBytes::new(secret.to_vec()))
    }

    #[test]
    fn a_bearer_is_its_word_and_the_secret_and_prints_as_neither() {
        let value = bearer(b"sk-canary.4711~/+=").unwrap();
        assert_eq!(value.as_bytes(), b"Bearer sk-canary.4711~/+=");
        assert!(value.is_sensitive());
        assert!(!format!("{value:?}").contains("canary"));
    }

    #[test]
    fn a_secret_that_could_break_out_of_its_header_is_refused_without_being_quoted() {
        for bad in [
            &b""[..],
            b"canary\r\nX-Evil: 1",
            b"canary\n",
            b" canary",
            b"can ary",
            b"canary\0",
            b"canary\x7f",
            "canarü".as_bytes(),
        ] {
            assert!(!bearer(bad).unwrap_err().contains("canar"), "{bad:?}");
        }
        assert!(bearer(&vec![b'x'; SECRET_BYTES]).is_ok());
        assert!(bearer(&vec![b'x'; SECRET_BYTES + 1]).is_err());
    }
}
