//! What is not modelled: every row of `facts/tripwires.toml`, and every construct that the prover itself declines to
//! follow, put into an estate that is proven without it.

use std::collections::BTreeSet;

use pullproof_snapshot::facts::tripwires;
use pullproof_tests::cases::{reasons, report_of_changed as report};
use serde_json::Value;

/// Two networks on a virtual hub, a Harbor in one of them. Proven.
const HUB: &str = "
name: hub
subscriptions: [{name: s, id: 00000000-0000-4000-8000-000000000001}]
virtualNetworks:
  - {name: vnet-spoke, addressSpace: 10.1.0.0/16, subnets: [{name: snet-nodes, addressPrefix: 10.1.0.0/24}]}
  - {name: vnet-harbor, addressSpace: 10.2.0.0/16, subnets: [{name: snet-harbor, addressPrefix: 10.2.8.0/24}]}
virtualWans: [{name: wan}]
virtualHubs:
  - name: hub
    virtualWan: wan
    addressPrefix: 10.100.0.0/23
    connections: [{name: nodes, virtualNetwork: vnet-spoke}, {name: harbor, virtualNetwork: vnet-harbor}]
virtualMachines: [{name: vm-harbor, subnet: vnet-harbor/snet-harbor, address: 10.2.8.20}]
privateDnsZones: [{name: fabrikam.example, links: [{virtualNetwork: vnet-spoke}], records: [{name: harbor, A: 10.2.8.20}]}]
clusters: [{name: aks, pools: [{name: sys, subnet: vnet-spoke/snet-nodes}]}]
declared:
  registry:
    - name: harbor
      hosts: [{host: harbor.fabrikam.example, roles: [login, token, data], addresses: [10.2.8.20]}]
      certificate: {names: [harbor.fabrikam.example], issuer: public}
      pull_secret: true
      pull_secret_valid: true
";

/// A registry behind a private endpoint in a peered network. Proven.
const PEERED: &str = "
name: peered
subscriptions: [{name: s, id: 00000000-0000-4000-8000-000000000001}]
virtualNetworks:
  - {name: vnet-hub, addressSpace: 10.0.0.0/16, subnets: [{name: snet-pe, addressPrefix: 10.0.2.0/24}]}
  - {name: vnet-spoke, addressSpace: 10.1.0.0/16, subnets: [{name: snet-nodes, addressPrefix: 10.1.0.0/24}]}
peerings:
  - between: {vnet-hub: {}, vnet-spoke: {}}
privateDnsZones: [{name: privatelink.azurecr.io, links: [{virtualNetwork: vnet-spoke}]}]
registries: [{name: fabrikamreg, publicNetworkAccess: Disabled}]
privateEndpoints: [{name: pe, subnet: vnet-hub/snet-pe, target: fabrikamreg, zoneGroup: [privatelink.azurecr.io]}]
clusters: [{name: aks, pools: [{name: sys, subnet: vnet-spoke/snet-nodes}]}]
roleAssignments: [{principal: aks/kubelet, role: AcrPull, scope: fabrikamreg}]
";

/// A Harbor behind a VPN gateway. Proven.
const GATEWAY: &str = "
name: gateway
subscriptions: [{name: s, id: 00000000-0000-4000-8000-000000000001}]
virtualNetworks:
  - {name: vnet, addressSpace: 10.1.0.0/16, subnets: [{name: GatewaySubnet, addressPrefix: 10.1.1.0/27}, {name: snet-nodes, addressPrefix: 10.1.0.0/24}]}
virtualNetworkGateways: [{name: vpng, virtualNetwork: vnet}]
localNetworkGateways: [{name: lng, addressPrefixes: 172.24.0.0/16}]
connections: [{name: s2s, gateway: vpng, localNetworkGateway: lng}]
privateDnsZones: [{name: fabrikam.example, links: [{virtualNetwork: vnet}], records: [{name: harbor, A: 172.24.8.20}]}]
clusters: [{name: aks, pools: [{name: sys, subnet: vnet/snet-nodes}]}]
declared:
  registry:
    - name: harbor
      hosts: [{host: harbor.fabrikam.example, roles: [login, token, data], addresses: [172.24.8.20]}]
      certificate: {names: [harbor.fabrikam.example], issuer: public}
      pull_secret: true
      pull_secret_valid: true
  site: [{name: dc, prefixes: [172.24.0.0/16], routes_to_azure: [10.1.0.0/16], connections: [s2s], filter: none}]
";

