//! From elements to lines: the roots of `fixtures/plans` with their plans, and every address of the shared corpus.

use std::fs::{self, File};
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};

use pullproof_snapshot::ArmId;
use pullproof_terraform::source::{Located, Place, Sources};
use pullproof_terraform::trace::{Decided, Trace};
use pullproof_terraform::{Input, Options, Plan};
use serde_json::{Value, json};

const GROUP: &str =
    "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/rg-contoso/providers/";

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/plans").join(name)
}

fn place(place: &Place) -> String {
    format!("{}:{}:{}", place.file, place.line, place.column)
}

/// Address and place of what decides an element of the fixture's estate.
fn decided(id: &str, pointer: &str) -> Option<String> {
    with(|trace| trace.element(&ArmId::new(&format!("{GROUP}{id}")), pointer))
}

fn with(ask: impl FnOnce(&Trace<'_>) -> Option<Decided>) -> Option<String> {
    let root = fixture("contoso-4x");
    let input = Input::read(File::open(root.join("create.json")).expect("opens")).expect("a plan");
    let options = Options::default();
    let overlay = input.edits(None, &options);
    let trace = input.trace(&overlay, None, &options).expect("Terraform");
    let decided = ask(&trace)?;
    let found = Sources::folder(&root, &root).locate(&decided.address, &decided.argument, &decided.value);
    let Located { argument, block, calls } = found.expect("the block is there");
    let calls: Vec<String> = calls.iter().map(|call| format!(" < {}", place(&call.place))).collect();
    Some(format!("{} {}{}", decided.address, place(&argument.unwrap_or(block)), calls.concat()))
}

#[track_caller]
fn expect(id: &str, pointer: &str, wanted: &str) {
    assert_eq!(decided(id, pointer).as_deref(), Some(wanted), "{id}{pointer}");
}

#[test]
fn arguments_of_the_resource_itself() {
    expect(
        "Microsoft.ContainerRegistry/registries/contosoreg",
        "/sku/name",
        "azurerm_container_registry.this main.tf:129:3",
    );
    expect(
        "Microsoft.ContainerRegistry/registries/contosoreg",
        "/properties/publicNetworkAccess",
        "azurerm_container_registry.this main.tf:130:3",
    );
    // Not written: the block.
    expect(
        "Microsoft.ContainerRegistry/registries/contosoreg",
        "/properties/dataEndpointEnabled",
        "azurerm_container_registry.this main.tf:125:1",
    );
    expect(
        "Microsoft.Network/networkSecurityGroups/nsg-nodes/securityRules/allow-registry",
        "/properties/access",
        "azurerm_network_security_rule.registry main.tf:112:3",
    );
}

#[test]
fn arguments_in_nested_blocks() {
    expect(
        "Microsoft.ContainerService/managedClusters/aks-contoso",
        "/properties/networkProfile/outboundType",
        "azurerm_kubernetes_cluster.this main.tf:204:5",
    );
    expect(
        "Microsoft.Network/firewallPolicies/policy-contoso/ruleCollectionGroups/egress",
        "/properties/ruleCollections/0/rules/0/fqdnTags/0",
        "azurerm_firewall_policy_rule_collection_group.egress main.tf:57:7",
    );
    expect(
        "Microsoft.Network/privateEndpoints/pe-contosoreg",
        "/properties/privateLinkServiceConnections/0/properties/privateLinkServiceConnectionState/status",
        "azurerm_private_endpoint.registry main.tf:155:5",
    );
}

#[test]
fn associations_decide_what_they_set() {
    let subnet = "Microsoft.Network/virtualNetworks/vnet-spoke/subnets/snet-nodes";
    expect(subnet, "/properties/routeTable/id", "azurerm_subnet_route_table_association.nodes main.tf:97:3");
    expect(
        subnet,
        "/properties/addressPrefixes/0",
        "module.network.azurerm_subnet.this[\"snet-nodes\"] network/main.tf:19:3 < main.tf:21:1",
    );
}

#[test]
fn what_azure_derives_is_decided_by_its_source() {
    expect(
        "Microsoft.Network/networkInterfaces/pe-contosoreg.nic",
        "/properties/ipConfigurations/0/properties/privateIPAddress",
        "azurerm_private_endpoint.registry main.tf:146:1",
    );
    expect(
        "Microsoft.Network/privateDnsZones/privatelink.azurecr.io/A/contosoreg",
        "/properties/aRecords/0/ipv4Address",
        "azurerm_private_endpoint.registry main.tf:146:1",
    );
}

#[test]
fn what_is_missing_is_decided_by_what_would_hold_it() {
    expect(
        "Microsoft.Network/privateDnsZones/privatelink.azurecr.io/virtualNetworkLinks/none",
        "",
        "azurerm_private_dns_zone.registry main.tf:133:1",
    );
    // Nothing of the plan would hold a network of another name.
    assert_eq!(decided("Microsoft.Network/virtualNetworks/vnet-nobody", ""), None);
}

#[test]
fn an_unknown_value_is_named_by_its_argument() {
    let found = with(|trace| trace.unknown("azurerm_route.default.next_hop_in_ip_address"));
    assert_eq!(found.as_deref(), Some("azurerm_route.default main.tf:92:3"));
    let found =
        with(|trace| trace.unknown("azurerm_private_endpoint.registry.private_ip_address (registry)"));
    assert_eq!(found.as_deref(), Some("azurerm_private_endpoint.registry main.tf:146:1"));
    assert_eq!(with(|trace| trace.unknown("the forward route of contosoreg.azurecr.io")), None);
}

fn change(kind: &str, after: &Value) -> Value {
    json!({ "address": format!("{kind}.a"), "mode": "managed", "type": kind, "name": "a",
        "provider_name": "registry.terraform.io/hashicorp/azurerm",
        "change": { "actions": ["create"], "before": null, "after": after, "after_unknown": {} } })
}

#[test]
fn inline_children_are_decided_inside_their_parent() {
    let network = format!("{GROUP}Microsoft.Network/virtualNetworks/v");
    let plan = json!({ "format_version": "1.2", "resource_changes": [
        change("azurerm_virtual_network", &json!({ "id": network, "name": "v", "resource_group_name": "rg-contoso",
            "address_space": ["10.0.0.0/16"], "subnet": [
                { "name": "one", "address_prefixes": ["10.0.0.0/24"] },
                { "name": "two", "address_prefixes": ["10.0.1.0/24"], "default_outbound_access_enabled": false } ] })) ] });
    let input = Input::read(plan.to_string().as_bytes()).expect("a plan");
    let overlay = input.edits(None, &Options::default());
    let trace = input.trace(&overlay, None, &Options::default()).expect("Terraform");
    let of = |id: &str, pointer: &str| {
        let decided = trace.element(&ArmId::new(id), pointer).expect("found");
        let steps = decided.argument.iter().map(|step| {
            format!("{}{}", step.name, step.keys.iter().map(ToString::to_string).collect::<String>())
        });
        steps.collect::<Vec<_>>().join(".")
    };
    assert_eq!(
        of(&format!("{network}/subnets/two"), "/properties/addressPrefixes"),
        "subnet[1].address_prefixes"
    );
    assert_eq!(
        of(&network, "/properties/subnets/1/properties/defaultOutboundAccess"),
        "subnet[1].default_outbound_access_enabled"
    );
    assert_eq!(of(&format!("{network}/subnets/two"), ""), "subnet[1]");
    assert_eq!(of(&network, "/properties/addressSpace/addressPrefixes/0"), "address_space");
}

#[test]
fn a_saved_plan_carries_its_sources() {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let mut add = |name: &str, text: &str| {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(name, options).expect("started");
        archive.write_all(text.as_bytes()).expect("written");
    };
    add("tfplan", "not read");
    add(
        "tfconfig/modules.json",
        r#"[{"Key":"","Dir":"."},{"Key":"net","Source":"./modules/net","Dir":"modules/net"}]"#,
    );
    add("tfconfig/m-/main.tf", "module \"net\" {\n  source = \"./modules/net\"\n}\n");
    add("tfconfig/m-net/main.tf", "resource \"azurerm_subnet\" \"x\" {\n  name = \"a\"\n}\n");
    let bytes = archive.finish().expect("closed").into_inner();
    let sources = Sources::saved(Cursor::new(bytes.clone())).expect("read");
    let name = pullproof_terraform::address::steps("name");
    let found = sources.locate("module.net.azurerm_subnet.x", &name, &Value::Null).expect("found");
    assert_eq!(found.argument.as_ref().map(place).as_deref(), Some("modules/net/main.tf:2:3"));
    assert_eq!(found.calls.iter().map(|call| place(&call.place)).collect::<Vec<_>>(), ["main.tf:1:1"]);
    for broken in [&b""[..], b"PK\x03\x04 no archive", bytes.get(..bytes.len() / 2).unwrap_or_default()] {
        assert!(Sources::saved(Cursor::new(broken.to_vec())).is_err());
    }
}

/// Every managed resource and data source of the corpus's own plans is found in the root that the plan was made from.
#[test]
fn every_address_of_the_corpus_is_located() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/terraform");
    let Ok(plans) = fs::read_dir(corpus.join("plans")) else {
        eprintln!("skipped: ../shared/corpus/terraform is absent");
        return;
    };
    let (mut asked, mut lost) = (0, Vec::new());
    for path in plans.flatten().map(|entry| entry.path()) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let Some(root) = root(&corpus.join("hcl"), &name) else { continue };
        let plan = Plan::read(File::open(&path).expect("opens")).expect("a plan");
        let sources = Sources::folder(&root, &root);
        for instance in plan.instances.iter().chain(&plan.data) {
            // What a plan destroys may be gone from the source.
            if !instance.action.leaves_object() {
                continue;
            }
            asked += 1;
            if sources.locate(&instance.address, &[], &Value::Null).is_none() {
                lost.push(format!("{name}: {}", instance.address));
            }
        }
        assert_eq!(sources.notes(), Vec::<String>::new(), "{name}");
    }
    println!("{asked} addresses asked for");
    assert!(asked > 100, "only {asked} addresses asked for");
    assert!(lost.is_empty(), "{} of {asked} lost:\n{}", lost.len(), lost.join("\n"));
}

/// The root of a plan: the folder with the longest name that begins its name.
fn root(hcl: &Path, plan: &str) -> Option<PathBuf> {
    // The plan of a change was made from the root that it changes to.
    if plan.ends_with("_change") {
        return Some(hcl.join("made-brownfield"));
    }
    let (name, version) = plan.split_once("_azurerm-")?;
    let major = version.chars().next()?;
    [hcl.join(format!("{name}-{major}x")), hcl.join(name)].into_iter().find(|folder| folder.is_dir())
}
