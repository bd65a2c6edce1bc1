//! A firewall's rules held against one flow (F119–F129, F139).

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::net::IpAddr;

use pullproof_network::model::firewall::{ApplicationRule, NetworkRule};
use pullproof_network::model::index::{FirewallIx, IpGroupIx, Ref};
use pullproof_network::set::{Addresses, Ports, TagMatch, Tri};
use pullproof_network::{List, Val};

use super::host::{Coverage, covers, tag_covers, url_host};
use super::names::Resolved;
use super::rule::{Body, Entry, Ordered, PlacedRule, Terms, covers_port, covers_protocol};
use crate::context::Proto;
use crate::first_match::public_space::public_space;
use crate::first_match::{Asked, Destination, Doubt, Effect, Rules, World};
use crate::outcome::{MissingKind, Read, Reads, Remark};
use crate::prover::Prover;

/// What a firewall's rule does with what it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Network,
    Application { terminates_tls: bool },
    Deny,
}

impl Effect for Verdict {
    fn passes(self) -> bool {
        self != Self::Deny
    }
}

/// The rules with the flow.
pub(crate) struct Scan<'p, 'q> {
    pub prover: &'p Prover<'p>,
    pub firewall: FirewallIx,
    pub rules: &'q Ordered,
    pub destination: Destination<'q>,
    pub proto: Proto,
    pub port: u16,
    /// The name in the TLS hello or `Host` header.
    pub host: Option<&'q str>,
    pub sources: &'q Addresses,
    pub seen: RefCell<Seen>,
}

/// What the scan came to read.
#[derive(Default)]
pub(crate) struct Seen {
    pub reads: Reads,
    pub remarks: BTreeSet<Remark>,
}

impl Scan<'_, '_> {
    pub fn entry(&self, i: usize) -> Option<&Entry> {
        let network = self.rules.network.len();
        match i.checked_sub(network) {
            None => self.rules.network.get(i),
            Some(i) => self.rules.application.get(i),
        }
    }

    fn covered_sources(
        &self,
        terms: &Terms,
        within: &Addresses,
        rule: &PlacedRule,
        world: &World,
    ) -> Asked<Addresses> {
        if terms.any {
            return Ok(within.clone());
        }
        let mut found = terms.fixed.intersect(within);
        for group in &terms.groups {
            let (known, open) = self.group(group);
            found = found.union(&known.intersect(within));
            if let Some(mut doubt) = open
                && !within.is_subset(&found)
            {
                doubt.key.push_str(":source");
                if world.ask(&doubt.key.clone(), || doubt)? {
                    return Ok(within.clone());
                }
            }
        }
        if (terms.open || !terms.tags.is_empty()) && !within.is_subset(&found) {
            let key = format!("firewall:{}:{}:source", rule.within, rule.name);
            if world.ask(&key, || term_doubt(key.clone(), rule, "source", &found))? {
                return Ok(within.clone());
            }
        }
        Ok(found)
    }

    /// An IP group's addresses, and why there may be more (F126).
    fn group(&self, group: &Ref<IpGroupIx>) -> (Addresses, Option<Doubt>) {
        let doubt = |name: &str, kind, why: String| Doubt {
            key: format!("ip-group:{name}"),
            kind,
            what: format!("the addresses of IP group {name}"),
            why,
            remedy: "read the IP group, or complete it in the input".into(),
            yes: "it holds the address".into(),
            no: "it does not hold the address".into(),
        };
        match group {
            Ref::Here(ix) => {
                let Some(group) = self.prover.network.ip_groups.get(*ix) else {
                    return (Addresses::empty(), None);
                };
                self.seen.borrow_mut().reads.insert(Read::Resource(group.id.clone()));
                let terms = Terms::of(&group.addresses, &List::empty());
                let known = if terms.any { Addresses::all() } else { terms.fixed };
                let open = terms.open.then(|| {
                    doubt(group.id.name(), MissingKind::Evidence, "its list is not completely known".into())
                });
                (known, open)
            }
            Ref::NotRead(id) => (
                Addresses::empty(),
                Some(doubt(id.name(), MissingKind::Permission, format!("{} was not read", id.as_written()))),
            ),
        }
    }

