//! Azure Firewall: order, matching, translation.

use pullproof_network::Network;
use pullproof_network::model::index::FirewallIx;
use pullproof_network::set::{Addresses, Ports};
use pullproof_prover::firewall::{FirewallVerdict, Translation};
use pullproof_prover::path::{SeenAs, Target};
use pullproof_prover::{Proto, Prover};
use serde_json::{Value, json};

use crate::world::{World, net, public_host};

fn subnet() -> String {
    format!("{}/subnets/AzureFirewallSubnet", net("virtualNetworks", "hub"))
}

/// A firewall at 10.0.250.4 (203.0.113.40) in `hub`, with a policy or with classic rules.
fn firewall(properties: Value) -> World {
    let mut all = json!({ "ipConfigurations": [{ "name": "one", "properties": {
        "privateIPAddress": "10.0.250.4", "subnet": { "id": subnet() },
        "publicIPAddress": { "id": net("publicIPAddresses", "pip") },
    }}]});
    for (key, value) in properties.as_object().unwrap() {
        all[key] = value.clone();
    }
    World::default()
        .with(json!({ "id": net("virtualNetworks", "hub"), "properties": {
            "addressSpace": { "addressPrefixes": ["10.0.0.0/16"] },
            "subnets": [{ "name": "AzureFirewallSubnet", "properties": { "addressPrefix": "10.0.250.0/26" } }],
        }}))
        .with(json!({ "id": net("publicIPAddresses", "pip"), "properties": { "ipAddress": "203.0.113.40" } }))
        .with(json!({ "id": net("azureFirewalls", "fw"), "properties": all }))
}

fn policy_of(policy: &str) -> Value {
    json!({ "firewallPolicy": { "id": net("firewallPolicies", policy) } })
}

fn policy(name: &str, more: Value) -> Value {
    json!({ "id": net("firewallPolicies", name), "properties": more })
}

fn group(policy: &str, name: &str, priority: u32, collections: Value) -> Value {
    let id = net("firewallPolicies", &format!("{policy}/ruleCollectionGroups/{name}"));
    json!({ "id": id, "properties": { "priority": priority, "ruleCollections": collections } })
}

fn collection(name: &str, priority: u32, action: &str, rules: Value) -> Value {
    json!({ "ruleCollectionType": "FirewallPolicyFilterRuleCollection", "name": name, "priority": priority,
        "action": { "type": action }, "rules": rules })
}

fn network_rule(name: &str, changes: Value) -> Value {
    let mut rule = json!({ "ruleType": "NetworkRule", "name": name, "ipProtocols": ["TCP"],
        "sourceAddresses": ["*"], "destinationAddresses": ["*"], "destinationPorts": ["443"] });
    for (key, value) in changes.as_object().unwrap() {
        rule[key] = value.clone();
    }
    rule
}

fn application_rule(name: &str, fqdn: &str, changes: Value) -> Value {
    let mut rule = json!({ "ruleType": "ApplicationRule", "name": name, "sourceAddresses": ["*"],
        "protocols": [{ "protocolType": "Https", "port": 443 }], "targetFqdns": [fqdn] });
    for (key, value) in changes.as_object().unwrap() {
        rule[key] = value.clone();
    }
    rule
}

/// A firewall with one policy of one group with these collections.
fn one_group(collections: Value) -> Network {
    firewall(policy_of("p")).with(policy("p", json!({}))).with(group("p", "g", 100, collections)).read()
}

#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Network,
    Application,
    Denied(String),
    Open(String),
}

impl Fate {
    #[track_caller]
    fn denied_by(&self, words: &str) {
        assert!(matches!(self, Self::Denied(text) if text.contains(words)), "{self:?}");
    }

    #[track_caller]
    fn open_on(&self, words: &str) {
        assert!(matches!(self, Self::Open(text) if text.contains(words)), "{self:?}");
    }
}

fn ix(network: &Network) -> FirewallIx {
    network.firewalls.iter().next().unwrap().0
}

