//! Hosts of registries, and where they are served (A30–A47, A70–A77, A390–A397).

use pullproof_prover::registry_answer::RegistryKey;
use pullproof_prover::{Outcome, Prover};
use pullproof_snapshot::question::{Reach, Role};
use serde_json::{Value, json};

use crate::world::{World, acr, endpoint_of, id, registry_id, word};

const HOST: &str = "contoso.azurecr.io";
const DATA: &str = "contoso.westeurope.data.azurecr.io";

fn registry(more: Value) -> World {
    let mut w = World::default();
    w.vnet("spoke", 1, json!([]));
    w.registry(more);
    w
}

fn hosts(w: &World, image_host: Option<&str>) -> (Vec<String>, String) {
    let network = w.network();
    let set = Prover::new(&network).endpoints(acr(), None, image_host);
    (set.endpoints.iter().map(|e| e.host.clone()).collect(), word(&set.complete))
}

fn replica(w: &mut World, region: &str, more: Value) {
    let replica = w.put(
        format!("{}/replications/{region}", registry_id("contoso")),
        "Microsoft.ContainerRegistry/registries/replications",
        more,
    );
    replica["location"] = json!(region);
}

#[test]
fn data_endpoints_replace_the_storage_wildcard() {
    let off = json!({ "dataEndpointEnabled": false, "dataEndpointHostNames": [] });
    let (found, complete) = hosts(&registry(off.clone()), None);
    assert_eq!(
        (found, complete.as_str()),
        (vec![HOST.to_owned(), "*.blob.core.windows.net".into()], "holds")
    );
    // The flag stays false, but hosts are listed: in force (A56).
    let listed = json!({ "dataEndpointEnabled": false });
    assert_eq!(hosts(&registry(listed), None).0, [HOST, DATA]);
    // Or an Approved private endpoint is there.
    let mut w = registry(off);
    w.endpoint("pe", "spoke", "Approved", &[("registry", HOST, "10.1.2.5")]);
    assert_eq!(hosts(&w, None).0, [HOST, DATA]);
}

#[test]
fn data_endpoint_missing_is_not_a_pass() {
    let two = json!({ "dataEndpointHostNames": [DATA, "contoso.northeurope.data.azurecr.io"] });
    let mut w = registry(two);
    replica(&mut w, "westeurope", json!({ "provisioningState": "Succeeded", "regionEndpointEnabled": true }));
    replica(
        &mut w,
        "northeurope",
        json!({ "provisioningState": "Succeeded", "regionEndpointEnabled": true }),
    );
    assert_eq!(hosts(&w, None).0, [HOST, "contoso.northeurope.data.azurecr.io", DATA]);
    // A replica that takes no part in global routing serves no pulls of the global name (A42).
    w.edit(
        &format!("{}/replications/northeurope", registry_id("contoso")),
        "/properties/regionEndpointEnabled",
        json!(false),
    );
    assert_eq!(hosts(&w, None).0, [HOST, DATA]);
}

#[test]
fn derived_hosts_need_all_replicas() {
    let absent = json!({ "dataEndpointHostNames": null });
    let mut w = registry(absent);
    let (found, complete) = hosts(&w, None);
    assert_eq!((found, complete.as_str()), (vec![HOST.to_owned(), DATA.into()], "holds"));
    w.unreadable(&registry_id("contoso"), "Microsoft.ContainerRegistry/registries/replications");
    assert_eq!(hosts(&w, None).1, "open");
}

#[test]
fn regional_hosts_need_the_switch() {
    let regional = "contoso.westeurope.geo.azurecr.io";
    for (state, expected) in
        [(json!("Enabled"), "holds"), (json!("Disabled"), "regional_endpoint_off"), (Value::Null, "open")]
    {
        let (found, complete) = hosts(&registry(json!({ "regionalEndpoints": state })), Some(regional));
        assert_eq!(found, [regional, DATA]);
        assert_eq!(complete, expected);
    }
}