    /// Does a network rule's destination cover the flow's (F126, F139.2)?
    fn covers_destination(&self, rule: &PlacedRule, body: &NetworkRule, world: &World) -> Asked<bool> {
        let terms = Terms::of(&body.destinations, &body.destination_groups);
        if terms.any {
            return Ok(true);
        }
        let mut doubt = None;
        let mut see = |answer: Asked<bool>| match answer {
            Ok(yes) => yes,
            Err(unknown) => {
                doubt.get_or_insert(unknown);
                false
            }
        };
        if see(self.in_set(&terms.fixed, &format!("rule:{}:{}", rule.within, rule.name), world))
            || terms.tags.iter().any(|tag| see(self.in_tag(tag, world)))
            || terms.groups.iter().any(|group| {
                let (known, open) = self.group(group);
                see(self.in_set(&known, &format!("group:{group:?}"), world))
                    || open.is_some_and(|mut doubt| {
                        doubt.key.push_str(":destination");
                        see(world.ask(&doubt.key.clone(), || doubt))
                    })
            })
            || body.destination_fqdns.iter().any(|name| see(self.resolves_to(name, rule, world)))
        {
            return Ok(true);
        }
        if terms.open || body.destination_fqdns.open.is_some() {
            let key = format!("firewall:{}:{}:destination", rule.within, rule.name);
            if see(world.ask(&key, || term_doubt(key.clone(), rule, "destination", &self.destination.set())))
            {
                return Ok(true);
            }
        }
        doubt.map_or(Ok(false), Err)
    }

    fn in_set(&self, set: &Addresses, key: &str, world: &World) -> Asked<bool> {
        match self.destination.in_set(self.prover.network, set) {
            Tri::Yes => Ok(true),
            Tri::No => Ok(false),
            Tri::Unknown => {
                let key = format!("host:{}:{key}", self.destination.text());
                let why = || "a firewall rule names some public addresses".to_owned();
                world.ask(&key, || self.destination.at_one_of(key.clone(), why()))
            }
        }
    }

    fn in_tag(&self, tag: &str, world: &World) -> Asked<bool> {
        let network = self.prover.network;
        let answer = self.destination.in_tag(network, tag);
        if network.tag_addresses(tag).is_some() {
            self.seen.borrow_mut().reads.insert(Read::Tag(tag.into()));
        }
        match answer {
            Tri::Yes => Ok(true),
            Tri::No => Ok(false),
            Tri::Unknown => {
                let what = self.destination.text();
                let key = format!("tag:{}:destination", tag.to_ascii_lowercase());
                world.ask(&key, || Doubt {
                    key: key.clone(),
                    kind: MissingKind::Evidence,
                    what: format!("whether service tag {tag} covers {what}"),
                    why: format!("a firewall rule names {tag}"),
                    remedy: "add Microsoft's service tag file to the input".into(),
                    yes: format!("{tag} covers {what}"),
                    no: format!("{tag} does not cover {what}"),
                })
            }
        }
    }

    /// F123, F124: does the name of a network rule resolve, at the firewall, to the packet's destination?
    fn resolves_to(&self, name: &str, rule: &PlacedRule, world: &World) -> Asked<bool> {
        let asked_for = self.host.or(match &self.destination {
            Destination::PublicHost { host, .. } => Some(*host),
            Destination::Address(_) => None,
        });
        let same = asked_for.is_some_and(|host| host.eq_ignore_ascii_case(name));
        let resolved = self.prover.resolved_by(self.firewall, name);
        let known = match (&self.destination, &resolved) {
            (Destination::Address(address), Resolved::Addresses(set)) => Some(set.contains(*address)),
            (Destination::Address(address), Resolved::Public) if !public_space().contains(*address) => {
                Some(false)
            }
            (Destination::PublicHost { .. }, Resolved::Addresses(set)) if !set.overlaps(public_space()) => {
                Some(false)
            }
            (_, Resolved::Nothing) => Some(false),
            _ => None,
        };
        if let Some(known) = known {
            return Ok(known);
        }
        if !same {
            // F139.2: another name that happens to have the same address would match as well.
            self.seen.borrow_mut().remarks.insert(Remark {
                kind: "firewall-fqdn-rule-may-match",
                message: format!(
                    "rule {} names {name}: it matches too if the firewall resolves that to {}",
                    rule.name,
                    self.destination.text()
                ),
                facts: vec!["F123", "F139"],
                evidence: vec![rule.at],
            });
            return Ok(false);
        }
        if self.prover.asks_this_firewall(self.firewall, self.sources) {
            return Ok(true);
        }
        let key = format!("firewall-name:{}", name.to_ascii_lowercase());
        world.ask(&key, || Doubt {
            key: key.clone(),
            kind: MissingKind::Declare,
            what: format!("whether the firewall and the client get the same address for {name}"),
            why: format!(
                "network rule {} matches on the firewall's own answer, and the client does not ask this firewall (F124)",
                rule.name
            ),
            remedy: "let the clients resolve through the firewall's DNS proxy, or use an application rule".into(),
            yes: "both get the same address".into(),
            no: "they get different ones".into(),
        })
    }

