//! What is replaced, what is kept, and that relations survive, piece by piece. Whole estates: `tests/tests/redact.rs`.

use std::net::IpAddr;

use ipnet::IpNet;
use proptest::prelude::*;
use serde_json::json;

use super::*;

const VNET: &str = "/subscriptions/3f1c7a52-9f0e-4c38-8a55-0d8f3a1b2c4d/resourceGroups/rg-contoso/providers/\
                    Microsoft.Network/virtualNetworks/vnet-contoso";

fn redactor(lines: &[Value]) -> Redactor {
    let mut survey = Survey::new();
    lines.iter().for_each(|line| survey.see(line));
    survey.redactor(Secret::of_phrase("of the tests"))
}

fn redacted(line: &Value) -> Value {
    redactor(std::slice::from_ref(line)).line(line)
}

fn at<'v>(json: &'v Value, pointer: &str) -> &'v str {
    json.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("nothing at {pointer} of {json}"))
}

#[test]
fn names_are_the_same_wherever_they_stand() {
    let out = redacted(&json!({
        "id": format!("{VNET}/subnets/snet-nodes"),
        "name": "snet-nodes",
        "properties": {
            "remote": VNET.to_uppercase(),
            "localSubnetNames": ["snet-nodes", "GatewaySubnet"],
            "unheardOf": "vnet-contoso"
        }
    }));
    let id = at(&out, "/id");
    assert!(id.ends_with(&format!("/subnets/{}", at(&out, "/name"))));
    assert_eq!(at(&out, "/properties/localSubnetNames/0"), at(&out, "/name"));
    assert_eq!(at(&out, "/properties/localSubnetNames/1"), "GatewaySubnet");
    // Equal but for letter case, as before.
    let (vnet, upper) = (
        id.trim_end_matches(at(&out, "/name")).trim_end_matches("/subnets/"),
        at(&out, "/properties/remote"),
    );
    assert!(vnet.eq_ignore_ascii_case(upper) && vnet != upper, "{vnet} {upper}");
    assert!(vnet.ends_with(at(&out, "/properties/unheardOf")));
    assert!(!out.to_string().to_lowercase().contains("contoso"));
}

#[test]
fn hosts_keep_their_labels_and_public_suffixes() {
    let redactor = redactor(&[]);
    let registry = redactor.word("contosoreg");
    assert_eq!(redactor.word("contosoreg.azurecr.io"), format!("{registry}.azurecr.io"));
    assert_eq!(
        redactor.word("contosoreg.westeurope.data.privatelink.azurecr.io."),
        format!("{registry}.westeurope.data.privatelink.azurecr.io.")
    );
    let domain = redactor.word("fabrikam.com");
    assert!(domain.ends_with(".com") && !domain.contains("fabrikam"));
    assert_eq!(redactor.word("*.fabrikam.com"), format!("*.{domain}"));
    assert!(redactor.word("harbor.fabrikam.com").ends_with(&format!(".{domain}")));
    for kept in [
        "mcr.microsoft.com",
        "*.data.mcr.microsoft.com",
        "registry-1.docker.io",
        "privatelink.azurecr.io",
        "privatelink.westeurope.azmk8s.io",
        "*.blob.core.windows.net",
        ".",
    ] {
        assert_eq!(redactor.word(kept), kept);
    }
    // Names of reverse zones and of wildcard DNS services hold addresses.
    assert!(!redactor.word("4.1.20.10.in-addr.arpa").contains("20"));
    assert!(!redactor.word("10.20.1.4.nip.io").contains("20"));
}

#[test]
fn record_sets_are_named_below_their_zone() {
    let zone = "/subscriptions/3f1c7a52-9f0e-4c38-8a55-0d8f3a1b2c4d/resourceGroups/rg/providers/\
                Microsoft.Network/privateDnsZones/corp.fabrikam.com";
    let out = redacted(&json!({
        "id": format!("{zone}/A/harbor.lab"),
        "name": "harbor.lab",
        "properties": {"fqdn": "harbor.lab.corp.fabrikam.com.", "aRecords": [{"ipv4Address": "10.1.0.4"}]}
    }));
    let id = at(&out, "/id");
    let zone = id.split('/').nth(8).unwrap_or_default();
    assert_eq!(at(&out, "/properties/fqdn"), format!("{}.{zone}.", at(&out, "/name")));
    assert!(id.ends_with(&format!("/A/{}", at(&out, "/name"))));
}

