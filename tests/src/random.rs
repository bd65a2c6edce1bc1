//! Random small networks: a sensible estate (hub with firewall, appliance, resolver and gateway, two spokes, a private
//! and a public registry, a Harbor behind VPN) of which every part may be missing, odd, or at a boundary.

use serde_json::{Map, Value, json};

use crate::dice::Dice;

/// What a question may ask about, and the scenario itself.
pub struct RandomNetwork {
    /// A scenario; JSON is YAML.
    pub scenario: String,
    pub subnets: Vec<String>,
    pub firewall: bool,
}

/// Prefixes that matter somewhere in the estate, and those just beside them.
const PREFIXES: [&str; 30] = [
    "0.0.0.0/0",
    "0.0.0.0/1",
    "128.0.0.0/1",
    "10.0.0.0/8",
    "10.0.0.0/16",
    "10.0.0.0/20",
    "10.0.0.4/32",
    "10.0.0.64/27",
    "10.0.2.0/24",
    "10.0.2.4/32",
    "10.0.2.4/31",
    "10.0.2.5/32",
    "10.0.2.4/30",
    "10.0.4.0/24",
    "10.0.4.4/32",
    "10.1.0.0/16",
    "10.1.0.0/24",
    "10.1.0.0/25",
    "10.1.0.128/25",
    "10.1.1.0/24",
    "10.2.0.0/16",
    "10.2.0.0/24",
    "10.0.3.4/32",
    "168.63.129.16/32",
    "172.24.0.0/16",
    "172.24.8.0/24",
    "172.24.8.20/32",
    "172.24.8.20/31",
    "192.0.2.0/26",
    "203.0.113.0/24",
];

const TAGS: [&str; 7] = [
    "VirtualNetwork",
    "Internet",
    "AzureLoadBalancer",
    "AzureContainerRegistry",
    "AzureContainerRegistry.WestEurope",
    "Storage.WestEurope",
    "AzureCloud",
];

/// Addresses that packets and questions may have.
pub const ADDRESSES: [&str; 24] = [
    "10.0.0.4",
    "10.0.0.5",
    "10.0.2.3",
    "10.0.2.4",
    "10.0.2.5",
    "10.0.2.6",
    "10.0.3.4",
    "10.0.4.4",
    "10.0.4.5",
    "10.0.15.255",
    "10.0.16.0",
    "10.1.0.4",
    "10.1.0.127",
    "10.1.0.128",
    "10.1.1.4",
    "10.2.0.4",
    "10.3.0.1",
    "168.63.129.16",
    "172.24.0.53",
    "172.24.8.20",
    "172.25.0.1",
    "192.0.2.1",
    "203.0.113.10",
    "100.64.0.1",
];

const HOPS: [&str; 6] = ["10.0.0.4", "10.0.4.4", "10.0.4.5", "10.0.4.10", "10.0.2.4", "10.2.0.200"];

/// The network of a number: the same number, the same network.
pub fn network(number: u64) -> RandomNetwork {
    let mut dice = Dice::new(number);
    let mut doc = Map::new();
    doc.insert("name".into(), json!("random"));
    let firewall = dice.percent(70);
    virtual_networks(&mut dice, &mut doc);
    doc.insert("peerings".into(), peerings(&mut dice));
    doc.insert(
        "routeTables".into(),
        json!(["rt-a", "rt-b", "rt-gw", "rt-pe"].map(|name| route_table(&mut dice, name))),
    );
    let groups = ["nsg-a", "nsg-b", "nsg-pe", "nsg-nic"]
        .map(|name| json!({"name": name, "rules": security_rules(&mut dice)}));
    doc.insert("networkSecurityGroups".into(), json!(groups));
    doc.insert("applicationSecurityGroups".into(), json!([{"name": "asg-nodes"}, {"name": "asg-pe"}]));
    doc.insert("publicIPAddresses".into(), json!([{"name": "pip-fw", "address": "203.0.113.10"}, {"name": "pip-nat", "address": "203.0.113.11"}, {"name": "pip-vpn", "address": "203.0.113.12"}]));
    doc.insert("natGateways".into(), json!([{"name": "nat", "publicIPAddresses": ["pip-nat"]}]));
    if firewall {
        doc.insert("azureFirewalls".into(), json!([{"name": "afw", "virtualNetwork": "vnet-hub", "policy": "fwp", "publicIPAddresses": ["pip-fw"]}]));
        doc.insert("firewallPolicies".into(), firewall_policies(&mut dice));
        doc.insert("ipGroups".into(), json!([{"name": "ipg", "addresses": prefixes(&mut dice)}]));
    }
    appliances(&mut dice, &mut doc);
    gateway(&mut dice, &mut doc);
    names(&mut dice, &mut doc, firewall);
    registries(&mut dice, &mut doc);
    clusters(&mut dice, &mut doc);
    declared(&mut dice, &mut doc);
    doc.insert(
        "serviceTags".into(),
        json!({
            "AzureContainerRegistry": ["192.0.2.0/26"], "AzureContainerRegistry.WestEurope": ["192.0.2.0/27"],
            "Storage.WestEurope": ["192.0.2.128/27"], "AzureFrontDoor.FirstParty": ["192.0.2.64/27"], "AzureCloud": ["192.0.2.0/24"],
        }),
    );
    let subnets = ["snet-pe", "snet-nva", "snet-nodes", "snet-more", "snet-other"];
    RandomNetwork {
        scenario: Value::Object(doc).to_string(),
        subnets: subnets.map(str::to_owned).to_vec(),
        firewall,
    }
}

