//! One test a rule of dns.md; each has a twin in which the deciding element differs.

use pullproof_snapshot::question::{LookupAnswer, LookupResult};
use serde_json::{Value, json};

use super::{firewall_lookup, node_lookup, subnet_lookup, vnet_lookup};
use crate::fixture::{
    SUBSCRIPTION, cluster, connection, id, node, nodes, partial, peer, plain, registry, resource, vnet, zone,
};
use crate::plain::Plain;

const HOST: &str = "acme.azurecr.io";
const PUBLIC: &str = "[[public_name]]\nhost = \"acme.azurecr.io\"\n\
    cname = [\"acme.privatelink.azurecr.io\"]\naddresses = [\"203.0.113.10\"]\n";

fn ask(plain: &Plain, name: &str) -> LookupAnswer {
    subnet_lookup(plain, &nodes("spoke"), name, "A")
}

fn answers(answer: &LookupAnswer, addresses: &[&str]) {
    assert_eq!(answer.result, LookupResult::Answer, "{answer:?}");
    assert_eq!(answer.addresses, addresses, "{answer:?}");
}

fn is(answer: &LookupAnswer, result: LookupResult) {
    assert_eq!(answer.result, result, "{answer:?}");
    assert_eq!(answer.missing.is_empty(), result != LookupResult::Unknown, "{answer:?}");
}

fn with(mut a: Vec<Value>, b: Vec<Value>) -> Vec<Value> {
    a.extend(b);
    a
}

fn acr_zone(vnets: &[&str], records: &[(&str, &str)]) -> Vec<Value> {
    zone("privatelink.azurecr.io", vnets, records)
}

#[test]
fn zones_answer_the_networks_that_they_are_linked_to() {
    let spoke = || vec![vnet("spoke", 11, &[], &[])];
    let linked = plain(with(spoke(), acr_zone(&["spoke"], &[("acme", "10.10.2.4")])), PUBLIC);
    answers(&ask(&linked, HOST), &["10.10.2.4"]);
    assert_eq!(ask(&linked, HOST).scope.as_deref(), Some("private"));
    assert_eq!(ask(&linked, HOST).cname, ["acme.privatelink.azurecr.io"]);
    let not_linked = plain(with(spoke(), acr_zone(&[], &[("acme", "10.10.2.4")])), PUBLIC);
    answers(&ask(&not_linked, HOST), &["203.0.113.10"]);
    assert_eq!(ask(&not_linked, HOST).scope.as_deref(), Some("public"));
}

#[test]
fn a_linked_zone_does_not_fall_through() {
    let empty = plain(with(vec![vnet("spoke", 11, &[], &[])], acr_zone(&["spoke"], &[])), PUBLIC);
    is(&ask(&empty, HOST), LookupResult::Nxdomain);
    let mut resources = with(vec![vnet("spoke", 11, &[], &[])], acr_zone(&["spoke"], &[]));
    resources[2]["properties"]["resolutionPolicy"] = json!("NxDomainRedirect");
    answers(&ask(&plain(resources.clone(), PUBLIC), HOST), &["203.0.113.10"]);
    if let Some(properties) = resources[2]["properties"].as_object_mut() {
        properties.remove("resolutionPolicy");
    }
    is(&ask(&plain(resources.clone(), PUBLIC), HOST), LookupResult::Unknown);
    resources[2]["properties"]["virtualNetworkLinkState"] = json!("InProgress");
    is(&ask(&plain(resources, PUBLIC), HOST), LookupResult::Unknown);
}

#[test]
fn links_in_subscriptions_that_were_not_read_are_not_absent() {
    let resources = with(vec![vnet("spoke", 11, &[], &[])], acr_zone(&["spoke"], &[("acme", "10.10.2.4")]));
    let open = partial(resources, PUBLIC, |builder| {
        builder.complete.state(SUBSCRIPTION, "Microsoft.Network/virtualNetworks", true);
    });
    is(&ask(&open, HOST), LookupResult::Unknown);
    is(&ask(&open, "acme.privatelink.azurecr.io"), LookupResult::Unknown);
}

