//! The question: what does this firewall do with a flow that was routed to it (F139).

use std::net::IpAddr;

use pullproof_network::model::firewall::firewall as pointer;
use pullproof_network::model::index::FirewallIx;
use pullproof_network::set::{Addresses, Ports};
use pullproof_snapshot::question::{Decision as Word, DecisionAnswer, Packet};

use super::decision::{FirewallDecision, FirewallVerdict, Translation};
use super::rule::{Body, Entry, Ordered, PlacedRule, Terms};
use super::scan::{Scan, Verdict, own_addresses};
use crate::blocker::BlockerKind;
use crate::context::Proto;
use crate::filter::{one, transport};
use crate::first_match::{Decision, Destination, decide};
use crate::outcome::{Basis, Blocker, Missing, MissingKind};
use crate::path::{Step, StepDecision, StepKind, Target};
use crate::prover::Prover;

impl Prover<'_> {
    /// What the firewall does with each part of (sources × source ports) on its way to `to` on `port` (F139). `host`
    /// is the name in the TLS hello or `Host` header, where there is one. The parts are disjoint and their union is
    /// the question.
    #[expect(clippy::too_many_arguments, reason = "a packet has that many fields")]
    pub fn firewall(
        &self,
        firewall: FirewallIx,
        sources: &Addresses,
        sports: &Ports,
        to: &Target,
        proto: Proto,
        port: u16,
        host: Option<&str>,
    ) -> Vec<FirewallDecision> {
        let flow = Flow { sources, sports, to, proto, port, host };
        self.firewall_parts(firewall, &flow).into_iter().map(|(decision, _)| decision).collect()
    }

    /// The decisions with the name of the deciding rule; `None`: the default.
    fn firewall_parts(&self, ix: FirewallIx, flow: &Flow<'_>) -> Vec<(FirewallDecision, Option<String>)> {
        let rules = self.ordered(ix);
        let mut basis = rules.basis.clone();
        let whole = |verdict: FirewallVerdict, basis: Basis| {
            let decision = FirewallDecision {
                sources: flow.sources.clone(),
                sports: flow.sports.clone(),
                verdict,
                steps: Vec::new(),
                basis,
            };
            vec![(decision, None)]
        };
        if let Some(verdict) = self.to_itself(ix, &rules, flow) {
            return whole(verdict, basis);
        }
        if matches!(flow.to, Target::Address(IpAddr::V6(_))) || !flow.sources.v6.is_empty() {
            return whole(FirewallVerdict::Open(ipv6(), Vec::new()), basis);
        }
        let scan = Scan {
            prover: self,
            firewall: ix,
            rules: &rules,
            destination: Destination::of(flow.to),
            proto: flow.proto,
            port: flow.port,
            host: flow.host,
            sources: flow.sources,
            seen: std::cell::RefCell::default(),
        };
        let parts = decide(&scan, flow.sources, flow.sports);
        basis.reads.join(&scan.seen.borrow().reads);
        basis.remarks.extend(scan.seen.borrow().remarks.iter().cloned());
        let mut out: Vec<(FirewallDecision, Option<String>)> = Vec::new();
        for part in parts {
            let mut basis = basis.clone();
            let (verdict, steps, name) = self.verdict(ix, &scan, part.decision, flow, &mut basis);
            let twin = out.iter_mut().find(|(known, of)| {
                known.verdict == verdict && known.sports == part.sports && known.steps == steps && *of == name
            });
            match twin {
                Some((known, _)) => known.sources = known.sources.union(&part.sources),
                None => out.push((
                    FirewallDecision { sources: part.sources, sports: part.sports, verdict, steps, basis },
                    name,
                )),
            }
        }
        out.sort_by(|(a, _), (b, _)| (&a.sources, &a.sports).cmp(&(&b.sources, &b.sports)));
        out
    }

    /// A packet to the firewall's own address: its DNS proxy (F140), or DNAT (F134).
    fn to_itself(&self, ix: FirewallIx, rules: &Ordered, flow: &Flow<'_>) -> Option<FirewallVerdict> {
        let Target::Address(address) = flow.to else { return None };
        if !own_addresses(self, ix).contains(address) {
            return None;
        }
        if flow.port == 53 {
            match self.dns_proxy(ix) {
                Some(true) => return Some(FirewallVerdict::Network(Translation::Keeps)),
                Some(false) => {}
                None => {
                    let missing = open(
                        MissingKind::Evidence,
                        "whether the firewall's DNS proxy is on",
                        "its settings are not completely known",
                        "complete the firewall's DNS settings in the input",
                    );
                    return Some(FirewallVerdict::Open(missing, Vec::new()));
                }
            }
        }
        let reached = |terms: &Terms| {
            terms.any
                || terms.open
                || terms.fixed.contains(*address)
                || !terms.groups.is_empty()
                || !terms.tags.is_empty()
        };
        let translated = rules.dnat.iter().any(|entry| match entry {
            Entry::Unseen(_) => true,
            Entry::Rule(rule) => matches!(&rule.body, Body::Dnat { destinations } if reached(destinations)),
        });
        if translated {
            let missing = open(
                MissingKind::NotModelled,
                "destination translation at the firewall",
                "a DNAT rule may send this packet on to another address (F134)",
                "let the clients use the real address",
            );
            return Some(FirewallVerdict::Open(missing, Vec::new()));
        }
        Some(FirewallVerdict::Deny(self.default_deny(ix, flow)))
    }

    fn verdict(
        &self,
        ix: FirewallIx,
        scan: &Scan<'_, '_>,
        decision: Decision<Verdict>,
        flow: &Flow<'_>,
        basis: &mut Basis,
    ) -> (FirewallVerdict, Vec<Step>, Option<String>) {
        let rule_of = |i: usize| match scan.entry(i) {
            Some(Entry::Rule(rule)) => Some(rule.as_ref()),
            Some(Entry::Unseen(_)) | None => None,
        };
        match decision {
            Decision::NoMatch => {
                let step = self.step(ix, None, false);
                (FirewallVerdict::Deny(self.default_deny(ix, flow)), vec![step], None)
            }
            Decision::Open(mut missing) => {
                if missing.is_empty() {
                    missing.push(ipv6());
                }
                let first = missing.remove(0);
                (FirewallVerdict::Open(first, missing), Vec::new(), None)
            }
            Decision::Rule(i, effect) => {
                let rule = rule_of(i);
                let name = rule.map(|rule| rule.name.to_string());
                let steps = vec![self.step(ix, rule, effect != Verdict::Deny)];
                let verdict = match effect {
                    Verdict::Network => {
                        let (translation, read) = self.firewall_translation(ix, flow.to, false);
                        basis.merge(&read);
                        FirewallVerdict::Network(translation)
                    }
                    Verdict::Application { terminates_tls } => {
                        FirewallVerdict::Application { terminates_tls }
                    }
                    Verdict::Deny => FirewallVerdict::Deny(self.denies(ix, rule, flow)),
                };
                (verdict, steps, name)
            }
        }
    }

    fn firewall_name(&self, ix: FirewallIx) -> &str {
        self.network.firewalls.get(ix).map_or("", |firewall| firewall.id.name())
    }

    fn step(&self, ix: FirewallIx, rule: Option<&PlacedRule>, allow: bool) -> Step {
        let network = matches!(rule.map(|rule| &rule.body), Some(Body::Network(_)));
        Step {
            kind: StepKind::Firewall,
            device: self.network.firewalls.get(ix).map_or_else(String::new, |f| f.id.as_written().to_owned()),
            decision: if allow { StepDecision::Allow } else { StepDecision::Deny },
            text: match rule {
                Some(rule) => {
                    let kind = if network { "network" } else { "application" };
                    let verb = if allow { "allows" } else { "denies" };
                    format!("{kind} rule {} of {} {verb}", rule.name, rule.within)
                }
                None => "no rule matches: denied by default".into(),
            },
            by: rule.map(|rule| rule.at).into_iter().collect(),
            facts: match (rule, network) {
                (None, _) => vec!["F113"],
                (Some(_), true) => vec!["F116", "F119"],
                (Some(_), false) => vec!["F116", "F121"],
            },
            deciding: !allow,
        }
    }

    fn denies(&self, ix: FirewallIx, rule: Option<&PlacedRule>, flow: &Flow<'_>) -> Blocker {
        let Some(rule) = rule else { return self.default_deny(ix, flow) };
        Blocker {
            kind: BlockerKind::FirewallDenies,
            message: format!(
                "{}: rule {} of {} denies {}",
                self.firewall_name(ix),
                rule.name,
                rule.within,
                flow.text()
            ),
            remedy: format!("allow {} in a collection that comes before {}", flow.text(), rule.within),
            facts: vec!["F116", "F139"],
            evidence: vec![rule.at],
        }
    }

    /// F113.
    fn default_deny(&self, ix: FirewallIx, flow: &Flow<'_>) -> Blocker {
        let place = self.network.firewalls.get(ix).map(|firewall| match firewall.policy.present() {
            Some(_) => firewall.place.at(pointer::POLICY),
            None => firewall.place.at(pointer::NETWORK_COLLECTIONS),
        });
        Blocker {
            kind: BlockerKind::FirewallDenies,
            message: format!("{}: no rule allows {}", self.firewall_name(ix), flow.text()),
            remedy: format!("add an application or network rule that allows {}", flow.text()),
            facts: vec!["F113"],
            evidence: place.into_iter().collect(),
        }
    }

    /// `query`'s `firewall` (CONTRACT §4). `firewall` is an ARM id or an unambiguous name. The error says what in the
    /// question cannot be used.
    pub fn firewall_answer(
        &self,
        firewall: &str,
        packet: &Packet,
        host: Option<&str>,
    ) -> Result<DecisionAnswer, String> {
        let (ix, read) = one(firewall, self.network.firewalls.iter().map(|(ix, f)| (ix, &f.id, f)))?;
        let sources: Addresses = packet.source.parse()?;
        let destination: IpAddr =
            packet.destination.parse().map_err(|_| format!("`{}` is no address", packet.destination))?;
        let (proto, sports, port) = transport(packet)?;
        let to = Target::Address(destination);
        let flow = Flow { sources: &sources, sports: &sports, to: &to, proto, port, host };
        let parts = self.firewall_parts(ix, &flow);
        let mut out: Option<DecisionAnswer> = None;
        for (part, rule) in parts {
            let (decision, missing) = match &part.verdict {
                FirewallVerdict::Network(_) | FirewallVerdict::Application { .. } => {
                    (Word::Allow, Vec::new())
                }
                FirewallVerdict::Deny(_) => (Word::Deny, Vec::new()),
                FirewallVerdict::Open(first, rest) => {
                    (Word::Unknown, std::iter::once(first).chain(rest).cloned().collect())
                }
            };
            let by = rule.as_ref().map(|_| read.id.as_written().to_owned());
            let answer = DecisionAnswer { decision, rule, by, missing };
            out = Some(match out {
                None => answer,
                Some(known) if known.decision == answer.decision => known,
                Some(_) => DecisionAnswer {
                    decision: Word::Unknown,
                    rule: None,
                    by: None,
                    missing: vec![open(
                        MissingKind::DependsOn,
                        "one source and one source port",
                        "parts of the sources fare differently",
                        "ask about one packet",
                    )],
                },
            });
        }
        out.ok_or_else(|| "the packet has no source".into())
    }
}