fn prefixes(dice: &mut Dice) -> Value {
    let many = 1 + dice.below(3);
    json!((0..many).map(|_| dice.of(&PREFIXES)).collect::<Vec<_>>())
}

fn virtual_networks(dice: &mut Dice, doc: &mut Map<String, Value>) {
    let mut subnet = |name: &str, prefix: &str, table: &str, group: &str| {
        let mut out = json!({"name": name, "addressPrefix": prefix});
        if dice.percent(60) {
            out["routeTable"] = json!(table);
        }
        if dice.percent(50) {
            out["networkSecurityGroup"] = json!(group);
        }
        if dice.percent(25) {
            out["natGateway"] = json!("nat");
        }
        if dice.percent(15) {
            out["serviceEndpoints"] = json!(dice.of(&["Microsoft.ContainerRegistry", "Microsoft.Storage"]));
        }
        if dice.percent(60) {
            out["defaultOutboundAccess"] = json!(dice.percent(30));
        }
        if dice.percent(30) {
            out["privateEndpointNetworkPolicies"] =
                json!(dice.of(&["Enabled", "Disabled", "NetworkSecurityGroupEnabled", "RouteTableEnabled"]));
        }
        out
    };
    let pe = subnet("snet-pe", "10.0.2.0/24", "rt-pe", "nsg-pe");
    let nva = subnet("snet-nva", "10.0.4.0/24", "rt-pe", "nsg-b");
    let nodes = subnet("snet-nodes", "10.1.0.0/24", "rt-a", "nsg-a");
    let more = subnet("snet-more", "10.1.1.0/24", "rt-a", "nsg-b");
    let other = subnet("snet-other", "10.2.0.0/24", "rt-b", "nsg-b");
    let mut gateway = json!({"name": "GatewaySubnet", "addressPrefix": "10.0.0.64/27"});
    if dice.percent(50) {
        gateway["routeTable"] = json!("rt-gw");
    }
    let mut networks = vec![
        json!({"name": "vnet-hub", "addressSpace": "10.0.0.0/20", "subnets": [
            {"name": "AzureFirewallSubnet", "addressPrefix": "10.0.0.0/26"}, gateway, pe, nva,
            {"name": "snet-in", "addressPrefix": "10.0.3.0/28"}, {"name": "snet-out", "addressPrefix": "10.0.3.16/28"},
        ]}),
        json!({"name": "vnet-a", "addressSpace": "10.1.0.0/16", "subnets": [nodes, more]}),
        json!({"name": "vnet-b", "addressSpace": dice.of(&["10.2.0.0/16", "10.2.0.0/24", "10.2.0.0/15"]), "subnets": [other]}),
    ];
    for network in &mut networks {
        let servers: &[&str] = match dice.below(8) {
            0 | 1 => &["10.0.0.4"],
            2 => &["10.0.3.4"],
            3 => &["10.0.0.4", "10.0.3.4"],
            4 => &["172.24.0.53"],
            5 => &["168.63.129.16"],
            _ => &[],
        };
        if !servers.is_empty() {
            network["dnsServers"] = json!(servers);
        }
    }
    doc.insert("virtualNetworks".into(), json!(networks));
}