#[test]
fn the_longest_zone_alone_decides() {
    let parent = acr_zone(&["spoke"], &[("acme.eastus.data", "10.10.2.5")]);
    let name = "acme.eastus.data.privatelink.azurecr.io";
    let one = plain(with(vec![vnet("spoke", 11, &[], &[])], parent.clone()), "");
    answers(&ask(&one, name), &["10.10.2.5"]);
    let child = zone("eastus.data.privatelink.azurecr.io", &["spoke"], &[]);
    let both = plain(with(with(vec![vnet("spoke", 11, &[], &[])], parent), child), "");
    is(&ask(&both, name), LookupResult::Nxdomain);
}

#[test]
fn wildcards_stop_at_the_closest_encloser() {
    let records = &[("*", "10.10.2.4"), ("acme.eastus.data", "10.10.2.5")];
    let plain = plain(with(vec![vnet("spoke", 11, &[], &[])], acr_zone(&["spoke"], records)), "");
    answers(&ask(&plain, "other.privatelink.azurecr.io"), &["10.10.2.4"]);
    is(&ask(&plain, "other.eastus.data.privatelink.azurecr.io"), LookupResult::Nxdomain);
    is(&ask(&plain, "eastus.data.privatelink.azurecr.io"), LookupResult::Nodata);
}

#[test]
fn the_public_alias_follows_the_private_endpoints() {
    let chain = |state: Option<&str>| {
        let connections: Vec<Value> = state.into_iter().map(|state| connection("pe", state)).collect();
        let resources =
            vec![vnet("spoke", 11, &[], &[]), registry(json!({ "privateEndpointConnections": connections }))];
        plain(with(resources, acr_zone(&["spoke"], &[])), "")
    };
    is(&ask(&chain(Some("Approved")), HOST), LookupResult::Nxdomain);
    answers(&ask(&chain(None), HOST), &[]);
    assert_eq!(ask(&chain(None), HOST).scope.as_deref(), Some("public"));
    is(&ask(&chain(Some("Pending")), HOST), LookupResult::Unknown);
    let elsewhere = plain(with(vec![vnet("spoke", 11, &[], &[])], acr_zone(&["spoke"], &[])), "");
    is(&ask(&elsewhere, "vendor.azurecr.io"), LookupResult::Unknown);
}

#[test]
fn undeclared_names_of_no_documented_shape_are_unknown() {
    let plain = plain(vec![vnet("spoke", 11, &[], &[])], "[[public_name]]\nhost = \"gone.contoso.com\"\n");
    is(&ask(&plain, "harbor.contoso.com"), LookupResult::Unknown);
    is(&ask(&plain, "gone.contoso.com"), LookupResult::Nxdomain);
    is(&ask(&plain, "harbor.harbor.svc.cluster.local"), LookupResult::Nxdomain);
    answers(&ask(&plain, "mcr.microsoft.com"), &[]);
}

fn hub_and_spoke(servers: &[&str], more: &[(&str, &str)]) -> Vec<Value> {
    let mut hub = vnet("hub", 10, &[], more);
    let mut spoke = vnet("spoke", 11, servers, &[]);
    peer(&mut hub, &mut spoke);
    vec![hub, spoke]
}

fn resolver() -> Vec<Value> {
    let subnet =
        |name: &str| json!({ "id": id(&format!("Microsoft.Network/virtualNetworks/hub/subnets/{name}")) });
    let path = "Microsoft.Network/dnsResolvers/dpr";
    vec![
        resource(path, json!({ "virtualNetwork": { "id": id("Microsoft.Network/virtualNetworks/hub") } })),
        resource(
            &format!("{path}/inboundEndpoints/in"),
            json!({
                "ipConfigurations": [{ "subnet": subnet("inbound"), "privateIpAddress": "10.10.0.4" }],
            }),
        ),
        resource(&format!("{path}/outboundEndpoints/out"), json!({ "subnet": subnet("outbound") })),
    ]
}

const RESOLVER_SUBNETS: &[(&str, &str)] = &[("inbound", "10.10.0.0/28"), ("outbound", "10.10.0.16/28")];