/// The flow that is asked about.
struct Flow<'q> {
    sources: &'q Addresses,
    sports: &'q Ports,
    to: &'q Target,
    proto: Proto,
    port: u16,
    host: Option<&'q str>,
}

impl Flow<'_> {
    fn text(&self) -> String {
        let proto = match self.proto {
            Proto::Tcp => "TCP",
            Proto::Udp => "UDP",
        };
        match (self.host, self.to) {
            (Some(host), Target::Address(address)) => format!("{proto} {} to {host} ({address})", self.port),
            (Some(host), Target::PublicHost { .. }) => format!("{proto} {} to {host}", self.port),
            (None, Target::Address(address)) => format!("{proto} {} to {address}", self.port),
            (None, Target::PublicHost { host, .. }) => format!("{proto} {} to {host}", self.port),
        }
    }
}

fn open(kind: MissingKind, what: &str, why: &str, remedy: &str) -> Missing {
    Missing {
        kind,
        what: what.into(),
        why: why.into(),
        remedy: remedy.into(),
        holds_if: None,
        breaks_if: None,
    }
}

fn ipv6() -> Missing {
    open(
        MissingKind::NotModelled,
        "IPv6 through an Azure Firewall",
        "its rules are followed for IPv4 only",
        "use IPv4 for this path",
    )
}