fn peerings(dice: &mut Dice) -> Value {
    let mut out = Vec::new();
    for (one, other) in [("vnet-hub", "vnet-a"), ("vnet-hub", "vnet-b"), ("vnet-a", "vnet-b")] {
        if !dice.percent(if one == "vnet-hub" { 90 } else { 30 }) {
            continue;
        }
        let mut half = |hub: bool| {
            let mut half = json!({"allowForwardedTraffic": dice.percent(75)});
            if hub {
                half["allowGatewayTransit"] = json!(dice.percent(70));
            } else {
                half["useRemoteGateways"] = json!(dice.percent(60));
            }
            match dice.below(16) {
                0 => half["peeringState"] = json!(dice.of(&["Disconnected", "Initiated"])),
                1 => half["allowVirtualNetworkAccess"] = json!(false),
                2 => {
                    half["peeringSyncLevel"] =
                        json!(dice.of(&["RemoteNotInSync", "LocalNotInSync", "LocalAndRemoteNotInSync"]))
                }
                3 => {
                    half["remoteAddressSpace"] =
                        json!(dice.of(&["10.0.0.0/24", "10.1.0.0/24", "10.2.0.0/16", "10.0.0.0/8"]))
                }
                4 if !hub => half = json!({"absent": true}),
                _ => {}
            }
            half
        };
        let (first, second) = (half(one == "vnet-hub"), half(false));
        out.push(json!({"between": {one: first, other: second}}));
    }
    json!(out)
}

fn route_table(dice: &mut Dice, name: &str) -> Value {
    let many = dice.below(4);
    let mut seen = Vec::new();
    let mut routes = Vec::new();
    for i in 0..many {
        let prefix = if i == 0 && dice.percent(60) {
            "0.0.0.0/0"
        } else if dice.percent(10) {
            dice.of(&TAGS[3..6])
        } else {
            dice.of(&PREFIXES)
        };
        if seen.contains(&prefix) {
            continue;
        }
        seen.push(prefix);
        let mut route = json!({"name": format!("r{i}"), "addressPrefix": prefix});
        match dice.below(8) {
            0 => route["nextHopType"] = json!("Internet"),
            1 => route["nextHopType"] = json!("None"),
            2 => route["nextHopType"] = json!("VnetLocal"),
            3 => route["nextHopType"] = json!("VirtualNetworkGateway"),
            _ => route["nextHopIpAddress"] = json!(dice.of(&HOPS)),
        }
        routes.push(route);
    }
    json!({"name": name, "disableBgpRoutePropagation": dice.percent(40), "routes": routes})
}

fn security_rules(dice: &mut Dice) -> Value {
    let many = dice.below(6);
    let mut rules = Vec::new();
    for i in 0..many {
        let mut rule = json!({
            "name": format!("r{i}"), "priority": 100 + 10 * i,
            "direction": dice.of(&["Inbound", "Outbound", "Outbound"]),
            "access": dice.of(&["Allow", "Deny"]),
            "protocol": dice.of(&["Tcp", "Tcp", "*", "Udp", "Icmp"]),
        });
        for (side, groups) in [
            ("source", "sourceApplicationSecurityGroups"),
            ("destination", "destinationApplicationSecurityGroups"),
        ] {
            match dice.below(10) {
                0..=3 => {}
                4 | 5 => rule[side] = json!(dice.of(&TAGS)),
                6 => rule[groups] = json!([dice.of(&["asg-nodes", "asg-pe"])]),
                _ => rule[side] = prefixes(dice),
            }
        }
        match dice.below(6) {
            0 => rule["destinationPorts"] = json!("443"),
            1 => rule["destinationPorts"] = json!(["53", "443"]),
            2 => rule["destinationPorts"] = json!("0-442"),
            3 => rule["destinationPorts"] = json!("444-65535"),
            _ => {}
        }
        if dice.percent(8) {
            rule["sourcePorts"] = json!(dice.of(&["443", "1024-65535", "0-32767", "32768-60999"]));
        }
        rules.push(rule);
    }
    json!(rules)
}