fn ruleset(vnet: &str, rules: &[(&str, &str)]) -> Vec<Value> {
    let path = "Microsoft.Network/dnsForwardingRulesets/rs";
    let mut out = vec![
        resource(
            path,
            json!({ "dnsResolverOutboundEndpoints": [
            { "id": id("Microsoft.Network/dnsResolvers/dpr/outboundEndpoints/out") }] }),
        ),
        resource(
            &format!("{path}/virtualNetworkLinks/l"),
            json!({
            "virtualNetwork": { "id": id(&format!("Microsoft.Network/virtualNetworks/{vnet}")) } }),
        ),
    ];
    for (n, (domain, target)) in rules.iter().enumerate() {
        out.push(resource(
            &format!("{path}/forwardingRules/r{n}"),
            json!({
            "domainName": domain, "forwardingRuleState": "Enabled",
            "targetDnsServers": [{ "ipAddress": target, "port": 53 }] }),
        ));
    }
    out
}

#[test]
fn an_inbound_endpoint_sees_the_zones_of_its_own_network() {
    let env = |linked: &str| {
        let zone = acr_zone(&[linked], &[("acme", "10.10.2.4")]);
        plain(with(with(hub_and_spoke(&["10.10.0.4"], RESOLVER_SUBNETS), resolver()), zone), PUBLIC)
    };
    answers(&ask(&env("hub"), HOST), &["10.10.2.4"]);
    answers(&ask(&env("spoke"), HOST), &["203.0.113.10"]);
}

#[test]
fn rules_take_asked_names_before_the_zone_of_the_alias() {
    let env = |rules: &[(&str, &str)]| {
        let subnets = [RESOLVER_SUBNETS, DNS_SUBNET].concat();
        let base = with(with(hub_and_spoke(&[], &subnets), resolver()), dns_vm("running"));
        let zone = acr_zone(&["hub"], &[("acme", "10.10.2.4")]);
        plain(with(with(base, zone), ruleset("spoke", rules)), PUBLIC)
    };
    answers(&ask(&env(&[("azurecr.io.", "10.10.0.4")]), HOST), &["10.10.2.4"]);
    // Whether a rule takes the target of an alias is open (D96); asked directly it does.
    let alias = env(&[("privatelink.azurecr.io.", "10.10.0.4")]);
    is(&ask(&alias, HOST), LookupResult::Unknown);
    answers(&ask(&alias, "acme.privatelink.azurecr.io"), &["10.10.2.4"]);
    // The rule `.` leaves registries to Azure DNS (D93) and takes others to a server that nobody declared.
    let all = env(&[(".", "10.10.3.4")]);
    is(&ask(&all, "harbor.contoso.com"), LookupResult::Unknown);
    is(&ask(&env(&[(".", "10.10.3.9")]), "harbor.contoso.com"), LookupResult::Timeout); // nobody has this address
}

#[test]
fn a_rule_back_to_the_own_network_loops() {
    let base = with(hub_and_spoke(&["10.10.0.4"], RESOLVER_SUBNETS), resolver());
    let plain = plain(with(base, ruleset("hub", &[("azurecr.io.", "10.10.0.4")])), PUBLIC);
    is(&ask(&plain, HOST), LookupResult::Loop);
}

fn policy(rules: Value) -> Vec<Value> {
    let path = "Microsoft.Network/dnsResolverPolicies/pol";
    let mut out = vec![
        resource(path, json!({})),
        resource(
            &format!("{path}/virtualNetworkLinks/l"),
            json!({
            "virtualNetwork": { "id": id("Microsoft.Network/virtualNetworks/spoke") } }),
        ),
    ];
    for rule in rules.as_array().into_iter().flatten() {
        let priority = rule[0].to_string();
        let list = format!("Microsoft.Network/dnsResolverDomainLists/l{priority}");
        out.push(resource(&list, json!({ "domains": [rule[2]] })));
        out.push(resource(
            &format!("{path}/dnsSecurityRules/r{priority}"),
            json!({
            "priority": rule[0], "action": { "actionType": rule[1] }, "dnsSecurityRuleState": "Enabled",
            "dnsResolverDomainLists": [{ "id": id(&list) }] }),
        ));
    }
    out
}