#[test]
fn node_resource_groups_and_scale_sets_are_those_of_their_cluster() {
    let cluster = json!({
        "id": "/subscriptions/3f1c7a52-9f0e-4c38-8a55-0d8f3a1b2c4d/resourceGroups/rg_aks/providers/\
               Microsoft.ContainerService/managedClusters/aks_prod",
        "location": "westeurope",
        "properties": {
            "nodeResourceGroup": "MC_rg_aks_aks_prod_westeurope",
            "agentPoolProfiles": [{"name": "sys"}, {"name": "win"}]
        }
    });
    let redactor = redactor(&[cluster]);
    let (group, name) = (redactor.word("rg_aks"), redactor.word("aks_prod"));
    assert_eq!(redactor.word("mc_RG_aks_aks_prod_westeurope"), format!("MC_{group}_{name}_westeurope"));
    let pool = redactor.word("sys");
    assert_eq!(redactor.word("aks-sys-12345678-vmss000003"), format!("aks-{pool}-12345678-vmss000003"));
    assert_eq!(redactor.word("akswin"), format!("aks{}", redactor.word("win")));
}

#[test]
fn guids_are_replaced_but_for_those_of_everybody() {
    let redactor = redactor(&[]);
    let own = "3f1c7a52-9f0e-4c38-8a55-0d8f3a1b2c4d";
    let other = redactor.word(own);
    assert_ne!(other, own);
    assert!(names::is_guid(&other));
    assert_eq!(redactor.word(&own.to_uppercase()), other.to_uppercase());
    for kept in ["00000000-0000-0000-0000-000000000000", "7f951dda-4ed3-4680-a7ca-43fe172d538d"] {
        assert_eq!(redactor.word(kept), kept);
    }
}

#[test]
fn unknown_fields_say_nothing() {
    let out = redacted(&json!({
        "id": VNET,
        "name": "vnet-contoso",
        "tags": {
            "costCenter": "Contoso Retail", "contoso-owner": "ada@contoso.com", "tier": "contosogold",
            "hidden-link:/subscriptions/x/resourceGroups/contoso": "Resource"
        },
        "properties": {
            "description": "the hub of Contoso",
            "novelty": {"vnet-contoso": {"owner": "Ada", "url": "https://ada:pw@wiki.contoso.com/hub?token=abc"}},
            "count": 3,
            "mode": "contoso's own"
        }
    }));
    let text = out.to_string().to_lowercase();
    for name in ["contoso", "ada", "retail", "wiki", "abc", "costcenter", "owner\":\"ada"] {
        assert!(!text.contains(name), "{name} in {text}");
    }
    assert_eq!(out.pointer("/properties/count"), Some(&json!(3)));
}

#[test]
fn words_of_the_api_are_kept() {
    let properties = json!({
        "provisioningState": "Succeeded", "protocol": "Tcp", "destinationAddressPrefix": "AzureContainerRegistry.WestEurope",
        "destinationPortRange": "443-445", "nextHopType": "VirtualAppliance", "sku": {"name": "Premium"},
        "createdOn": "2025-01-01T00:00:00.0000000Z", "kubernetesVersion": "1.33.2", "vmSize": "Standard_D4ds_v5",
        "nodeImageVersion": "AKSUbuntu-2204gen2containerd-202608.10.0", "fqdnTags": ["AzureKubernetesService"],
        "serviceName": "Microsoft.Network/dnsResolvers", "networkProfile": {"outboundType": "userDefinedRouting"}
    });
    let line = json!({"properties": properties});
    assert_eq!(redacted(&line), line);
}

#[test]
fn conditions_keep_their_meaning() {
    let condition = "((!(ActionMatches{'Microsoft.ContainerRegistry/registries/repositories/content/read'})) OR \
                     (@Request[Microsoft.ContainerRegistry/registries/repositories:name] \
                     StringStartsWithIgnoreCase 'team/ap'))";
    let line = json!({"properties": {"condition": condition, "repositories": ["team/app", "team/other"]}});
    let out = redacted(&line);
    let text = at(&out, "/properties/condition");
    let literal = text.rsplit('\'').nth(1).unwrap_or_default();
    assert_eq!(text, condition.replace("team/ap", literal));
    assert_ne!(literal, "team/ap");
    assert!(at(&out, "/properties/repositories/0").starts_with(literal));
    assert!(!at(&out, "/properties/repositories/1").starts_with(literal));
    // What is no language is no operator: it is somebody's.
    let odd =
        json!({"properties": {"condition": "@Principal[Contoso:Project] StringEquals 'apollo' AND contoso"}});
    let out = redacted(&odd).to_string().to_lowercase();
    assert!(!out.contains("contoso") && !out.contains("apollo"), "{out}");
}