    /// Does an application rule cover the host (F120, F122, F128, F139.4)? `deny`: what part of a wildcard's names it
    /// covers counts, since each of them may be asked for; of an allow rule only all of them do.
    fn covers_host(&self, rule: &PlacedRule, body: &ApplicationRule, world: &World) -> Asked<bool> {
        let doubt = |what: String, why: &str, remedy: &str| Doubt {
            key: format!("firewall:{}:{}:{what}", rule.within, rule.name),
            kind: MissingKind::Evidence,
            what,
            why: why.into(),
            remedy: remedy.into(),
            yes: format!("rule {} matches", rule.name),
            no: format!("rule {} does not match", rule.name),
        };
        let Some(host) = self.host else {
            let unknown = doubt(
                "the host name of the flow".into(),
                "application rules go by it (F120)",
                "ask with the host name",
            );
            return world.ask(&unknown.key.clone(), || unknown);
        };
        let mut best =
            body.target_fqdns.iter().map(|pattern| covers(pattern, host)).max().unwrap_or(Coverage::None);
        let mut unknown = None;
        for tag in &body.fqdn_tags {
            match tag_covers(tag, host) {
                Some(coverage) => best = best.max(coverage),
                None => {
                    unknown = Some(doubt(
                        format!("whether FQDN tag {tag} holds {host}"),
                        "its contents are not published (F128)",
                        "name the host in an application rule",
                    ));
                }
            }
        }
        if let Some(category) = body.web_categories.iter().next() {
            unknown = Some(doubt(
                format!("whether {host} is in web category {category}"),
                "categories are not published (F139)",
                "name the host in an application rule",
            ));
        }
        if body.target_urls.iter().any(|url| covers(url_host(url), host) != Coverage::None) {
            unknown = Some(doubt(
                format!("whether the URLs asked of {host} are among those of the rule"),
                "the rule goes by URL, which only TLS inspection sees (F120)",
                "name the host in an application rule",
            ));
        }
        if body.target_fqdns.open.is_some()
            || body.fqdn_tags.open.is_some()
            || body.web_categories.open.is_some()
            || body.target_urls.open.is_some()
        {
            unknown = Some(doubt(
                format!("all targets of rule {}", rule.name),
                "its list is not completely known",
                "complete the rule in the input",
            ));
        }
        match (best, unknown) {
            (Coverage::All, _) => Ok(true),
            (_, Some(unknown)) => world.ask(&unknown.key.clone(), || unknown),
            (Coverage::Some, None) if rule.allows == Some(false) => {
                let unknown = doubt(
                    format!("whether a host that rule {} denies is among {host}", rule.name),
                    "the registry's storage accounts are not disclosed (A13)",
                    "switch the registry's dedicated data endpoints on",
                );
                world.ask(&unknown.key.clone(), || unknown)
            }
            (Coverage::Some | Coverage::None, None) => Ok(false),
        }
    }

    /// Newer application rules may be limited to destinations.
    fn limits(&self, rule: &PlacedRule, body: &ApplicationRule, world: &World) -> Asked<bool> {
        if body.destinations.is_empty() {
            return Ok(true);
        }
        let terms = Terms::of(&body.destinations, &List::empty());
        let inside = match &self.destination {
            Destination::Address(address) => terms.any || terms.fixed.contains(*address),
            Destination::PublicHost { .. } => terms.any,
        };
        if inside {
            return Ok(true);
        }
        let key = format!("firewall:{}:{}:limits", rule.within, rule.name);
        world.ask(&key, || Doubt {
            kind: MissingKind::NotModelled,
            ..term_doubt(key.clone(), rule, "destination", &self.destination.set())
        })
    }

    fn network_rule(&self, rule: &PlacedRule, body: &NetworkRule, world: &World) -> Asked<bool> {
        let protocol = covers_protocol(&body.protocols, self.proto == Proto::Tcp);
        let ports = match &body.ports {
            Val::Known(ports) => Some(ports.contains(self.port)),
            Val::Sym(_) => None,
        };
        if protocol == Some(false) || ports == Some(false) {
            return Ok(false);
        }
        if !self.covers_destination(rule, body, world)? {
            return Ok(false);
        }
        if protocol.is_none() || ports.is_none() {
            let key = format!("firewall:{}:{}:protocol", rule.within, rule.name);
            return world
                .ask(&key, || term_doubt(key.clone(), rule, "protocol or port", &self.destination.set()));
        }
        Ok(true)
    }

