//! The registry's door, and policies of storage service endpoints.

use std::net::IpAddr;

use pullproof_network::Network;
use pullproof_network::model::index::RegistryIx;
use pullproof_prover::Prover;
use pullproof_prover::registry_answer::{Arrival, Endpoint, RegistryKey, ServedAt};
use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::{Reach, Role};
use serde_json::{Value, json};

use crate::world::{Fate, World, fate, id, net, nodes_with, subnet_ix};

fn registry(changes: Value) -> World {
    let mut properties = json!({
        "loginServer": "contosoreg.azurecr.io", "publicNetworkAccess": "Enabled",
        "networkRuleSet": { "defaultAction": "Deny", "ipRules": [{ "action": "Allow", "value": "203.0.113.48/30" }] },
        "privateEndpointConnections": [],
    });
    let mut sku = "Premium".to_owned();
    for (key, value) in changes.as_object().unwrap() {
        match key.as_str() {
            "sku" => sku = value.as_str().unwrap().to_owned(),
            _ => properties[key] = value.clone(),
        }
    }
    World::default().with(json!({
        "id": id("Microsoft.ContainerRegistry/registries/contosoreg"), "sku": { "name": sku }, "properties": properties,
    }))
}

fn endpoint(roles: &[Role]) -> Endpoint {
    Endpoint {
        host: "contosoreg.azurecr.io".into(),
        wildcard: false,
        port: 443,
        roles: roles.to_vec(),
        region: None,
        reach: Reach::Public,
        tag: None,
        facts: Vec::new(),
        missing: Vec::new(),
    }
}

fn ix(network: &Network) -> RegistryIx {
    network.registries.iter().next().unwrap().0
}

fn public(network: &Network, seen_as: &[&str], roles: &[Role]) -> Fate {
    let seen: Vec<IpAddr> = seen_as.iter().map(|text| text.parse().unwrap()).collect();
    let unknown = seen.is_empty().then_some("the default outbound address is Azure's choice");
    let arrival = Arrival::Public { seen_as: &seen, unknown };
    fate(&Prover::new(network).admission(RegistryKey::Acr(ix(network)), &endpoint(roles), arrival).0)
}

const LOGIN: &[Role] = &[Role::Login, Role::Token];

#[test]
fn every_address_that_the_nodes_may_be_seen_as_must_be_listed() {
    let network = registry(json!({})).read();
    assert_eq!(public(&network, &["203.0.113.48", "203.0.113.51"], LOGIN), Fate::Passes);
    public(&network, &["203.0.113.48", "203.0.113.52"], LOGIN).denied_by("203.0.113.52");
}

#[test]
fn public_access_off_outweighs_the_rules() {
    let network = registry(json!({ "publicNetworkAccess": "Disabled" })).read();
    public(&network, &["203.0.113.48"], LOGIN).denied_by("Disabled");
    let unknown = json!({ "publicNetworkAccess": { "$unknown": "pna", "why": "known after apply" } });
    public(&registry(unknown.clone()).read(), &["203.0.113.48"], LOGIN).open_on("public network access");
    // Refused either way.
    public(&registry(unknown).read(), &["203.0.113.99"], LOGIN).denied_by("none of its IP rules");
}

#[test]
fn an_unknown_egress_is_open_unless_no_address_can_be_right() {
    public(&registry(json!({})).read(), &[], LOGIN).open_on("public address");
    let nobody = json!({ "networkRuleSet": { "defaultAction": "Deny", "ipRules": [] } });
    public(&registry(nobody).read(), &[], LOGIN).denied_by("none of its IP rules");
    // F147: the listed address is a bastion's.
    let one =
        json!({ "networkRuleSet": { "defaultAction": "Deny", "ipRules": [{ "value": "203.0.113.50" }] } });
    let taken = registry(one).with(json!({ "id": net("publicIPAddresses", "pip"), "properties": {
        "ipAddress": "203.0.113.50", "ipConfiguration": { "id": net("bastionHosts", "b/bastionHostIpConfigurations/c") },
    }}));
    public(&taken.read(), &[], LOGIN).denied_by("whatever address");
}

#[test]
fn ip_rules_at_data_hosts_never_decide() {
    let network = registry(json!({})).read();
    public(&network, &["203.0.113.99"], &[Role::Data]).open_on("AU2");
    assert_eq!(public(&network, &["203.0.113.48"], &[Role::Data]), Fate::Passes);
}

#[test]
fn trusted_services_do_not_hold_nodes() {
    let network = registry(json!({ "networkRuleBypassOptions": "AzureServices" })).read();
    public(&network, &["203.0.113.99"], LOGIN).denied_by("none of its IP rules");
}