#[test]
fn wildcards_still_match_what_they_matched() {
    let rules = json!({"rules": [{"targetFqdns": ["*contoso.azurecr.io", "prod*"]}]});
    let redactor = redactor(std::slice::from_ref(&rules));
    let out = redactor.line(&rules);
    let (tail, head) = (at(&out, "/rules/0/targetFqdns/0"), at(&out, "/rules/0/targetFqdns/1"));
    let matches = |name: &str| redactor.word(name).ends_with(tail.trim_start_matches('*'));
    assert!(matches("devcontoso.azurecr.io") && matches("contoso.azurecr.io"));
    assert!(!matches("fabrikam.azurecr.io"));
    assert!(redactor.word("prod-1").starts_with(head.trim_end_matches('*')));
    assert!(!redactor.word("pro").starts_with(head.trim_end_matches('*')));
}

#[test]
fn lines_of_the_native_form_stay_lines() {
    let lines = [
        json!({"pullproof": "snapshot/v1", "captured_to": "2026-11-30T06:00:00Z", "scopes": [VNET.get(..51)]}),
        json!({"pullproof": "gap", "resource": VNET, "types": ["Microsoft.Network/virtualNetworks"], "status": 403,
               "operation": "GET /subscriptions/s/resourceGroups/rg-contoso", "code": "AuthorizationFailed",
               "pointer": "/properties/subnets/0/properties/vnet-contoso",
               "reason": "ada@contoso.com may not read vnet-contoso"}),
        json!({"pullproof": "evidence", "resource": VNET, "operation": "effectiveRouteTable",
               "answer": {"value": [{"name": "to-contoso", "source": "User", "addressPrefix": ["10.2.0.0/16"],
               "nextHopIpAddress": ["10.0.1.4"], "nextHopType": "VirtualAppliance"}]}}),
        json!({"pullproof": "end", "complete": [{"scope": VNET.get(..51), "types": "*"}], "resources": 0}),
    ];
    let redactor = redactor(&lines);
    let out: Vec<Value> = lines.iter().map(|line| redactor.line(line)).collect();
    for (before, after) in lines.iter().zip(&out) {
        for kept in ["pullproof", "status", "code", "types", "captured_to", "resources"] {
            assert_eq!(before.get(kept), after.get(kept), "{kept}");
        }
        assert!(!after.to_string().contains("contoso"), "{after}");
    }
    assert_eq!(out[0]["scopes"][0], out[3]["complete"][0]["scope"]);
    assert_ne!(out[0]["scopes"][0], lines[0]["scopes"][0]);
    assert_eq!(out[1]["resource"], out[2]["resource"]);
    assert_eq!(out[2]["operation"], "effectiveRouteTable");
    assert!(at(&out[1], "/operation").starts_with("GET /subscriptions/"));
    assert!(at(&out[1], "/pointer").starts_with("/properties/subnets/0/properties/"));
}

#[test]
fn unknown_values_stay_the_same_unknown() {
    let hole = |name: &str| json!({"$unknown": name, "within": "10.0.0.0/24", "why": "module.contoso.id"});
    let line = json!({"properties": {"a": hole("contoso.one"), "b": hole("contoso.one"), "c": hole("contoso.two"),
                      "protocol": {"$unknown": "p", "within": ["Tcp", "Udp"]}}});
    let out = redacted(&line);
    assert_eq!(out["properties"]["a"], out["properties"]["b"]);
    assert_ne!(out["properties"]["a"]["$unknown"], out["properties"]["c"]["$unknown"]);
    assert_eq!(out["properties"]["protocol"]["within"], json!(["Tcp", "Udp"]));
    assert!(!out.to_string().contains("contoso"));
    assert_ne!(out["properties"]["a"]["within"], json!("10.0.0.0/24"));
}

