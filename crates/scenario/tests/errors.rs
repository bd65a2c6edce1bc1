//! What is wrong with a scenario is said, with its place.

use pullproof_scenario::Scenario;

/// The error of a scenario that must not be accepted.
fn error(yaml: &str) -> String {
    match Scenario::parse(yaml).and_then(|scenario| scenario.expand().map(drop)) {
        Ok(()) => panic!("accepted: {yaml}"),
        Err(e) => e.to_string(),
    }
}

fn assert_says(yaml: &str, words: &[&str]) {
    let error = error(yaml);
    for word in words {
        assert!(error.contains(word), "{word:?} is not in: {error}");
    }
}

const VNET: &str = "virtualNetworks:
  - {name: v, addressSpace: 10.0.0.0/16, subnets: [{name: s, addressPrefix: 10.0.0.0/29}]}
";

#[test]
fn an_unknown_key_has_line_and_column() {
    assert_says("name: x\nvirtualNetworks:\n  - {name: v, addresSpace: []}\n", &["line 3", "addresSpace"]);
}

#[test]
fn a_name_is_needed() {
    assert_says("location: westeurope\n", &["`name` is missing"]);
}

#[test]
fn a_name_that_stands_for_nothing() {
    let yaml = "name: x\nnatGateways: [{name: ng, publicIPAddresses: [nope]}]\n";
    assert_says(yaml, &["natGateways ng", "nope"]);
}

#[test]
fn a_name_that_stands_for_two_things() {
    let yaml = format!(
        "name: x\n{VNET}privateDnsZones:\n  - {{name: a.example}}\n  - {{name: a.example, resourceGroup: rg-2}}\nregistries: [{{name: r}}]\nprivateEndpoints:\n  - {{name: pe, subnet: v/s, target: r, zoneGroup: [a.example]}}\n"
    );
    assert_says(&yaml, &["ambiguous", "rg-2"]);
}

#[test]
fn the_same_resource_twice() {
    assert_says("name: x\nrouteTables: [{name: a}, {name: A}]\n", &["there twice"]);
}

#[test]
fn an_address_outside_its_subnet() {
    let yaml = format!("name: x\n{VNET}virtualMachines: [{{name: m, subnet: v/s, address: 10.0.9.9}}]\n");
    assert_says(&yaml, &["m-nic", "10.0.9.9"]);
}

#[test]
fn an_address_that_is_taken() {
    let yaml = format!(
        "name: x\n{VNET}virtualMachines:\n  - {{name: m, subnet: v/s, address: 10.0.0.5}}\n  - {{name: n, subnet: v/s, address: 10.0.0.5}}\n"
    );
    assert_says(&yaml, &["n-nic", "already taken"]);
}

#[test]
fn a_full_subnet() {
    let yaml = format!(
        "name: x\n{VNET}virtualMachines: [{{name: a, subnet: v/s}}, {{name: b, subnet: v/s}}, {{name: c, subnet: v/s}}, {{name: d, subnet: v/s}}]\n"
    );
    assert_says(&yaml, &["d-nic", "no free"]);
}

#[test]
fn a_property_that_microsoft_does_not_know() {
    let yaml = "name: x\nrouteTables: [{name: t, properties: {disableBgpPropagation: true}}]\n";
    assert_says(yaml, &["routeTables/t", "/properties/disableBgpPropagation"]);
}

#[test]
fn an_enum_value_that_microsoft_does_not_know() {
    let yaml =
        "name: x\nrouteTables: [{name: t, routes: [{addressPrefix: 0.0.0.0/0, nextHopType: Firewall}]}]\n";
    assert_says(yaml, &["routeTables/t", "Firewall"]);
}

#[test]
fn unchecked_properties_pass() {
    let yaml =
        "name: x\nrouteTables: [{name: t, unchecked: {newer: {$unknown: n}}, omit: [/properties/routes]}]\n";
    let scenario = Scenario::parse(yaml).unwrap_or_else(|e| panic!("{e}"));
    let expanded = scenario.expand().unwrap_or_else(|e| panic!("{e}"));
    let table = expanded.resources.iter().find(|r| r["name"] == "t").unwrap_or_else(|| panic!("no table"));
    assert_eq!(table["properties"]["newer"]["$unknown"], "n");
    assert!(table["properties"].get("routes").is_none());
}

#[test]
fn a_peering_between_three() {
    assert_says(&format!("name: x\n{VNET}peerings: [{{between: {{v: {{}}}}}}]\n"), &["between two"]);
}

#[test]
fn a_declared_table_that_does_not_exist() {
    assert_says("name: x\ndeclared: {sites: []}\n", &["declared", "sites"]);
}

#[test]
fn a_certificate_that_is_none() {
    let yaml = format!(
        "name: x\n{VNET}clusters: [{{name: c, customCATrustCertificates: [Nobody], pools: [{{name: p, subnet: v/s}}]}}]\n"
    );
    assert_says(&yaml, &["Nobody", "Contoso Root CA"]);
}

#[test]
fn a_twin_of_something_that_is_not_there() {
    let scenario =
        Scenario::parse("name: x\ntwin: {set: {/clusters/0/name: y}}\n").unwrap_or_else(|e| panic!("{e}"));
    let error = scenario.twin().and_then(Result::err).map(|e| e.to_string()).unwrap_or_default();
    assert!(error.contains("/clusters/0"), "{error}");
}

#[test]
fn what_is_needed() {
    assert_says("name: x\nvirtualNetworks: [{name: v}]\n", &["virtualNetworks v", "addressSpace"]);
    let subnet = "name: x\nvirtualNetworks: [{name: v, addressSpace: 10.0.0.0/16, subnets: [{name: s}]}]\n";
    assert_says(subnet, &["subnet s", "addressPrefix"]);
    assert_says(
        "name: x\nrouteTables: [{name: t, routes: [{name: r}]}]\n",
        &["routeTables t", "addressPrefix"],
    );
}
