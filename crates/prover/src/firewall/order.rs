//! The order in which a firewall tries its rules (F113–F118).

use std::sync::Arc;

use pullproof_network::model::firewall::{
    CollectionKind, Firewall, FirewallAction, IntrusionDetectionMode, Policy, RuleCollection,
    RuleCollectionGroup, ThreatIntelMode, firewall as firewall_pointer,
};
use pullproof_network::model::index::{FirewallIx, PolicyIx};
use pullproof_network::{Ref, SymbolIx, Val};
use pullproof_snapshot::ArmId;

use super::rule::{Body, Entry, Ordered, PlacedRule};
use crate::first_match::Doubt;
use crate::outcome::{MissingKind, Read, Remark};
use crate::prover::Prover;

/// Longer chains of base policies are cut off: a cycle is no policy.
const MOST_ANCESTORS: usize = 16;

impl Prover<'_> {
    pub(crate) fn ordered(&self, ix: FirewallIx) -> Arc<Ordered> {
        self.firewall_rules.get(ix, || self.order(ix))
    }

    fn order(&self, ix: FirewallIx) -> Ordered {
        let mut out = Ordered::default();
        let Some(firewall) = self.network.firewalls.get(ix) else { return out };
        out.basis.reads.insert(Read::Resource(firewall.id.clone()));
        out.basis.in_force(firewall.id.name(), &firewall.provisioning_state, firewall.place);
        match &firewall.policy {
            Val::Known(None) => self.order_classic(firewall, &mut out),
            Val::Known(Some(policy)) => self.order_policy(policy, firewall, &mut out),
            Val::Sym(symbol) => {
                out.unseen(self.not_known("which policy the firewall has", firewall.id.name(), *symbol));
            }
        }
        out
    }

    /// F115. Where a policy is attached, classic rules do not count.
    fn order_classic(&self, firewall: &Firewall, out: &mut Ordered) {
        let mut collections: Vec<&RuleCollection> = firewall.collections.iter().collect();
        collections.sort_by(|a, b| (a.priority.known(), &a.name).cmp(&(b.priority.known(), &b.name)));
        if let Some(symbol) = firewall.collections.open {
            out.unseen(self.not_known("the rule collections of", firewall.id.name(), symbol));
        }
        for collection in collections {
            self.add_collection(collection, "", out);
        }
        if firewall.threat_intel_mode.present() == Some(&ThreatIntelMode::Deny) {
            out.basis.assume(format!("automation:threat-intelligence-{}", firewall.id.name()));
        }
    }

    /// F116, F117: all groups of the parent first, for each type of rule in turn.
    fn order_policy(&self, policy: &Ref<PolicyIx>, firewall: &Firewall, out: &mut Ordered) {
        let mut chain: Vec<&Policy> = Vec::new();
        let mut next = Some(policy.clone());
        while let Some(reference) = next.take() {
            let read = reference.here().and_then(|ix| self.network.policies.get(ix));
            match (&reference, read) {
                (Ref::Here(_), Some(policy)) if chain.len() < MOST_ANCESTORS => {
                    chain.push(policy);
                    match &policy.base {
                        Val::Known(base) => next.clone_from(base),
                        Val::Sym(symbol) => {
                            out.unseen(self.not_known("the base policy of", policy.id.name(), *symbol));
                        }
                    }
                }
                (Ref::NotRead(id), _) => {
                    let of = chain.last().map_or(firewall.id.name(), |policy| policy.id.name());
                    out.unseen(not_read(id, of));
                }
                _ => {}
            }
        }
        for policy in chain.iter().rev() {
            self.add_policy(policy, out);
        }
        if firewall.collections.iter().next().is_some() {
            out.basis.remarks.insert(Remark {
                kind: "firewall-classic-rules-unused",
                message: format!("{} has a policy: its classic rules are not used", firewall.id.name()),
                facts: vec!["F115"],
                evidence: vec![firewall.place.at(firewall_pointer::NETWORK_COLLECTIONS)],
            });
        }
    }

    fn add_policy(&self, policy: &Policy, out: &mut Ordered) {
        let network = self.network;
        out.basis.reads.insert(Read::Resource(policy.id.clone()));
        out.basis.in_force(policy.id.name(), &policy.provisioning_state, policy.place);
        if let Some(symbol) = policy.groups.open {
            out.unseen(self.not_known("the rule collection groups of", policy.id.name(), symbol));
        }
        let mut groups: Vec<&RuleCollectionGroup> =
            policy.groups.iter().filter_map(|ix| network.rule_collection_groups.get(*ix)).collect();
        groups.sort_by(|a, b| (a.priority.known(), &a.name).cmp(&(b.priority.known(), &b.name)));
        for group in groups {
            out.basis.reads.insert(Read::Resource(group.id.clone()));
            out.basis.in_force(&group.name, &group.provisioning_state, group.place);
            if let Val::Sym(symbol) = group.priority {
                out.unseen(self.not_known("the priority of", &group.name, symbol));
                continue;
            }
            if let Some(symbol) = group.collections.open {
                out.unseen(self.not_known("the rule collections of", &group.name, symbol));
            }
            let mut collections: Vec<&RuleCollection> = group.collections.iter().collect();
            collections.sort_by(|a, b| (a.priority.known(), &a.name).cmp(&(b.priority.known(), &b.name)));
            for collection in collections {
                self.add_collection(collection, &group.name, out);
            }
        }
        // F131, F132: they come before the rules, and what they would drop is not in the configuration.
        if policy.threat_intel_mode.is(&ThreatIntelMode::Deny) {
            out.basis.assume(format!("automation:threat-intelligence-{}", policy.id.name()));
        }
        if policy.intrusion_detection.present() == Some(&IntrusionDetectionMode::Deny) {
            out.basis.assume(format!("automation:intrusion-detection-{}", policy.id.name()));
        }
    }

    fn add_collection(&self, collection: &RuleCollection, group: &str, out: &mut Ordered) {
        let within = if group.is_empty() {
            collection.name.to_string()
        } else {
            format!("{group}/{}", collection.name)
        };
        if let Val::Sym(symbol) = collection.priority {
            out.unseen(self.not_known("the priority of", &within, symbol));
            return;
        }
        let Val::Known(kind) = collection.kind else {
            out.unseen(doubt(&within, "is of a type that is not known", MissingKind::NotModelled));
            return;
        };
        let allows = match &collection.action {
            Val::Known(FirewallAction::Allow | FirewallAction::Dnat) => Some(true),
            Val::Known(FirewallAction::Deny) => Some(false),
            Val::Known(FirewallAction::Snat | FirewallAction::Other(_)) | Val::Sym(_) => None,
        };
        if let Some(symbol) = collection.rules.open {
            let unseen = self.not_known("the rules of", &within, symbol);
            match kind {
                CollectionKind::Nat => out.dnat.push(Entry::Unseen(Box::new(unseen))),
                CollectionKind::ClassicNetwork => out.network.push(Entry::Unseen(Box::new(unseen))),
                CollectionKind::ClassicApplication => out.application.push(Entry::Unseen(Box::new(unseen))),
                CollectionKind::Filter => out.unseen(unseen),
            }
        }
        for rule in &collection.rules {
            match PlacedRule::of(rule, allows, &within) {
                Some(placed) => {
                    let list = match placed.body {
                        Body::Network(_) => &mut out.network,
                        Body::Application(_) => &mut out.application,
                        Body::Dnat { .. } => &mut out.dnat,
                    };
                    list.push(Entry::Rule(Box::new(placed)));
                }
                None => out.unseen(doubt(
                    &format!("{within}/{}", rule.name),
                    "is of a type that is not known",
                    MissingKind::NotModelled,
                )),
            }
        }
    }

    fn not_known(&self, what: &str, of: &str, symbol: SymbolIx) -> Doubt {
        let text = self.network.symbols.get(symbol).map_or("", |symbol| &symbol.text);
        let mut out = doubt(of, "", MissingKind::Evidence);
        out.key = format!("firewall:{what}:{of}");
        out.what = format!("{what} {of}");
        out.why = format!("{} is not known: {text}", self.network.symbols.name(symbol));
        out
    }
}

impl Ordered {
    /// Rules of any type may stand here.
    fn unseen(&mut self, doubt: Doubt) {
        self.dnat.push(Entry::Unseen(Box::new(doubt.clone())));
        self.network.push(Entry::Unseen(Box::new(doubt.clone())));
        self.application.push(Entry::Unseen(Box::new(doubt)));
    }
}

fn not_read(id: &ArmId, of: &str) -> Doubt {
    let mut out = doubt(id.name(), "", MissingKind::Permission);
    out.what = format!("the rules of firewall policy {}", id.name());
    out.why = format!("{of} takes its rules from it, and it could not be read");
    out.remedy = format!("read {}", id.as_written());
    out
}

fn doubt(of: &str, why: &str, kind: MissingKind) -> Doubt {
    Doubt {
        key: format!("firewall:{of}"),
        kind,
        what: format!("what {of} does"),
        why: if why.is_empty() { String::new() } else { format!("{of} {why}") },
        remedy: "complete the firewall's rules in the input".into(),
        yes: "a rule there decides".into(),
        no: "no rule there decides".into(),
    }
}
