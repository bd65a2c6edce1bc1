//! DNS security policies: what Azure DNS refuses to resolve in a virtual network (D128–D132).

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::Missing;

use super::links::{links_complete, network_of, orphans};
use super::name::{fold, is_within};
use crate::missing;
use crate::plain::Plain;
use crate::resources::{Resource, absent_for_sure, all, find};

const POLICY: &str = "microsoft.network/dnsresolverpolicies";
const RULE: &str = "microsoft.network/dnsresolverpolicies/dnssecurityrules";
const LINK: &str = "microsoft.network/dnsresolverpolicies/virtualnetworklinks";

/// What the policies of a virtual network do with a name.
pub(crate) enum Policy {
    Passes,
    /// The rule's id.
    Blocks(String),
    Unknown(Vec<Missing>),
}

/// The lowest priority number among the enabled rules that cover the name decides; no match passes (D129).
pub(crate) fn verdict(plain: &Plain, vnet: &ArmId, name: &str) -> Policy {
    match decide(plain, vnet, name) {
        Ok(None) => Policy::Passes,
        Ok(Some(rule)) => Policy::Blocks(rule),
        Err(missing) => Policy::Unknown(missing),
    }
}

fn decide(plain: &Plain, vnet: &ArmId, name: &str) -> Result<Option<String>, Vec<Missing>> {
    links_complete(plain, vnet, LINK)?;
    orphans(plain, LINK, vnet)?;
    for policy in all(plain, POLICY) {
        if !is_linked(plain, &policy, vnet).map_err(one)? {
            continue;
        }
        absent_for_sure(plain, policy.id.folded(), RULE).map_err(one)?;
        let mut rules = Vec::new();
        for rule in policy.children(plain, "dnsSecurityRules") {
            let enabled = rule.node().text("/properties/dnsSecurityRuleState").known().map_err(one)?;
            if enabled.is_some_and(|state| state.eq_ignore_ascii_case("Disabled")) {
                continue;
            }
            let priority =
                rule.node().number("/properties/priority").known().map_err(one)?.unwrap_or(i64::MAX);
            rules.push((priority, rule));
        }
        rules.sort_by(|a, b| (a.0, &a.1.id).cmp(&(b.0, &b.1.id)));
        for (_, rule) in rules {
            let action =
                rule.node().text("/properties/action/actionType").known().map_err(one)?.unwrap_or_default();
            let blocks = action.eq_ignore_ascii_case("Block");
            match covers(plain, &rule, name) {
                Ok(false) => {}
                Ok(true) if blocks => return Ok(Some(rule.id.to_string())),
                Ok(true) => return Ok(None),
                Err(missing) => return Err(one(missing)),
            }
        }
    }
    Ok(None)
}

fn one(missing: Missing) -> Vec<Missing> {
    vec![missing]
}

fn is_linked(plain: &Plain, policy: &Resource, vnet: &ArmId) -> Result<bool, Missing> {
    for link in policy.children(plain, "virtualNetworkLinks") {
        if network_of(&link)? == *vnet {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The domains that enabled rules of policies linked to the virtual network, or perhaps linked, do not simply allow.
pub(crate) fn domains(plain: &Plain, vnet: &ArmId) -> Vec<String> {
    let linked = all(plain, POLICY).into_iter().filter(|policy| is_linked(plain, policy, vnet) != Ok(false));
    let rules = linked.flat_map(|policy| policy.children(plain, "dnsSecurityRules"));
    let blocks = |rule: &Resource| {
        let is = |pointer: &str, words: &[&str]| {
            let text = rule.node().text(pointer).known().ok().flatten();
            text.is_some_and(|text| words.iter().any(|word| text.eq_ignore_ascii_case(word)))
        };
        !is("/properties/dnsSecurityRuleState", &["Disabled"])
            && !is("/properties/action/actionType", &["Allow", "Alert"])
    };
    let lists = rules
        .filter(blocks)
        .flat_map(|rule| rule.node().references("/properties/dnsResolverDomainLists").known)
        .filter_map(|id| find(plain, id.folded()));
    lists
        .flat_map(|list| {
            list.node().texts("/properties/domains").known.into_iter().map(fold).collect::<Vec<_>>()
        })
        .collect()
}

/// A domain covers itself and what is below it; `.` covers all (D129).
fn covers(plain: &Plain, rule: &Resource, name: &str) -> Result<bool, Missing> {
    let managed = rule.node().texts("/properties/managedDomainLists");
    let mut unseen = managed.open.into_iter().next().or_else(|| {
        managed.known.first().map(|list| {
            missing::not_modelled(
                format!("managed domain list {list}"),
                format!("{} uses it, its content is not shown", rule.id),
            )
        })
    });
    let lists = rule.node().references("/properties/dnsResolverDomainLists");
    unseen = unseen.or_else(|| lists.open.into_iter().next());
    for id in lists.known {
        let Some(list) = find(plain, id.folded()) else {
            unseen = unseen.or_else(|| Some(missing::resource(&id)));
            continue;
        };
        let domains = list.node().texts("/properties/domains");
        if domains.known.iter().any(|domain| is_within(name, &fold(domain))) {
            return Ok(true);
        }
        unseen = unseen.or_else(|| domains.open.into_iter().next());
        // Bulk lists come from a URL and may be absent in a GET (D128).
        if domains.known.is_empty() {
            unseen = unseen
                .or_else(|| Some(missing::evidence(list.id.to_string(), "its domains are not shown (D128)")));
        }
    }
    unseen.map_or(Ok(false), Err)
}
