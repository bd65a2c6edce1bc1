//! Certificates that nodes are shown (A188–A190, A350–A355).

use pullproof_prover::path::Interceptor;
use pullproof_prover::registry_answer::RegistryKey;
use pullproof_prover::{Outcome, Prover};
use pullproof_snapshot::ArmId;
use serde_json::{Value, json};

use crate::world::{World, acr, endpoint_of, first_cluster, first_pool, id, word};

const HOST: &str = "contoso.azurecr.io";

/// Base64 of PEM of a certificate that holds just a subject `CN=Contoso Root CA`; made by hand.
fn authority(name: &str) -> String {
    fn tlv(tag: u8, contents: &[u8]) -> Vec<u8> {
        let mut out = vec![tag, u8::try_from(contents.len()).expect("short")];
        out.extend_from_slice(contents);
        out
    }
    let attribute = [tlv(6, &[0x55, 4, 3]), tlv(12, name.as_bytes())].concat();
    let subject = tlv(0x30, &tlv(0x31, &tlv(0x30, &attribute)));
    let fields = [tlv(2, &[1]), tlv(0x30, &[]), tlv(0x30, &[]), tlv(0x30, &[]), subject].concat();
    let der = base64(&tlv(0x30, &tlv(0x30, &fields)));
    base64(format!("-----BEGIN CERTIFICATE-----\n{der}\n-----END CERTIFICATE-----\n").as_bytes())
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let n = chunk.iter().fold(0_u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let digit = DIGITS[(n >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

fn world(pool: Value, authorities: &[String], toml: &str) -> World {
    let mut w = World::default();
    w.vnet("spoke", 1, json!([]));
    w.registry(json!({}));
    w.cluster(
        "aks",
        "spoke",
        pool,
        json!({ "securityProfile": { "customCATrustCertificates": authorities } }),
    );
    w.toml = toml.into();
    w
}

fn ask(w: &World, registry: RegistryKey, host: &str, interceptors: &[Interceptor]) -> Outcome {
    ask_along(w, registry, host, interceptors, false)
}

fn ask_along(
    w: &World,
    registry: RegistryKey,
    host: &str,
    interceptors: &[Interceptor],
    straight: bool,
) -> Outcome {
    let network = w.network();
    let prover = Prover::new(&network);
    let endpoint = match registry {
        RegistryKey::Acr(_) => {
            let set = prover.endpoints(registry, None, Some(host));
            set.endpoints.into_iter().find(|e| e.host == host).expect("a host")
        }
        RegistryKey::Declared(_) => endpoint_of(&prover, registry, host),
    };
    prover.trust(first_cluster(), first_pool(), registry, &endpoint, interceptors, straight).outcome
}

fn harbor(certificate: &str) -> String {
    format!(
        "[[registry]]\nname = \"harbor\"\nhosts = [ {{ host = \"harbor.contoso.example\", roles = [\"login\", \"token\", \"data\"] }} ]\n{certificate}\n"
    )
}

#[test]
fn registries_of_azure_present_public_certificates() {
    assert_eq!(word(&ask(&world(json!({}), &[], ""), acr(), HOST, &[])), "holds");
}

#[test]
fn other_names_are_not_on_the_certificate() {
    let w = world(json!({}), &[], "");
    assert_eq!(word(&ask(&w, acr(), "contoso.privatelink.azurecr.io", &[])), "name_mismatch");
    assert_eq!(word(&ask(&w, acr(), "registry.contoso.example", &[])), "name_mismatch");
}

#[test]
fn a_private_authority_has_to_be_on_the_nodes() {
    let toml = harbor("certificate = { names = [\"harbor.contoso.example\"], issuer = \"Contoso Root CA\" }");
    let own = [authority("Contoso Root CA")];
    let other = [authority("Fabrikam Root CA")];
    let odd = ["bm90IGEgY2VydGlmaWNhdGU=".to_owned()];
    let windows = json!({ "osType": "Windows" });
    for (pool, list, expected) in [
        (json!({}), &own[..], "holds"),
        (json!({}), &other[..], "untrusted_issuer"),
        (json!({}), &[][..], "untrusted_issuer"),
        (json!({}), &odd[..], "open"),
        // Windows nodes cannot be given one by supported configuration (A355).
        (windows, &own[..], "open"),
    ] {
        let w = world(pool, list, &toml);
        assert_eq!(word(&ask(&w, RegistryKey::Declared(0), "harbor.contoso.example", &[])), expected);
    }
}

#[test]
fn a_certificate_that_is_not_declared_is_not_known() {
    let host = "harbor.contoso.example";
    assert_eq!(word(&ask(&world(json!({}), &[], &harbor("")), RegistryKey::Declared(0), host, &[])), "open");
    let public = harbor("certificate = { names = [\"*.contoso.example\"], issuer = \"public\" }");
    assert_eq!(word(&ask(&world(json!({}), &[], &public), RegistryKey::Declared(0), host, &[])), "holds");
    let wrong = harbor("certificate = { names = [\"*.example\"], issuer = \"public\" }");
    assert_eq!(
        word(&ask(&world(json!({}), &[], &wrong), RegistryKey::Declared(0), host, &[])),
        "name_mismatch"
    );
}

#[test]
fn what_inspects_on_the_way_presents_its_own() {
    let toml = "[[trust]]\npresented_by = \"10.0.1.4\"\nissuer = \"Contoso Inspection CA\"\nnames = [\"*\"]\nhosts = [\"*\"]\n";
    let own = [authority("Contoso Inspection CA")];
    let inspecting = [Interceptor { address: "10.0.1.4".parse().expect("an address"), terminates: None }];
    let passing = [Interceptor { address: "10.0.1.5".parse().expect("an address"), terminates: None }];
    assert_eq!(word(&ask(&world(json!({}), &[], toml), acr(), HOST, &inspecting)), "intercepted");
    assert_eq!(word(&ask(&world(json!({}), &own, toml), acr(), HOST, &inspecting)), "holds");
    assert_eq!(word(&ask(&world(json!({}), &[], toml), acr(), HOST, &passing)), "holds");
    // Hosts that are not inspected are passed through.
    let others = toml.replace("hosts = [\"*\"]", "hosts = [\"*.fabrikam.example\"]");
    assert_eq!(word(&ask(&world(json!({}), &[], &others), acr(), HOST, &inspecting)), "holds");
}

#[test]
fn a_way_past_the_inspection_shows_the_registrys_own_certificate() {
    let inspected = "[[trust]]\npresented_by = \"10.0.1.4\"\nissuer = \"Contoso Inspection CA\"\nnames = [\"*\"]\nhosts = [\"*\"]\n";
    let own = harbor("certificate = { names = [\"harbor.contoso.example\"], issuer = \"Contoso Root CA\" }");
    let inspecting = [Interceptor { address: "10.0.1.4".parse().expect("an address"), terminates: None }];
    let (both, one) = (
        [authority("Contoso Inspection CA"), authority("Contoso Root CA")],
        [authority("Contoso Inspection CA")],
    );
    for (list, straight, expected) in
        [(&both[..], true, "holds"), (&one[..], true, "open"), (&one[..], false, "holds")]
    {
        let w = world(json!({}), list, &format!("{inspected}{own}"));
        let host = "harbor.contoso.example";
        let outcome = ask_along(&w, RegistryKey::Declared(0), host, &inspecting, straight);
        assert_eq!(word(&outcome), expected);
    }
}

#[test]
fn a_firewall_that_terminates_tls_signs_with_its_own_authority() {
    let firewall = ArmId::new(&id("Microsoft.Network/azureFirewalls", "fw"));
    let terminating =
        [Interceptor { address: "10.1.4.4".parse().expect("an address"), terminates: Some(firewall) }];
    assert_eq!(word(&ask(&world(json!({}), &[], ""), acr(), HOST, &terminating)), "intercepted");
    // Which of the nodes' authorities signs is not in the configuration.
    let own = [authority("Contoso Inspection CA")];
    assert_eq!(word(&ask(&world(json!({}), &own, ""), acr(), HOST, &terminating)), "open");
}