#[test]
fn policies_go_by_priority() {
    let env = |rules: Value| plain(with(vec![vnet("spoke", 11, &[], &[])], policy(rules)), PUBLIC);
    is(&ask(&env(json!([[100, "Block", "."]])), HOST), LookupResult::Blocked);
    answers(&ask(&env(json!([[200, "Block", "."], [100, "Allow", "azurecr.io."]])), HOST), &["203.0.113.10"]);
    is(&ask(&env(json!([[100, "Block", "privatelink.azurecr.io."]])), HOST), LookupResult::Unknown);
}

fn dns_vm(power: &str) -> Vec<Value> {
    let subnet = json!({ "id": id("Microsoft.Network/virtualNetworks/hub/subnets/dns") });
    let machine = id("Microsoft.Compute/virtualMachines/dns");
    vec![
        resource(
            "Microsoft.Network/networkInterfaces/dns",
            json!({
            "virtualMachine": { "id": machine },
            "ipConfigurations": [{ "properties": { "privateIPAddress": "10.10.3.4", "subnet": subnet } }] }),
        ),
        resource(
            "Microsoft.Compute/virtualMachines/dns",
            json!({
            "instanceView": { "statuses": [{ "code": format!("PowerState/{power}") }] } }),
        ),
    ]
}

const DNS_SUBNET: &[(&str, &str)] = &[("dns", "10.10.3.0/24")];

fn vm_env(power: &str, servers: &[&str], linked: &str, server: &str) -> Plain {
    let zone = acr_zone(&[linked], &[("acme", "10.10.2.4")]);
    let declared = format!("{PUBLIC}{server}");
    plain(with(with(hub_and_spoke(servers, DNS_SUBNET), dns_vm(power)), zone), &declared)
}

const TO_AZURE: &str =
    "[[dns_server]]\naddress = \"10.10.3.4\"\nforwards = [{ domain = \".\", to = [\"168.63.129.16\"] }]\n";
const ROOT_HINTS: &str = "[[dns_server]]\naddress = \"10.10.3.4\"\ndefault = \"root_hints\"\n";
const SERVFAIL: &str = "[[dns_server]]\naddress = \"10.10.3.4\"\ndefault = \"servfail\"\n";

#[test]
fn a_server_is_seen_by_azure_dns_in_its_own_network() {
    answers(&ask(&vm_env("running", &["10.10.3.4"], "hub", TO_AZURE), HOST), &["10.10.2.4"]);
    answers(&ask(&vm_env("running", &["10.10.3.4"], "spoke", TO_AZURE), HOST), &["203.0.113.10"]);
    answers(&ask(&vm_env("running", &["10.10.3.4"], "hub", ROOT_HINTS), HOST), &["203.0.113.10"]);
    is(&ask(&vm_env("running", &["10.10.3.4"], "hub", ""), HOST), LookupResult::Unknown);
}

#[test]
fn the_next_server_is_asked_after_silence_and_failure_only() {
    let two = &["10.10.3.4", "168.63.129.16"];
    answers(&ask(&vm_env("deallocated", two, "spoke", ROOT_HINTS), HOST), &["10.10.2.4"]);
    answers(&ask(&vm_env("running", two, "spoke", ROOT_HINTS), HOST), &["203.0.113.10"]);
    answers(&ask(&vm_env("running", two, "spoke", SERVFAIL), HOST), &["10.10.2.4"]);
    is(&ask(&vm_env("running", two, "spoke", ""), HOST), LookupResult::Unknown);
    is(&ask(&vm_env("deallocated", &["10.10.3.4"], "spoke", ""), HOST), LookupResult::Timeout);
    let fourth = &["127.0.0.1", "127.0.0.2", "127.0.0.3", "168.63.129.16"];
    is(&ask(&vm_env("running", fourth, "spoke", ""), HOST), LookupResult::Timeout);
}