fn firewall_policies(dice: &mut Dice) -> Value {
    let mut collections = Vec::new();
    for i in 0..1 + dice.below(3) {
        let action = dice.of(&["Allow", "Allow", "Allow", "Deny"]);
        let mut collection = json!({"name": format!("c{i}"), "priority": 100 + 10 * i, "action": action});
        if dice.percent(60) {
            let mut rule = json!({"name": "n", "ports": dice.of(&["443", "*", "53", "400-500"]), "protocols": dice.of(&["TCP", "Any", "UDP"])});
            rule["source"] = if dice.percent(40) { json!("*") } else { prefixes(dice) };
            match dice.below(4) {
                0 => rule["destination"] = json!("*"),
                1 => rule["destination"] = json!(dice.of(&TAGS[3..])),
                2 => rule["destinationIPGroups"] = json!(["ipg"]),
                _ => rule["destination"] = prefixes(dice),
            }
            collection["networkRules"] = json!([rule]);
        } else {
            let fqdns = dice.of(&[
                "*",
                "*.azurecr.io",
                "fabrikamreg.azurecr.io",
                "*.westeurope.data.azurecr.io",
                "*.blob.core.windows.net",
                "harbor.corp.fabrikam.example",
            ]);
            let mut rule = json!({"name": "a", "source": "*", "fqdns": fqdns, "protocols": dice.of(&["Https:443", "Http:80"])});
            if dice.percent(30) {
                rule["source"] = prefixes(dice);
            }
            collection["applicationRules"] = json!([rule]);
        }
        collections.push(collection);
    }
    let mut policy =
        json!({"name": "fwp", "groups": [{"name": "g", "priority": 100, "collections": collections}]});
    if dice.percent(60) {
        policy["dnsProxy"] = json!(true);
        if dice.percent(50) {
            policy["dnsServers"] = json!([dice.of(&["10.0.3.4", "172.24.0.53", "168.63.129.16"])]);
        }
    }
    if dice.percent(20) {
        policy["privateRanges"] =
            json!(dice.of(&["10.0.0.0/8", "255.255.255.255/32", "0.0.0.0/0", "172.16.0.0/12"]));
    }
    json!([policy])
}

fn appliances(dice: &mut Dice, doc: &mut Map<String, Value>) {
    let forwards = dice.percent(80);
    doc.insert(
        "networkInterfaces".into(),
        json!([
            {"name": "nic-nva", "subnet": "vnet-hub/snet-nva", "address": "10.0.4.4", "enableIPForwarding": forwards},
            {"name": "nic-nva2", "subnet": "vnet-hub/snet-nva", "address": "10.0.4.5", "enableIPForwarding": dice.percent(70)},
        ]),
    );
    doc.insert(
        "virtualMachines".into(),
        json!([{"name": "nva-1", "networkInterfaces": ["nic-nva"]}, {"name": "nva-2", "networkInterfaces": ["nic-nva2"]}]),
    );
    if dice.percent(40) {
        doc.insert(
            "loadBalancers".into(),
            json!([{
                "name": "ilb", "sku": "Standard",
                "frontends": [{"name": "f", "subnet": "vnet-hub/snet-nva", "address": "10.0.4.10"}],
                "backends": [{"name": "b", "networkInterfaces": ["nic-nva", "nic-nva2"]}],
                "rules": [if dice.percent(70) { json!({"name": "ha", "port": 0, "protocol": "All", "frontend": "f", "backend": "b"}) } else { json!({"name": "p", "port": 443, "protocol": "Tcp", "frontend": "f", "backend": "b"}) }],
            }]),
        );
    }
}

fn gateway(dice: &mut Dice, doc: &mut Map<String, Value>) {
    if !dice.percent(65) {
        return;
    }
    doc.insert("virtualNetworkGateways".into(), json!([{"name": "vpng", "virtualNetwork": "vnet-hub", "publicIPAddresses": ["pip-vpn"], "enableBgp": dice.percent(15)}]));
    let announced =
        dice.of(&["172.24.0.0/16", "172.24.8.0/24", "0.0.0.0/0", "10.1.0.0/24", "172.24.8.20/32"]);
    doc.insert(
        "localNetworkGateways".into(),
        json!([{"name": "lng", "gatewayAddress": "198.51.100.200", "addressPrefixes": announced}]),
    );
    let status = if dice.percent(90) { "Connected" } else { "NotConnected" };
    doc.insert(
        "connections".into(),
        json!([{"name": "s2s", "gateway": "vpng", "localNetworkGateway": "lng", "status": status}]),
    );
}

