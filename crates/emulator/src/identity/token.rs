//! Bearer tokens: made, told apart, expired.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Makes tokens and knows its own.
pub(crate) struct Mint {
    secret: [u8; 32],
    lifetime: Duration,
    /// Tokens of an earlier generation have expired, whatever they say.
    generation: AtomicU64,
    made: AtomicU64,
    pub tenant: String,
    pub client_id: String,
}

/// A token and what a client is told about it.
pub(crate) struct Token {
    pub text: String,
    pub expires_in: u64,
    /// Seconds since 1970.
    pub expires_on: u64,
    /// Whom it is for: the resource.
    pub audience: String,
}

/// Why a token does not let its bearer in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    NotOurs,
    Expired { at: u64 },
    OtherAudience,
}

/// Audiences under which ARM is known.
const ARM: &[&str] = &[
    "https://management.azure.com",
    "https://management.core.windows.net",
    "https://management.usgovcloudapi.net",
    "https://management.core.usgovcloudapi.net",
    "https://management.chinacloudapi.cn",
    "https://management.core.chinacloudapi.cn",
];

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// The resource of a scope or resource parameter: without `/.default` and trailing slashes.
pub(crate) fn audience(scope: &str) -> String {
    let first = scope.split_whitespace().next().unwrap_or_default();
    first.trim_end_matches(".default").trim_end_matches('/').to_owned()
}

impl Mint {
    pub fn new(lifetime: Duration, tenant: &str, client_id: &str) -> Self {
        // A token of another run must not fit: the time and the place in memory tell runs apart.
        let here = std::ptr::from_ref(&lifetime) as usize;
        let seed = format!("{:?}/{here}/{}", SystemTime::now(), std::process::id());
        Self {
            secret: Sha256::digest(seed.as_bytes()).into(),
            lifetime,
            generation: AtomicU64::new(0),
            made: AtomicU64::new(0),
            tenant: tenant.to_owned(),
            client_id: client_id.to_owned(),
        }
    }

    /// Ends every token made so far.
    pub fn expire_all(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }

    fn signature(&self, text: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(self.secret);
        hash.update(text.as_bytes());
        URL_SAFE_NO_PAD.encode(hash.finalize())
    }

    /// A token for a resource, as Entra writes it: a JWT whose signature only this run can check.
    pub fn make(&self, resource: &str) -> Token {
        let (audience, issued) = (audience(resource), now());
        let expires_in = self.lifetime.as_secs();
        let expires_on = issued.saturating_add(expires_in);
        let claims = json!({
            "aud": audience,
            "iss": format!("https://sts.windows.net/{}/", self.tenant),
            "iat": issued,
            "nbf": issued,
            "exp": expires_on,
            "appid": self.client_id,
            "oid": "00000000-0000-0000-0000-000000000002",
            "sub": "00000000-0000-0000-0000-000000000002",
            "tid": self.tenant,
            "idtyp": "app",
            "uti": self.made.fetch_add(1, Ordering::Relaxed).to_string(),
            "gen": self.generation.load(Ordering::Relaxed),
            "ver": "1.0",
        });
        let part = |json: &Value| URL_SAFE_NO_PAD.encode(json.to_string());
        let signed = format!("{}.{}", part(&json!({"typ": "JWT", "alg": "emulator"})), part(&claims));
        let text = format!("{signed}.{}", self.signature(&signed));
        Token { text, expires_in, expires_on, audience }
    }

    /// Ok exactly when the token was made by this run for ARM (or for `base`), and has not expired.
    pub fn check(&self, token: &str, base: &str) -> Result<(), Unfit> {
        let (signed, signature) = token.rsplit_once('.').ok_or(Unfit::NotOurs)?;
        if self.signature(signed) != signature {
            return Err(Unfit::NotOurs);
        }
        let claims = claims(token).ok_or(Unfit::NotOurs)?;
        let number = |key: &str| claims.get(key).and_then(Value::as_u64).unwrap_or_default();
        let audience = claims.get("aud").and_then(Value::as_str).unwrap_or_default();
        if !ARM.contains(&audience) && audience != base {
            return Err(Unfit::OtherAudience);
        }
        if number("exp") <= now() || number("gen") != self.generation.load(Ordering::Relaxed) {
            return Err(Unfit::Expired { at: number("exp").min(now()) });
        }
        Ok(())
    }
}

/// The claims of a JWT, unchecked.
pub(super) fn claims(token: &str) -> Option<Value> {
    let mut parts = token.split('.');
    let (_header, claims, _signature) = (parts.next()?, parts.next()?, parts.next()?);
    let bytes = URL_SAFE_NO_PAD.decode(claims.trim_end_matches('=')).ok()?;
    serde_json::from_slice(&bytes).ok().filter(|claims: &Value| claims.is_object())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESOURCE: &str = "https://management.azure.com/.default";

    #[test]
    fn own_tokens_fit_until_they_expire() {
        let mint = Mint::new(Duration::from_secs(60), "t", "c");
        let token = mint.make(RESOURCE).text;
        assert_eq!(mint.check(&token, "http://x"), Ok(()));
        mint.expire_all();
        assert!(matches!(mint.check(&token, "http://x"), Err(Unfit::Expired { .. })));
        assert_eq!(mint.check(&mint.make(RESOURCE).text, "http://x"), Ok(()));
        let short = Mint::new(Duration::ZERO, "t", "c");
        assert!(matches!(short.check(&short.make(RESOURCE).text, "http://x"), Err(Unfit::Expired { .. })));
    }

    #[test]
    fn other_tokens_do_not() {
        let (mint, other) =
            (Mint::new(Duration::from_secs(60), "t", "c"), Mint::new(Duration::from_secs(60), "t", "c"));
        assert_eq!(mint.check(&other.make(RESOURCE).text, "http://x"), Err(Unfit::NotOurs));
        assert_eq!(mint.check("x", "http://x"), Err(Unfit::NotOurs));
        let vault = mint.make("https://vault.azure.net/.default").text;
        assert_eq!(mint.check(&vault, "http://x"), Err(Unfit::OtherAudience));
    }
}
