//! DNS forwarding rulesets (D84, D89–D98).

use pullproof_network::model::dns_resolver::{DnsTarget, ForwardingRule, SwitchState, forwarding_rule};
use pullproof_network::model::index::{ForwardingRuleIx, RulesetIx, RulesetLinkIx, VnetIx};
use pullproof_network::set::{Addresses, Ports, assignable};
use pullproof_network::{Ref, Val};
use pullproof_snapshot::Absence;
use pullproof_snapshot::facts::reserved_names;

use super::asker::{AZURE_DNS, Asker};
use super::completeness::{RULESET_LINKS, RULESETS};
use super::name;
use super::reply::{Reply, distinct, readings, step};
use super::sequence::{Moves, in_order};
use super::trail::Trail;
use crate::blocker::BlockerKind;
use crate::context::SourceContext;
use crate::lookup_answer::RecordType;
use crate::missing::{evidence, not_modelled};
use crate::outcome::{Basis, Blocker, Missing};
use crate::path::{StepDecision, StepKind};
use crate::prover::Prover;
use crate::unread::{incomplete, unknown_link, unknown_value, unread};

/// What the rulesets of a network say about a name.
#[derive(Debug)]
pub(crate) enum RulesSay {
    Nothing(Basis),
    Forward(ForwardingRuleIx, Basis),
    Unknown(Missing),
}

/// D93, recorded: the rule `windows.net.` does not forward names below this one, the rule `core.windows.net.` does.
const DEEP_RESERVED: &str = "core.windows.net";

