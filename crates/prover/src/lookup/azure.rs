//! Azure-provided DNS as one virtual network sees it: policy, zones, rulesets, public DNS (D24–D31, D43, D94–D97).

use std::sync::Arc;

use pullproof_network::model::index::VnetIx;
use pullproof_network::model::vnet::vnet;
use pullproof_snapshot::question::LookupResult;

use super::name;
use super::policy::PolicySays;
use super::public::{Chain, End, PublicSays};
use super::reply::{Reply, alike, readings, step};
use super::ruleset::RulesSay;
use super::trail::{Ahead, Asked, Trail};
use super::zone::ZoneSays;
use crate::blocker::BlockerKind;
use crate::lookup_answer::{RecordType, Scope};
use crate::missing::{contested, declare, not_modelled, too_complex};
use crate::outcome::{Basis, Blocker, Missing};
use crate::path::{StepDecision, StepKind};
use crate::prover::Prover;

/// Longest chain of aliases that is followed (D176).
const LONGEST_CHAIN: usize = 16;

/// Names of machines inside one network (D31).
const INTERNAL: &str = "internal.cloudapp.net";

/// A question to Azure DNS, and what it has come to so far.
#[derive(Clone)]
struct At<'a> {
    vnet: VnetIx,
    record: RecordType,
    trail: &'a Trail,
    /// The names that led here; none: the name that was asked for.
    through: Vec<String>,
}

impl At<'_> {
    fn is_asked(&self) -> bool {
        self.through.is_empty()
    }

    /// The same question, for an alias of `name`.
    fn after(&self, name: &str) -> Self {
        let mut next = self.clone();
        next.through.push(name.to_owned());
        next
    }
}