#[test]
fn declared_zones_and_forwarders_go_by_the_longest_name() {
    let server = "[[dns_server]]\naddress = \"10.10.3.4\"\n\
        forwards = [{ domain = \".\", to = [\"public\"] }, { domain = \"lab.contoso.com\", to = [\"168.63.129.16\"] }]\n\
        zones = [{ name = \"contoso.com\", records = [{ name = \"harbor\", type = \"A\", values = [\"10.9.9.9\"] }, \
        { name = \"alias\", type = \"CNAME\", values = [\"harbor.contoso.com\"] }] }]\n";
    let plain = vm_env("running", &["10.10.3.4"], "hub", server);
    answers(&ask(&plain, "harbor.contoso.com"), &["10.9.9.9"]);
    answers(&ask(&plain, "alias.contoso.com"), &["10.9.9.9"]);
    is(&ask(&plain, "other.contoso.com"), LookupResult::Nxdomain);
    is(&ask(&plain, "x.lab.contoso.com"), LookupResult::Unknown);
    answers(&ask(&plain, HOST), &["203.0.113.10"]);
}

#[test]
fn upstreams_that_differ_are_unknown() {
    let server = "[[dns_server]]\naddress = \"10.10.3.4\"\n\
        forwards = [{ domain = \".\", to = [\"public\", \"168.63.129.16\"] }]\n";
    is(&ask(&vm_env("running", &["10.10.3.4"], "hub", server), HOST), LookupResult::Unknown);
    answers(&ask(&vm_env("running", &["10.10.3.4"], "spoke", server), HOST), &["203.0.113.10"]);
}

fn firewall(settings: Value) -> Vec<Value> {
    let subnet = json!({ "id": id("Microsoft.Network/virtualNetworks/hub/subnets/AzureFirewallSubnet") });
    vec![
        resource("Microsoft.Network/firewallPolicies/parent", json!({ "dnsSettings": settings })),
        resource(
            "Microsoft.Network/firewallPolicies/child",
            json!({
            "basePolicy": { "id": id("Microsoft.Network/firewallPolicies/parent") } }),
        ),
        resource(
            "Microsoft.Network/azureFirewalls/fw",
            json!({
            "firewallPolicy": { "id": id("Microsoft.Network/firewallPolicies/child") },
            "ipConfigurations": [{ "properties": { "privateIPAddress": "10.10.5.4", "subnet": subnet } }] }),
        ),
    ]
}

#[test]
fn a_firewall_resolves_as_its_own_network_sees_it() {
    let env = |settings: Value, linked: &str| {
        let base = hub_and_spoke(&["10.10.5.4"], &[("AzureFirewallSubnet", "10.10.5.0/26")]);
        let zone = acr_zone(&[linked], &[("acme", "10.10.2.4")]);
        plain(with(with(base, firewall(settings)), zone), PUBLIC)
    };
    let firewall = pullproof_snapshot::ArmId::new(&id("Microsoft.Network/azureFirewalls/fw"));
    answers(&ask(&env(json!({ "enableProxy": true }), "hub"), HOST), &["10.10.2.4"]);
    answers(&ask(&env(json!({ "enableProxy": true, "servers": [] }), "spoke"), HOST), &["203.0.113.10"]);
    let off = env(json!({ "enableProxy": false }), "hub");
    is(&ask(&off, HOST), LookupResult::Timeout);
    answers(&firewall_lookup(&off, &firewall, HOST, "A"), &["10.10.2.4"]);
}

#[test]
fn local_dns_takes_the_first_reply_of_any_kind() {
    let env = |profile: Value, server: &str| {
        let mut pool = cluster("spoke", json!({}));
        pool["properties"]["agentPoolProfiles"][0]["localDNSProfile"] = profile;
        let two = &["10.10.3.4", "168.63.129.16"];
        let zone = acr_zone(&["spoke"], &[("acme", "10.10.2.4")]);
        let base = with(with(hub_and_spoke(two, DNS_SUBNET), dns_vm("running")), zone);
        plain(with(base, vec![pool]), &format!("{PUBLIC}{server}"))
    };
    let from = node("spoke", 11);
    answers(&node_lookup(&env(json!(null), SERVFAIL), &from, HOST, "A"), &["10.10.2.4"]);
    let on = json!({ "mode": "Required", "state": "Enabled" });
    is(&node_lookup(&env(on.clone(), SERVFAIL), &from, HOST, "A"), LookupResult::Servfail);
    answers(&node_lookup(&env(on, ROOT_HINTS), &from, HOST, "A"), &["203.0.113.10"]);
    let to_cluster = json!({ "state": "Enabled", "vnetDNSOverrides": {
        "azurecr.io": { "forwardDestination": "ClusterCoreDNS" } } });
    is(&node_lookup(&env(to_cluster, ROOT_HINTS), &from, HOST, "A"), LookupResult::Unknown);
    let random = json!({ "state": "Enabled", "vnetDNSOverrides": { ".": { "forwardPolicy": "Random" } } });
    is(&node_lookup(&env(random, ROOT_HINTS), &from, HOST, "A"), LookupResult::Unknown);
}