#[test]
fn an_alias_gets_its_token_from_the_login_host() {
    let network = registry(json!({})).network();
    let set = Prover::new(&network).endpoints(acr(), None, Some("registry.contoso.example"));
    let rows: Vec<(&str, &[Role])> =
        set.endpoints.iter().map(|e| (e.host.as_str(), e.roles.as_slice())).collect();
    assert_eq!(
        rows,
        [("registry.contoso.example", &[Role::Login][..]), (HOST, &[Role::Token]), (DATA, &[Role::Data])]
    );
}

#[test]
fn the_login_server_is_not_made_up() {
    let mut w = registry(json!({ "loginServer": null }));
    assert_eq!(hosts(&w, None), (Vec::new(), "open".into()));
    w.edit(&registry_id("contoso"), "/properties/loginServer", json!("contoso-e7gg.azurecr.us"));
    w.edit(&registry_id("contoso"), "/properties/dataEndpointHostNames", json!([]));
    assert_eq!(hosts(&w, None).0, ["contoso-e7gg.azurecr.us", "contoso-e7gg.westeurope.data.azurecr.us"]);
}

#[test]
fn only_approved_members_serve() {
    for (status, serves, reach) in [("Approved", 1, Reach::Private), ("Rejected", 0, Reach::None)] {
        let mut w = registry(json!({}));
        w.endpoint(
            "pe",
            "spoke",
            status,
            &[("registry", HOST, "10.1.2.5"), ("registry_data_westeurope", DATA, "10.1.2.6")],
        );
        let network = w.network();
        let prover = Prover::new(&network);
        let login = endpoint_of(&prover, acr(), HOST);
        let serving = prover.serving(acr(), &login);
        assert_eq!(serving.private.len(), serves);
        assert_eq!(serving.not_serving.len(), 2 - serves);
        assert_eq!(login.reach, reach);
    }
}

#[test]
fn the_registrys_word_counts_against_the_endpoints() {
    let mut w = registry(json!({}));
    w.endpoint("pe", "spoke", "Approved", &[("registry", HOST, "10.1.2.5")]);
    w.edit(
        &registry_id("contoso"),
        "/properties/privateEndpointConnections/0/properties/privateLinkServiceConnectionState/status",
        json!("Rejected"),
    );
    let network = w.network();
    let prover = Prover::new(&network);
    assert!(prover.serving(acr(), &endpoint_of(&prover, acr(), HOST)).private.is_empty());
}

#[test]
fn addresses_come_from_the_first_source_that_has_any() {
    let mut w = registry(json!({}));
    w.endpoint("pe", "spoke", "Approved", &[("registry", HOST, "10.1.2.5")]);
    let endpoint = id("Microsoft.Network/privateEndpoints", "pe");
    w.edit(
        &endpoint,
        "/properties/customDnsConfigs",
        json!([{ "fqdn": HOST, "ipAddresses": ["10.1.2.77"] }]),
    );
    let addresses = |w: &World| {
        let network = w.network();
        let prover = Prover::new(&network);
        let serving = prover.serving(acr(), &endpoint_of(&prover, acr(), HOST));
        let found: Vec<String> = serving.private.iter().map(|s| s.address.to_string()).collect();
        (found, serving.missing.len(), serving.basis.remarks.len())
    };
    assert_eq!(addresses(&w), (vec!["10.1.2.5".into()], 0, 1));
    w.remove(&id("Microsoft.Network/networkInterfaces", "pe.nic"));
    assert_eq!(addresses(&w), (vec!["10.1.2.77".into()], 0, 0));
    w.edit(&endpoint, "/properties/customDnsConfigs", json!([]));
    assert_eq!(addresses(&w), (Vec::new(), 1, 0));
}

#[test]
fn endpoints_elsewhere_are_missing_not_absent() {
    let elsewhere = json!({ "privateEndpointConnections": [{ "id": "c", "name": "c", "properties": {
        "privateEndpoint": { "id": "/subscriptions/2/resourceGroups/rg/providers/Microsoft.Network/privateEndpoints/theirs" },
        "privateLinkServiceConnectionState": { "status": "Approved" } } }] });
    let network = registry(elsewhere).network();
    let prover = Prover::new(&network);
    let serving = prover.serving(acr(), &endpoint_of(&prover, acr(), HOST));
    assert!(serving.private.is_empty());
    assert!(serving.missing[0].what.contains("theirs"));
}

