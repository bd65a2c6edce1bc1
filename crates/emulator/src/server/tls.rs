//! A certificate made at start, for clients that refuse plain HTTP.

use std::net::IpAddr;
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;
use tokio_rustls::rustls::{ServerConfig, version};

/// A server certificate for loopback, and the authority that signed it; both live as long as the process.
pub(crate) struct Certificate {
    pub acceptor: TlsAcceptor,
    /// The authority's certificate, PEM: what a client has to trust.
    pub authority_pem: String,
}

impl Certificate {
    /// A certificate for `localhost`, `127.0.0.1`, `::1` and `address`.
    pub fn new(address: IpAddr) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name.push(DnType::CommonName, "pullproof emulator authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate()?;
        let authority = params.self_signed(&key)?;
        let issuer = Issuer::new(params, key);

        let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
        names.push(address.to_string());
        names.dedup();
        let mut params = CertificateParams::new(names)?;
        params.distinguished_name.push(DnType::CommonName, "pullproof emulator");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &issuer)?;

        let private = PrivatePkcs8KeyDer::from(key.serialize_der());
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&version::TLS13, &version::TLS12])?
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], private.into())?;
        Ok(Self { acceptor: TlsAcceptor::from(Arc::new(config)), authority_pem: authority.pem() })
    }
}
