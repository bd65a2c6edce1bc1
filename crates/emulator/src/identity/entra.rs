//! Microsoft Entra's endpoints: tokens for secrets, certificates and federated assertions; discovery.

use serde_json::json;

use super::Credentials;
use super::token::{Mint, claims};
use crate::reply::Reply;
use crate::request::Request;

const ASSERTION: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

fn error(status: u16, error: &str, code: u32, text: &str) -> Reply {
    let body = json!({
        "error": error,
        "error_description": format!("AADSTS{code}: {text}"),
        "error_codes": [code],
        "timestamp": "2026-01-01 00:00:00Z",
        "trace_id": "00000000-0000-0000-0000-000000000000",
        "correlation_id": "00000000-0000-0000-0000-000000000000",
        "error_uri": format!("https://login.microsoftonline.com/error?code={code}"),
    });
    Reply::json(status, &body).with("cache-control", "no-store, no-cache")
}

/// `POST /{tenant}/oauth2/v2.0/token` (and v1's `/oauth2/token`): the client-credentials grant.
pub(super) fn token(request: &Request, mint: &Mint, credentials: &Credentials, tenant: &str) -> Reply {
    let form = request.form();
    let field = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
    if !tenant.eq_ignore_ascii_case(&mint.tenant) {
        return error(400, "invalid_request", 90002, &format!("Tenant '{tenant}' not found."));
    }
    if field("grant_type") != "client_credentials" {
        let text = format!("The grant type '{}' is not supported.", field("grant_type"));
        return error(400, "unsupported_grant_type", 70003, &text);
    }
    if !field("client_id").eq_ignore_ascii_case(&credentials.client_id) {
        let text =
            format!("Application with identifier '{}' was not found in the directory.", field("client_id"));
        return error(400, "unauthorized_client", 700016, &text);
    }
    let resource = if field("scope").is_empty() { field("resource") } else { field("scope") };
    if resource.is_empty() {
        return error(
            400,
            "invalid_request",
            900144,
            "The request body must contain the following parameter: 'scope'.",
        );
    }
    if field("client_assertion").is_empty() {
        if field("client_secret") != credentials.client_secret {
            return error(401, "invalid_client", 7000215, "Invalid client secret provided.");
        }
    } else if field("client_assertion_type") != ASSERTION || claims(field("client_assertion")).is_none() {
        // Of an assertion the form is checked, not the signature: nobody registers keys with an emulator.
        return error(401, "invalid_client", 50027, "JWT token is invalid or malformed.");
    }
    let token = mint.make(resource);
    let body = json!({
        "token_type": "Bearer",
        "expires_in": token.expires_in,
        "ext_expires_in": token.expires_in,
        "expires_on": token.expires_on.to_string(),
        "resource": token.audience,
        "access_token": token.text,
    });
    Reply::json(200, &body).with("cache-control", "no-store, no-cache")
}

/// The authority knows itself.
pub(super) fn instance_discovery(base: &str) -> Reply {
    let host = base.split("://").nth(1).unwrap_or_default();
    let body = json!({
        "tenant_discovery_endpoint": format!("{base}/common/v2.0/.well-known/openid-configuration"),
        "api-version": "1.1",
        "metadata": [{"preferred_network": host, "preferred_cache": host, "aliases": [host]}],
    });
    Reply::json(200, &body)
}

pub(super) fn openid_configuration(base: &str, tenant: &str, credentials: &Credentials) -> Reply {
    let issuer_tenant = match tenant {
        "common" | "organizations" => credentials.tenant.as_str(),
        tenant => tenant,
    };
    let body = json!({
        "issuer": format!("{base}/{issuer_tenant}/v2.0"),
        "authorization_endpoint": format!("{base}/{tenant}/oauth2/v2.0/authorize"),
        "token_endpoint": format!("{base}/{tenant}/oauth2/v2.0/token"),
        "device_authorization_endpoint": format!("{base}/{tenant}/oauth2/v2.0/devicecode"),
        "jwks_uri": format!("{base}/{tenant}/discovery/v2.0/keys"),
        "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt"],
        "response_types_supported": ["code", "id_token"],
        "subject_types_supported": ["pairwise"],
        "id_token_signing_alg_values_supported": ["RS256"],
        "scopes_supported": ["openid"],
        "tenant_region_scope": "EU",
        "cloud_instance_name": base.split("://").nth(1).unwrap_or_default(),
    });
    Reply::json(200, &body)
}
