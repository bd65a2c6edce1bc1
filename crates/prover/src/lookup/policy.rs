//! DNS security policies: names that Azure DNS refuses to a network (D128–D132).

use pullproof_network::model::dns_resolver::{DnsAction, DnsSecurityRule, SwitchState, dns_security_rule};
use pullproof_network::model::index::{DnsSecurityRuleIx, VnetIx};
use pullproof_network::{Ref, Val};
use pullproof_snapshot::Absence;
use pullproof_snapshot::question::LookupResult;

use super::completeness::{POLICIES, POLICY_LINKS};
use super::name;
use super::reply::{Reply, step};
use crate::blocker::BlockerKind;
use crate::missing::{evidence, not_modelled};
use crate::outcome::{Basis, Blocker, Missing, Read};
use crate::path::{StepDecision, StepKind};
use crate::prover::Prover;
use crate::unread::{incomplete, unknown_link, unknown_value, unread};

const RULES: &str = "microsoft.network/dnsresolverpolicies/dnssecurityrules";

/// What the policies of a network say about a name.
#[derive(Debug)]
pub(crate) enum PolicySays {
    Allowed(Basis),
    Blocked(Box<Reply>),
    Unknown(Missing),
}

/// Whether a rule matches a name.
enum Match {
    Yes,
    No,
    Perhaps(Missing),
}