#[test]
fn servers_of_a_scale_set_replace_those_of_the_network() {
    let mut set = resource(
        "Microsoft.Compute/virtualMachineScaleSets/aks-np-1-vmss",
        json!({
        "virtualMachineProfile": { "networkProfile": { "networkInterfaceConfigurations": [{ "properties": {
            "primary": true, "dnsSettings": { "dnsServers": ["168.63.129.16"] } } }] } } }),
    );
    set["id"] = json!(format!(
        "{SUBSCRIPTION}/resourceGroups/nodes/providers/Microsoft.Compute/virtualMachineScaleSets/aks-np-1-vmss"
    ));
    set["tags"] = json!({ "aks-managed-poolName": "np" });
    let zone = acr_zone(&["spoke"], &[("acme", "10.10.2.4")]);
    let base = with(vec![vnet("spoke", 11, &["127.0.0.1"], &[]), cluster("spoke", json!({}))], zone);
    is(&ask(&plain(base.clone(), PUBLIC), HOST), LookupResult::Timeout);
    let plain = plain(with(base, vec![set]), PUBLIC);
    answers(&ask(&plain, HOST), &["10.10.2.4"]);
    let spoke = pullproof_snapshot::ArmId::new(&id("Microsoft.Network/virtualNetworks/spoke"));
    is(&vnet_lookup(&plain, &spoke, HOST, "A"), LookupResult::Timeout);
}

#[test]
fn what_lists_a_networks_rulesets_stands_for_subscriptions_that_were_not_read() {
    let env = |rulesets: Value| {
        let resources =
            with(vec![vnet("spoke", 11, &[], &[])], acr_zone(&["spoke"], &[("acme", "10.10.2.4")]));
        partial(resources, PUBLIC, |builder| {
            for kind in [
                "privateDnsZones",
                "privateDnsZones/A",
                "privateDnsZones/CNAME",
                "privateDnsZones/virtualNetworkLinks",
                "dnsResolverPolicies/virtualNetworkLinks",
                "virtualNetworks",
                "networkInterfaces",
                "networkManagers",
            ] {
                builder.complete.state(SUBSCRIPTION, &format!("Microsoft.Network/{kind}"), true);
            }
            builder.evidence.push(pullproof_snapshot::Evidence {
                resource: pullproof_snapshot::ArmId::new(&id("Microsoft.Network/virtualNetworks/spoke")),
                operation: "listDnsForwardingRulesets".into(),
                captured: None,
                answer: json!({ "value": rulesets }),
            });
        })
    };
    answers(&ask(&env(json!([])), HOST), &["10.10.2.4"]);
    is(
        &ask(&env(json!([{ "id": id("Microsoft.Network/dnsForwardingRulesets/elsewhere") }])), HOST),
        LookupResult::Unknown,
    );
}

#[test]
fn one_rule_or_machine_that_could_not_be_read_leaves_it_open() {
    let gap = |resource: &str| pullproof_snapshot::Gap {
        resource: Some(id(resource)),
        ..pullproof_snapshot::Gap::default()
    };
    let env = |unread: &[&str]| {
        let base = with(hub_and_spoke(&[], RESOLVER_SUBNETS), resolver());
        let zone = acr_zone(&["spoke"], &[("acme", "10.10.2.4")]);
        let resources = with(with(base, zone), ruleset("spoke", &[("contoso.com.", "10.10.0.4")]));
        partial(resources, PUBLIC, |builder| {
            builder.complete.state(SUBSCRIPTION, "*", true);
            builder.gaps.extend(unread.iter().map(|resource| gap(resource)));
        })
    };
    answers(&ask(&env(&[]), HOST), &["10.10.2.4"]);
    for unread in [
        "Microsoft.Network/dnsForwardingRulesets/rs/forwardingRules/r9",
        "Microsoft.Network/privateDnsZones/azurecr.io/virtualNetworkLinks/l",
        "Microsoft.ContainerService/managedClusters/unread",
    ] {
        is(&ask(&env(&[unread]), HOST), LookupResult::Unknown);
    }
}

