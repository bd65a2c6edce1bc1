//! Packets that pass an Azure Firewall, in a network or in a hub (R167–R173, F119–F121, F135).

use pullproof_network::model::index::FirewallIx;
use pullproof_network::set::Addresses;
use pullproof_snapshot::question::LookupResult;

use super::back::Start;
use super::packet::Packet;
use super::{Proxies, Walk};
use crate::BlockerKind;
use crate::device::{Passed, Place};
use crate::firewall::{FirewallDecision, FirewallVerdict, Translation};
use crate::lookup_answer::{LookupEnd, Scope, When};
use crate::missing::evidence;
use crate::outcome::{Blocker, Missing, Outcome};
use crate::path::{Branch, Delivery, Interceptor, SeenAs, StepDecision, StepKind, Target};

impl Walk<'_, '_> {
    pub(super) fn at_firewall(&self, packet: Packet, ix: FirewallIx, passed: &Passed) -> Vec<Branch> {
        let (sources, sports) = (packet.sources(), packet.sports());
        let decisions =
            self.prover.firewall(ix, &sources, &sports, &packet.to, self.proto, packet.port, self.host);
        let several = decisions.len() > 1;
        let mut out = Vec::new();
        for decision in decisions {
            let mut part = packet.clone();
            if part.is_askers() {
                part.branch.sources = decision.sources.clone();
                part.branch.sports = decision.sports.clone();
            } else if several {
                part.choose("snat", decision.sources.to_string());
            }
            part.branch.forward_steps.extend(decision.steps.iter().cloned());
            part.branch.basis.merge(&decision.basis);
            out.extend(self.decided(part, ix, passed, decision));
        }
        out
    }

    /// The packet is for an address of the firewall's own: its DNS proxy serves it, a translation sends it on, or
    /// nobody takes it (F134, F140).
    pub(super) fn ends_at_firewall(&self, packet: Packet, ix: FirewallIx, near: Place) -> Vec<Branch> {
        let (sources, sports) = (packet.sources(), packet.sports());
        let decisions =
            self.prover.firewall(ix, &sources, &sports, &packet.to, self.proto, packet.port, self.host);
        let id = &self.prover.network.firewalls[ix].id;
        let mut out = Vec::new();
        for decision in decisions {
            let mut part = packet.clone();
            part.branch.basis.merge(&decision.basis);
            match decision.verdict {
                FirewallVerdict::Network(_) | FirewallVerdict::Application { .. } => {}
                FirewallVerdict::Deny(blocker) => part.filtered(Outcome::fails(blocker)),
                FirewallVerdict::Open(missing, more) => {
                    part.filtered(Outcome::Open(missing.clone(), more));
                    out.push(part.lost(missing));
                    continue;
                }
            }
            if !part.is_hypothetical() {
                part.branch.delivery = Delivery::Device(id.clone());
                let (device, facts) = (id.as_written(), &["F140"]);
                part.step(StepKind::Firewall, device, StepDecision::Deliver, "delivered", Vec::new(), facts);
            }
            out.extend(self.reply(part, Start::Place(near)));
        }
        out
    }

    fn decided(
        &self,
        mut packet: Packet,
        ix: FirewallIx,
        passed: &Passed,
        decision: FirewallDecision,
    ) -> Vec<Branch> {
        match decision.verdict {
            FirewallVerdict::Network(translation) => self.past(packet, ix, passed, translation),
            FirewallVerdict::Application { terminates_tls } => {
                let id = self.prover.network.firewalls[ix].id.clone();
                packet.branch.interceptors.push(Interceptor {
                    address: passed.entry,
                    terminates: terminates_tls.then(|| id.clone()),
                });
                packet.branch.proxied_by = Some(id);
                self.by_own_lookup(packet, ix, passed)
            }
            FirewallVerdict::Deny(blocker) => {
                packet.filtered(Outcome::fails(blocker));
                // Behind it: as a network rule would let it through.
                let (translation, basis) = self.prover.firewall_translation(ix, &packet.to, false);
                packet.branch.basis.merge(&basis);
                self.past(packet, ix, passed, translation)
            }
            FirewallVerdict::Open(missing, more) => {
                packet.filtered(Outcome::Open(missing.clone(), more));
                vec![packet.lost(missing)]
            }
        }
    }

