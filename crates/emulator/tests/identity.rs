//! Tokens: every way to get one, and what they open.

mod client;

use client::{NETWORK, PROD, contoso, request, start, start_with};
use pullproof_emulator::{Emulator, Options};
use serde_json::Value;

const SCOPE: &str = "https%3A%2F%2Fmanagement.azure.com%2F.default";
const FORM: &str = "content-type: application/x-www-form-urlencoded\r\n";

fn token(emulator: &Emulator, form: &str) -> client::Answer {
    let tenant = &emulator.credentials().tenant;
    request(emulator, "POST", &format!("/{tenant}/oauth2/v2.0/token"), FORM, form).expect("an answer")
}

fn opens(emulator: &Emulator, token: &str) -> u16 {
    let path = format!("{PROD}/providers/Microsoft.Network/virtualNetworks?api-version={NETWORK}");
    let header = format!("authorization: Bearer {token}\r\n");
    request(emulator, "GET", &path, &header, "").expect("an answer").status
}

fn text(answer: &client::Answer, key: &str) -> String {
    answer.json().get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[test]
fn a_secret_or_an_assertion_gets_a_token() {
    let emulator = start(contoso());
    let id = &emulator.credentials().client_id;
    let secret = &emulator.credentials().client_secret;
    let good = token(
        &emulator,
        &format!("grant_type=client_credentials&client_id={id}&client_secret={secret}&scope={SCOPE}"),
    );
    assert_eq!(good.status, 200);
    assert_eq!(opens(&emulator, &text(&good, "access_token")), 200);
    let assertion = "client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer&client_assertion=e30.e30.c2ln";
    let good =
        token(&emulator, &format!("grant_type=client_credentials&client_id={id}&{assertion}&scope={SCOPE}"));
    assert_eq!(opens(&emulator, &text(&good, "access_token")), 200);

    let wrong = token(
        &emulator,
        &format!("grant_type=client_credentials&client_id={id}&client_secret=x&scope={SCOPE}"),
    );
    assert_eq!((wrong.status, text(&wrong, "error").as_str()), (401, "invalid_client"));
    let stranger = token(
        &emulator,
        &format!("grant_type=client_credentials&client_id=x&client_secret={secret}&scope={SCOPE}"),
    );
    assert_eq!(text(&stranger, "error"), "unauthorized_client");
    let elsewhere = request(&emulator, "POST", "/other/oauth2/v2.0/token", FORM, "").expect("an answer");
    assert!(text(&elsewhere, "error_description").starts_with("AADSTS90002"));
}

#[test]
fn managed_identities_get_tokens_with_their_headers_only() {
    let emulator = start(contoso());
    let imds =
        "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fmanagement.azure.com";
    let ask = |path: &str, header: &str| request(&emulator, "GET", path, header, "").expect("an answer");
    assert_eq!(opens(&emulator, &text(&ask(imds, "metadata: true\r\n"), "access_token")), 200);
    assert_eq!(ask(imds, "").status, 400);
    let service = "/msi/token?api-version=2019-08-01&resource=https%3A%2F%2Fmanagement.azure.com";
    let header = format!("x-identity-header: {}\r\n", emulator.credentials().identity_header);
    assert_eq!(opens(&emulator, &text(&ask(service, &header), "access_token")), 200);
    assert_eq!(ask(service, "").status, 401);
}

#[test]
fn without_a_token_that_fits_nothing_opens() {
    let emulator = start(contoso());
    let path = format!("{PROD}?api-version=2022-12-01");
    let bare = request(&emulator, "GET", &path, "", "").expect("an answer");
    assert_eq!((bare.status, bare.code().as_str()), (401, "AuthenticationFailed"));
    assert!(bare.headers["www-authenticate"].contains("authorization_uri"));
    assert_eq!(opens(&emulator, "e30.e30.c2ln"), 401);
    let short = Options { token_lifetime: std::time::Duration::ZERO, ..Options::default() };
    let emulator = start_with(contoso(), "", short);
    let header = format!("authorization: Bearer {}\r\n", emulator.token());
    let expired = request(&emulator, "GET", &path, &header, "").expect("an answer");
    assert_eq!(expired.code(), "ExpiredAuthenticationToken");
}

#[test]
fn the_authority_and_the_cloud_describe_themselves() {
    let emulator = start(contoso());
    let ask = |path: &str| request(&emulator, "GET", path, "", "").expect("an answer").json();
    let base = emulator.base_url();
    let openid = ask("/organizations/v2.0/.well-known/openid-configuration");
    assert_eq!(openid["token_endpoint"], format!("{base}/organizations/oauth2/v2.0/token"));
    assert!(openid["issuer"].as_str().is_some_and(|issuer| issuer.contains(&emulator.credentials().tenant)));
    let discovery = ask("/common/discovery/instance?api-version=1.1&authorization_endpoint=x");
    assert!(discovery["tenant_discovery_endpoint"].as_str().is_some_and(|url| url.starts_with(base)));
    assert_eq!(ask("/metadata/endpoints?api-version=2015-01-01")["authentication"]["loginEndpoint"], base);
    assert_eq!(ask("/metadata/endpoints?api-version=2019-05-01")[0]["resourceManager"], base);
    assert_eq!(ask("/metadata/endpoints?api-version=2022-09-01")["resourceManager"], base);
}