impl Prover<'_> {
    /// What 168.63.129.16 answers to a sender in `vnet` (D27).
    pub(crate) fn azure(&self, vnet: VnetIx, name: &str, record: RecordType, trail: &Trail) -> Vec<Reply> {
        // The answer does not depend on who asks, only on who was asked before: a circle ends there.
        let key = (vnet, name.to_owned(), record, trail.clone());
        if let Some(known) = self.names.read(&self.names.azure).get(&key) {
            return known.as_ref().clone();
        }
        let replies = self.azure_anew(vnet, name, record, trail);
        self.names.write(&self.names.azure).insert(key, Arc::new(replies.clone()));
        replies
    }

    fn azure_anew(&self, vnet_ix: VnetIx, name: &str, record: RecordType, trail: &Trail) -> Vec<Reply> {
        let trail = match trail.ask(Asked::Azure(vnet_ix), name) {
            Ahead::Go(trail) => trail,
            Ahead::Loop(circle) => return vec![self.looped(&circle, name)],
            Ahead::TooDeep => return vec![Reply::unknown(too_complex(format!("the lookup of {name}")))],
        };
        let at = At { vnet: vnet_ix, record, trail: &trail, through: Vec::new() };
        let said = step(
            StepKind::Resolver,
            "168.63.129.16",
            StepDecision::Forward,
            format!("Azure DNS looks {name} up for {}", self.vnet_name(vnet_ix)),
            vec![self.network.vnets[vnet_ix].place.at(vnet::DNS_SERVERS)],
            vec!["D27", "D28"],
        );
        self.azure_step(&at, name).into_iter().map(|reply| reply.after(said.clone())).collect()
    }

    pub(crate) fn looped(&self, circle: &str, name: &str) -> Reply {
        Reply::failure(
            LookupResult::Loop,
            Blocker {
                kind: BlockerKind::ResolverLoop,
                message: format!("lookups of {name} go round in a circle: {circle}"),
                remedy: "break the circle: forward the name to a resolver that answers it itself".into(),
                facts: vec!["D98", "D176"],
                evidence: Vec::new(),
            },
        )
    }

    /// A chain of aliases that comes back to a name, or does not end.
    fn chain_ends(&self, at: &At<'_>, name: &str) -> Option<Reply> {
        if at.through.iter().any(|n| n == name) {
            return Some(self.looped(&at.through.join(" → "), name));
        }
        let long = at.through.len() > LONGEST_CHAIN;
        long.then(|| Reply::unknown(too_complex(format!("the chain of aliases at {name}"))))
    }

    /// One name; aliases start anew in the same network (D43).
    fn azure_step(&self, at: &At<'_>, name: &str) -> Vec<Reply> {
        if let Some(reply) = self.chain_ends(at, name) {
            return vec![reply];
        }
        if let Some(missing) = self.below_wildcard(at.vnet, name) {
            return vec![Reply::unknown(missing)];
        }
        match self.policy_says(at.vnet, name) {
            PolicySays::Allowed(basis) => {
                self.past_policy(at, name).into_iter().map(|r| r.resting_on(&basis)).collect()
            }
            PolicySays::Blocked(reply) if at.is_asked() => vec![*reply],
            // Whether policies look at alias targets is not documented (D130).
            PolicySays::Blocked(reply) => readings(vec![*reply], self.past_policy(at, name), || {
                contested(
                    "DU1",
                    format!("whether a DNS security policy blocks {name} as the target of an alias"),
                    "add an Allow rule for the name, or record the lookup from a node",
                )
            }),
            PolicySays::Unknown(missing) => {
                let rest = self.past_policy(at, name);
                // Blocked or not, it may come to the same: no address.
                if rest.iter().all(|r| !matches!(r.result, LookupResult::Answer | LookupResult::Unknown)) {
                    return rest;
                }
                vec![Reply::unknown(missing)]
            }
        }
    }

    fn past_policy(&self, at: &At<'_>, name: &str) -> Vec<Reply> {
        match self.zones_say(at.vnet, name, at.record) {
            ZoneSays::Final(reply) => self.zone_final(at, name, reply),
            ZoneSays::Goes { target, reply } => {
                let next = at.after(name);
                let replies = self.azure_step(&next, &target);
                replies
                    .into_iter()
                    .map(|r| following(&reply, r.through(std::slice::from_ref(&target))))
                    .collect()
            }
            ZoneSays::Redirects { why, reply } => {
                let replies = self.azure_public(at, name);
                replies.into_iter().map(|r| following(&reply, r).lost(why.clone())).collect()
            }
            ZoneSays::NotMine(basis) => {
                self.past_zones(at, name).into_iter().map(|r| r.resting_on(&basis)).collect()
            }
        }
    }

    /// The zone's own answer, against a longer rule (D97).
    fn zone_final(&self, at: &At<'_>, name: &str, reply: Reply) -> Vec<Reply> {
        if reply.result == LookupResult::Unknown {
            return vec![reply];
        }
        let links = self.network.links_of(at.vnet).iter();
        let zones = links.map(|link| &*self.network.zones[self.network.zone_links[*link].zone].name);
        let zone = name::longest(zones, |z| z, name).first().copied().unwrap_or_default();
        self.zone_or_longer_rule(vec![reply], at.vnet, zone, name, |rule| {
            self.forward_by_rule(at.vnet, rule, name, at.record, at.trail)
        })
    }

    fn past_zones(&self, at: &At<'_>, name: &str) -> Vec<Reply> {
        let forwarded = match self.rules_say(at.vnet, name) {
            RulesSay::Nothing(basis) => {
                return self.azure_public(at, name).into_iter().map(|r| r.resting_on(&basis)).collect();
            }
            RulesSay::Unknown(missing) => return vec![Reply::unknown(missing)],
            RulesSay::Forward(rule, basis) => {
                let replies = self.forward_by_rule(at.vnet, rule, name, at.record, at.trail);
                replies.into_iter().map(|r| r.resting_on(&basis)).collect()
            }
        };
        if at.is_asked() {
            return forwarded;
        }
        // Whether rules see alias targets is not documented (D96).
        readings(self.azure_public(at, name), forwarded, || {
            contested(
                "DU1",
                format!("whether a forwarding rule sees {name}, the target of an alias"),
                "make the rule for the public zone that is asked (D95), or record the lookup from a node",
            )
        })
    }

    /// Public recursion; each alias is evaluated anew (D43).
    fn azure_public(&self, at: &At<'_>, name: &str) -> Vec<Reply> {
        if name::within(name, INTERNAL) {
            return vec![Reply::unknown(not_modelled(
                format!("the name {name} of a machine"),
                "which machines a network's own names stand for is not in the configuration (D31)",
            ))];
        }
        match self.public_says(name) {
            PublicSays::Chain(chain) => self.azure_chain(at, name, &chain),
            PublicSays::Either(a, b, missing) => {
                let (a, b) = (self.azure_chain(at, name, &a), self.azure_chain(at, name, &b));
                // The public answer stays public whichever way; the reasons of the longer chain say more.
                if alike(&a, &b) && a.iter().all(|r| r.blockers.is_empty()) {
                    return b;
                }
                readings(a, b, || missing)
            }
            PublicSays::Unknown(missing) => vec![Reply::unknown(missing)],
        }
    }

    fn azure_chain(&self, at: &At<'_>, name: &str, chain: &Chain) -> Vec<Reply> {
        if let Some(first) = chain.cname.first() {
            // The rest of the chain belongs to the alias: it is looked up anew, and only if nothing of Azure's own
            // answers it, public DNS goes on with it.
            let rest = Chain { cname: chain.cname.get(1..).unwrap_or_default().to_vec(), ..chain.clone() };
            let next = at.after(name);
            let replies = self.alias(&next, first, &rest);
            let said = step(
                StepKind::Record,
                "public DNS",
                StepDecision::Answer,
                format!("{name} is an alias of {first}"),
                chain.by.clone(),
                chain.facts.clone(),
            );
            return replies
                .into_iter()
                .map(|r| r.resting_on(&chain.basis).through(std::slice::from_ref(first)).after(said.clone()))
                .collect();
        }
        match self.tail(at, name, chain) {
            Ok(basis) => {
                let end = self.public_end(name, chain, at.record);
                vec![end.resting_on(&basis).lost_in(self, at.vnet, name)]
            }
            Err(missing) => vec![Reply::unknown(missing)],
        }
    }

    /// An alias met in a public chain, whose own public chain is `rest`.
    fn alias(&self, at: &At<'_>, name: &str, rest: &Chain) -> Vec<Reply> {
        if let Some(reply) = self.chain_ends(at, name) {
            return vec![reply];
        }
        let public = || -> Vec<Reply> {
            let replies = self.azure_chain(at, name, rest);
            match self.rules_say(at.vnet, name) {
                RulesSay::Nothing(basis) => replies.into_iter().map(|r| r.resting_on(&basis)).collect(),
                RulesSay::Unknown(missing) => vec![Reply::unknown(missing)],
                RulesSay::Forward(rule, basis) => {
                    let forwarded = self.forward_by_rule(at.vnet, rule, name, at.record, at.trail);
                    let forwarded = forwarded.into_iter().map(|r| r.resting_on(&basis)).collect();
                    readings(replies, forwarded, || {
                        contested(
                            "DU1",
                            format!("whether a forwarding rule sees {name}, the target of an alias"),
                            "make the rule for the public zone that is asked (D95), or record the lookup from a node",
                        )
                    })
                }
            }
        };
        let past_policy = || -> Vec<Reply> {
            match self.zones_say(at.vnet, name, at.record) {
                ZoneSays::NotMine(basis) => public().into_iter().map(|r| r.resting_on(&basis)).collect(),
                ZoneSays::Redirects { why, reply } => {
                    let replies = self.azure_chain(at, name, rest);
                    replies.into_iter().map(|r| following(&reply, r).lost(why.clone())).collect()
                }
                ZoneSays::Final(reply) => self.zone_final(at, name, reply),
                ZoneSays::Goes { .. } => self.past_policy(at, name),
            }
        };
        match self.policy_says(at.vnet, name) {
            PolicySays::Allowed(basis) => past_policy().into_iter().map(|r| r.resting_on(&basis)).collect(),
            PolicySays::Blocked(reply) => readings(vec![*reply], past_policy(), || {
                contested(
                    "DU1",
                    format!("whether a DNS security policy blocks {name} as the target of an alias"),
                    "add an Allow rule for the name, or record the lookup from a node",
                )
            }),
            PolicySays::Unknown(missing) => vec![Reply::unknown(missing)],
        }
    }

    /// The rest of a documented chain has names that are not known exactly; policies and rules for any of them may or
    /// may not matter (D96, D130). Returns what the public end rests on exactly when neither reading takes it away: no
    /// policy blocks those names, and where a rule forwards them, its targets answer from public DNS as well.
    fn tail(&self, at: &At<'_>, name: &str, chain: &Chain) -> Result<Basis, Missing> {
        let mut basis = Basis::default();
        for domain in chain.tail {
            if let Some(found) = self.within_tail(at.vnet, domain) {
                return Err(not_modelled(
                    format!("the names below {domain} through which {name} leads"),
                    format!(
                        "{found} takes some of them, and the aliases beyond the documented ones vary (D43, D62)"
                    ),
                ));
            }
            // A wildcard stands for every name there of which nothing is configured.
            let probe = format!("*.{domain}");
            let what = match (self.policy_says(at.vnet, &probe), self.rules_say(at.vnet, &probe)) {
                (PolicySays::Blocked(_) | PolicySays::Unknown(_), _) => "a DNS security policy blocks",
                (_, RulesSay::Unknown(_)) => "a forwarding rule sees",
                (_, RulesSay::Forward(rule, resting)) => {
                    let forwarded = self.forward_by_rule(at.vnet, rule, &probe, at.record, at.trail);
                    if !forwarded.is_empty() && forwarded.iter().all(Reply::is_somewhere_public) {
                        basis.merge(&resting);
                        forwarded.iter().for_each(|reply| basis.merge(&reply.basis));
                        continue;
                    }
                    "a forwarding rule sees"
                }
                (PolicySays::Allowed(_), RulesSay::Nothing(_)) => continue,
            };
            return Err(contested(
                "DU1",
                format!("whether {what} names below {domain}, through which {name} leads"),
                "record what a node gets for the name",
            ));
        }
        Ok(basis)
    }

    /// The end of a public chain.
    pub(crate) fn public_end(&self, name: &str, chain: &Chain, record: RecordType) -> Reply {
        let said = |text: String| {
            step(
                StepKind::Record,
                "public DNS",
                StepDecision::Answer,
                text,
                chain.by.clone(),
                chain.facts.clone(),
            )
        };
        let reply = match &chain.end {
            End::Addresses(all) => {
                let fits = |a: &&std::net::IpAddr| a.is_ipv4() == (record == RecordType::A);
                let addresses: Vec<_> = all.iter().filter(fits).copied().collect();
                if addresses.is_empty() {
                    return Reply::failure(LookupResult::Nodata, no_address(name, chain))
                        .resting_on(&chain.basis);
                }
                let shown: Vec<String> = addresses.iter().map(ToString::to_string).collect();
                let scope = self.scope_of(&addresses);
                Reply::answer(addresses, scope).after(said(format!("{name} is {}", shown.join(", "))))
            }
            // Which families a public host has is not documented (D55, A46).
            End::Somewhere if record == RecordType::Aaaa => Reply::unknown(declare(
                format!("whether {name} has an IPv6 address in public DNS"),
                "public DNS is no part of the configuration (D2)",
                format!("declare it: [[public_name]] host = \"{name}\""),
            )),
            End::Somewhere => {
                Reply::answer(Vec::new(), Scope::Public).after(said(format!("{name} has a public address")))
            }
            End::NoSuchName => Reply::failure(
                LookupResult::Nxdomain,
                Blocker {
                    kind: BlockerKind::NameDoesNotExist,
                    message: format!("{name} does not exist in public DNS"),
                    remedy: "correct the name, or give it to the resolver that the nodes use".into(),
                    facts: vec!["D162"],
                    evidence: chain.by.clone(),
                },
            )
            .after(said(format!("{name} does not exist"))),
        };
        reply.resting_on(&chain.basis)
    }

    /// The whole public chain without any of Azure's private parts: what a public resolver answers.
    pub(crate) fn public_only(&self, name: &str, record: RecordType) -> Vec<Reply> {
        let one = |chain: &Chain| {
            let end = chain.cname.last().map_or(name, String::as_str);
            vec![self.public_end(end, chain, record).through(&chain.cname)]
        };
        match self.public_says(name) {
            PublicSays::Chain(chain) => one(&chain),
            PublicSays::Either(a, b, missing) => readings(one(&a), one(&b), || missing),
            PublicSays::Unknown(missing) => vec![Reply::unknown(missing)],
        }
    }
}

