//! Rules of NSGs and firewalls: many, all different, and none that decides about a registry.

use super::random::Random;
use super::size::NSG_RULES;
use crate::yaml::{ApplicationRule, NetworkRule, RuleCollection, RuleCollectionGroup, SecurityRule, Texts};

/// A prefix outside 10.0.0.0/8, in which all networks of an estate lie.
fn elsewhere(random: &mut Random) -> String {
    let length = random.within(20, 32);
    let bits = (172 << 24) | (random.within(16, 31) << 16) | random.within(0, 0xffff);
    let mask = u32::MAX.checked_shl(32 - length).unwrap_or_default();
    format!("{}/{length}", std::net::Ipv4Addr::from(bits & mask))
}

fn ports(random: &mut Random) -> Texts {
    let from = random.within(1, 60_000);
    Texts(vec![if random.once_in(2) {
        from.to_string()
    } else {
        format!("{from}-{}", from + random.within(1, 500))
    }])
}

/// 100 to 1,000 rules; the share of NSGs falls with their size.
pub(crate) fn security_rules(random: &mut Random) -> Vec<SecurityRule> {
    let most = random.within(NSG_RULES.0, NSG_RULES.1);
    let count = random.within(NSG_RULES.0, most);
    (0..count)
        .map(|i| {
            let inbound = random.once_in(2);
            let prefixes = |random: &mut Random| {
                let several = if random.once_in(4) { random.within(2, 4) } else { 1 };
                Some(Texts((0..several).map(|_| elsewhere(random)).collect()))
            };
            let there = prefixes(random);
            let here = Some(Texts(vec!["VirtualNetwork".to_owned()]));
            let (source, destination) = if inbound { (there, here) } else { (here, there) };
            SecurityRule {
                name: format!("rule-{i:04}"),
                priority: 200 + 3 * i,
                direction: if inbound { "Inbound" } else { "Outbound" }.to_owned(),
                access: if random.once_in(3) { "Deny" } else { "Allow" }.to_owned(),
                protocol: Some(random.pick(&["Tcp", "Udp", "*"]).to_owned()),
                source,
                destination,
                destination_ports: Some(ports(random)),
                ..SecurityRule::default()
            }
        })
        .collect()
}

/// A rule collection group with 50 to 200 rules.
pub(crate) fn firewall_rules(random: &mut Random) -> RuleCollectionGroup {
    let network_rules = (0..random.within(30, 120)).map(|i| NetworkRule {
        name: format!("net-{i:03}"),
        protocols: Texts(vec![random.pick(&["TCP", "UDP", "Any"]).to_owned()]),
        source: Texts(vec!["10.0.0.0/8".to_owned()]),
        destination: Texts((0..random.within(1, 4)).map(|_| elsewhere(random)).collect()),
        ports: ports(random),
        ..NetworkRule::default()
    });
    let network_rules = network_rules.collect();
    let application_rules = (0..random.within(20, 80)).map(|i| ApplicationRule {
        name: format!("app-{i:03}"),
        source: Texts(vec!["10.0.0.0/8".to_owned()]),
        fqdns: Texts(vec![
            format!("host{i}.svc{}.example", random.within(1, 999)),
            format!("*.api{i}.example"),
        ]),
        ..ApplicationRule::default()
    });
    let collection = |name: &str, priority| RuleCollection {
        name: name.to_owned(),
        priority,
        action: "Allow".to_owned(),
        ..RuleCollection::default()
    };
    let network = RuleCollection { network_rules, ..collection("network", 100) };
    let application =
        RuleCollection { application_rules: application_rules.collect(), ..collection("application", 200) };
    RuleCollectionGroup {
        name: "workloads".to_owned(),
        priority: 200,
        collections: vec![network, application],
        ..RuleCollectionGroup::default()
    }
}
