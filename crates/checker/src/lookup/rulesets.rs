//! DNS forwarding rulesets: which rule takes a name that is asked in a virtual network (D84–D99).

use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::facts::reserved_names;
use pullproof_snapshot::question::Missing;

use super::links::{links_complete, network_of, orphans};
use super::name::{fold, is_within, labels};
use crate::json::Node;
use crate::missing;
use crate::plain::Plain;
use crate::resources::{Resource, absent_for_sure, all, find};

const RULESET: &str = "microsoft.network/dnsforwardingrulesets";
const RULE: &str = "microsoft.network/dnsforwardingrulesets/forwardingrules";
const LINK: &str = "microsoft.network/dnsforwardingrulesets/virtualnetworklinks";

/// A rule that forwards a name.
#[derive(Clone)]
pub(crate) struct Rule {
    pub id: String,
    pub domain: String,
    /// Asked in order, the next one only where one is silent (D92).
    pub targets: Vec<Result<(IpAddr, u16), Missing>>,
    /// The subnets of the ruleset's outbound endpoints: from there the targets are asked (D102).
    pub outbound: Vec<Result<ArmId, Missing>>,
}

/// What the rulesets of a virtual network do with a name.
pub(crate) enum Pick {
    None,
    One(Rule),
    /// Several rules of the same name, with other targets, in two rulesets (D85).
    Tie(Vec<Rule>),
    /// The rule's name is too shallow for a name that may be one that Azure reserves (D93, DU2).
    Maybe(Rule),
    Unknown(Vec<Missing>),
}

/// The enabled rule with the longest suffix, over all rulesets that are linked to the virtual network (D85, D91).
pub(crate) fn pick(plain: &Plain, vnet: &ArmId, name: &str) -> Pick {
    let rules = match linked_rules(plain, vnet, name) {
        Ok(rules) => rules,
        Err(missing) => return Pick::Unknown(missing),
    };
    let (sure, maybe): (Vec<Rule>, Vec<Rule>) = rules
        .into_iter()
        .filter(|rule| !matches!(applies(rule, name), Some(false)))
        .partition(|rule| applies(rule, name) == Some(true));
    let longest = sure.iter().map(|rule| labels(&rule.domain)).max();
    let mut best: Vec<Rule> = sure.into_iter().filter(|rule| Some(labels(&rule.domain)) == longest).collect();
    best.dedup_by(|a, b| a.targets == b.targets && a.outbound == b.outbound);
    match best.len() {
        0 => match maybe.into_iter().max_by_key(|rule| labels(&rule.domain)) {
            Some(rule) => Pick::Maybe(rule),
            None => Pick::None,
        },
        1 => best.pop().map_or(Pick::None, Pick::One),
        _ => Pick::Tie(best),
    }
}

/// Rules for a name above this one do not take names below it (D93, recorded).
const TOO_DEEP: &str = "core.windows.net";

/// Suffixes of Azure services that may be reserved, too: the list is not published (DU2).
const PERHAPS_RESERVED: &[&str] = &[
    "azmk8s.io",
    "azcr.io",
    "azure.us",
    "azure.cn",
    "azurewebsites.net",
    "microsoft.com",
    "microsoftonline.com",
];

/// Whether a rule whose name covers `name` takes it: some names Azure keeps for itself (D93). `None`: not known.
fn applies(rule: &Rule, name: &str) -> Option<bool> {
    if is_within(name, TOO_DEEP) && rule.domain != TOO_DEEP && is_within(TOO_DEEP, &rule.domain) {
        return Some(false);
    }
    if !rule.domain.is_empty() {
        return Some(true);
    }
    if reserved_names::from_wildcard_rule(name).is_some() {
        return Some(false);
    }
    let perhaps = PERHAPS_RESERVED.iter().any(|suffix| is_within(name, suffix));
    (!perhaps).then_some(true)
}

fn linked_rules(plain: &Plain, vnet: &ArmId, name: &str) -> Result<Vec<Rule>, Vec<Missing>> {
    let mut out = Vec::new();
    for ruleset in all(plain, RULESET) {
        let mut linked = false;
        for link in ruleset.children(plain, "virtualNetworkLinks") {
            linked |= network_of(&link).map_err(|m| vec![m])? == *vnet;
        }
        if !linked {
            continue;
        }
        absent_for_sure(plain, ruleset.id.folded(), RULE).map_err(|m| vec![m])?;
        let outbound = outbound_subnets(plain, &ruleset);
        for rule in ruleset.children(plain, "forwardingRules") {
            let domain = match rule.node().text("/properties/domainName").known() {
                Ok(domain) => fold(domain.unwrap_or_default()),
                Err(missing) => return Err(vec![missing]),
            };
            if !is_within(name, &domain) {
                continue;
            }
            match rule.node().text("/properties/forwardingRuleState").known() {
                Ok(Some(state)) if state.eq_ignore_ascii_case("Disabled") => continue,
                Ok(_) => {}
                Err(missing) => return Err(vec![missing]),
            }
            out.push(Rule {
                id: rule.id.to_string(),
                domain,
                targets: targets(&rule),
                outbound: outbound.clone(),
            });
        }
    }
    links_complete(plain, vnet, LINK)?;
    orphans(plain, LINK, vnet)?;
    Ok(out)
}

/// The domains of the enabled rules that are or may be linked to the virtual network; `None`: one is not known.
pub(crate) fn domains(plain: &Plain, vnet: &ArmId) -> Vec<Option<String>> {
    let linked = |ruleset: &Resource| {
        let links = ruleset.children(plain, "virtualNetworkLinks");
        links.iter().any(|link| network_of(link).map_or(true, |to| to == *vnet))
    };
    let rulesets = all(plain, RULESET).into_iter().filter(linked);
    let rules = rulesets.flat_map(|ruleset| ruleset.children(plain, "forwardingRules"));
    let on = |rule: &Resource| {
        let state = rule.node().text("/properties/forwardingRuleState").known().ok().flatten();
        !state.is_some_and(|state| state.eq_ignore_ascii_case("Disabled"))
    };
    rules
        .filter(on)
        .map(|rule| rule.node().text("/properties/domainName").known().ok().flatten().map(fold))
        .collect()
}

fn targets(rule: &Resource) -> Vec<Result<(IpAddr, u16), Missing>> {
    let items = rule.node().list("/properties/targetDnsServers");
    let known = items.known.into_iter().map(|item| {
        let node = Node::new(item, &rule.id);
        let address = node
            .address("/ipAddress")
            .known()?
            .ok_or_else(|| missing::malformed(&rule.id, "/properties/targetDnsServers"))?;
        let port = node.number("/port").known()?.and_then(|port| u16::try_from(port).ok()).unwrap_or(53);
        Ok((address, port))
    });
    known.chain(items.open.into_iter().map(Err)).collect()
}

fn outbound_subnets(plain: &Plain, ruleset: &Resource) -> Vec<Result<ArmId, Missing>> {
    let endpoints = ruleset.node().references("/properties/dnsResolverOutboundEndpoints");
    let known = endpoints.known.into_iter().map(|id| {
        let endpoint = find(plain, id.folded()).ok_or_else(|| missing::resource(&id))?;
        let subnet = endpoint.node().reference("/properties/subnet").known()?;
        subnet.ok_or_else(|| missing::malformed(&id, "/properties/subnet"))
    });
    known.chain(endpoints.open.into_iter().map(Err)).collect()
}