fn names(dice: &mut Dice, doc: &mut Map<String, Value>, firewall: bool) {
    let mut links = Vec::new();
    for network in ["vnet-hub", "vnet-a", "vnet-b"] {
        if dice.percent(60) {
            let mut link = json!({"virtualNetwork": network});
            if dice.percent(15) {
                link["resolutionPolicy"] = json!(dice.of(&["NxDomainRedirect", "Default"]));
            }
            links.push(link);
        }
    }
    let mut zone = json!({"name": "privatelink.azurecr.io", "links": links});
    if dice.percent(20) {
        zone["records"] =
            json!([{"name": dice.of(&["other", "fabrikamreg.northeurope.data"]), "A": "10.0.2.9"}]);
    }
    let mut zones = vec![zone];
    if dice.percent(12) {
        zones.push(json!({"name": dice.of(&["azurecr.io", "westeurope.data.privatelink.azurecr.io", "data.azurecr.io"]), "links": [{"virtualNetwork": dice.of(&["vnet-hub", "vnet-a"])}]}));
    }
    doc.insert("privateDnsZones".into(), json!(zones));
    if dice.percent(70) || !firewall {
        doc.insert(
            "dnsResolvers".into(),
            json!([{"name": "dnspr", "virtualNetwork": "vnet-hub",
                "inboundEndpoints": [{"name": "in", "subnet": "vnet-hub/snet-in", "address": "10.0.3.4"}],
                "outboundEndpoints": [{"name": "out", "subnet": "vnet-hub/snet-out"}]}]),
        );
        let mut linked = Vec::new();
        for network in ["vnet-hub", "vnet-a", "vnet-b"] {
            if dice.percent(40) {
                linked.push(json!({"virtualNetwork": network}));
            }
        }
        let mut rules =
            vec![json!({"name": "corp", "domain": "corp.fabrikam.example", "targets": "172.24.0.53"})];
        if dice.percent(25) {
            let domain = dice.of(&["azurecr.io", ".", "privatelink.azurecr.io", "fabrikam.example"]);
            let state = dice.of(&["Enabled", "Enabled", "Disabled"]);
            rules.push(json!({"name": "more", "domain": domain, "targets": dice.of(&["172.24.0.53", "10.0.3.4", "10.0.0.4"]), "state": state}));
        }
        doc.insert(
            "dnsForwardingRulesets".into(),
            json!([{"name": "rs", "outboundEndpoints": ["dnspr/out"], "links": linked, "rules": rules}]),
        );
    }
}

fn registries(dice: &mut Dice, doc: &mut Map<String, Value>) {
    let mut private =
        json!({"name": "fabrikamreg", "publicNetworkAccess": dice.of(&["Disabled", "Disabled", "Enabled"])});
    if dice.percent(25) {
        private["replications"] = json!([{"location": "northeurope"}]);
    }
    if dice.percent(40) {
        private["dataEndpointEnabled"] = json!(true);
    }
    let mut public = json!({"name": "fabrikamedge", "defaultAction": dice.of(&["Allow", "Deny"]), "dataEndpointEnabled": dice.percent(50)});
    if dice.percent(60) {
        public["ipRules"] =
            json!([dice.of(&["203.0.113.10", "203.0.113.11", "203.0.113.0/24", "198.51.100.7"])]);
    }
    if dice.percent(20) {
        private["roleAssignmentMode"] = json!("AbacRepositoryPermissions");
    }
    doc.insert("registries".into(), json!([private, public]));
    if dice.percent(85) {
        let mut endpoint = json!({"name": "pe", "subnet": "vnet-hub/snet-pe", "target": "fabrikamreg"});
        if dice.percent(80) {
            endpoint["zoneGroup"] = json!(["privatelink.azurecr.io"]);
        }
        if dice.percent(10) {
            endpoint["status"] = json!(dice.of(&["Pending", "Rejected", "Disconnected"]));
        }
        if dice.percent(20) {
            endpoint["applicationSecurityGroups"] = json!(["asg-pe"]);
        }
        doc.insert("privateEndpoints".into(), json!([endpoint]));
    }
}

