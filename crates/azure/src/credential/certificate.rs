//! A service principal's certificate: signs its own assertion, so that no OpenSSL is needed.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use azure_core::http::ClientMethodOptions;
use azure_identity::ClientAssertion;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::json;

/// Seconds for which an assertion is good.
const LIFETIME: u64 = 600;

/// The private key of a PEM file, with the thumbprint of its first certificate.
pub(super) struct Signer {
    key: RsaKeyPair,
    thumbprint: String,
    client: String,
    audience: String,
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signer").field("client", &self.client).finish_non_exhaustive()
    }
}

impl Signer {
    pub(super) fn read(path: &Path, client: String, audience: String) -> Result<Self, String> {
        let wrong = |why: String| format!("{}: {why}", path.display());
        let text = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
        let certificate = CertificateDer::from_pem_slice(&text)
            .map_err(|error| wrong(format!("no certificate in PEM form: {error:?}")))?;
        let key = PrivateKeyDer::from_pem_slice(&text)
            .map_err(|error| wrong(format!("no private key in PEM form: {error:?}")))?;
        let key = match &key {
            PrivateKeyDer::Pkcs8(der) => RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()),
            PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()),
            _ => return Err(wrong("not an RSA key".into())),
        };
        let key = key.map_err(|error| wrong(format!("not an RSA key: {error}")))?;
        let thumbprint = ring::digest::digest(&ring::digest::SHA256, &certificate);
        Ok(Self { key, thumbprint: URL_SAFE_NO_PAD.encode(thumbprint.as_ref()), client, audience })
    }

    fn assertion(&self, now: u64) -> Result<String, String> {
        let random = SystemRandom::new();
        let mut id = [0_u8; 16];
        random.fill(&mut id).map_err(|_| "no random numbers".to_owned())?;
        let header = json!({"alg": "RS256", "typ": "JWT", "x5t#S256": self.thumbprint});
        let claims = json!({
            "aud": self.audience, "iss": self.client, "sub": self.client,
            "jti": URL_SAFE_NO_PAD.encode(id), "nbf": now, "exp": now.saturating_add(LIFETIME),
        });
        let part = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&header), part(&claims));
        let mut signature = vec![0; self.key.public().modulus_len()];
        self.key
            .sign(&RSA_PKCS1_SHA256, &random, signed.as_bytes(), &mut signature)
            .map_err(|_| "the key does not sign".to_owned())?;
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

#[async_trait::async_trait]
impl ClientAssertion for Signer {
    async fn secret(&self, _: Option<ClientMethodOptions<'_>>) -> azure_core::Result<String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        self.assertion(now)
            .map_err(|why| azure_core::Error::with_message(azure_core::error::ErrorKind::Credential, why))
    }
}
