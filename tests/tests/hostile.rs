//! Input that is odd, wrong or large: no panic, bounded time, and never a proof that it does not carry.

use std::fs;
use std::time::{Duration, Instant};

use pullproof_snapshot::read::{ReadOptions, read};
use pullproof_snapshot::{Declared, Layered};
use pullproof_tests::cases::{World, changed, only_verdict, reasons, report_of_changed};
use serde_json::{Value, json};

/// A registry behind a private endpoint in a peered network. Proven.
const PRIVATE: &str = "
name: private
virtualNetworks:
  - {name: vnet-hub, addressSpace: 10.0.0.0/16, subnets: [{name: snet-pe, addressPrefix: 10.0.2.0/24}]}
  - {name: vnet-spoke, addressSpace: 10.1.0.0/16, subnets: [{name: snet-nodes, addressPrefix: 10.1.0.0/24, networkSecurityGroup: nsg}]}
  - {name: vnet-third, addressSpace: 10.2.0.0/16, subnets: [{name: a, addressPrefix: 10.2.0.0/24}]}
peerings:
  - between: {vnet-hub: {}, vnet-spoke: {}}
networkSecurityGroups: [{name: nsg}]
privateDnsZones:
  - name: privatelink.azurecr.io
    links: [{virtualNetwork: vnet-spoke}]
    records: [{name: fabrikamreg, A: 10.0.2.6}, {name: fabrikamreg.westeurope.data, A: 10.0.2.4}]
registries: [{name: fabrikamreg, publicNetworkAccess: Disabled}]
privateEndpoints: [{name: pe, subnet: vnet-hub/snet-pe, target: fabrikamreg, addresses: {registry_data_westeurope: 10.0.2.4, registry: 10.0.2.6}}]
clusters: [{name: aks, pools: [{name: sys, subnet: vnet-spoke/snet-nodes}]}]
roleAssignments: [{principal: aks/kubelet, role: AcrPull, scope: fabrikamreg}]
";

/// Nothing here takes longer in a debug build on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

fn bounded(change: &str) -> Value {
    let start = Instant::now();
    let report = report_of_changed(PRIVATE, change);
    assert!(start.elapsed() < LIMIT, "{change}: {:?}", start.elapsed());
    report
}

fn fares(change: &str, verdict: &str) {
    let report = bounded(change);
    assert_eq!(only_verdict(&report).0, verdict, "{change}\n{}", reasons(&report).join("\n"));
}

#[test]
fn networks_peered_in_a_ring() {
    fares(
        "set: {/peerings: [{between: {vnet-hub: {}, vnet-spoke: {}}}, {between: {vnet-spoke: {}, vnet-third: {}}}, {between: {vnet-third: {}, vnet-hub: {}}}]}",
        "proven",
    );
}

#[test]
fn aliases_in_a_ring() {
    fares(
        "set: {/privateDnsZones/0/records: [{name: fabrikamreg, CNAME: a.privatelink.azurecr.io}, {name: a, CNAME: b.privatelink.azurecr.io}, \
         {name: b, CNAME: fabrikamreg.privatelink.azurecr.io}, {name: fabrikamreg.westeurope.data, A: 10.0.2.4}]}",
        "disproven",
    );
}

#[test]
fn tables_that_send_packets_round() {
    let report = bounded(
        "set: {/virtualNetworks/1/subnets/-: {name: snet-nva, addressPrefix: 10.1.4.0/24, routeTable: rt}, \
         /virtualNetworks/1/subnets/0/routeTable: rt, \
         /routeTables: [{name: rt, routes: [{name: a, addressPrefix: 10.0.2.4/32, nextHopIpAddress: 10.1.4.4}, {name: b, addressPrefix: 10.0.2.6/32, nextHopIpAddress: 10.1.4.5}]}], \
         /virtualMachines: [{name: one, subnet: vnet-spoke/snet-nva, address: 10.1.4.4, enableIPForwarding: true}, {name: two, subnet: vnet-spoke/snet-nva, address: 10.1.4.5, enableIPForwarding: true}]}",
    );
    assert_ne!(only_verdict(&report).0, "proven");
}