    /// The packet leaves the firewall, towards the same destination.
    fn past(
        &self,
        mut packet: Packet,
        ix: FirewallIx,
        passed: &Passed,
        translation: Translation,
    ) -> Vec<Branch> {
        match translation {
            Translation::Keeps => packet.pass(passed.clone()),
            Translation::Private(addresses) => packet.translate(passed.clone(), addresses, passed.near),
            Translation::Public(seen) => {
                if let SeenAs::Addresses { addresses, by } = &seen
                    && addresses.is_empty()
                {
                    let blocker = Blocker {
                        kind: BlockerKind::NoEgress,
                        message: format!("firewall {} has no public address to leave by", passed.name),
                        remedy: "give it a public address, or a NAT gateway to its subnet".into(),
                        facts: vec!["R238", "R167"],
                        evidence: by
                            .iter()
                            .copied()
                            .chain([self.prover.network.firewalls[ix]
                                .place
                                .at("/properties/ipConfigurations")])
                            .collect(),
                    };
                    return self.fail(packet, blocker);
                }
                packet.branch.seen_as = Some(seen);
                packet.translate(passed.clone(), Addresses::empty(), passed.near);
            }
            Translation::Open(missing) => {
                packet.pass(passed.clone());
                return vec![packet.lost(missing)];
            }
        }
        packet.place = passed.near;
        self.go(packet)
    }

    /// F121: an application rule connects to what the firewall's own lookup of the host gives.
    fn by_own_lookup(&self, mut packet: Packet, ix: FirewallIx, passed: &Passed) -> Vec<Branch> {
        let Some(host) = self.host else {
            let missing = evidence(
                format!("the host name that firewall {} sees", passed.name),
                "an application rule connects to what its own lookup of the name gives (F121)",
                "ask with a host name",
            );
            return vec![packet.lost(missing)];
        };
        if self.proxies == Proxies::AsAsked {
            let asked = packet.to.clone();
            return self.connects_to(packet, ix, passed, asked);
        }
        let lookup = self.prover.firewall_lookup(ix, host);
        packet.branch.basis.merge(&lookup.basis);
        let ends: Vec<&LookupEnd> = lookup.ends.iter().filter(|e| e.when != When::EarlierSilent).collect();
        let targets: Vec<(Option<String>, Result<Target, &LookupEnd>)> =
            ends.iter().flat_map(|end| self.targets_of(&packet, end, host)).collect();
        let several = targets.len() > 1;
        let mut out = Vec::new();
        for (label, target) in targets {
            let mut part = packet.clone();
            if several {
                part.choose("firewall-answer", label.unwrap_or_default());
            }
            match target {
                Ok(target) => out.extend(self.connects_to(part, ix, passed, target)),
                Err(end) => out.push(self.cannot_resolve(part, passed, host, end)),
            }
        }
        out
    }

    fn targets_of<'e>(
        &self,
        packet: &Packet,
        end: &'e LookupEnd,
        host: &str,
    ) -> Vec<(Option<String>, Result<Target, &'e LookupEnd>)> {
        if end.result != LookupResult::Answer {
            return vec![(Some(format!("{:?}", end.result)), Err(end))];
        }
        if end.addresses.is_empty() {
            if end.scope != Some(Scope::Public) {
                return vec![(None, Err(end))];
            }
            let target = match &packet.to {
                public @ Target::PublicHost { .. } => public.clone(),
                Target::Address(_) => Target::PublicHost { host: host.to_owned(), tags: Vec::new() },
            };
            return vec![(Some("public".to_owned()), Ok(target))];
        }
        end.addresses.iter().map(|a| (Some(a.to_string()), Ok(Target::Address(*a)))).collect()
    }

    fn connects_to(&self, mut packet: Packet, ix: FirewallIx, passed: &Passed, to: Target) -> Vec<Branch> {
        let (translation, basis) = self.prover.firewall_translation(ix, &to, true);
        packet.branch.basis.merge(&basis);
        packet.branch.ends_at = Some(to.clone());
        packet.to = to;
        self.past(packet, ix, passed, translation)
    }

    fn cannot_resolve(&self, mut packet: Packet, passed: &Passed, host: &str, end: &LookupEnd) -> Branch {
        packet.branch.basis.merge(&end.basis);
        packet.branch.ends_at = None;
        if end.result == LookupResult::Unknown || end.result == LookupResult::Answer {
            let missing: Missing = end.missing.first().cloned().unwrap_or_else(|| {
                evidence(
                    format!("what firewall {} resolves {host} to", passed.name),
                    "its own lookup decides where the flow goes (F121)",
                    "declare its resolver",
                )
            });
            packet.filtered(Outcome::open(missing.clone()));
            return packet.lost(missing);
        }
        let cause = end.blockers.first();
        packet.filtered(Outcome::fails(Blocker {
            kind: BlockerKind::FirewallCannotResolve,
            message: format!(
                "firewall {} cannot resolve {host} itself ({:?}){}",
                passed.name,
                end.result,
                cause.map(|c| format!(": {}", c.message)).unwrap_or_default()
            ),
            remedy: "let the firewall's resolver answer the host, or link its network to the private zone"
                .into(),
            facts: vec!["F121"],
            evidence: cause.map(|c| c.evidence.clone()).unwrap_or_default(),
        }));
        let missing =
            crate::missing::depends_on(format!("where firewall {} connects to for {host}", passed.name));
        packet.lost(missing)
    }
}