#[test]
fn declared_facts_follow_the_snapshot() {
    let text = "version = 1\n[[registry]]\nname = \"harbor\"\nexpires = 2027-03-01\n[registry.certificate]\n\
                issuer = \"Contoso Root CA\"\nnames = [\"harbor.contoso.com\"]\n[[registry.hosts]]\n\
                host = \"harbor.contoso.com\"\nroles = [\"login\", \"token\"]\naddresses = [\"172.24.8.20\"]\n";
    let mut survey = Survey::new();
    assert!(survey.declared(text).is_ok());
    let redactor = survey.redactor(Secret::of_phrase("x"));
    let out = redactor.declared(text).unwrap_or_default();
    assert!(!out.to_lowercase().contains("contoso") && !out.contains("172.24.8.20"), "{out}");
    assert!(out.contains("expires = 2027-03-01") && out.contains("\"login\""), "{out}");
    assert!(out.contains(&format!("name = \"{}\"", redactor.word("harbor"))), "{out}");
    assert!(pullproof_snapshot::Declared::parse("pullproof.toml", &out).is_ok());
    assert!(redactor.declared("not = [").is_err());
}

#[test]
fn what_is_no_certificate_is_none_afterwards() {
    let redactor = redactor(&[]);
    for text in ["contoso", "Y29udG9zbw==", "-----BEGIN CERTIFICATE-----\ncontoso"] {
        let out = redactor.names.certificates(text);
        assert!(!out.contains("contoso") && !out.contains("Y29") && out.starts_with('?'), "{out}");
    }
}

#[test]
fn service_tags_are_public_and_keep_their_addresses() {
    let tags = json!({"changeNumber": 1, "cloud": "Public", "values": [{"name": "AzureContainerRegistry",
        "properties": {"addressPrefixes": ["20.38.140.0/25", "2603:1020:206::/48"]}}]});
    let rule = json!({"ipRules": [{"value": "20.38.140.9"}, {"value": "20.38.140.140"}, {"value": "2603:1020:206:1::5"}]});
    let redactor = redactor(&[tags.clone(), rule.clone()]);
    assert_eq!(redactor.line(&tags), tags);
    let out = redactor.line(&rule);
    let value = |i: usize| at(&out, &format!("/ipRules/{i}/value")).parse::<IpAddr>().ok();
    let holds = |net: &str, i: usize| {
        net.parse::<IpNet>().is_ok_and(|net| value(i).is_some_and(|address| net.contains(&address)))
    };
    assert!(holds("20.38.140.0/25", 0) && !holds("20.38.140.0/25", 1) && holds("2603:1020:206::/48", 2));
    assert_ne!(at(&out, "/ipRules/0/value"), "20.38.140.9");
}

#[test]
fn blocks_with_a_meaning_keep_their_addresses() {
    let seen: Vec<Value> =
        ["10.1.2.3", "172.17.0.9", "172.30.1.1", "192.168.7.7", "100.64.9.9", "203.0.113.9", "20.1.2.3"]
            .iter()
            .map(|address| json!({"ipAddress": address}))
            .collect();
    let redactor = redactor(&seen);
    for (address, net) in [
        ("10.1.2.3", "10.0.0.0/8"),
        ("172.17.0.9", "172.16.0.0/12"),
        ("172.30.1.1", "172.30.0.0/16"),
        ("192.168.7.7", "192.168.0.0/16"),
        ("100.64.9.9", "100.64.0.0/10"),
        ("203.0.113.9", "203.0.113.0/24"),
    ] {
        let out: IpAddr = redactor.word(address).parse().expect("an address");
        assert!(net.parse::<IpNet>().expect("a prefix").contains(&out), "{address} became {out}");
        assert_ne!(out.to_string(), address);
    }
    let public: IpAddr = redactor.word("20.1.2.3").parse().expect("an address");
    let reserved = pullproof_snapshot::facts::internet::not_public();
    assert!(reserved.iter().all(|net| net.parse::<IpNet>().is_ok_and(|net| !net.contains(&public))));
    for kept in [
        "168.63.129.16",
        "169.254.169.254",
        "127.0.0.1",
        "8.8.8.8",
        "255.255.255.255",
        "0.0.0.0/0",
        "::/0",
        "10.0.0.0/8",
    ] {
        assert_eq!(redactor.word(kept), kept);
    }
}

