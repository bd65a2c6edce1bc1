//! The soundness traps of the house style, one test each: a scenario in which a careless reading gives a wrong verdict,
//! and its twin in which the verdict is the other one.

use std::fs;

use pullproof_snapshot::read::{ReadOptions, read};
use pullproof_snapshot::{Declared, Layered};
use pullproof_tests::cases::{World, changed, contains, only_verdict, reasons, report_of_changed as report};
use serde_json::{Value, json};

/// A registry behind a private endpoint in a hub; a cluster in a spoke. Proven.
const PRIVATE: &str = "
name: private
virtualNetworks:
  - {name: vnet-hub, addressSpace: 10.0.0.0/16, subnets: [{name: snet-pe, addressPrefix: 10.0.2.0/24}]}
  - name: vnet-spoke
    addressSpace: 10.1.0.0/16
    subnets: [{name: snet-nodes, addressPrefix: 10.1.0.0/24, networkSecurityGroup: nsg-nodes}, {name: snet-pods, addressPrefix: 10.1.8.0/24, networkSecurityGroup: nsg-pods, routeTable: rt-pods}]
peerings:
  - between: {vnet-hub: {}, vnet-spoke: {}}
networkSecurityGroups: [{name: nsg-nodes}, {name: nsg-pods}]
routeTables: [{name: rt-pods}]
privateDnsZones:
  - name: privatelink.azurecr.io
    links: [{virtualNetwork: vnet-spoke}]
    records: [{name: fabrikamreg, A: 10.0.2.6}, {name: fabrikamreg.westeurope.data, A: 10.0.2.4}]
registries: [{name: fabrikamreg, publicNetworkAccess: Disabled}]
privateEndpoints:
  - {name: pe, subnet: vnet-hub/snet-pe, target: fabrikamreg, addresses: {registry_data_westeurope: 10.0.2.4, registry: 10.0.2.6}}
clusters: [{name: aks, pools: [{name: sys, subnet: vnet-spoke/snet-nodes}]}]
roleAssignments: [{principal: aks/kubelet, role: AcrPull, scope: fabrikamreg}]
";

/// A registry with a public address, reached through a NAT gateway. Proven.
const PUBLIC: &str = "
name: public
virtualNetworks:
  - name: vnet
    addressSpace: 10.1.0.0/16
    subnets: [{name: snet-nodes, addressPrefix: 10.1.0.0/24, natGateway: ng, networkSecurityGroup: nsg-nodes, defaultOutboundAccess: false}]
publicIPAddresses: [{name: pip-nat, address: 203.0.113.30}]
natGateways: [{name: ng, publicIPAddresses: [pip-nat]}]
networkSecurityGroups: [{name: nsg-nodes}]
clusters: [{name: aks, outboundType: userAssignedNATGateway, pools: [{name: sys, subnet: vnet/snet-nodes}]}]
declared:
  registry:
    - name: harbor
      hosts: [{host: harbor.fabrikam.example, roles: [login, token, data], addresses: [198.51.100.77]}]
      certificate: {names: [harbor.fabrikam.example], issuer: public}
      pull_secret: true
      pull_secret_valid: true
  public_name: [{host: harbor.fabrikam.example, addresses: [198.51.100.77]}]
";

/// A Harbor on a machine in the hub of a cluster's spoke. Proven.
const HARBOR: &str = "
name: harbor
virtualNetworks:
  - {name: vnet-hub, addressSpace: 10.0.0.0/16, subnets: [{name: AzureFirewallSubnet, addressPrefix: 10.0.0.0/26}, {name: GatewaySubnet, addressPrefix: 10.0.1.0/27}, {name: snet-nva, addressPrefix: 10.0.4.0/24}]}
  - {name: vnet-spoke, addressSpace: 10.1.0.0/16, subnets: [{name: snet-nodes, addressPrefix: 10.1.0.0/24, routeTable: rt-nodes}]}
  - {name: vnet-harbor, addressSpace: 10.2.0.0/16, subnets: [{name: snet-harbor, addressPrefix: 10.2.8.0/24, routeTable: rt-harbor}]}
peerings:
  - between: {vnet-hub: {}, vnet-spoke: {}}
  - between: {vnet-hub: {}, vnet-harbor: {}}
  - between: {vnet-spoke: {}, vnet-harbor: {}}