impl Prover<'_> {
    /// The enabled rule with the longest domain over all linked rulesets (D85, D91).
    pub(crate) fn rules_say(&self, vnet: VnetIx, name: &str) -> RulesSay {
        let network = self.network;
        let why =
            format!("a forwarding ruleset that covers {name} may be linked to {}", self.vnet_name(vnet));
        let mut basis = match self.all_read(&[RULESETS, RULESET_LINKS], &why) {
            Ok(basis) => basis,
            Err(missing) => return RulesSay::Unknown(missing),
        };
        let mut candidates: Vec<(ForwardingRuleIx, RulesetLinkIx)> = Vec::new();
        for link_ix in network.rulesets_of(vnet).iter().chain(network.rulesets_open()) {
            let link = &network.ruleset_links[*link_ix];
            let rules = match self.rules_of(link.ruleset, name) {
                Ok(rules) => rules,
                Err(missing) => return RulesSay::Unknown(missing),
            };
            let what = || format!("the network that ruleset link {} is for", link.id.name());
            if !rules.is_empty()
                && let Some(missing) = unknown_link(network, &link.vnet, what())
            {
                return RulesSay::Unknown(missing);
            }
            candidates.extend(rules.into_iter().map(|rule| (rule, *link_ix)));
        }
        let domain = |(rule, _): &(ForwardingRuleIx, RulesetLinkIx)| {
            network.forwarding_rules[*rule].domain.known().map_or("", |d| &**d)
        };
        let best = name::longest(candidates, domain, name);
        let Some((rule_ix, link)) = best.first().copied() else {
            return RulesSay::Nothing(self.note_reserved(basis, vnet, name));
        };
        let rule = &network.forwarding_rules[rule_ix];
        if best.iter().any(|(other, _)| network.forwarding_rules[*other].targets != rule.targets) {
            return RulesSay::Unknown(not_modelled(
                format!("two rulesets linked to {} with a rule for {}", self.vnet_name(vnet), shown(rule)),
                "which of them Azure follows is not documented (D85, DU12)",
            ));
        }
        if let Some(missing) =
            best.iter().find_map(|(ix, _)| self.rule_is_on(&network.forwarding_rules[*ix]).err())
        {
            return RulesSay::Unknown(missing);
        }
        let link = &network.ruleset_links[link];
        basis.in_force(link.id.name(), &link.provisioning_state, link.place);
        basis.in_force(rule.id.name(), &rule.provisioning_state, rule.place);
        RulesSay::Forward(rule_ix, basis)
    }

    /// Rules of one ruleset that cover the name and are not known to be disabled.
    fn rules_of(&self, ruleset: RulesetIx, name: &str) -> Result<Vec<ForwardingRuleIx>, Missing> {
        let network = self.network;
        let object = &network.rulesets[ruleset];
        if let Some(symbol) = object.rules.open {
            return Err(unknown_value(network, symbol, format!("rules of ruleset {}", object.id.name())));
        }
        let rules_type = "microsoft.network/dnsforwardingrulesets/forwardingrules";
        if let Absence::NoEvidence(reason) = network.layered.absence(object.id.folded(), rules_type) {
            return Err(incomplete(&reason, format!("a rule of {} may cover {name}", object.id.name())));
        }
        let mut out = Vec::new();
        for ix in &object.rules {
            let rule = &network.forwarding_rules[*ix];
            if matches!(rule.state, Val::Known(Some(SwitchState::Disabled))) {
                continue;
            }
            match &rule.domain {
                Val::Known(domain) if name::within(name, domain) && reaches(domain, name) => out.push(*ix),
                Val::Known(_) => {}
                Val::Sym(symbol) => {
                    let what = format!("the domain of forwarding rule {}", rule.name);
                    return Err(unknown_value(network, *symbol, what));
                }
            }
        }
        Ok(out)
    }

    fn rule_is_on(&self, rule: &ForwardingRule) -> Result<(), Missing> {
        let what = format!("whether forwarding rule {} is enabled", rule.name);
        match &rule.state {
            Val::Known(Some(SwitchState::Enabled)) => Ok(()),
            Val::Sym(symbol) => Err(unknown_value(self.network, *symbol, what)),
            Val::Known(_) => {
                Err(evidence(what, "a disabled rule is ignored (D91)", "read the rule with its state"))
            }
        }
    }

    /// That a rule for `.` is passed over for names taken to be reserved is not documented by name (DU2).
    fn note_reserved(&self, mut basis: Basis, vnet: VnetIx, name: &str) -> Basis {
        let undocumented = reserved_names::from_wildcard_rule(name).is_some_and(|r| !r.documented);
        let wildcard = self.network.rulesets_of(vnet).iter().any(|link| {
            let rules = &self.network.rulesets[self.network.ruleset_links[*link].ruleset].rules;
            rules.iter().any(|rule| {
                let rule = &self.network.forwarding_rules[*rule];
                !matches!(rule.state, Val::Known(Some(SwitchState::Disabled)))
                    && rule.domain.known().is_some_and(|d| name::within(name, d) && !reaches(d, name))
            })
        });
        if undocumented && wildcard {
            basis.assume("settled:DU2");
        }
        basis
    }

    /// What comes back from the targets of a rule, asked from the ruleset's outbound endpoints (D90, D92).
    pub(crate) fn forward_by_rule(
        &self,
        vnet: VnetIx,
        rule: ForwardingRuleIx,
        name: &str,
        record: RecordType,
        trail: &Trail,
    ) -> Vec<Reply> {
        let object = &self.network.forwarding_rules[rule];
        let askers = match self.outbound(object.ruleset) {
            Ok(askers) => askers,
            Err(missing) => return vec![Reply::unknown(missing)],
        };
        let mut targets = Vec::new();
        for DnsTarget { address, port } in &object.targets {
            match (address, port) {
                (Val::Known(Some(address)), Val::Known(port)) => targets.push((*address, *port)),
                _ => {
                    return vec![Reply::unknown(evidence(
                        format!("the targets of forwarding rule {}", object.name),
                        "a target's address is not known",
                        "give an input in which the targets stand",
                    ))];
                }
            }
        }
        if let Some(symbol) = object.targets.open {
            let what = format!("the targets of forwarding rule {}", object.name);
            return vec![Reply::unknown(unknown_value(self.network, symbol, what))];
        }
        if targets.iter().any(|(address, _)| *address == AZURE_DNS) {
            return vec![Reply::unknown(refused_target(object))];
        }
        let names: Vec<String> = targets.iter().map(|(address, _)| address.to_string()).collect();
        let mut ask = |i: usize| -> Vec<Reply> {
            let Some((address, port)) = targets.get(i).copied() else { return Vec::new() };
            let all = askers
                .iter()
                .map(|asker| self.ask_resolver(asker, address, port, false, name, record, trail));
            distinct(all.flatten().collect())
        };
        let replies = in_order(&names, Moves::AfterSilence, "the resolver tries its next target", &mut ask);
        let replies = if replies.is_empty() { vec![self.no_target(object)] } else { replies };
        let said = step(
            StepKind::Rule,
            object.id.as_written(),
            StepDecision::Forward,
            format!("{name} is forwarded to {}", names.join(", ")),
            vec![object.place.at(forwarding_rule::DOMAIN), object.place.at(forwarding_rule::TARGETS)],
            vec!["D91", "D95"],
        );
        let lost = Blocker {
            kind: BlockerKind::PublicAnswer,
            message: format!(
                "forwarding rule {} ({}) takes {name} out of {} to {}, which answers from public DNS",
                object.name,
                shown(object),
                self.vnet_name(vnet),
                names.join(", ")
            ),
            remedy: format!(
                "remove or disable the rule, or forward to a resolver in whose network the zone of {name} is linked"
            ),
            facts: vec!["D95", "D172"],
            evidence: vec![
                object.place.at(forwarding_rule::DOMAIN),
                object.place.at(forwarding_rule::TARGETS),
            ],
        };
        replies.into_iter().map(|r| r.lost(lost.clone()).after(said.clone())).collect()
    }

    fn no_target(&self, rule: &ForwardingRule) -> Reply {
        Reply::failure(
            pullproof_snapshot::question::LookupResult::Servfail,
            Blocker {
                kind: BlockerKind::ResolverFails,
                message: format!("forwarding rule {} has no target", rule.name),
                remedy: "give the rule a target".into(),
                facts: vec!["D84"],
                evidence: vec![rule.place.at(forwarding_rule::TARGETS)],
            },
        )
    }

    /// The outbound endpoints of a ruleset, as senders: any address of their subnets (D83).
    fn outbound(&self, ruleset: RulesetIx) -> Result<Vec<Asker>, Missing> {
        let network = self.network;
        let object = &network.rulesets[ruleset];
        let mut out = Vec::new();
        for endpoint in &object.outbound_endpoints {
            let endpoint = match endpoint {
                Ref::Here(ix) => &network.outbound_endpoints[*ix],
                Ref::NotRead(id) => return Err(unread(id, "forwarded lookups leave from it (D90)")),
            };
            match &endpoint.subnet {
                Val::Known(Some(Ref::Here(subnet))) => {
                    let prefixes = network.subnets[*subnet].prefixes.iter();
                    let sources = prefixes.fold(Addresses::empty(), |all, p| all.union(&assignable(*p)));
                    out.push(Asker::Machine(SourceContext {
                        subnet: *subnet,
                        pool: None,
                        nic: None,
                        sources: Addresses { v4: sources.v4, ..Addresses::empty() },
                        sports: Ports::range(1024, u16::MAX),
                    }));
                }
                Val::Known(Some(Ref::NotRead(id))) => {
                    return Err(unread(id, "forwarded lookups leave from this subnet (D90)"));
                }
                Val::Known(None) => {}
                Val::Sym(symbol) => {
                    let what = format!("the subnet of outbound endpoint {}", endpoint.id.name());
                    return Err(unknown_value(network, *symbol, what));
                }
            }
        }
        if out.is_empty() {
            return Err(evidence(
                format!("the outbound endpoints of ruleset {}", object.id.name()),
                "forwarded lookups leave from them, and none was read (D84)",
                "read the private resolver of the ruleset",
            ));
        }
        Ok(out)
    }

    /// A rule that is longer than the linked zone that also covers the name: the documentation says that zones come
    /// first; no recording (D97, DU3).
    pub(crate) fn zone_or_longer_rule(
        &self,
        zone: Vec<Reply>,
        vnet: VnetIx,
        zone_name: &str,
        name: &str,
        rule_replies: impl FnOnce(ForwardingRuleIx) -> Vec<Reply>,
    ) -> Vec<Reply> {
        let RulesSay::Forward(rule, _) = self.rules_say(vnet, name) else { return zone };
        let longer =
            self.network.forwarding_rules[rule].domain.known().is_some_and(|d| d.len() > zone_name.len());
        if !longer {
            return zone;
        }
        readings(zone, rule_replies(rule), || {
            crate::missing::contested(
                "DU3",
                format!("whether zone {zone_name} or the longer forwarding rule answers {name}"),
                "remove the rule, or link a zone of the rule's name",
            )
        })
    }
}

/// Azure Resource Manager refuses 168.63.129.16 as a target, so that what such a rule does is not supported (D92, V10).
fn refused_target(rule: &ForwardingRule) -> Missing {
    not_modelled(
        format!("what forwarding rule {} with target {AZURE_DNS} does", rule.name),
        "Azure does not support this target and refuses rules with it (D92)",
    )
}

/// Whether a rule for `domain`, which covers `name`, is deep enough: names of Azure's own services are not forwarded
/// by rules above the service's zone (D93).
fn reaches(domain: &str, name: &str) -> bool {
    if name::within(name, DEEP_RESERVED) {
        return name::within(domain, DEEP_RESERVED);
    }
    match reserved_names::from_wildcard_rule(name) {
        Some(reserved) => name::within(domain, &reserved.name),
        None => true,
    }
}

fn shown(rule: &ForwardingRule) -> String {
    rule.domain.known().map_or_else(String::new, |d| format!("{d}."))
}