/// Prefixes of private space, /9 to /30, in groups so that they nest and touch.
fn prefixes() -> impl Strategy<Value = Vec<IpNet>> {
    let one = (0_u32..3, 9_u8..=30, any::<u32>()).prop_map(|(group, length, bits)| {
        let base = [0x0a00_0000_u32, 0x0a14_0000, 0xac14_0000][group as usize % 3];
        let address = base | (bits & [0x00ff_ffff, 0x0000_ffff, 0x0003_ffff][group as usize % 3]);
        IpNet::new(IpAddr::from(address.to_be_bytes()), length.max(if group == 2 { 14 } else { 9 }))
            .map(|net| net.trunc())
            .unwrap_or_default()
    });
    prop::collection::vec(one, 1..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn prefixes_keep_containment_order_neighbours_and_ranges(nets in prefixes(), phrase in "[a-z]{8}", subnet in any::<bool>()) {
        let range = |net: &IpNet, next: &IpNet| format!("{}-{}", net.network().min(next.network()), net.broadcast().max(next.broadcast()));
        let ranges: Vec<String> = nets.windows(2).map(|w| range(&w[0], &w[1])).collect();
        let parent = if subnet { "subnets" } else { "routes" };
        let line = json!({
            parent: nets.iter().map(|net| json!({"properties": {"addressPrefix": net.to_string()}})).collect::<Vec<_>>(),
            "rules": ranges.iter().map(|r| json!({"sourceAddresses": [r]})).collect::<Vec<_>>()
        });
        let mut survey = Survey::new();
        survey.see(&line);
        let redactor = survey.redactor(Secret::of_phrase(&phrase));
        let map = |text: &str| redactor.word(text);
        let after: Vec<IpNet> = nets.iter().map(|net| map(&net.to_string()).parse().expect("a prefix")).collect();
        for (a, x) in nets.iter().zip(&after) {
            prop_assert_eq!(a.prefix_len(), x.prefix_len());
            prop_assert_eq!(x.trunc(), *x);
            for (b, y) in nets.iter().zip(&after) {
                prop_assert_eq!(a.contains(b), x.contains(y), "{} {} became {} {}", a, b, x, y);
                prop_assert_eq!(a.cmp(b), x.cmp(y), "{} {} became {} {}", a, b, x, y);
                let follows = |a: &IpNet, b: &IpNet| number(a.broadcast()).checked_add(1) == Some(number(b.network()));
                prop_assert!(!follows(a, b) || follows(x, y), "{} {} became {} {}", a, b, x, y);
            }
            // The fourth address stays the fourth, the last the last.
            for offset in [0_u128, 3, (1 << (32 - u32::from(a.prefix_len()))) - 1] {
                if subnet && offset < 1 << (32 - u32::from(a.prefix_len())) {
                    let address = IpAddr::from(u32::try_from(number(a.network()) + offset).unwrap_or(0).to_be_bytes());
                    prop_assert_eq!(number(redactor.address(address)), number(x.network()) + offset);
                }
            }
        }
        for (i, before) in ranges.iter().enumerate() {
            let out = map(before);
            let (first, last) = out.split_once('-').expect("a range");
            let (first, last): (IpAddr, IpAddr) = (first.parse().expect("an address"), last.parse().expect("an address"));
            let ends: Vec<IpAddr> = before.split('-').map(|end| end.parse().expect("an address")).collect();
            prop_assert_eq!(number(last) - number(first), number(ends[1]) - number(ends[0]), "{} became {}", before, out);
            for (a, x) in nets.iter().zip(&after) {
                let inside = ends[0] <= a.network() && a.broadcast() <= ends[1];
                prop_assert_eq!(inside, first <= x.network() && x.broadcast() <= last, "range {} {}", i, before);
            }
        }
    }

    #[test]
    fn no_two_addresses_become_one(addresses in prop::collection::btree_set(any::<u32>(), 2..64), phrase in "[a-z]{8}") {
        let line: Value = addresses.iter().map(|a| json!({"ipAddress": IpAddr::from(a.to_be_bytes()).to_string()})).collect();
        let mut survey = Survey::new();
        survey.see(&line);
        let redactor = survey.redactor(Secret::of_phrase(&phrase));
        let after: std::collections::BTreeSet<IpAddr> =
            addresses.iter().map(|a| redactor.address(IpAddr::from(a.to_be_bytes()))).collect();
        prop_assert_eq!(after.len(), addresses.len());
    }
}

fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => u128::from(v4.to_bits()),
        IpAddr::V6(v6) => v6.to_bits(),
    }
}