routeTables: [{name: rt-nodes}, {name: rt-harbor}]
azureFirewalls: [{name: afw, virtualNetwork: vnet-hub, policy: fwp}]
firewallPolicies:
  - name: fwp
    groups:
      - name: registries
        priority: 200
        collections:
          - {name: harbor, priority: 200, action: Allow, networkRules: [{name: harbor, source: 10.1.0.0/16, destination: 10.2.8.20, ports: 443}]}
virtualMachines:
  - {name: vm-nva, subnet: vnet-hub/snet-nva, address: 10.0.4.4, enableIPForwarding: true}
  - {name: vm-harbor, subnet: vnet-harbor/snet-harbor, address: 10.2.8.20}
privateDnsZones:
  - {name: fabrikam.example, links: [{virtualNetwork: vnet-spoke}], records: [{name: harbor, A: 10.2.8.20}]}
clusters: [{name: aks, pools: [{name: sys, subnet: vnet-spoke/snet-nodes}]}]
declared:
  registry:
    - name: harbor
      hosts: [{host: harbor.fabrikam.example, roles: [login, token, data], addresses: [10.2.8.20]}]
      certificate: {names: [harbor.fabrikam.example], issuer: public}
      pull_secret: true
      pull_secret_valid: true
";

/// The verdict of the only audit, with its first failing layer.
fn fares(base: &str, change: &str, verdict: &str, layer: &str) -> Value {
    let report = report(base, change);
    let found = only_verdict(&report);
    let wanted = (verdict.to_owned(), Some(layer.to_owned()).filter(|l| !l.is_empty()));
    assert_eq!(found, wanted, "{change}\n{}", reasons(&report).join("\n"));
    report
}

fn proven(base: &str, change: &str) {
    fares(base, change, "proven", "");
}

fn disproven(base: &str, change: &str, layer: &str) -> Value {
    fares(base, change, "disproven", layer)
}

fn undetermined(base: &str, change: &str, layer: &str) -> Value {
    fares(base, change, "undetermined", layer)
}

/// Some claim of some audit has everything in `wanted`.
fn has_claim(report: &Value, wanted: &Value) -> bool {
    let audits = report["audits"].as_array().into_iter().flatten();
    audits.flat_map(|a| a["claims"].as_array()).flatten().any(|claim| contains(claim, wanted))
}

#[test]
fn unknown_tag_is_not_empty() {
    let deny = "set: {/networkSecurityGroups/0/rules: [{name: tag, priority: 100, direction: Outbound, access: Deny, destination: Storage}]";
    let report = undetermined(PUBLIC, &format!("{deny}}}"), "filtering");
    assert!(reasons(&report).iter().any(|r| r.contains("Storage")), "the tag is named");
    proven(PUBLIC, &format!("{deny}, /serviceTags: {{Storage: [192.0.2.0/24]}}}}"));
    disproven(PUBLIC, &format!("{deny}, /serviceTags: {{Storage: [198.51.100.0/24]}}}}"), "filtering");
}

#[test]
fn plural_prefixes_do_not_widen() {
    // With the plural form ARM leaves the singular one out, or empty: that is no "any" (F22).
    let allow = |prefix: &str, singular: &str| {
        format!(
            "set: {{/networkSecurityGroups/0/rules: [{{name: some, priority: 100, direction: Outbound, access: Allow, \
             destination: [10.98.0.0/16, {prefix}]{singular}}}, \
             {{name: rest, priority: 200, direction: Outbound, access: Deny}}]}}"
        )
    };
    for singular in
        ["", ", unchecked: {destinationAddressPrefix: ''}", ", unchecked: {destinationAddressPrefix: null}"]
    {
        disproven(PRIVATE, &allow("10.99.0.0/16", singular), "filtering");
        proven(PRIVATE, &allow("10.0.2.0/24", singular));
    }
}

#[test]
fn protocol_any_keeps_ports() {
    let deny = |ports: &str| {
        format!(
            "set: {{/networkSecurityGroups/0/rules: [{{name: ports, priority: 100, direction: Outbound, access: Deny, \
             protocol: '*', destination: 10.0.2.0/24, destinationPorts: {ports}}}]}}"
        )
    };
    proven(PRIVATE, &deny("[80, 8000-8080]"));
    disproven(PRIVATE, &deny("[80, 440-450]"), "filtering");
}

#[test]
fn missing_permission_is_not_reachable() {
    undetermined(PRIVATE, "set: {/gaps: [{resource: nsg-nodes}]}", "filtering");
    undetermined(PRIVATE, "set: {/gaps: [{resource: vnet-hub}]}", "routing");
    proven(PRIVATE, "set: {/gaps: [{resource: nsg-pods}]}");
}