#[test]
fn overlapping_address_spaces() {
    // Azure refuses such a peering (R109): whatever is said of it, it is not that a way is proven.
    let report = bounded("set: {/virtualNetworks/0/addressSpace: [10.0.0.0/16, 10.1.0.0/16]}");
    assert_eq!(report["audits"].as_array().map(Vec::len), Some(1));
    // Networks that overlap and are not peered do not know of each other.
    fares(
        "set: {/virtualNetworks/2/addressSpace: 10.0.0.0/16, /virtualNetworks/2/subnets/0/addressPrefix: 10.0.2.0/24}",
        "proven",
    );
}

#[test]
fn references_to_nothing() {
    let gone = "/subscriptions/0/resourceGroups/rg/providers/Microsoft.Network";
    for change in [
        format!(
            "set: {{/virtualNetworks/1/subnets/0/unchecked: {{networkSecurityGroup: {{id: {gone}/networkSecurityGroups/gone}}}}}}"
        ),
        format!(
            "set: {{/virtualNetworks/1/subnets/0/unchecked: {{routeTable: {{id: {gone}/routeTables/gone}}}}}}"
        ),
        format!(
            "set: {{/clusters/0/pools/0/unchecked: {{vnetSubnetID: {gone}/virtualNetworks/gone/subnets/gone}}}}"
        ),
    ] {
        let report = bounded(&change);
        assert_ne!(only_verdict(&report).0, "proven", "{change}");
    }
}

#[test]
fn ten_thousand_rules() {
    let rules: Vec<String> = (0..10_000_u32)
        .map(|i| {
            let (priority, a, b) = (100 + i % 3900, i / 256 % 256, i % 256);
            format!("{{name: r{i}, properties: {{priority: {priority}, direction: Outbound, access: Deny, protocol: Tcp, sourceAddressPrefix: '*', sourcePortRange: '*', destinationAddressPrefix: 10.{}.{a}.{b}/32, destinationPortRange: '443'}}}}", 10 + i % 200)
        })
        .collect();
    let change =
        format!("set: {{/networkSecurityGroups/0/unchecked: {{securityRules: [{}]}}}}", rules.join(", "));
    let start = Instant::now();
    let report = World::of(&changed(PRIVATE, &change, "rules"), "rules").report("rules");
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    assert_eq!(report["audits"].as_array().map(Vec::len), Some(1));
}

/// Rules that each cut the node subnet's addresses and the nodes' ports, no two of them alike.
fn cutting(count: u32, access: &str) -> String {
    let rules: Vec<String> = (0..count)
        .map(|i| {
            let (from, length) = (i * 7 % 200, 1 + i * 13 % 50);
            let (port, ports) = (32_768 + i * 977 % 27_000, 1 + i * 31 % 900);
            let prefixes = format!("10.1.0.{from}-10.1.0.{}", from + length);
            format!("{{name: r{i}, properties: {{priority: {}, direction: Outbound, access: {access}, protocol: Tcp, sourceAddressPrefix: '{prefixes}', sourcePortRange: '{port}-{}', destinationAddressPrefix: '*', destinationPortRange: '443'}}}}", 100 + i, port + ports)
        })
        .collect();
    format!("set: {{/networkSecurityGroups/0/unchecked: {{securityRules: [{}]}}}}", rules.join(", "))
}

#[test]
fn rules_that_each_cut_addresses_and_ports() {
    for (count, access, verdict) in
        [(1_000, "Allow", "proven"), (1_000, "Deny", "disproven"), (10_000, "Deny", "disproven")]
    {
        let start = Instant::now();
        let change = cutting(count, access);
        let report = World::of(&changed(PRIVATE, &change, "cutting"), "cutting").report("cutting");
        println!("{count} {access}: {:?}", start.elapsed());
        assert!(start.elapsed() < LIMIT, "{count} {access}: {:?}", start.elapsed());
        assert_eq!(only_verdict(&report).0, verdict, "{count} {access}");
    }
}