    fn application_rule(&self, rule: &PlacedRule, body: &ApplicationRule, world: &World) -> Asked<bool> {
        // F119: only after no network rule matched, and only what carries a host name.
        if self.proto != Proto::Tcp {
            return Ok(false);
        }
        let port = covers_port(body, self.port);
        if port == Some(false) || !self.covers_host(rule, body, world)? || !self.limits(rule, body, world)? {
            return Ok(false);
        }
        if port.is_none() {
            let key = format!("firewall:{}:{}:protocol", rule.within, rule.name);
            return world
                .ask(&key, || term_doubt(key.clone(), rule, "protocol or port", &self.destination.set()));
        }
        Ok(true)
    }
}

impl Rules for Scan<'_, '_> {
    type Effect = Verdict;

    fn len(&self) -> usize {
        self.rules.network.len().saturating_add(self.rules.application.len())
    }

    fn skips(&self, _: usize, _: &Addresses) -> bool {
        false
    }

    fn matches(
        &self,
        i: usize,
        sources: &Addresses,
        sports: &Ports,
        world: &World,
    ) -> Asked<Option<(Addresses, Ports)>> {
        let rule = match self.entry(i) {
            None => return Ok(None),
            Some(Entry::Unseen(doubt)) => {
                let key = format!("{}:{i}", doubt.key);
                let hit = world.ask(&key, || Doubt { key: key.clone(), ..(**doubt).clone() })?;
                return Ok(hit.then(|| (sources.clone(), sports.clone())));
            }
            Some(Entry::Rule(rule)) => rule,
        };
        let covered = self.covered_sources(&rule.sources, sources, rule, world);
        if covered.as_ref().is_ok_and(Addresses::is_empty) {
            return Ok(None);
        }
        let hit = match &rule.body {
            Body::Network(body) => self.network_rule(rule, body, world)?,
            Body::Application(body) => self.application_rule(rule, body, world)?,
            Body::Dnat { .. } => false,
        };
        if hit { Ok(Some((covered?, sports.clone()))) } else { Ok(None) }
    }

    fn effect(&self, i: usize, world: &World) -> Asked<Verdict> {
        let (allows, name, terminates) = match self.entry(i) {
            None => return Ok(Verdict::Deny),
            Some(Entry::Unseen(doubt)) => (None, doubt.what.clone(), None),
            Some(Entry::Rule(rule)) => {
                let terminates = match &rule.body {
                    Body::Application(body) => Some(&body.terminate_tls),
                    Body::Network(_) | Body::Dnat { .. } => None,
                };
                (rule.allows, rule.name.to_string(), terminates)
            }
        };
        let ask = |what: &str| {
            let key = format!("firewall:{i}:{what}");
            world.ask(&key, || Doubt {
                key: key.clone(),
                kind: MissingKind::Evidence,
                what: format!("whether {name} {what}"),
                why: "it is not known".into(),
                remedy: "complete the firewall's rules in the input".into(),
                yes: format!("it {what}"),
                no: "it does not".into(),
            })
        };
        let allows = match allows {
            Some(allows) => allows,
            None => ask("allows")?,
        };
        match (allows, terminates) {
            (false, _) => Ok(Verdict::Deny),
            (true, None) => Ok(Verdict::Network),
            (true, Some(Val::Known(terminates_tls))) => {
                Ok(Verdict::Application { terminates_tls: *terminates_tls })
            }
            (true, Some(Val::Sym(_))) => Ok(Verdict::Application { terminates_tls: ask("terminates TLS")? }),
        }
    }

    /// F113.
    fn otherwise(&self) -> Verdict {
        Verdict::Deny
    }

    fn unseen(&self) -> Option<Doubt> {
        None
    }
}

fn term_doubt(key: String, rule: &PlacedRule, side: &str, what: &Addresses) -> Doubt {
    Doubt {
        key,
        kind: MissingKind::Evidence,
        what: format!("the {side} of firewall rule {} ({})", rule.name, rule.within),
        why: format!("it is not completely known, and decides about {what}"),
        remedy: "complete the rule in the input".into(),
        yes: "the rule matches".into(),
        no: "the rule does not match".into(),
    }
}

/// A firewall's own addresses, in the order of its configuration.
pub(crate) fn own_addresses(prover: &Prover<'_>, ix: FirewallIx) -> Vec<IpAddr> {
    let Some(firewall) = prover.network.firewalls.get(ix) else { return Vec::new() };
    let private = firewall.ip_configs.iter().filter_map(|config| config.address.present()).copied();
    private.chain(firewall.hub_address.present().copied()).collect()
}