#[track_caller]
fn ask(network: &Network, to: &str, host: Option<&str>) -> Fate {
    let target = match to.parse() {
        Ok(address) => Target::Address(address),
        Err(_) => public_host(to),
    };
    let prover = Prover::new(network);
    let sources: Addresses = "10.1.0.0/24".parse().unwrap();
    let parts =
        prover.firewall(ix(network), &sources, &Ports::range(32768, 60999), &target, Proto::Tcp, 443, host);
    let [part] = parts.as_slice() else { panic!("{parts:?}") };
    match &part.verdict {
        FirewallVerdict::Network(_) => Fate::Network,
        FirewallVerdict::Application { .. } => Fate::Application,
        FirewallVerdict::Deny(blocker) => Fate::Denied(blocker.message.clone()),
        FirewallVerdict::Open(missing, _) => Fate::Open(missing.what.clone()),
    }
}

const LOGIN: &str = "contosoreg.azurecr.io";

#[test]
fn nothing_matches_is_denied() {
    let network = one_group(json!([collection(
        "c",
        100,
        "Allow",
        json!([application_rule("r", "mcr.microsoft.com", json!({}))])
    )]));
    ask(&network, "203.0.113.7", Some(LOGIN)).denied_by("no rule allows");
    assert_eq!(ask(&network, "203.0.113.7", Some("mcr.microsoft.com")), Fate::Application);
}

#[test]
fn network_rules_come_before_application_rules() {
    let both = |network_action: &str| {
        one_group(json!([
            collection("app", 100, "Allow", json!([application_rule("a", "*.azurecr.io", json!({}))])),
            collection("net", 200, network_action, json!([network_rule("n", json!({}))])),
        ]))
    };
    assert_eq!(ask(&both("Allow"), "203.0.113.7", Some(LOGIN)), Fate::Network);
    ask(&both("Deny"), "203.0.113.7", Some(LOGIN)).denied_by("rule n");
}

#[test]
fn the_parents_groups_come_first_whatever_their_numbers() {
    let network = |parent_action: &str| {
        firewall(policy_of("child"))
            .with(policy("child", json!({ "basePolicy": { "id": net("firewallPolicies", "parent") } })))
            .with(policy("parent", json!({})))
            .with(group(
                "parent",
                "p",
                300,
                json!([collection("pc", 500, parent_action, json!([network_rule("pr", json!({}))]))]),
            ))
            .with(group(
                "child",
                "c",
                100,
                json!([collection("cc", 100, "Allow", json!([network_rule("cr", json!({}))]))]),
            ))
            .read()
    };
    ask(&network("Deny"), "203.0.113.7", None).denied_by("rule pr");
    assert_eq!(ask(&network("Allow"), "203.0.113.7", None), Fate::Network);
}

#[test]
fn a_policy_that_was_not_read_decides_where_it_comes_first() {
    let child = json!({ "basePolicy": { "id": net("firewallPolicies", "elsewhere") } });
    let network = firewall(policy_of("child"))
        .with(policy("child", child))
        .with(group(
            "child",
            "c",
            100,
            json!([collection("cc", 100, "Allow", json!([network_rule("cr", json!({}))]))]),
        ))
        .read();
    ask(&network, "203.0.113.7", None).open_on("elsewhere");
}

#[test]
fn unsupported_firewall_rule_is_undetermined() {
    let odd = json!({ "ruleType": "QuantumRule", "name": "odd" });
    let deciding = collection("c", 200, "Allow", json!([network_rule("r", json!({}))]));
    let above = one_group(json!([collection("odd", 100, "Deny", json!([odd])), deciding.clone()]));
    ask(&above, "203.0.113.7", None).open_on("odd");
    // F139.7: below the deciding rule it does not matter.
    let below = one_group(json!([deciding, collection("odd", 300, "Deny", json!([odd]))]));
    assert_eq!(ask(&below, "203.0.113.7", None), Fate::Network);
}