#[test]
fn prefixes_of_the_other_family() {
    let rule = "/networkSecurityGroups/0/rules: [{name: six, priority: 100, direction: Outbound, access: Deny, destination: 'fd00::/8'}]";
    fares(&format!("set: {{{rule}}}"), "proven");
    // What rules do with IPv6 is open (FU6), and nodes of this subnet may have such addresses.
    let both = "/virtualNetworks/1/addressSpace: [10.1.0.0/16, 'fd00:1::/48'], /virtualNetworks/1/subnets/0/addressPrefix: [10.1.0.0/24, 'fd00:1::/64']";
    fares(&format!("set: {{{rule}, {both}}}"), "undetermined");
}

#[test]
fn names_that_are_not_ascii() {
    fares(
        "set: {/networkSecurityGroups/0/rules: [{name: 'règle-Ω-\\u0000\\u202e', priority: 100, direction: Outbound, access: Allow}]}",
        "proven",
    );
}

/// The resources of the scenario in one file of bytes, through the snapshot's own reader.
fn from_bytes(test: &str, bytes: &[u8]) -> Option<Value> {
    let path = std::env::temp_dir().join(format!("pullproof-hostile-{test}-{}.ndjson", std::process::id()));
    fs::write(&path, bytes).expect("a temporary file");
    let start = Instant::now();
    let snapshot = read(std::slice::from_ref(&path), ReadOptions::default());
    fs::remove_file(&path).expect("the temporary file goes away");
    let report = snapshot
        .ok()
        .map(|s| World { layered: Layered::new(s.into()), declared: Declared::default() }.report(test));
    assert!(start.elapsed() < LIMIT, "{test}: {:?}", start.elapsed());
    report
}

fn lines() -> Vec<String> {
    let expanded = changed(PRIVATE, "set: {/location: westeurope}", "lines").expand().expect("a scenario");
    let mut out = Vec::new();
    expanded.write_ndjson(&mut out).expect("a snapshot");
    String::from_utf8(out).expect("JSON").lines().map(str::to_owned).collect()
}

#[test]
fn bytes_that_are_not_utf8() {
    let mut bytes = lines().join("\n").into_bytes();
    let at = bytes.windows(3).position(|w| w == b"nsg").expect("the group's name");
    if let Some(byte) = bytes.get_mut(at) {
        *byte = 0xff;
    }
    let audits = from_bytes("utf8", &bytes).and_then(|r| r["audits"].as_array().map(Vec::len));
    assert!(audits.is_none_or(|n| n == 1), "an input error, or one audit: {audits:?}");
}

#[test]
fn one_resource_twice() {
    let mut lines = lines();
    let end = lines.pop().expect("an end line");
    let again: Vec<String> = lines.iter().skip(1).cloned().collect();
    lines.extend(again);
    lines.push(end);
    let report = from_bytes("twice", lines.join("\n").as_bytes()).expect("the same again is no conflict");
    assert_eq!(only_verdict(&report).0, "proven", "{}", reasons(&report).join("\n"));
    // Two that differ: the field in which they do is not known.
    let peering = lines.iter().position(|l| l.contains("\"Connected\"")).expect("a peering");
    let other = lines.get(peering).expect("a line").replace("\"Connected\"", "\"Disconnected\"");
    lines.insert(peering, other);
    let report = from_bytes("conflict", lines.join("\n").as_bytes()).expect("a snapshot");
    assert_ne!(only_verdict(&report).0, "proven");
}

#[test]
fn any_line_may_be_cut_off() {
    let whole = lines();
    for cut in (1..whole.len()).step_by(whole.len() / 8 + 1) {
        let mut cut_lines: Vec<String> = whole.iter().take(cut).cloned().collect();
        if let Some(last) = cut_lines.last_mut() {
            let half = last.len() / 2;
            *last = last.chars().take(half).collect();
        }
        if let Some(report) = from_bytes("cut", cut_lines.join("\n").as_bytes()) {
            let audits = report["audits"].as_array().cloned().unwrap_or_default();
            assert!(audits.iter().all(|a| a["verdict"] != json!("proven")), "cut after {cut} lines");
        }
    }
}
