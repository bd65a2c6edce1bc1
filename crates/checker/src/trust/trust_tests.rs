//! Names, issuers, trust stores and devices in between (A350–A356).

use pullproof_snapshot::ArmId;
use serde_json::{Value, json};

use super::{Handshake, proxy_for, trusted};
use crate::fixture::{aks, cluster, plain, registry};
use crate::plain::{Plain, Pool};
use crate::reach::{Passed, Reach};
use crate::tri::Tri;

/// An authority made for these tests; its key was thrown away.
const AUTHORITY: &str = "-----BEGIN CERTIFICATE-----\nMIIBsDCCAVWgAwIBAgIUZ0QwlSooxNE0/LPP5aoEwtfBxeQwCgYIKoZIzj0EAwIw\nLDEQMA4GA1UECgwHQ29udG9zbzEYMBYGA1UEAwwPQ29udG9zbyBSb290IENBMCAX\nDTI2MTEzMDIwMzIxMloYDzIwNTEwNzIyMjAzMjEyWjAsMRAwDgYDVQQKDAdDb250\nb3NvMRgwFgYDVQQDDA9Db250b3NvIFJvb3QgQ0EwWTATBgcqhkjOPQIBBggqhkjO\nPQMBBwNCAASogWmyMEZMSOtcNJTOkOqBqi9Y7iGECOqdITZgnYgA5YXr5ygQYCkh\nYB8LaM8P9z4Dw9rgDY5GTgdbxxh3i7Rko1MwUTAdBgNVHQ4EFgQUEeQhG4l4We2s\nZPeK5m6QeXvAJrwwHwYDVR0jBBgwFoAUEeQhG4l4We2sZPeK5m6QeXvAJrwwDwYD\nVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAsaxX5LZYM92yBVsYvUbA\nz9Rwrp1N2PxTt7GHfd/9UvQCIQDWcDPyuvU/uvRhO2SI61nqUD5NzlQgrB1a1Jfd\nyOD8kQ==\n-----END CERTIFICATE-----\n";

fn entry() -> String {
    // What the cluster holds is the PEM in base64 once more (A188).
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in AUTHORITY.as_bytes().chunks(3) {
        let byte = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i) & 63) as usize];
            out.push(if i > chunk.len() { '=' } else { char::from(digit) });
        }
    }
    out
}

fn pool() -> Pool {
    Pool { cluster: aks(), name: "np".into() }
}

fn answer(plain: &Plain, registry: &str, host: &str, path: Option<&Reach>) -> Tri {
    trusted(plain, &Handshake { pool: &pool(), registry, host, path }).answer
}

fn with_authorities(entries: &[String]) -> Value {
    cluster("spoke", json!({ "securityProfile": { "customCATrustCertificates": entries } }))
}

const PRIVATE: &str = "[[registry]]\nname = \"harbor\"\nhosts = [{ host = \"harbor.contoso.com\" }]\n    certificate = { names = [\"harbor.contoso.com\"], issuer = \"Contoso Root CA\" }\n";

#[test]
fn registries_present_their_suffix() {
    let plain = plain(vec![cluster("spoke", json!({})), registry(json!({}))], "");
    assert_eq!(answer(&plain, "acme", "acme.azurecr.io", None), Tri::Yes);
    assert_eq!(answer(&plain, "acme", "acme.eastus.data.azurecr.io", None), Tri::Yes);
    assert_eq!(answer(&plain, "acme", "x.blob.core.windows.net", None), Tri::Yes);
    for alias in ["acme.privatelink.azurecr.io", "registry.contoso.com", "10.1.2.3"] {
        assert_eq!(answer(&plain, "acme", alias, None), Tri::No, "{alias}");
    }
    assert!(matches!(answer(&plain, "other", "registry.contoso.com", None), Tri::Unknown(_)));
}