#[test]
fn categories_and_urls_are_undetermined() {
    let by = |changes: Value| {
        let deny = application_rule("x", "unused.contoso.com", changes);
        one_group(json!([
            collection("d", 100, "Deny", json!([deny])),
            collection("a", 200, "Allow", json!([application_rule("r", "*.azurecr.io", json!({}))])),
        ]))
    };
    ask(&by(json!({ "webCategories": ["Business"] })), "203.0.113.7", Some(LOGIN)).open_on("category");
    ask(&by(json!({ "targetUrls": ["contosoreg.azurecr.io/v2"] })), "203.0.113.7", Some(LOGIN))
        .open_on("URLs");
    ask(&by(json!({ "fqdnTags": ["WindowsUpdate"] })), "203.0.113.7", Some(LOGIN)).open_on("FQDN tag");
    assert_eq!(
        ask(&by(json!({ "targetUrls": ["fabrikam.com/x"] })), "203.0.113.7", Some(LOGIN)),
        Fate::Application
    );
    assert_eq!(
        ask(&by(json!({ "fqdnTags": ["AzureKubernetesService"] })), "203.0.113.7", Some(LOGIN)),
        Fate::Application
    );
}

#[test]
fn a_wildcard_host_needs_a_rule_for_all_of_its_names() {
    let host = "*.blob.core.windows.net";
    let to = "*.blob.core.windows.net@Storage";
    let with = |fqdn: &str| {
        one_group(json!([collection("c", 100, "Allow", json!([application_rule("r", fqdn, json!({}))]))]))
    };
    assert_eq!(ask(&with("*.blob.core.windows.net"), to, Some(host)), Fate::Application);
    ask(&with("weumanaged1.blob.core.windows.net"), to, Some(host)).denied_by("no rule allows");
    // A tag in a network rule holds the service (F87).
    let tagged = |tag: &str| {
        let rule = network_rule("n", json!({ "destinationAddresses": [tag] }));
        one_group(json!([collection("c", 100, "Allow", json!([rule]))]))
    };
    assert_eq!(ask(&tagged("Storage"), to, Some(host)), Fate::Network);
    ask(&tagged("AzureContainerRegistry"), to, Some(host)).denied_by("no rule allows");
}

#[test]
fn ip_groups_count_as_their_addresses() {
    let with = |addresses: Value, read: bool| {
        let id = net("ipGroups", "pes");
        let rule = network_rule("n", json!({ "destinationAddresses": [], "destinationIpGroups": [id] }));
        let mut world = firewall(policy_of("p")).with(policy("p", json!({}))).with(group(
            "p",
            "g",
            100,
            json!([collection("c", 100, "Allow", json!([rule]))]),
        ));
        if read {
            world = world.with(json!({ "id": id, "properties": { "ipAddresses": addresses } }));
        }
        ask(&world.read(), "10.50.5.4", None)
    };
    assert_eq!(with(json!(["10.50.5.0/24"]), true), Fate::Network);
    with(json!([]), true).denied_by("no rule allows");
    with(json!([]), false).open_on("IP group pes");
}

#[test]
fn sources_are_told_apart() {
    let rule = network_rule("n", json!({ "sourceAddresses": ["10.1.0.0/25"] }));
    let network = one_group(json!([collection("c", 100, "Allow", json!([rule]))]));
    let prover = Prover::new(&network);
    let to = Target::Address("203.0.113.7".parse().unwrap());
    let parts = prover.firewall(
        ix(&network),
        &"10.1.0.0/24".parse().unwrap(),
        &Ports::all(),
        &to,
        Proto::Tcp,
        443,
        None,
    );
    let denied: Vec<String> = parts
        .iter()
        .filter(|part| matches!(part.verdict, FirewallVerdict::Deny(_)))
        .map(|part| part.sources.to_string())
        .collect();
    assert_eq!(denied, ["10.1.0.128/25"]);
}

