//! Whose certificates are believed, and how TLS is spoken.
//!
//! The system's roots come from the places where distributions keep them, and from nowhere else: `SSL_CERT_FILE`,
//! `SSL_CERT_DIR` and `SSLKEYLOGFILE` are not read, since whoever starts the gateway may have set them.

use crate::bounds::ROOTS_FILE_BYTES;
use lychgate_text::words;
use rustls::client::Resumption;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

/// The TLS library refused its own settings. Nothing can be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", (words().http().roots.setup)(.0))]
pub struct SetupError(String);

/// Where Linux distributions keep one file with all roots; the first that serves is used.
const BUNDLES: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt", // Debian, Ubuntu, Arch, Gentoo, NixOS
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // Fedora, RHEL
    "/etc/pki/tls/certs/ca-bundle.crt",   // older Fedora and RHEL
    "/etc/ssl/ca-bundle.pem",             // openSUSE
    "/etc/ssl/cert.pem",                  // Alpine
];

/// Settings that trust the system's roots, or in words why there are none.
///
/// # Errors
/// [`SetupError`] where the TLS library does not accept its settings. A system without roots is no error yet: channels
/// that bring their own certificates work.
pub(crate) fn system() -> Result<Result<Arc<ClientConfig>, String>, SetupError> {
    let Some(roots) = BUNDLES.iter().find_map(|path| bundle(path)) else {
        return Ok(Err((words().http().roots.none)(&BUNDLES.join(", "))));
    };
    settings(roots).map(Ok)
}

/// Settings that trust the certificates in `pem` and no other.
pub(crate) fn own(pem: &str) -> Result<Arc<ClientConfig>, String> {
    let say = &words().http().roots;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        let usable = certificate.ok().is_some_and(|certificate| roots.add(certificate).is_ok());
        if !usable {
            return Err(say.unreadable.to_owned());
        }
    }
    if roots.is_empty() {
        return Err(say.empty.to_owned());
    }
    settings(roots).map_err(|error| error.to_string())
}

/// One file of roots. `None` where it is absent, unsafe or empty: the next place is asked then.
fn bundle(path: &str) -> Option<RootCertStore> {
    let mut file = File::open(path).ok()?;
    // Of the open file, so that what is judged is what is read. The directories above belong to the system.
    let about = file.metadata().ok()?;
    let safe = about.is_file() && about.uid() == 0 && about.mode() & 0o022 == 0 && about.len() <= ROOTS_FILE_BYTES;
    if !safe {
        return None;
    }
    let mut pem = Vec::new();
    file.by_ref().take(ROOTS_FILE_BYTES).read_to_end(&mut pem).ok()?;
    let mut roots = RootCertStore::empty();
    // Bundles hold a few old certificates that no verifier takes; they are passed over.
    roots.add_parsable_certificates(CertificateDer::pem_slice_iter(&pem).filter_map(Result::ok));
    (!roots.is_empty()).then_some(roots)
}

fn settings(roots: RootCertStore) -> Result<Arc<ClientConfig>, SetupError> {
    // The provider is named: a process-wide default could be set by anyone, or by no one.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| SetupError(error.to_string()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    // Nothing of one action's connection serves another's.
    config.resumption = Resumption::disabled();
    config.enable_early_data = false;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_channels_certificate_file_without_a_certificate_trusts_nobody() {
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        for pem in ["", "hello", "-----BEGIN CERTIFICATE-----\n", broken] {
            assert!(own(pem).is_err(), "{pem:?}");
        }
    }

    #[test]
    fn one_bad_certificate_among_good_ones_is_an_error_and_not_a_gap() {
        let good = rcgen::generate_simple_self_signed(["a.example".to_owned()]).unwrap().cert.pem();
        assert!(own(&good).is_ok());
        assert!(own(&format!("{good}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")).is_err());
    }

    #[test]
    fn roots_that_others_could_have_written_are_not_believed() {
        let good = rcgen::generate_simple_self_signed(["a.example".to_owned()]).unwrap().cert.pem();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("roots.pem");
        std::fs::write(&path, good).unwrap();
        let path = path.to_str().unwrap();
        let mode = |bits| std::fs::set_permissions(path, std::fs::Permissions::from_mode(bits)).unwrap();
        mode(0o666);
        assert!(bundle(path).is_none());
        mode(0o664);
        assert!(bundle(path).is_none());
        mode(0o644);
        let ours_is_root = std::fs::metadata(path).unwrap().uid() == 0;
        assert_eq!(bundle(path).is_some(), ours_is_root);
        assert!(bundle(directory.path().to_str().unwrap()).is_none());
    }

    #[test]
    fn nothing_of_one_connection_is_kept_for_the_next() {
        let good = rcgen::generate_simple_self_signed(["a.example".to_owned()]).unwrap().cert.pem();
        let config = own(&good).unwrap();
        assert!(!config.enable_early_data);
        assert!(!config.key_log.will_log("CLIENT_RANDOM"));
        let kept = format!("{:?}", config.resumption);
        assert!(kept.contains("NoClientSessionStorage"), "{kept}");
    }
}