#[test]
fn roles_that_no_host_carries_are_missing() {
    let toml = "[[registry]]\nname = \"harbor\"\nhosts = [ { host = \"harbor.contoso.example\", roles = [\"login\"] } ]\n";
    let mut w = World { toml: toml.into(), ..World::default() };
    let complete = |w: &World| {
        let network = w.network();
        let set = Prover::new(&network).endpoints(RegistryKey::Declared(0), None, None);
        (set.endpoints[0].roles.clone(), set.complete.missing().len())
    };
    assert_eq!(complete(&w), (vec![Role::Login, Role::Token, Role::Data], 2));
    w.toml = w.toml.replace("[\"login\"]", "[\"login\", \"token\", \"data\"]");
    assert_eq!(complete(&w), (vec![Role::Login, Role::Token, Role::Data], 0));
}

#[test]
fn presets_have_their_hosts() {
    let w = World { toml: "[[registry]]\nname = \"mcr\"\npreset = \"mcr\"\n".into(), ..World::default() };
    let network = w.network();
    let set = Prover::new(&network).endpoints(RegistryKey::Declared(0), None, None);
    let rows: Vec<(&str, bool, Reach)> =
        set.endpoints.iter().map(|e| (e.host.as_str(), e.wildcard, e.reach)).collect();
    assert_eq!(
        rows,
        [("mcr.microsoft.com", false, Reach::Public), ("*.data.mcr.microsoft.com", true, Reach::Public)]
    );
    assert_eq!(set.complete, Outcome::Holds);
}

#[test]
fn public_front_ends_carry_their_tags() {
    use pullproof_prover::path::Target;
    let mut w = registry(json!({ "publicNetworkAccess": "Enabled" }));
    let targets = |w: &World, host: &str| {
        let network = w.network();
        let prover = Prover::new(&network);
        prover.public_targets(&endpoint_of(&prover, acr(), host))
    };
    let tag = |host: &str, tag: &str| vec![Target::PublicHost { host: host.into(), tags: vec![tag.into()] }];
    assert_eq!(targets(&w, HOST), tag(HOST, "AzureContainerRegistry"));
    assert_eq!(targets(&w, DATA), tag(DATA, "AzureContainerRegistry.westeurope"));
    w.toml = format!("[[public_name]]\nhost = \"{HOST}\"\naddresses = [\"203.0.113.10\"]\n");
    assert_eq!(targets(&w, HOST), [Target::Address("203.0.113.10".parse().expect("an address"))]);
}

#[test]
fn a_replica_that_the_host_list_lacks_has_its_host() {
    let mut w = registry(json!({}));
    replica(&mut w, "northeurope", json!({ "provisioningState": "Succeeded" }));
    let north = "contoso.northeurope.data.azurecr.io";
    assert_eq!(hosts(&w, None).0, [HOST, north, DATA]);
    // It takes no part (A42).
    let mut out = registry(json!({}));
    replica(
        &mut out,
        "northeurope",
        json!({ "provisioningState": "Succeeded", "regionEndpointEnabled": false }),
    );
    assert_eq!(hosts(&out, None).0, [HOST, DATA]);
}

#[test]
fn a_connection_list_that_is_left_out_says_nothing() {
    let off = json!({ "dataEndpointEnabled": false, "dataEndpointHostNames": [] });
    for (list, expected) in [(Some(json!([])), "holds"), (Some(json!(null)), "holds"), (None, "open")] {
        let mut w = registry(off.clone());
        let object = w.resources.iter_mut().find(|r| r["id"] == registry_id("contoso")).expect("no registry");
        let properties = object["properties"].as_object_mut().expect("an object");
        match list {
            Some(list) => properties.insert("privateEndpointConnections".into(), list),
            None => properties.remove("privateEndpointConnections"),
        };
        assert_eq!(hosts(&w, None).1, expected);
    }
}
