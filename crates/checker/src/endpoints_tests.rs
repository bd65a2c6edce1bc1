//! Hosts of registries (A30–A58, A390–A396).

use pullproof_snapshot::question::{EndpointsAnswer, Reach, Role};
use serde_json::{Value, json};

use super::endpoints;
use crate::fixture::{SUBSCRIPTION, connection, id, partial, plain, registry, resource};
use crate::plain::Plain;

fn hosts(answer: &EndpointsAnswer) -> Vec<(&str, Reach)> {
    answer.endpoints.iter().map(|row| (row.host.as_str(), row.reach)).collect()
}

fn of(plain: &Plain, image_host: Option<&str>) -> EndpointsAnswer {
    endpoints(plain, "acme", image_host).expect("the registry")
}

fn replica(region: &str, serves: bool, state: &str) -> Value {
    let mut out = resource(
        &format!("Microsoft.ContainerRegistry/registries/acme/replications/{region}"),
        json!({
        "provisioningState": state, "regionEndpointEnabled": serves }),
    );
    out["location"] = json!(region);
    out
}

/// A private endpoint `pe` whose NIC carries these hosts.
fn endpoint(members: &[(&str, &str)]) -> Vec<Value> {
    let configs: Vec<Value> = members
        .iter()
        .map(|(host, address)| {
            json!({ "properties": { "privateIPAddress": address,
            "privateLinkConnectionProperties": { "groupId": "registry", "fqdns": [host] } } })
        })
        .collect();
    let nic = resource("Microsoft.Network/networkInterfaces/pe-nic", json!({ "ipConfigurations": configs }));
    let endpoint = resource(
        "Microsoft.Network/privateEndpoints/pe",
        json!({
        "networkInterfaces": [{ "id": nic["id"] }],
        "privateLinkServiceConnections": [{ "properties": {
            "privateLinkServiceId": id("Microsoft.ContainerRegistry/registries/acme"),
            "privateLinkServiceConnectionState": { "status": "Approved" } } }] }),
    );
    vec![endpoint, nic]
}

#[test]
fn layers_come_from_storage_until_data_endpoints_are_in_force() {
    let open = plain(vec![registry(json!({ "publicNetworkAccess": "Enabled" }))], "");
    let answer = of(&open, None);
    assert_eq!(hosts(&answer), [("acme.azurecr.io", Reach::Public)]);
    assert_eq!(answer.wildcards, ["*.blob.core.windows.net"]);
    let flag = json!({ "publicNetworkAccess": "Enabled", "dataEndpointEnabled": true });
    let answer = of(&plain(vec![registry(flag)], ""), None);
    assert_eq!(
        hosts(&answer),
        [("acme.azurecr.io", Reach::Public), ("acme.westeurope.data.azurecr.io", Reach::Public)]
    );
    assert!(answer.wildcards.is_empty() && answer.missing.is_empty());
}

#[test]
fn an_approved_private_endpoint_switches_data_endpoints_on() {
    let members = [("acme.azurecr.io", "10.0.0.5"), ("acme.westeurope.data.azurecr.io", "10.0.0.4")];
    let env = |status: &str| {
        let mut resources = endpoint(&members);
        resources.push(registry(json!({ "privateEndpointConnections": [connection("pe", status)] })));
        plain(resources, "")
    };
    let approved = of(&env("Approved"), None);
    assert_eq!(
        hosts(&approved),
        [("acme.azurecr.io", Reach::Private), ("acme.westeurope.data.azurecr.io", Reach::Private)]
    );
    // The registry's copy of the state holds, whatever the endpoint says (A75).
    let rejected = of(&env("Rejected"), None);
    assert_eq!(hosts(&rejected), [("acme.azurecr.io", Reach::None)]);
    assert!(!rejected.missing.is_empty(), "whether rejected endpoints switch data endpoints on is open");
}

#[test]
fn every_replica_that_the_global_name_routes_to_is_needed() {
    let mut resources = vec![registry(json!({ "dataEndpointEnabled": true }))];
    resources.push(replica("northeurope", true, "Succeeded"));
    resources.push(replica("eastus", false, "Succeeded"));
    resources.push(replica("uksouth", true, "Creating"));
    let answer = of(&plain(resources.clone(), ""), None);
    let names: Vec<&str> = answer.endpoints.iter().map(|row| row.host.as_str()).collect();
    assert_eq!(
        names,
        ["acme.azurecr.io", "acme.northeurope.data.azurecr.io", "acme.westeurope.data.azurecr.io"]
    );
    resources.push(replica("westeurope", false, "Succeeded"));
    let answer = of(&plain(resources.clone(), ""), None);
    assert_eq!(answer.endpoints.len(), 2, "a home region that is not routed to");
    let answer = of(&plain(resources, ""), Some("acme.eastus.geo.azurecr.io"));
    let names: Vec<&str> = answer.endpoints.iter().map(|row| row.host.as_str()).collect();
    assert_eq!(names, ["acme.eastus.geo.azurecr.io", "acme.eastus.data.azurecr.io"]);
    assert!(!answer.missing.is_empty(), "regionalEndpoints was not read (A117)");
}

#[test]
fn replicas_that_were_not_read_are_not_absent() {
    let resources = vec![registry(json!({ "dataEndpointEnabled": true }))];
    let open = partial(resources, "", |builder| {
        builder.complete.state(SUBSCRIPTION, "Microsoft.ContainerRegistry/registries", true);
    });
    assert!(!of(&open, None).missing.is_empty());
}

#[test]
fn roles_that_no_declared_host_carries_are_put_on_the_login_host() {
    let declared =
        "[[registry]]\nname = \"harbor\"\nhosts = [{ host = \"harbor.contoso.com\", roles = [\"login\"] }]\n";
    let answer = endpoints(&plain(Vec::new(), declared), "harbor", None).expect("declared");
    assert_eq!(answer.endpoints.len(), 1);
    assert_eq!(answer.endpoints[0].roles, [Role::Login, Role::Token, Role::Data]);
    assert_eq!(answer.missing.len(), 2);
    let preset = "[[registry]]\nname = \"hub\"\npreset = \"docker-hub\"\n";
    let answer = endpoints(&plain(Vec::new(), preset), "hub", None).expect("declared");
    assert!(answer.missing.is_empty());
    assert_eq!(answer.wildcards, ["*.r2.cloudflarestorage.com"]);
    assert!(endpoints(&plain(Vec::new(), preset), "nowhere", None).is_none());
}
