//! Witnesses: confirmed, contradicted, or not known (V13).

use pullproof_snapshot::question::{LookupAnswer, LookupResult};
use serde_json::json;

use super::{Asker, Disagrees, Witness, answer_works, confirm};
use crate::fixture::{aks, cluster, node, partial, plain, registry, vnet, zone};
use crate::plain::{Plain, Pool};
use crate::tri::Tri;

fn answer(result: LookupResult, addresses: &[&str]) -> LookupAnswer {
    LookupAnswer {
        result,
        addresses: addresses.iter().map(|text| (*text).to_owned()).collect(),
        scope: None,
        cname: Vec::new(),
        by: Vec::new(),
        missing: Vec::new(),
    }
}

#[test]
fn every_address_of_an_answer_has_to_be_accepted() {
    let accepted = ["10.10.2.4".parse().expect("an address")];
    let good = answer(LookupResult::Answer, &["10.10.2.4"]);
    assert_eq!(answer_works(&good, &accepted), Tri::Yes);
    let mixed = answer(LookupResult::Answer, &["10.10.2.4", "10.10.2.9"]);
    assert_eq!(answer_works(&mixed, &accepted), Tri::No);
    assert_eq!(answer_works(&mixed, &[]), Tri::Yes);
    assert_eq!(answer_works(&answer(LookupResult::Nxdomain, &[]), &[]), Tri::No);
    // A public address that nobody knows is no private one, and perhaps the public one that is meant.
    let public = answer(LookupResult::Answer, &[]);
    assert_eq!(answer_works(&public, &accepted), Tri::No);
    let somewhere = ["203.0.113.10".parse().expect("an address")];
    assert!(matches!(answer_works(&public, &somewhere), Tri::Unknown(_)));
}

fn lookup(plain: &Plain) -> Result<(), Disagrees> {
    let witness = Witness::Lookup {
        asker: Asker::Node(node("spoke", 11)),
        chosen: None,
        name: "acme.privatelink.azurecr.io".into(),
        record: "A".into(),
        answer: answer(LookupResult::Nxdomain, &[]),
        accepted: vec!["10.10.2.4".parse().expect("an address")],
    };
    confirm(witness.clone(), plain).map(|confirmed| assert_eq!(confirmed.into_witness(), witness))
}

#[test]
fn lookups_are_looked_up_again() {
    let env = |address: &str| {
        let mut resources = vec![vnet("spoke", 11, &[], &[]), cluster("spoke", json!({}))];
        resources.extend(zone("privatelink.azurecr.io", &["spoke"], &[("acme", address)]));
        resources
    };
    assert_eq!(lookup(&plain(env("10.10.2.99"), "")), Ok(()));
    assert!(matches!(lookup(&plain(env("10.10.2.4"), "")), Err(Disagrees::Contradicts(_))));
    let open = partial(env("10.10.2.99"), "", |_| {});
    assert!(matches!(lookup(&open), Err(Disagrees::Unknown(missing)) if !missing.is_empty()));
}

#[test]
fn handshakes_and_requests_are_decided_again() {
    let plain = plain(vec![cluster("spoke", json!({})), registry(json!({}))], "");
    let handshake = |host: &str| Witness::Handshake {
        pool: Pool { cluster: aks(), name: "np".into() },
        registry: "acme".into(),
        host: host.into(),
        way: None,
        presented_by: "registry".into(),
        issuer: "public".into(),
        names: vec!["*.azurecr.io".into()],
    };
    assert!(confirm(handshake("registry.contoso.com"), &plain).is_ok());
    assert!(matches!(confirm(handshake("acme.azurecr.io"), &plain), Err(Disagrees::Contradicts(_))));
    let request = Witness::Request {
        cluster: aks(),
        pool: None,
        registry: "acme".into(),
        host: None,
        repository: None,
        principal: "kubelet".into(),
        action: crate::identity::PULL.into(),
        scope: "acme".into(),
        result: "denied".into(),
    };
    assert!(confirm(request, &plain).is_ok());
}
