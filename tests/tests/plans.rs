//! Terraform plans to verdicts: the roots of `fixtures/plans`, planned by Terraform with azurerm 3.x, 4.x and 5.x, and
//! changes to their plans with what each must do to the verdict.

use pullproof_terraform::{Input, Options};
use pullproof_tests::cases::{only_verdict, reasons};
use pullproof_tests::plans::{add, change, collect, expect, hide, laid, plan, remove, report, set};
use serde_json::{Value, json};

const ALL: [&str; 3] = ["contoso-3x/create.json", "contoso-4x/create.json", "contoso-5x/create.json"];
const GROUP: &str = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/rg-contoso/providers/Microsoft.Network";
const PLAN: &str = "contoso-4x/create.json";

#[test]
fn three_majors_give_one_verdict_and_the_state_after_apply_too() {
    for name in ALL {
        expect(&plan(name), None, "proven", None);
    }
    for name in ["contoso-3x/state.json", "contoso-4x/state.json"] {
        expect(&plan(name), None, "proven", None);
    }
}

/// `(address, pointer, value, layer)`: one attribute that breaks the pull; the plan as it is is the twin.
fn faults() -> Vec<(&'static str, &'static str, Value, &'static str)> {
    const RULE: &str = "azurerm_network_security_rule.registry";
    vec![
        (RULE, "/access", json!("Deny"), "filtering"),
        (
            "azurerm_private_endpoint.registry",
            "/private_service_connection/0/is_manual_connection",
            json!(true),
            "filtering",
        ),
        (
            "azurerm_role_assignment.pull",
            "/principal_id",
            json!("99999999-0000-0000-0000-000000000000"),
            "identity",
        ),
        ("azurerm_role_assignment.pull", "/role_definition_name", json!("AcrDelete"), "identity"),
        (
            "azurerm_container_registry.this",
            "/role_assignment_mode",
            json!("AbacRepositoryPermissions"),
            "identity",
        ),
        (
            "azurerm_kubernetes_cluster.this",
            "/kubelet_identity/0/object_id",
            json!("99999999-0000-0000-0000-000000000001"),
            "identity",
        ),
        (
            "azurerm_private_dns_zone_virtual_network_link.registry[\"spoke\"]",
            "/virtual_network_id",
            json!(format!("{GROUP}/virtualNetworks/vnet-hub")),
            "resolution",
        ),
        (
            "module.network.azurerm_virtual_network_peering.back",
            "/remote_virtual_network_id",
            json!(format!("{GROUP}/virtualNetworks/vnet-spoke")),
            "routing",
        ),
        (RULE, "/destination_port_range", json!("444"), "filtering"),
        (RULE, "/destination_address_prefix", json!("10.9.0.0/16"), "filtering"),
        (RULE, "/direction", json!("Inbound"), "filtering"),
        (
            "module.network.azurerm_virtual_network.this[\"spoke\"]",
            "/dns_servers",
            json!(["10.0.9.9"]),
            "resolution",
        ),
        (RULE, "/protocol", json!("Udp"), "filtering"),
        (RULE, "/priority", json!(300), "filtering"),
        (RULE, "/source_address_prefix", json!("10.9.0.0/16"), "filtering"),
        (RULE, "/source_port_range", json!("1-1000"), "filtering"),
        (RULE, "/network_security_group_name", json!("nsg-other"), "filtering"),
        (
            "module.network.azurerm_virtual_network_peering.out",
            "/remote_virtual_network_id",
            json!(format!("{GROUP}/virtualNetworks/vnet-other")),
            "routing",
        ),
        (
            "azurerm_role_assignment.pull",
            "/scope",
            json!("/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/rg-other"),
            "identity",
        ),
        ("azurerm_private_endpoint.registry", "/private_dns_zone_group", json!([]), "resolution"),
    ]
}

