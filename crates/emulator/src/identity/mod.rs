//! Who the caller is: token endpoints for every credential under test, and the check of bearer tokens.
//!
//! What lives here: Microsoft Entra's token endpoint and discovery, IMDS, the App Service endpoint. What may not: what
//! a caller may read (the snapshot's gaps say that).
//!
//! Read in this order: [`token`], [`entra`], [`managed`].

mod entra;
mod managed;
pub(crate) mod token;

use crate::reply::Reply;
use crate::request::Request;
use token::Mint;

/// The application whose credentials are taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credentials {
    /// The tenant; empty: that of the snapshot's first subscription.
    pub tenant: String,
    pub client_id: String,
    pub client_secret: String,
    /// What App Service's endpoint wants in `X-IDENTITY-HEADER`.
    pub identity_header: String,
}

impl Default for Credentials {
    fn default() -> Self {
        Self {
            tenant: String::new(),
            client_id: "00000000-0000-0000-0000-00000000c11e".to_owned(),
            client_secret: "emulator-secret".to_owned(),
            identity_header: "emulator-identity-header".to_owned(),
        }
    }
}

/// The answer where the request is for one of the token or discovery endpoints.
pub(crate) fn answer(request: &Request, mint: &Mint, credentials: &Credentials, base: &str) -> Option<Reply> {
    let segments: Vec<String> =
        request.segments().iter().map(|segment| segment.to_ascii_lowercase()).collect();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    match segments.as_slice() {
        ["metadata", "identity", "oauth2", "token"] => Some(managed::imds(request, mint)),
        ["metadata", "instance"] => Some(managed::instance(request)),
        ["msi", "token"] => Some(managed::app_service(request, mint, credentials)),
        [_, "oauth2", "token"] | [_, "oauth2", "v2.0", "token"] => {
            Some(entra::token(request, mint, credentials, segments.first().copied().unwrap_or_default()))
        }
        [_, "discovery", "instance"] => Some(entra::instance_discovery(base)),
        [tenant, ".well-known", "openid-configuration"]
        | [tenant, "v2.0", ".well-known", "openid-configuration"] => {
            Some(entra::openid_configuration(base, tenant, credentials))
        }
        [_, "discovery", "keys"] | [_, "discovery", "v2.0", "keys"] => {
            Some(Reply::json(200, &serde_json::json!({"keys": []})))
        }
        _ => None,
    }
}