fn through_endpoint(ours: &str, theirs: Option<&str>, sku: &str) -> Fate {
    let endpoint_id = net("privateEndpoints", "pe");
    let registry_id = id("Microsoft.ContainerRegistry/registries/contosoreg");
    let state = |status: &str| json!({ "status": status });
    let connections: Vec<Value> = theirs
        .map(|status| {
            json!({ "name": "c", "properties": {
                "privateEndpoint": { "id": endpoint_id }, "privateLinkServiceConnectionState": state(status),
            }})
        })
        .into_iter()
        .collect();
    let network = registry(json!({
        "publicNetworkAccess": "Disabled", "sku": sku, "privateEndpointConnections": connections,
    }))
    .with(json!({ "id": endpoint_id, "properties": { "privateLinkServiceConnections": [{ "name": "c", "properties": {
        "privateLinkServiceId": registry_id, "groupIds": ["registry"],
        "privateLinkServiceConnectionState": state(ours),
    }}]}}))
    .read();
    let endpoint_ix = network.private_endpoints.iter().next().unwrap().0;
    let served =
        ServedAt { address: "10.0.2.4".parse().unwrap(), endpoint: Some(endpoint_ix), by: endpoint_id };
    let arrival = Arrival::PrivateEndpoint(&served);
    fate(&Prover::new(&network).admission(RegistryKey::Acr(ix(&network)), &endpoint(LOGIN), arrival).0)
}

#[test]
fn only_an_approved_connection_carries_traffic_and_the_registrys_copy_counts() {
    assert_eq!(through_endpoint("Approved", Some("Approved"), "Premium"), Fate::Passes);
    assert_eq!(through_endpoint("Pending", Some("Approved"), "Premium"), Fate::Passes);
    through_endpoint("Approved", Some("Pending"), "Premium").denied_by("Pending");
    through_endpoint("Approved", None, "Premium").open_on("registry's side");
    through_endpoint("Approved", Some("Approved"), "Standard").denied_by("Premium");
}

#[test]
fn a_service_endpoint_needs_a_rule_for_the_subnet() {
    let subnet = ArmId::new(&format!("{}/subnets/nodes", net("virtualNetworks", "vnet")));
    let arrive = |rules: Value| {
        let set = json!({ "networkRuleSet": { "defaultAction": "Deny", "ipRules": [], "virtualNetworkRules": rules } });
        let network = registry(set).read();
        let arrival = Arrival::ServiceEndpoint(&subnet);
        Prover::new(&network).admission(RegistryKey::Acr(ix(&network)), &endpoint(LOGIN), arrival)
    };
    let (outcome, basis) = arrive(json!([{ "action": "Allow", "id": subnet.as_written() }]));
    assert_eq!(fate(&outcome), Fate::Passes);
    assert!(basis.remarks.iter().any(|remark| remark.kind == "service-endpoint-deprecated"));
    fate(&arrive(json!([])).0).denied_by("no virtual network rule");
    // A90: other API versions do not show the rules.
    fate(&arrive(Value::Null).0).open_on("virtual network rules");
}

fn policy(resources: Value, alias: Value) -> Fate {
    let id = net("serviceEndpointPolicies", "own");
    let network = nodes_with(&[], json!({ "serviceEndpointPolicies": [{ "id": id }] }), json!([]))
        .with(json!({ "id": id, "properties": { "serviceAlias": alias, "serviceEndpointPolicyDefinitions": [{
            "name": "d", "properties": { "service": "Microsoft.Storage", "serviceResources": resources },
        }]}}))
        .read();
    let prover = Prover::new(&network);
    fate(
        &prover
            .service_endpoint_policy(
                subnet_ix(&network, "nodes"),
                "Microsoft.Storage",
                "*.blob.core.windows.net",
            )
            .0,
    )
}

#[test]
fn a_policy_of_own_accounts_refuses_the_registrys() {
    policy(json!(["/subscriptions/s1"]), Value::Null).denied_by("own");
    policy(json!(["/subscriptions/s1"]), json!("/services/Azure/ManagedInstance")).open_on("admits");
    policy(json!(["/services/Azure"]), Value::Null).open_on("admits");
    let network = nodes_with(&[], json!({}), json!([])).read();
    let prover = Prover::new(&network);
    let (outcome, _) = prover.service_endpoint_policy(subnet_ix(&network, "nodes"), "Microsoft.Storage", "x");
    assert_eq!(fate(&outcome), Fate::Passes);
}