#[test]
fn one_attribute_flips_the_verdict() {
    assert_eq!(faults().len(), 20);
    let mut wrong = Vec::new();
    for (address, pointer, value, layer) in faults() {
        let mut plan = plan(PLAN);
        // What the rule does not admit is denied, so that what it says decides.
        deny_the_rest(&mut plan);
        set(&mut plan, "azurerm_role_assignment.pull", "/principal_type", json!("ServicePrincipal"));
        expect(&plan, None, "proven", None);
        set(&mut plan, address, pointer, value.clone());
        let report = report(&plan, None);
        let (found, failing) = only_verdict(&report);
        let got = (found.as_str(), failing.as_deref());
        if got != ("disproven", Some(layer)) {
            wrong.push(format!("{address}{pointer} = {value}: {got:?}\n{}", reasons(&report).join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn one_resource_less_flips_the_verdict() {
    for (address, layer) in [
        ("module.network.azurerm_virtual_network_peering.out", "routing"),
        ("module.network.azurerm_virtual_network_peering.back", "routing"),
        ("azurerm_private_dns_zone_virtual_network_link.registry[\"spoke\"]", "resolution"),
        ("azurerm_role_assignment.pull", "identity"),
        ("azurerm_network_security_rule.registry", "filtering"),
        ("azurerm_private_endpoint.registry", "filtering"),
    ] {
        for name in ALL {
            let mut plan = plan(name);
            deny_the_rest(&mut plan);
            expect(&plan, None, "proven", None);
            remove(&mut plan, address);
            let report = report(&plan, None);
            let (found, failing) = only_verdict(&report);
            assert_eq!(found, "disproven", "{address}: {}", reasons(&report).join("\n"));
            assert_eq!(failing.as_deref(), Some(layer), "{name} without {address}");
        }
    }
}

fn deny_the_rest(plan: &mut Value) {
    let rule = json!({
        "name": "deny", "resource_group_name": "rg-contoso", "network_security_group_name": "nsg-nodes",
        "priority": 200, "direction": "Outbound", "access": "Deny", "protocol": "*", "source_port_range": "*",
        "source_address_prefix": "*", "destination_port_range": "*", "destination_address_prefix": "10.0.0.0/16",
    });
    add(plan, "azurerm_network_security_rule", rule);
}

/// Known after apply: no value is guessed.
mod unknown_after_apply {
    use super::*;

    #[track_caller]
    fn open(address: &str, argument: &str) {
        let mut plan = plan(PLAN);
        hide(&mut plan, address, argument);
        expect(&plan, None, "undetermined", None);
    }

    #[test]
    fn an_unknown_rule_access_is_not_allow() {
        open("azurerm_network_security_rule.registry", "access");
    }
    #[test]
    fn an_unknown_rule_direction_is_not_harmless() {
        let mut plan = plan(PLAN);
        set(&mut plan, "azurerm_network_security_rule.registry", "/access", json!("Deny"));
        hide(&mut plan, "azurerm_network_security_rule.registry", "direction");
        expect(&plan, None, "undetermined", None);
    }
    #[test]
    fn an_unknown_prefix_of_a_deny_is_not_elsewhere() {
        let mut plan = plan(PLAN);
        set(&mut plan, "azurerm_network_security_rule.registry", "/access", json!("Deny"));
        hide(&mut plan, "azurerm_network_security_rule.registry", "destination_address_prefix");
        expect(&plan, None, "undetermined", None);
    }
    #[test]
    fn an_unknown_subnet_of_an_association_touches_every_subnet() {
        let mut plan = plan(PLAN);
        hide(&mut plan, "azurerm_subnet_network_security_group_association.nodes", "subnet_id");
        let bytes = serde_json::to_vec(&plan).expect("JSON");
        let overlay = Input::read(bytes.as_slice()).expect("a plan").edits(None, &Options::default());
        assert_eq!(overlay.unmapped.len(), 1);
        assert_eq!(overlay.caps.len(), 1);
    }
    #[test]
    fn an_unknown_node_subnet_is_no_subnet() {
        let mut plan = plan(PLAN);
        let pool = &mut change(&mut plan, "azurerm_kubernetes_cluster.this")["change"];
        pool["after"]["default_node_pool"][0].as_object_mut().expect("a pool").remove("vnet_subnet_id");
        pool["after_unknown"]["default_node_pool"][0]["vnet_subnet_id"] = json!(true);
        let resources = plan["configuration"]["root_module"]["resources"].as_array_mut().expect("resources");
        let cluster = resources
            .iter_mut()
            .find(|r| r["address"] == "azurerm_kubernetes_cluster.this")
            .expect("a cluster");
        cluster["expressions"]["default_node_pool"][0]["vnet_subnet_id"] =
            json!({ "references": ["data.external.x.result"] });
        expect(&plan, None, "undetermined", None);
    }
    #[test]
    fn unknown_dns_servers_are_not_azure_dns() {
        open("module.network.azurerm_virtual_network.this[\"spoke\"]", "dns_servers");
    }
    #[test]
    fn an_unknown_peered_network_is_not_the_hub() {
        open("module.network.azurerm_virtual_network_peering.back", "remote_virtual_network_id");
    }
    #[test]
    fn an_unknown_scope_is_not_the_registry() {
        open("azurerm_role_assignment.pull", "scope");
    }
    #[test]
    fn an_unknown_role_is_not_acrpull() {
        open("azurerm_role_assignment.pull", "role_definition_name");
    }
    #[test]
    fn an_unknown_principal_is_not_the_kubelet() {
        open("azurerm_role_assignment.pull", "principal_id");
    }
    #[test]
    fn an_unknown_public_access_is_not_private() {
        let mut plan = plan(PLAN);
        remove(&mut plan, "azurerm_private_endpoint.registry");
        hide(&mut plan, "azurerm_container_registry.this", "public_network_access_enabled");
        let (verdict, _) = only_verdict(&report(&plan, None));
        assert_ne!(verdict, "proven");
    }
    #[test]
    fn an_unknown_linked_network_is_not_the_spoke() {
        let mut plan = plan(PLAN);
        hide(
            &mut plan,
            "azurerm_private_dns_zone_virtual_network_link.registry[\"spoke\"]",
            "virtual_network_id",
        );
        expect(&plan, None, "undetermined", None);
    }
    #[test]
    fn one_of_two_zones_behind_a_local_is_not_both() {
        let mut plan = plan(PLAN);
        add(
            &mut plan,
            "azurerm_private_dns_zone",
            json!({ "name": "other.example", "resource_group_name": "rg-contoso" }),
        );
        let resources = plan["configuration"]["root_module"]["resources"].as_array_mut().expect("resources");
        let endpoint = resources.iter_mut().find(|r| r["address"] == "azurerm_private_endpoint.registry");
        endpoint.expect("an endpoint")["expressions"]["private_dns_zone_group"][0]["private_dns_zone_ids"] =
            json!({ "references": ["local.zones"] });
        let relevant = plan["relevant_attributes"].as_array_mut().expect("attributes");
        relevant.push(json!({ "resource": "azurerm_private_dns_zone.added", "attribute": ["id"] }));
        expect(&plan, None, "undetermined", None);
    }
    #[test]
    fn an_unknown_subnet_prefix_is_not_free() {
        open("module.network.azurerm_subnet.this[\"snet-endpoints\"]", "address_prefixes");
    }
    #[test]
    fn an_unknown_address_space_is_not_enough() {
        open("module.network.azurerm_virtual_network.this[\"hub\"]", "address_space");
    }
    #[test]
    fn a_rule_that_admits_one_of_the_addresses_does_not_prove() {
        let mut plan = plan(PLAN);
        set(
            &mut plan,
            "azurerm_network_security_rule.registry",
            "/destination_address_prefix",
            json!("10.0.1.4"),
        );
        deny_the_rest(&mut plan);
        let (verdict, _) = only_verdict(&report(&plan, None));
        assert_ne!(verdict, "proven");
    }
    #[test]
    fn a_static_endpoint_without_its_data_member_is_not_complete() {
        let mut plan = plan(PLAN);
        set(
            &mut plan,
            "azurerm_private_endpoint.registry",
            "/ip_configuration",
            json!([
            { "name": "one", "private_ip_address": "10.0.1.9", "subresource_name": "registry", "member_name": "registry" }]),
        );
        expect(&plan, None, "undetermined", None);
    }
    #[test]
    fn a_member_that_is_not_known_is_not_the_public_front_end() {
        let mut plan = plan(PLAN);
        set(
            &mut plan,
            "azurerm_private_endpoint.registry",
            "/ip_configuration",
            json!([{ "name": "one", "private_ip_address": "10.0.1.9", "subresource_name": "registry", "member_name": "registry" }]),
        );
        // What goes to public addresses is dropped: that says nothing of an address that is not known.
        set(&mut plan, "azurerm_route.default", "/next_hop_type", json!("None"));
        set(&mut plan, "azurerm_route.default", "/next_hop_in_ip_address", Value::Null);
        expect(&plan, None, "undetermined", None);
    }
    #[test]
    fn a_service_range_that_is_left_out_is_azures_default() {
        let mut plan = plan(PLAN);
        let profile = &mut change(&mut plan, "azurerm_kubernetes_cluster.this")["change"]["after"]["network_profile"]
            [0];
        profile["service_cidr"] = Value::Null;
        profile["dns_service_ip"] = Value::Null;
        // 10.0.0.0/16 holds the endpoint's address (A184).
        expect(&plan, None, "undetermined", None);
    }
}

#[test]
fn a_plan_on_a_base_changes_what_is_there() {
    let base = laid(&plan("contoso-4x/state.json"), None);
    let state = plan("contoso-4x/state.json");
    let resources = collect(&state["values"]["root_module"]);
    let find = |address: &str| {
        resources.iter().find(|r| r["address"] == address).unwrap_or_else(|| panic!("no {address}")).clone()
    };
    let planned = |changes: Vec<(Value, &str, Value)>| {
        let changes: Vec<Value> = changes
            .into_iter()
            .map(|(resource, action, after)| {
                json!({ "address": resource["address"], "mode": "managed", "type": resource["type"], "name": resource["name"],
                    "index": resource["index"], "provider_name": resource["provider_name"],
                    "change": { "actions": [action], "before": resource["values"], "after": after, "after_unknown": {} } })
            })
            .collect();
        json!({ "format_version": "1.2", "resource_changes": changes })
    };
    expect(&planned(vec![]), Some(&base), "proven", None);
    for (address, layer) in [
        ("module.network.azurerm_virtual_network_peering.out", "routing"),
        ("azurerm_private_dns_zone_virtual_network_link.registry[\"spoke\"]", "resolution"),
        ("azurerm_role_assignment.pull", "identity"),
        ("azurerm_private_endpoint.registry", "resolution"),
    ] {
        let plan = planned(vec![(find(address), "delete", Value::Null)]);
        let report = report(&plan, Some(&base));
        let (found, failing) = only_verdict(&report);
        assert_eq!(found, "disproven", "without {address}: {}", reasons(&report).join("\n"));
        println!("without {address}: {failing:?}");
        if address != "azurerm_private_endpoint.registry" {
            assert_eq!(failing.as_deref(), Some(layer), "without {address}");
        }
    }
    let rule = find("azurerm_network_security_rule.registry");
    let mut deny = rule["values"].clone();
    deny["access"] = json!("Deny");
    expect(&planned(vec![(rule, "update", deny)]), Some(&base), "disproven", Some("filtering"));
}
