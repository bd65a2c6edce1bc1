//! Managed identities: the instance metadata service and App Service's endpoint.

use serde_json::{Value, json};

use super::Credentials;
use super::token::Mint;
use crate::reply::Reply;
use crate::request::Request;

fn bad(status: u16, error: &str, text: &str) -> Reply {
    Reply::json(status, &json!({"error": error, "error_description": text}))
}

/// `GET /metadata/identity/oauth2/token`, with the header that keeps other people's requests out.
pub(super) fn imds(request: &Request, mint: &Mint) -> Reply {
    if !request.header("metadata").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return bad(400, "invalid_request", "Required metadata header not specified");
    }
    match request.parameter("api-version") {
        Some("2018-02-01" | "2019-08-01") => {}
        _ => return bad(400, "bad_request", "Invalid api-version"),
    }
    token(request, mint, true)
}

/// `GET /msi/token`, as `IDENTITY_ENDPOINT` of App Service and Functions.
pub(super) fn app_service(request: &Request, mint: &Mint, credentials: &Credentials) -> Reply {
    if request.header("x-identity-header") != Some(credentials.identity_header.as_str()) {
        let body = json!({"statusCode": 401, "message": "The X-IDENTITY-HEADER is missing or wrong.", "correlationId": ""});
        return Reply::json(401, &body);
    }
    token(request, mint, false)
}

fn token(request: &Request, mint: &Mint, numbers_as_text: bool) -> Reply {
    let Some(resource) = request.parameter("resource").filter(|resource| !resource.is_empty()) else {
        return bad(400, "invalid_request", "Required query variable 'resource' is missing");
    };
    let asked = request.parameter("client_id");
    if let Some(other) = asked.filter(|id| !id.eq_ignore_ascii_case(&mint.client_id)) {
        return bad(400, "invalid_request", &format!("Identity not found: {other}"));
    }
    let token = mint.make(resource);
    let number = |n: u64| if numbers_as_text { json!(n.to_string()) } else { json!(n) };
    let mut body = json!({
        "access_token": token.text,
        "client_id": mint.client_id,
        "expires_on": token.expires_on.to_string(),
        "resource": token.audience,
        "token_type": "Bearer",
    });
    if let Value::Object(body) = &mut body
        && numbers_as_text
    {
        body.insert("expires_in".into(), number(token.expires_in));
        body.insert("ext_expires_in".into(), number(token.expires_in));
        body.insert("not_before".into(), number(token.expires_on.saturating_sub(token.expires_in)));
    }
    Reply::json(200, &body)
}

/// `GET /metadata/instance`: enough to tell a client that it is on a machine in Azure.
pub(super) fn instance(request: &Request) -> Reply {
    if !request.header("metadata").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return bad(400, "invalid_request", "Required metadata header not specified");
    }
    Reply::json(200, &json!({"compute": {"azEnvironment": "AzurePublicCloud"}}))
}