fn clusters(dice: &mut Dice, doc: &mut Map<String, Value>) {
    let outbound = dice.of(&[
        "loadBalancer",
        "userDefinedRouting",
        "userDefinedRouting",
        "userAssignedNATGateway",
        "none",
    ]);
    let mut sys = json!({"name": "sys", "subnet": "vnet-a/snet-nodes"});
    if dice.percent(25) {
        sys["applicationSecurityGroups"] = json!(["asg-nodes"]);
    }
    if dice.percent(15) {
        sys["scaleSet"] = json!({"networkSecurityGroup": "nsg-nic"});
    }
    if dice.percent(8) {
        sys["enableNodePublicIP"] = json!(true);
    }
    let mut one = json!({"name": "aks-a", "outboundType": outbound, "pools": [sys, {"name": "more", "subnet": "vnet-a/snet-more"}]});
    if dice.percent(25) {
        one["kubernetesVersion"] = json!(dice.of(&["1.33.1", "1.36.0"]));
    }
    let other = json!({"name": "aks-b", "outboundType": dice.of(&["loadBalancer", "userDefinedRouting"]), "pools": [{"name": "sys", "subnet": "vnet-b/snet-other"}]});
    doc.insert("clusters".into(), json!([one, other]));
    let mut roles = Vec::new();
    for cluster in ["aks-a", "aks-b"] {
        for registry in ["fabrikamreg", "fabrikamedge"] {
            if dice.percent(90) {
                let role = dice.of(&[
                    "AcrPull",
                    "AcrPull",
                    "AcrPull",
                    "Reader",
                    "Container Registry Repository Reader",
                ]);
                roles.push(
                    json!({"principal": format!("{cluster}/kubelet"), "role": role, "scope": registry}),
                );
            }
        }
    }
    doc.insert("roleAssignments".into(), json!(roles));
}

fn declared(dice: &mut Dice, doc: &mut Map<String, Value>) {
    let has_gateway = doc.contains_key("virtualNetworkGateways");
    let mut pairs = Vec::new();
    for cluster in ["aks-a", "aks-b"] {
        for registry in ["fabrikamreg", "fabrikamedge", "harbor"] {
            pairs.push(json!({"cluster": cluster, "registry": registry}));
        }
    }
    let mut out = json!({
        "audit": {"pairs": pairs},
        "registry": [{
            "name": "harbor",
            "hosts": [{"host": "harbor.corp.fabrikam.example", "port": 443, "roles": ["login", "token", "data"], "addresses": ["172.24.8.20"]}],
            "certificate": {"names": ["harbor.corp.fabrikam.example"], "issuer": "public"},
            "pull_secret": true, "pull_secret_valid": true,
        }],
    });
    if has_gateway && dice.percent(85) {
        let mut site = json!({
            "name": "dc", "connections": ["s2s"], "prefixes": [dice.of(&["172.24.0.0/16", "172.24.8.0/24", "0.0.0.0/0", "172.24.0.0/15"])],
            "routes_to_azure": [dice.of(&["10.0.0.0/8", "10.1.0.0/16", "10.0.0.0/20", "10.1.0.0/25"]), "10.2.0.0/16"],
        });
        if dice.percent(60) {
            site["filter"] = json!("none");
        } else if dice.percent(50) {
            site["firewall"] = json!([{"from": [dice.of(&["10.1.0.0/16", "10.0.0.0/8", "10.1.0.0/25"])], "to": ["172.24.8.20/32"], "protocol": "tcp", "ports": dice.of(&["443", "*", "80"]), "action": dice.of(&["allow", "deny"])}]);
        }
        out["site"] = json!([site]);
        if dice.percent(80) {
            out["dns_server"] = json!([{
                "address": "172.24.0.53", "site": "dc",
                "zones": [{"name": "corp.fabrikam.example", "records": [{"name": "harbor", "type": "A", "values": ["172.24.8.20"]}]}],
                "forwards": [{"domain": ".", "to": [dice.of(&["public", "10.0.3.4", "168.63.129.16"])]}],
                "default": dice.of(&["refused", "unknown", "servfail", "root_hints"]),
            }]);
        }
    }
    if dice.percent(60) {
        out["appliance"] = json!([{
            "address": "10.0.4.4", "members": ["nva-1"],
            "forwards": [{"from": [dice.of(&["10.0.0.0/8", "10.1.0.0/24", "10.2.0.0/16"])], "to": [dice.of(&["0.0.0.0/0", "172.24.0.0/16", "10.0.2.4/32"])], "protocol": dice.of(&["tcp", "*"]), "ports": dice.of(&["443", "*"]), "action": "allow"}],
            "snat": dice.percent(30),
        }]);
    }
    doc.insert("declared".into(), out);
}