#[test]
fn tls_inspection_is_handed_on() {
    let rule = application_rule("r", "*.azurecr.io", json!({ "terminateTLS": true }));
    let network = one_group(json!([collection("c", 100, "Allow", json!([rule]))]));
    let prover = Prover::new(&network);
    let to = Target::Address("203.0.113.7".parse().unwrap());
    let parts = prover.firewall(
        ix(&network),
        &"10.1.0.4".parse().unwrap(),
        &Ports::one(50000),
        &to,
        Proto::Tcp,
        443,
        Some(LOGIN),
    );
    assert_eq!(parts[0].verdict, FirewallVerdict::Application { terminates_tls: true });
}

#[test]
fn a_firewall_without_a_public_address_translates_to_none() {
    let seen = |configs: Value| {
        let network = firewall(json!({ "ipConfigurations": configs })).read();
        let to = Target::Address("198.51.100.7".parse().unwrap());
        Prover::new(&network).firewall_translation(ix(&network), &to, false).0
    };
    let own = json!({ "privateIPAddress": "10.0.250.4", "subnet": { "id": subnet() } });
    let none = seen(json!([{ "name": "one", "properties": own }]));
    assert!(
        matches!(&none, Translation::Public(SeenAs::Addresses { addresses, .. }) if addresses.is_empty()),
        "{none:?}"
    );
    let more = seen(json!([{ "name": "one", "properties": own }, { "$unknown": "more" }]));
    assert!(matches!(more, Translation::Public(SeenAs::Unknown(_))), "{more:?}");
}

#[test]
fn private_ranges_keep_their_source() {
    let translate = |snat: Value, to: &str, by_application| {
        let network = firewall(policy_of("p")).with(policy("p", json!({ "snat": snat }))).read();
        Prover::new(&network)
            .firewall_translation(ix(&network), &Target::Address(to.parse().unwrap()), by_application)
            .0
    };
    let public = Translation::Public(SeenAs::Addresses {
        addresses: vec!["203.0.113.40".parse().unwrap()],
        by: Vec::new(),
    });
    let is_public = |translation: &Translation| match (translation, &public) {
        (
            Translation::Public(SeenAs::Addresses { addresses, .. }),
            Translation::Public(SeenAs::Addresses { addresses: a, .. }),
        ) => addresses == a,
        _ => false,
    };
    assert_eq!(translate(Value::Null, "10.50.5.4", false), Translation::Keeps);
    assert!(is_public(&translate(Value::Null, "198.51.100.7", false)));
    // Application rules always translate, to an address of the firewall's subnet.
    let Translation::Private(set) = translate(Value::Null, "10.50.5.4", true) else { panic!() };
    assert!(set.contains("10.0.250.5".parse().unwrap()));
    // 0.0.0.0/0: never; 255.255.255.255/32: always.
    assert_eq!(
        translate(json!({ "privateRanges": ["0.0.0.0/0"] }), "198.51.100.7", false),
        Translation::Keeps
    );
    let always = translate(json!({ "privateRanges": ["255.255.255.255/32"] }), "10.50.5.4", false);
    assert!(matches!(always, Translation::Private(_)), "{always:?}");
    // A list of one's own replaces the default.
    let own = translate(json!({ "privateRanges": ["198.51.100.0/24"] }), "10.50.5.4", false);
    assert!(matches!(own, Translation::Private(_)), "{own:?}");
    let both = json!({ "privateRanges": ["198.51.100.0/24", "IANAPrivateRanges"] });
    assert_eq!(translate(both, "10.50.5.4", false), Translation::Keeps);
}

#[test]
fn classic_rules_are_ignored_beside_a_policy() {
    let classic = json!({ "networkRuleCollections": [{ "name": "c", "properties": {
        "priority": 100, "action": { "type": "Allow" },
        "rules": [{ "name": "r", "protocols": ["TCP"], "sourceAddresses": ["*"], "destinationAddresses": ["*"], "destinationPorts": ["443"] }],
    }}]});
    assert_eq!(ask(&firewall(classic.clone()).read(), "203.0.113.7", None), Fate::Network);
    let mut both = classic;
    both["firewallPolicy"] = policy_of("p")["firewallPolicy"].clone();
    ask(&firewall(both).with(policy("p", json!({}))).read(), "203.0.113.7", None).denied_by("no rule allows");
}