/// Both ways through the appliance in the hub.
const THROUGH_APPLIANCE: &str = "set: {/routeTables/0/routes: [{name: h, addressPrefix: 10.2.0.0/16, nextHopIpAddress: 10.0.4.4}], \
     /routeTables/1/routes: [{name: n, addressPrefix: 10.1.0.0/16, nextHopIpAddress: 10.0.4.4}]";

#[test]
fn appliance_without_facts_is_undetermined() {
    undetermined(HARBOR, &format!("{THROUGH_APPLIANCE}}}"), "routing");
    let declared = |action: &str| {
        format!(
            "{THROUGH_APPLIANCE}, /declared/appliance: [{{address: 10.0.4.4, snat: false, forwards: \
             [{{from: [10.1.0.0/16], to: [10.2.8.20/32], protocol: tcp, ports: '443', action: {action}}}]}}]}}"
        )
    };
    proven(HARBOR, &declared("allow"));
    disproven(HARBOR, &declared("deny"), "filtering");
}

#[test]
fn unsupported_firewall_rule_is_undetermined() {
    let rules = |rule: &str| {
        format!(
            "set: {{/routeTables/0/routes: [{{name: h, addressPrefix: 10.2.0.0/16, nextHopIpAddress: 10.0.0.4}}], \
             /routeTables/1/routes: [{{name: n, addressPrefix: 10.1.0.0/16, nextHopIpAddress: 10.0.0.4}}], \
             /firewallPolicies/0/groups/-: {{name: first, priority: 100, collections: [], unchecked: {{ruleCollections: [\
             {{ruleCollectionType: FirewallPolicyFilterRuleCollection, name: c, priority: 100, action: {{type: Deny}}, rules: [\
             {{name: strange, ipProtocols: [TCP], sourceAddresses: [10.1.0.0/16], destinationAddresses: [10.2.8.0/24], {rule}}}]}}]}}}}}}"
        )
    };
    let report = undetermined(HARBOR, &rules("ruleType: QuantumRule, destinationPorts: ['443']"), "routing");
    assert!(reasons(&report).iter().any(|r| r.contains("strange")), "the rule is named");
    disproven(HARBOR, &rules("ruleType: NetworkRule, destinationPorts: ['443']"), "filtering");
    proven(HARBOR, &rules("ruleType: NetworkRule, destinationPorts: ['80']"));
}

#[test]
fn unknown_after_apply_is_quantified() {
    let deny = |port: u16| {
        format!(
            "set: {{/networkSecurityGroups/0/rules: [{{name: new, priority: 100, direction: Outbound, access: Deny, protocol: Tcp, \
             destinationPorts: {port}, unchecked: {{destinationAddressPrefix: {{$unknown: p, why: azurerm_subnet.new}}}}}}]}}"
        )
    };
    let report = undetermined(PRIVATE, &deny(443), "filtering");
    let missing = json!({"layer": "filtering", "missing": [{"why": "azurerm_subnet.new"}]});
    assert!(has_claim(&report, &missing), "the attribute is named");
    // Whatever the prefix becomes, the rule is about another port.
    proven(PRIVATE, &deny(80));
}

#[test]
fn data_endpoint_missing_is_not_a_pass() {
    let report = disproven(PRIVATE, "remove: [/privateDnsZones/0/records/1]", "endpoints");
    assert!(has_claim(
        &report,
        &json!({"layer": "resolution", "verdict": "proven", "endpoint": {"host": "fabrikamreg.azurecr.io"}})
    ));
    disproven(
        PRIVATE,
        "set: {/privateEndpoints/0/withoutMembers: [registry_data_westeurope], /privateEndpoints/0/addresses: {registry: 10.0.2.6}}",
        "endpoints",
    );
    proven(PRIVATE, "set: {/privateDnsZones/0/records/1/A: 10.0.2.4}");
}

#[test]
fn pod_dns_does_not_matter() {
    // Nothing of this is between the node and its resolver or the registry.
    proven(
        PRIVATE,
        "set: {/clusters/0/pools/0/podSubnet: vnet-spoke/snet-pods, /clusters/0/dnsServiceIP: 10.0.0.10, \
         /routeTables/0/routes: [{name: none, addressPrefix: 0.0.0.0/0, nextHopType: None}], \
         /networkSecurityGroups/1/rules: [{name: none, priority: 100, direction: Outbound, access: Deny}]}",
    );
    // The node's own resolver, with the same pods.
    disproven(
        PRIVATE,
        "set: {/clusters/0/pools/0/podSubnet: vnet-spoke/snet-pods, /virtualNetworks/1/dnsServers: [10.99.0.1]}",
        "resolution",
    );
}