/// A registry behind a private endpoint in another network of a virtual hub. Proven.
const HUB_ENDPOINT: &str = "
name: hub
subscriptions: [{name: s, id: 00000000-0000-4000-8000-000000000001}]
virtualNetworks:
  - {name: vnet-spoke, addressSpace: 10.1.0.0/16, subnets: [{name: snet-nodes, addressPrefix: 10.1.0.0/24}]}
  - {name: vnet-pe, addressSpace: 10.2.0.0/16, subnets: [{name: snet-pe, addressPrefix: 10.2.2.0/24}]}
virtualWans: [{name: wan}]
virtualHubs:
  - name: hub
    virtualWan: wan
    addressPrefix: 10.100.0.0/23
    connections: [{name: nodes, virtualNetwork: vnet-spoke}, {name: endpoints, virtualNetwork: vnet-pe}]
privateDnsZones: [{name: privatelink.azurecr.io, links: [{virtualNetwork: vnet-spoke}]}]
registries: [{name: fabrikamreg, publicNetworkAccess: Disabled}]
privateEndpoints: [{name: pe, subnet: vnet-pe/snet-pe, target: fabrikamreg, zoneGroup: [privatelink.azurecr.io]}]
clusters: [{name: aks, pools: [{name: sys, subnet: vnet-spoke/snet-nodes}]}]
roleAssignments: [{principal: aks/kubelet, role: AcrPull, scope: fabrikamreg}]
";

const GROUP: &str = "/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups";

/// One raw resource below `resourceGroups`.
fn raw(path: &str, kind: &str, properties: &str) -> String {
    format!("{{id: {GROUP}/{path}, name: x, type: {kind}, location: westeurope, properties: {properties}}}")
}

/// A network manager of the subscription, with one thing below it.
fn manager(access: &str, below: &str) -> String {
    let scopes = "networkManagerScopes: {subscriptions: [/subscriptions/00000000-0000-4000-8000-000000000001], managementGroups: []}";
    let own = raw(
        "rg/providers/Microsoft.Network/networkManagers/avnm",
        "Microsoft.Network/networkManagers",
        &format!("{{{scopes}, networkManagerScopeAccesses: [{access}]}}"),
    );
    format!("set: {{/raw: [{own}, {below}]}}")
}

struct Case {
    /// The tripwire's id, or what the prover calls it.
    id: &'static str,
    base: &'static str,
    change: String,
}

fn case(id: &'static str, base: &'static str, change: String) -> Case {
    Case { id, base, change }
}

/// One case a row of the file.
fn rows() -> Vec<Case> {
    let add = |resource: String| format!("set: {{/raw: [{resource}]}}");
    vec![
        case(
            "virtual-hub-route-map",
            HUB,
            add(raw(
                "rg-hub/providers/Microsoft.Network/virtualHubs/hub/routeMaps/rm",
                "Microsoft.Network/virtualHubs/routeMaps",
                "{rules: []}",
            )),
        ),
        case(
            "hub-network-virtual-appliance",
            HUB,
            add(raw(
                "rg-hub/providers/Microsoft.Network/networkVirtualAppliances/nva",
                "Microsoft.Network/networkVirtualAppliances",
                &format!(
                    "{{virtualHub: {{id: {GROUP}/rg-hub/providers/Microsoft.Network/virtualHubs/hub}}}}"
                ),
            )),
        ),
        case(
            "hub-bgp-connection",
            HUB,
            add(raw(
                "rg-hub/providers/Microsoft.Network/virtualHubs/hub/bgpConnections/peer",
                "Microsoft.Network/virtualHubs/bgpConnections",
                "{peerIp: 10.2.8.20, peerAsn: 65010}",
            )),
        ),
        case(
            "gateway-nat-rules",
            GATEWAY,
            add(raw(
                "rg-gateway/providers/Microsoft.Network/virtualNetworkGateways/vpng/natRules/n",
                "Microsoft.Network/virtualNetworkGateways/natRules",
                "{mode: EgressSnat}",
            )),
        ),
        case(
            "ipv6-only-peering",
            PEERED,
            "set: {/peerings/0/between/vnet-spoke: {unchecked: {enableOnlyIPv6Peering: true}}}".into(),
        ),
        case(
            "hub-security-partner",
            HUB,
            format!(
                "set: {{/virtualHubs/0/unchecked: {{securityPartnerProvider: {{id: {GROUP}/rg-hub/providers/Microsoft.Network/securityPartnerProviders/p}}}}}}"
            ),
        ),
        case(
            "network-manager-routing-rules",
            PEERED,
            manager(
                "Routing",
                &raw(
                    "rg/providers/Microsoft.Network/networkManagers/avnm/routingConfigurations/r",
                    "Microsoft.Network/networkManagers/routingConfigurations",
                    "{}",
                ),
            ),
        ),
        case(
            "cluster-dual-stack",
            PEERED,
            "set: {/clusters/0/unchecked: {networkProfile: {ipFamilies: [IPv4, IPv6]}}}".into(),
        ),
        case(
            "network-security-perimeter",
            PEERED,
            add(raw(
                "rg/providers/Microsoft.Network/networkSecurityPerimeters/nsp/resourceAssociations/a",
                "Microsoft.Network/networkSecurityPerimeters/resourceAssociations",
                &format!(
                    "{{privateLinkResource: {{id: {GROUP}/rg-peered/providers/Microsoft.ContainerRegistry/registries/FABRIKAMREG}}, accessMode: Enforced}}"
                ),
            )),
        ),
    ]
}

