//! An authority and a certificate for this machine, made at the start and kept in memory.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use std::io;
use std::sync::Arc;

/// Who the service is.
pub(super) struct Identity {
    /// The authority, for whoever is to believe it.
    pub(super) ca_pem: String,
    pub(super) config: ServerConfig,
}

impl Identity {
    pub(super) fn new() -> io::Result<Self> {
        let mut params = CertificateParams::new(Vec::new()).map_err(io::Error::other)?;
        params.distinguished_name.push(DnType::CommonName, "Lychgate demo authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let authority = CertifiedIssuer::self_signed(params, key).map_err(io::Error::other)?;

        let names = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
        let params = CertificateParams::new(names).map_err(io::Error::other)?;
        let key = KeyPair::generate().map_err(io::Error::other)?;
        let certificate = params.signed_by(&key, &authority).map_err(io::Error::other)?;
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .map_err(io::Error::other)?;
        Ok(Self { ca_pem: authority.pem(), config })
    }
}