#[test]
fn open_bgp_source_is_not_no_route() {
    let on_premises = "set: {/virtualMachines: [], /privateDnsZones/0/records/0/A: 172.24.8.20, \
         /declared/registry/0/hosts/0/addresses: [172.24.8.20]";
    let gateway = ", /virtualNetworkGateways: [{name: ergw, virtualNetwork: vnet-hub, gatewayType: ExpressRoute}], \
         /expressRouteCircuits: [{name: circuit}], /connections: [{name: er, gateway: ergw, expressRouteCircuit: circuit}], \
         /peerings/0/between: {vnet-hub: {allowGatewayTransit: true}, vnet-spoke: {useRemoteGateways: true}}";
    disproven(HARBOR, &format!("{on_premises}}}"), "routing");
    undetermined(HARBOR, &format!("{on_premises}{gateway}}}"), "routing");
    let site = ", /declared/site: [{name: dc, prefixes: [172.24.0.0/16], routes_to_azure: [10.0.0.0/8], connections: [er], filter: none}]";
    proven(HARBOR, &format!("{on_premises}{gateway}{site}}}"));
}

#[test]
fn http_proxy_is_not_direct() {
    let proxy = |without: &str| {
        format!(
            "set: {{/clusters/0/httpProxyConfig: {{httpsProxy: 'http://10.0.2.99:3128', noProxy: [{without}]}}}}"
        )
    };
    undetermined(PRIVATE, &proxy("localhost"), "routing");
    proven(PRIVATE, &proxy(".azurecr.io"));
}

#[test]
fn null_list_is_not_unknown_list() {
    for list in ["null", "[]"] {
        proven(PRIVATE, &format!("set: {{/networkSecurityGroups/0/unchecked: {{securityRules: {list}}}}}"));
    }
    for list in ["{$unknown: rules, why: var.rules}", "[{$unknown: rules, why: var.rules}]"] {
        undetermined(
            PRIVATE,
            &format!("set: {{/networkSecurityGroups/0/unchecked: {{securityRules: {list}}}}}"),
            "filtering",
        );
    }
}

#[test]
fn lookup_failure_does_not_prove_routing() {
    // No name and no path: both are said, the path about the endpoint's addresses.
    let apart = "set: {/peerings/0/between: {vnet-hub: {peeringState: Disconnected}, vnet-spoke: {peeringState: Initiated}}, \
         /privateDnsZones/0/links: []}";
    let report = disproven(PRIVATE, apart, "routing");
    assert!(!has_claim(&report, &json!({"layer": "routing", "direction": "forward", "verdict": "proven"})));
    let unlinked = disproven(PRIVATE, "set: {/privateDnsZones/0/records: []}", "resolution");
    assert!(has_claim(&unlinked, &json!({"layer": "routing", "verdict": "proven"})));
    // No address at all: nothing is proven about it (V4).
    let nowhere = report_of_nowhere();
    assert!(!has_claim(
        &nowhere,
        &json!({"layer": "routing", "verdict": "proven", "endpoint": {"host": "harbor.fabrikam.example"}})
    ));
}

/// A declared registry without addresses whose name does not exist.
fn report_of_nowhere() -> Value {
    report(HARBOR, "set: {/privateDnsZones/0/records: []}\nremove: [/declared/registry/0/hosts/0/addresses]")
}