impl Prover<'_> {
    pub(crate) fn policy_says(&self, vnet: VnetIx, name: &str) -> PolicySays {
        let network = self.network;
        let why =
            format!("a DNS security policy that blocks {name} may be linked to {}", self.vnet_name(vnet));
        let mut basis = match self.all_read(&[POLICIES, POLICY_LINKS], &why) {
            Ok(basis) => basis,
            Err(missing) => return PolicySays::Unknown(missing),
        };
        let links = network.dns_policies_of(vnet).iter().chain(network.dns_policies_open());
        let mut rules: Vec<(u32, DnsSecurityRuleIx)> = Vec::new();
        for link in links {
            let link = &network.dns_policy_links[*link];
            let what = format!("the network that policy link {} is for", link.id.name());
            if let Some(missing) = unknown_link(network, &link.vnet, what) {
                return PolicySays::Unknown(missing);
            }
            let policy = &network.dns_policies[link.policy];
            basis.in_force(link.id.name(), &link.provisioning_state, link.place);
            if let Some(symbol) = policy.rules.open {
                let what = format!("rules of DNS security policy {}", policy.id.name());
                return PolicySays::Unknown(unknown_value(network, symbol, what));
            }
            match network.layered.absence(policy.id.folded(), RULES) {
                Absence::Evidence { assumption } => {
                    if let Some(assumption) = assumption {
                        basis.assume(assumption);
                    }
                    basis
                        .reads
                        .insert(Read::Absence { scope: policy.id.folded().into(), resource_type: RULES });
                }
                Absence::NoEvidence(reason) => {
                    let why = format!("a rule of {} may block {name} (D128, D129)", policy.id.name());
                    return PolicySays::Unknown(incomplete(&reason, why));
                }
            }
            for ix in &policy.rules {
                let rule = &network.dns_security_rules[*ix];
                match &rule.priority {
                    Val::Known(priority) => rules.push((priority.unwrap_or(u32::MAX), *ix)),
                    Val::Sym(symbol) => {
                        let what = format!("the priority of DNS security rule {}", rule.name);
                        return PolicySays::Unknown(unknown_value(network, *symbol, what));
                    }
                }
            }
        }
        rules.sort_unstable();
        self.first_match(vnet, name, &rules, basis)
    }

    /// The first rule that matches decides; no match allows (D129).
    fn first_match(
        &self,
        vnet: VnetIx,
        name: &str,
        rules: &[(u32, DnsSecurityRuleIx)],
        mut basis: Basis,
    ) -> PolicySays {
        // Rules that perhaps match, with what each would do; they matter only if the outcome without them differs.
        let mut perhaps: Vec<(bool, Missing)> = Vec::new();
        let mut decided: Option<&DnsSecurityRule> = None;
        for (_, ix) in rules {
            let rule = &self.network.dns_security_rules[*ix];
            let blocks = match &rule.action {
                Val::Known(Some(DnsAction::Block)) => true,
                Val::Known(Some(DnsAction::Allow | DnsAction::Alert)) => false,
                Val::Known(_) | Val::Sym(_) => {
                    let what = format!("the action of DNS security rule {}", rule.name);
                    return PolicySays::Unknown(not_modelled(what, "it may block the name (D128)"));
                }
            };
            match self.rule_matches(rule, name) {
                Match::No => {}
                Match::Perhaps(missing) => perhaps.push((blocks, missing)),
                Match::Yes => {
                    basis.in_force(rule.id.name(), &rule.provisioning_state, rule.place);
                    decided = Some(rule);
                    break;
                }
            }
        }
        let blocked = decided.is_some_and(|rule| matches!(rule.action, Val::Known(Some(DnsAction::Block))));
        if let Some((_, missing)) = perhaps.into_iter().find(|(blocks, _)| *blocks != blocked) {
            return PolicySays::Unknown(missing);
        }
        match decided {
            Some(rule) if blocked => {
                PolicySays::Blocked(Box::new(self.blocked(vnet, rule, name).resting_on(&basis)))
            }
            _ => PolicySays::Allowed(basis),
        }
    }

    fn rule_matches(&self, rule: &DnsSecurityRule, name: &str) -> Match {
        let network = self.network;
        match &rule.state {
            Val::Known(Some(SwitchState::Disabled)) => return Match::No,
            Val::Known(Some(SwitchState::Enabled)) => {}
            Val::Known(_) => {
                return Match::Perhaps(evidence(
                    format!("the state of DNS security rule {}", rule.name),
                    "a disabled rule does nothing (D129)",
                    "read the rule with its state",
                ));
            }
            Val::Sym(symbol) => {
                let what = format!("the state of DNS security rule {}", rule.name);
                return Match::Perhaps(unknown_value(network, *symbol, what));
            }
        }
        let mut perhaps: Option<Missing> = rule.domain_lists.open.map(|symbol| {
            unknown_value(network, symbol, format!("the domain lists of DNS security rule {}", rule.name))
        });
        for list in &rule.domain_lists {
            let ix = match list {
                Ref::Here(ix) => *ix,
                Ref::NotRead(id) => {
                    perhaps.get_or_insert(unread(id, format!("it may hold {name} (D128)")));
                    continue;
                }
            };
            let list = &network.domain_lists[ix];
            if list.domains.iter().any(|domain| name::within(name, domain)) {
                return Match::Yes;
            }
            if list.domains.open.is_some() || !list.has_bulk_content.is(&false) {
                perhaps.get_or_insert(evidence(
                    format!("the domains of list {}", list.id.name()),
                    format!("it was filled in bulk, so its contents are not in the resource; it may hold {name} (D128)"),
                    "list its domains in the resource itself",
                ));
            }
        }
        if !rule.managed_domain_lists.is_empty() {
            perhaps.get_or_insert(not_modelled(
                format!("the managed domain lists of DNS security rule {}", rule.name),
                "which domains Microsoft's own lists hold is not in the configuration",
            ));
        }
        perhaps.map_or(Match::No, Match::Perhaps)
    }

    fn blocked(&self, vnet: VnetIx, rule: &DnsSecurityRule, name: &str) -> Reply {
        let policy = &self.network.dns_policies[rule.policy];
        let blocker = Blocker {
            kind: BlockerKind::LookupBlocked,
            message: format!(
                "DNS security rule {} of policy {} blocks {name} for {}",
                rule.name,
                policy.id.name(),
                self.vnet_name(vnet)
            ),
            remedy: format!("add an Allow rule for {name} with a lower priority number"),
            facts: vec!["D129", "D130"],
            evidence: vec![
                rule.place.at(dns_security_rule::ACTION),
                rule.place.at(dns_security_rule::DOMAIN_LISTS),
            ],
        };
        let said = step(
            StepKind::Rule,
            rule.id.as_written(),
            StepDecision::Deny,
            format!("blocks {name}"),
            vec![rule.place.at(dns_security_rule::ACTION)],
            vec!["D129"],
        );
        Reply::failure(LookupResult::Blocked, blocker).after(said)
    }
}