fn balancer(protocol: &str) -> Vec<Value> {
    let path = "Microsoft.Network/loadBalancers/dns";
    let front = json!({ "id": id(&format!("{path}/frontendIPConfigurations/f")) });
    let pool = json!({ "id": id(&format!("{path}/backendAddressPools/p")) });
    let subnet = json!({ "id": id("Microsoft.Network/virtualNetworks/hub/subnets/dns") });
    let mut machine = dns_vm("running");
    machine[0]["properties"]["ipConfigurations"][0]["properties"]["loadBalancerBackendAddressPools"] =
        json!([pool]);
    machine[0]["properties"]["ipConfigurations"][0]["id"] =
        json!(id("Microsoft.Network/networkInterfaces/dns/ipConfigurations/c"));
    let mut balancer = resource(
        path,
        json!({
        "frontendIPConfigurations": [{ "id": front["id"], "name": "f",
            "properties": { "privateIPAddress": "10.10.3.100", "subnet": subnet } }],
        "backendAddressPools": [{ "id": pool["id"], "name": "p", "properties": { "backendIPConfigurations": [
            { "id": id("Microsoft.Network/networkInterfaces/dns/ipConfigurations/c") }] } }],
        "loadBalancingRules": [{ "properties": { "frontendIPConfiguration": front, "backendAddressPool": pool,
            "protocol": protocol, "frontendPort": 53, "backendPort": 53 } }] }),
    );
    balancer["sku"] = json!({ "name": "Standard" });
    machine.push(balancer);
    machine
}

#[test]
fn behind_a_load_balancer_the_backends_answer() {
    let env = |protocol: &str| {
        let zone = acr_zone(&["hub"], &[("acme", "10.10.2.4")]);
        let base = with(hub_and_spoke(&["10.10.3.100"], DNS_SUBNET), balancer(protocol));
        plain(with(base, zone), &format!("{PUBLIC}{TO_AZURE}"))
    };
    answers(&ask(&env("Udp"), HOST), &["10.10.2.4"]);
    assert_ne!(ask(&env("Tcp"), HOST).result, LookupResult::Answer);
}

#[test]
fn one_address_in_two_networks_is_two_servers() {
    let env = |linked: &str| {
        let mut base = with(hub_and_spoke(&["10.10.3.4"], DNS_SUBNET), dns_vm("running"));
        let mut twin = vnet("twin", 10, &[], DNS_SUBNET);
        twin["id"] = json!(id("Microsoft.Network/virtualNetworks/twin"));
        let subnet = json!({ "id": id("Microsoft.Network/virtualNetworks/twin/subnets/dns") });
        base.push(twin);
        base.push(resource(
            "Microsoft.Network/networkInterfaces/twin",
            json!({
            "ipConfigurations": [{ "properties": { "privateIPAddress": "10.10.3.4", "subnet": subnet } }] }),
        ));
        let servers = format!("{}vnet = \"hub\"\n{}vnet = \"twin\"\n", TO_AZURE, ROOT_HINTS);
        let zone = acr_zone(&[linked], &[("acme", "10.10.2.4")]);
        plain(with(base, zone), &format!("{PUBLIC}{servers}"))
    };
    answers(&ask(&env("hub"), HOST), &["10.10.2.4"]);
    answers(&ask(&env("twin"), HOST), &["203.0.113.10"]);
}

#[test]
fn strict_takes_declared_facts_back() {
    let mut plain = vm_env("running", &["10.10.3.4"], "hub", TO_AZURE);
    answers(&ask(&plain, HOST), &["10.10.2.4"]);
    plain.strict = true;
    is(&ask(&plain, HOST), LookupResult::Unknown);
}