/// The audit of files with the given JSON, through the snapshot's own reader.
fn from_files(test: &str, files: &[(&str, &Value)]) -> Value {
    let folder = std::env::temp_dir().join(format!("pullproof-{test}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a temporary folder");
    let paths: Vec<_> = files
        .iter()
        .map(|(name, value)| {
            let path = folder.join(name);
            fs::write(&path, value.to_string()).expect("a temporary file");
            path
        })
        .collect();
    let snapshot = read(&paths, ReadOptions::default()).expect("the files are a snapshot");
    fs::remove_dir_all(&folder).expect("the temporary folder goes away");
    World { layered: Layered::new(snapshot.into()), declared: Declared::default() }.report(test)
}

#[test]
fn truncated_page_is_partial() {
    let unlinked = changed(PRIVATE, "remove: [/privateDnsZones/0/links]", "truncated");
    let resources = unlinked.expand().expect("a scenario").resources;
    let whole = json!({"data": resources, "count": resources.len(), "total_records": resources.len()});
    let page = json!({"data": resources, "count": resources.len(), "total_records": resources.len() + 1});
    let token = json!({"data": resources, "skip_token": "more"});
    let next = json!({"value": resources, "nextLink": "https://management.azure.com/next"});
    let verdict = |value: &Value| only_verdict(&from_files("truncated", &[("answer.json", value)]));
    assert_eq!(verdict(&whole), ("disproven".to_owned(), Some("resolution".to_owned())));
    for partial in [&page, &token, &next] {
        assert_eq!(verdict(partial).0, "undetermined", "{}", partial["count"]);
    }
}

#[test]
fn other_subscription_is_not_absent() {
    // The zone's links are with the zone, which may be in a subscription that was not read (D44).
    let unlinked = |complete: &str| {
        format!(
            "set: {{/subscriptions: [{{name: workload}}, {{name: names}}], /gaps: {complete}}}\nremove: [/privateDnsZones]"
        )
    };
    let unread = undetermined(PRIVATE, &unlinked("[{scope: names, types: []}]"), "resolution");
    assert!(has_claim(&unread, &json!({"layer": "routing", "verdict": "proven"})));
    disproven(PRIVATE, &unlinked("[]"), "resolution");
}

#[test]
fn two_clusters_in_one_subnet_differ() {
    let report = report(
        PRIVATE,
        "set:\n  /clusters/-: {name: other, pools: [{name: sys, subnet: vnet-spoke/snet-nodes}], \
         nodeSecurityRules: [{name: none, priority: 100, direction: Outbound, access: Deny, destination: 10.0.2.0/24}]}\n  \
         /roleAssignments/-: {principal: other/kubelet, role: AcrPull, scope: fabrikamreg}",
    );
    assert_eq!(
        report["summary"],
        json!({"proven": 1, "disproven": 1, "undetermined": 0}),
        "{:?}",
        reasons(&report)
    );
}

#[test]
fn same_address_in_two_networks_is_two_hosts() {
    // The cluster's network holds 10.0.2.0/24 itself: the record leads to a machine of its own, not to the endpoint.
    let twin = "
  - {name: vnet-same, addressSpace: 10.0.0.0/16, subnets: [{name: snet-nodes, addressPrefix: 10.0.8.0/24}, {name: snet-same, addressPrefix: 10.0.2.0/24}]}";
    let base = PRIVATE.replace("\npeerings:", &format!("{twin}\npeerings:"));
    let moved = "set: {/clusters/0/pools/0/subnet: vnet-same/snet-nodes, /privateDnsZones/0/links: [{virtualNetwork: vnet-same}], \
         /virtualMachines: [{name: vm-same, subnet: vnet-same/snet-same, address: 10.0.2.6}]}";
    let report = report(&base, moved);
    let (verdict, _) = only_verdict(&report);
    assert_eq!(verdict, "disproven", "{:?}", reasons(&report));
    // A cluster in the endpoint's own network, with the same addresses.
    let own = "set: {/virtualNetworks/0/subnets/-: {name: snet-nodes, addressPrefix: 10.0.8.0/24}, \
         /clusters/0/pools/0/subnet: vnet-hub/snet-nodes, /privateDnsZones/0/links: [{virtualNetwork: vnet-hub}], \
         /virtualMachines: [{name: vm-same, subnet: vnet-same/snet-same, address: 10.0.2.6}]}";
    proven(&base, own);
}

#[test]
fn outbound_type_is_no_load_balancer() {
    // The type states an intent (A185). In a complete input, a balancer that is not there carries nothing.
    let change =
        "set: {/clusters/0/outboundType: loadBalancer}, remove: [/virtualNetworks/0/subnets/0/natGateway]";
    let change = change.replace("}, remove", "}\nremove");
    let expanded = || changed(PUBLIC, &change, "balancer").expand().expect("a scenario");
    let verdict = |expanded: pullproof_scenario::Expanded| {
        let declared = expanded.config_toml.as_deref().map(|text| Declared::parse("pullproof.toml", text));
        let declared = declared.transpose().expect("declared facts").unwrap_or_default();
        let layered = Layered::new(std::sync::Arc::new(expanded.into_snapshot()));
        only_verdict(&World { layered, declared }.report("balancer")).0
    };
    assert_eq!(verdict(expanded()), "proven");
    let mut without = expanded();
    without.resources.retain(|r| r["type"] != "Microsoft.Network/loadBalancers");
    assert_eq!(verdict(without), "undetermined");
}