fn verdicts(report: &Value) -> Vec<&str> {
    report["audits"].as_array().into_iter().flatten().filter_map(|a| a["verdict"].as_str()).collect()
}

#[test]
fn every_row_makes_a_proof_undetermined() {
    let cases = rows();
    let ids: BTreeSet<&str> = cases.iter().map(|c| c.id).collect();
    let file: BTreeSet<&str> = tripwires::all().iter().map(|t| t.id.as_str()).collect();
    assert_eq!(ids, file, "one case a row");
    let mut wrong = Vec::new();
    for Case { id, base, change } in &cases {
        let text = tripwires::all().iter().find(|t| t.id == *id).map(|t| t.text.as_str()).unwrap_or_default();
        let found = report(base, change);
        let named = reasons(&found).iter().any(|r| r.contains("not_modelled") && r.contains(text));
        if verdicts(&found) != ["undetermined"] || !named {
            wrong.push(format!("{id}: {:?}: {}", verdicts(&found), reasons(&found).join("; ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn estates_are_proven_without_them() {
    let nothing = "set: {/location: westeurope}";
    for base in [HUB, PEERED, GATEWAY, HUB_ENDPOINT] {
        let found = report(base, nothing);
        assert_eq!(verdicts(&found), ["proven"], "{base}\n{}", reasons(&found).join("\n"));
    }
}

#[test]
fn tripwires_elsewhere_change_nothing() {
    let elsewhere = "set: {/virtualWans: [{name: wan}], /virtualHubs: [{name: hub, virtualWan: wan, addressPrefix: 10.100.0.0/23}]";
    let map = raw(
        "rg-peered/providers/Microsoft.Network/virtualHubs/hub/routeMaps/rm",
        "Microsoft.Network/virtualHubs/routeMaps",
        "{rules: []}",
    );
    let other = raw(
        "rg/providers/Microsoft.Network/networkSecurityPerimeters/nsp/resourceAssociations/a",
        "Microsoft.Network/networkSecurityPerimeters/resourceAssociations",
        &format!(
            "{{privateLinkResource: {{id: {GROUP}/rg-peered/providers/Microsoft.ContainerRegistry/registries/other}}}}"
        ),
    );
    let found = report(PEERED, &format!("{elsewhere}, /raw: [{map}, {other}]}}"));
    assert_eq!(verdicts(&found), ["proven"], "{}", reasons(&found).join("\n"));
}

/// Constructs that the prover knows and does not follow: each names itself where it could matter.
fn declined() -> Vec<(Case, &'static str)> {
    let hub = "rg-hub/providers/Microsoft.Network/virtualHubs/hub";
    let map = format!("{{id: {GROUP}/{hub}/routeMaps/rm}}");
    vec![
        (
            case("hub connection, inbound route map", HUB, format!("set: {{/virtualHubs/0/connections/0/unchecked: {{routingConfiguration: {{inboundRouteMap: {map}}}}}}}")),
            "route map",
        ),
        (
            case("hub connection, outbound route map", HUB, format!("set: {{/virtualHubs/0/connections/1/unchecked: {{routingConfiguration: {{outboundRouteMap: {map}}}}}}}")),
            "route map",
        ),
        // Replies of private endpoints ask no table: the map on the endpoint's own connection is all that there is.
        (
            case("the far connection's route map", HUB_ENDPOINT, format!("set: {{/virtualHubs/0/connections/1/unchecked: {{routingConfiguration: {{inboundRouteMap: {map}}}}}}}")),
            "route map",
        ),
        (
            case("propagation off on GatewaySubnet", GATEWAY, "set: {/virtualNetworks/0/subnets/0/routeTable: rt, /routeTables: [{name: rt, disableBgpRoutePropagation: true}]}".into()),
            "whether gateway vpng works",
        ),
        (
            case("a Route Server whose kind is not shown", GATEWAY, route_server("")),
            "Route Server rs programs",
        ),
        (
            case("a Route Server", GATEWAY, route_server("kind: RouteServer,")),
            "Route Server rs programs",
        ),
        (
            case("hub branches", HUB, format!("set: {{/virtualHubs/0/unchecked: {{vpnGateway: {{id: {GROUP}/rg-hub/providers/Microsoft.Network/vpnGateways/g}}}}}}")),
            "branches",
        ),
        (
            case("gateway NAT rules", GATEWAY, "set: {/virtualNetworkGateways/0/unchecked: {natRules: [{name: n, properties: {mode: EgressSnat, internalMappings: [{addressSpace: 10.1.0.0/24}], externalMappings: [{addressSpace: 10.77.0.0/24}]}}]}}".into()),
            "NAT rules",
        ),
        (
            case("encryption that drops", PEERED, "set: {/virtualNetworks/1/unchecked: {encryption: {enabled: true, enforcement: DropUnencrypted}}}".into()),
            "ncryption",
        ),
        (
            case(
                "security admin rules",
                PEERED,
                manager(
                    "SecurityAdmin",
                    &format!(
                        "{}, {}",
                        raw("rg/providers/Microsoft.Network/networkManagers/avnm/securityAdminConfigurations/c", "Microsoft.Network/networkManagers/securityAdminConfigurations", "{}"),
                        raw(
                            "rg/providers/Microsoft.Network/networkManagers/avnm/securityAdminConfigurations/c/ruleCollections/rc/rules/r",
                            "Microsoft.Network/networkManagers/securityAdminConfigurations/ruleCollections/rules",
                            "{access: Deny, direction: Outbound, priority: 10, protocol: Any, sources: [], destinations: [{addressPrefix: 10.0.2.0/24, addressPrefixType: IPPrefix}], sourcePortRanges: ['0-65535'], destinationPortRanges: ['0-65535']}",
                        ),
                    ),
                ),
            ),
            "security admin rules",
        ),
    ]
}

/// A Route Server that hands on what gateways and neighbours announce.
fn route_server(kind: &str) -> String {
    let hub = "rg-gateway/providers/Microsoft.Network/virtualHubs/rs";
    let subnet = format!(
        "{GROUP}/rg-gateway/providers/Microsoft.Network/virtualNetworks/vnet/subnets/RouteServerSubnet"
    );
    let address = raw(
        &format!("{hub}/ipConfigurations/one"),
        "Microsoft.Network/virtualHubs/ipConfigurations",
        &format!("{{subnet: {{id: {subnet}}}}}"),
    );
    let server =
        raw(hub, "Microsoft.Network/virtualHubs", "{allowBranchToBranchTraffic: true, sku: Standard}")
            .replacen("name: x,", &format!("name: rs, {kind}"), 1);
    format!(
        "set: {{/virtualNetworks/0/subnets/-: {{name: RouteServerSubnet, addressPrefix: 10.1.2.0/26}}, /raw: [{server}, {address}]}}"
    )
}

#[test]
fn what_the_prover_declines_is_named() {
    let mut wrong = Vec::new();
    for (Case { id, base, change }, text) in declined() {
        let found = report(base, &change);
        let named = reasons(&found).iter().any(|r| r.contains(text));
        if verdicts(&found) != ["undetermined"] || !named {
            wrong.push(format!("{id}: {:?}: {}", verdicts(&found), reasons(&found).join("; ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_unseen_connected_group_is_not_no_route() {
    let apart = "/peerings: []";
    let alone = report(PEERED, &format!("set: {{{apart}}}"));
    assert_eq!(verdicts(&alone), ["disproven"]);
    let below = raw(
        "rg/providers/Microsoft.Network/networkManagers/avnm/connectivityConfigurations/mesh",
        "Microsoft.Network/networkManagers/connectivityConfigurations",
        "{connectivityTopology: Mesh}",
    );
    let with = manager("Connectivity", &below).replace("set: {", &format!("set: {{{apart}, "));
    let found = report(PEERED, &with);
    assert_eq!(verdicts(&found), ["undetermined"], "{}", reasons(&found).join("\n"));
}

#[test]
fn node_classes_that_arm_does_not_show_are_an_audit_of_their_own() {
    let found = report(PEERED, "set: {/clusters/0/unchecked: {nodeProvisioningProfile: {mode: Auto}}}");
    let mut verdicts = verdicts(&found);
    verdicts.sort_unstable();
    assert_eq!(verdicts, ["proven", "undetermined"], "{}", reasons(&found).join("\n"));
}