fn no_address(name: &str, chain: &Chain) -> Blocker {
    Blocker {
        kind: BlockerKind::NameHasNoAddress,
        message: format!("{name} has no address of the asked family in public DNS"),
        remedy: String::new(),
        facts: vec!["D49"],
        evidence: chain.by.clone(),
    }
}

/// `reply` continued by `rest`: its steps first, and what both rest on.
fn following(reply: &Reply, mut rest: Reply) -> Reply {
    rest.steps.splice(0..0, reply.steps.iter().cloned());
    rest.basis.merge(&reply.basis);
    rest
}

impl Reply {
    /// Says that no zone for a private link name is linked to the network, where that is how the chain got public
    /// (D172).
    fn lost_in(self, prover: &Prover<'_>, vnet_ix: VnetIx, name: &str) -> Self {
        if self.scope != Some(Scope::Public) || !name::is_private_link(name) {
            return self;
        }
        let network = prover.network;
        let linked: Vec<_> = name::longest(network.zones.iter(), |(_, zone)| &zone.name, name);
        let mut evidence = vec![network.vnets[vnet_ix].place.at(vnet::DNS_SERVERS)];
        let mut elsewhere = Vec::new();
        for (_, zone) in &linked {
            evidence.push(zone.place.at("/name"));
            for link in &zone.links {
                if let Some(pullproof_network::Ref::Here(other)) = network.zone_links[*link].vnet.present() {
                    elsewhere.push(prover.vnet_name(*other).to_owned());
                }
            }
        }
        elsewhere.sort();
        elsewhere.dedup();
        let here = prover.vnet_name(vnet_ix);
        let zone = linked.first().map(|(_, zone)| zone.name.to_string());
        let message = match zone.as_deref() {
            Some(zone) if elsewhere.is_empty() => {
                format!("zone {zone} is not linked to {here}, so {name} is answered by public DNS")
            }
            Some(zone) => format!(
                "zone {zone} is not linked to {here} (it is linked to {}), so {name} is answered by public DNS",
                elsewhere.join(", ")
            ),
            None => format!("no private DNS zone for {name} is linked to {here}, so public DNS answers it"),
        };
        let remedy = format!("link the zone of {name} to {here}");
        let facts = vec!["D27", "D45", "D172"];
        self.lost(Blocker { kind: BlockerKind::PublicAnswer, message, remedy, facts, evidence })
    }
}

/// What an answer of Azure DNS rests on where nothing of a network is involved: a virtual hub (D123).
pub(crate) fn of_hub(prover: &Prover<'_>, name: &str, record: RecordType) -> Vec<Reply> {
    prover
        .public_only(name, record)
        .into_iter()
        .map(|reply| {
            reply.lost(Blocker {
                kind: BlockerKind::PublicAnswer,
                message: format!(
                    "private DNS zones cannot be linked to a virtual hub, so {name} is answered by public DNS"
                ),
                remedy:
                    "set the firewall's DNS servers to a resolver in a network that the zone is linked to"
                        .into(),
                facts: vec!["D123", "D172"],
                evidence: Vec::new(),
            })
        })
        .collect()
}