#[test]
fn private_authorities_have_to_be_listed() {
    let env = |entries: &[String]| plain(vec![with_authorities(entries)], PRIVATE);
    assert_eq!(answer(&env(&[entry()]), "harbor", "harbor.contoso.com", None), Tri::Yes);
    assert_eq!(answer(&env(&[AUTHORITY.into()]), "harbor", "harbor.contoso.com", None), Tri::Yes);
    assert_eq!(answer(&env(&[]), "harbor", "harbor.contoso.com", None), Tri::No);
    assert!(matches!(answer(&env(&["%%".into()]), "harbor", "harbor.contoso.com", None), Tri::Unknown(_)));
    assert_eq!(answer(&env(&[entry()]), "harbor", "other.contoso.com", None), Tri::No);
    let undeclared =
        plain(vec![with_authorities(&[])], &PRIVATE.replace("certificate", "repositories = []\n#"));
    assert!(matches!(answer(&undeclared, "harbor", "harbor.contoso.com", None), Tri::Unknown(_)));
}

#[test]
fn the_proxys_authority_is_trusted_too() {
    let proxy = json!({ "httpProxyConfig": { "trustedCa": entry(), "httpsProxy": "http://10.9.9.9:3128/",
                                             "noProxy": [".contoso.com"] } });
    let plain = plain(vec![cluster("spoke", proxy)], PRIVATE);
    assert_eq!(answer(&plain, "harbor", "harbor.contoso.com", None), Tri::Yes);
    assert_eq!(proxy_for(&plain, &aks(), "harbor.contoso.com"), Ok(None));
    assert_eq!(proxy_for(&plain, &aks(), "acme.azurecr.io"), Ok(Some("http://10.9.9.9:3128/".into())));
    assert!(matches!(answer(&plain, "acme", "acme.azurecr.io", None), Tri::Unknown(_)));
}

#[test]
fn windows_pools_take_no_custom_authority() {
    let mut windows = with_authorities(&[entry()]);
    windows["properties"]["agentPoolProfiles"][0]["osType"] = json!("Windows");
    let plain = plain(vec![windows, registry(json!({}))], PRIVATE);
    assert_eq!(answer(&plain, "harbor", "harbor.contoso.com", None), Tri::No);
    assert_eq!(answer(&plain, "acme", "acme.azurecr.io", None), Tri::Yes);
}

fn through(address: &str, intercepts_tls: bool) -> Reach {
    let address = address.parse().expect("an address");
    let device =
        Passed { id: "fw".into(), address, stateful: true, source_nat: true, proxied: true, intercepts_tls };
    Reach {
        forward_routing: Tri::Yes,
        forward_filter: Tri::Yes,
        return_routing: Tri::Yes,
        return_filter: Tri::Yes,
        trace: Vec::new(),
        delivery: None,
        destination: [203, 0, 113, 10].into(),
        egress: Vec::new(),
        egress_missing: Vec::new(),
        devices: vec![device],
        assumptions: Vec::new(),
        findings: Vec::new(),
    }
}

#[test]
fn a_device_on_the_way_may_present_its_own_certificate() {
    let declared = "[[trust]]\npresented_by = \"10.0.1.4\"\nissuer = \"Contoso Root CA\"\nnames = [\"*\"]\nhosts = [\"*.azurecr.io\"]\n";
    let env = |entries: &[String], declared: &str| {
        plain(vec![with_authorities(entries), registry(json!({}))], declared)
    };
    let host = "acme.azurecr.io";
    assert_eq!(answer(&env(&[], declared), "acme", host, Some(&through("10.0.1.4", false))), Tri::No);
    assert_eq!(answer(&env(&[entry()], declared), "acme", host, Some(&through("10.0.1.4", false))), Tri::Yes);
    assert_eq!(answer(&env(&[], declared), "acme", host, Some(&through("10.0.9.9", false))), Tri::Yes);
    let inspected = answer(&env(&[], ""), "acme", host, Some(&through("10.0.1.4", true)));
    assert!(matches!(inspected, Tri::Unknown(_)));
}

#[test]
fn holes_in_the_list_leave_it_open() {
    let hole = json!({ "securityProfile": { "customCATrustCertificates": [{ "$unknown": "ca" }] } });
    let plain = plain(vec![cluster("spoke", hole)], PRIVATE);
    assert!(matches!(answer(&plain, "harbor", "harbor.contoso.com", None), Tri::Unknown(_)));
    assert!(proxy_for(&plain, &ArmId::new("/subscriptions/x"), "harbor.contoso.com").is_err());
}
