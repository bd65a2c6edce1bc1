//! Do a rule's terms cover the destination, and which sources do they cover?

use std::cell::{Cell, OnceCell, RefCell};
use std::net::IpAddr;
use std::sync::Arc;

use pullproof_network::model::symbol::Domain;
use pullproof_network::set::{Addresses, TagMatch, Tri};
use pullproof_network::{Symbol, SymbolIx};

use super::point::FilterPoint;
use super::rule::{Field, Rule, Side, Tag};
use super::virtual_network::{Part, VirtualNetwork};
use crate::first_match::Destination;
use crate::first_match::public_space::{PLATFORM, doubtfully_public, public_space};
use crate::first_match::{Asked, Doubt, World};
use crate::outcome::{Basis, MissingKind, Read, Remark};
use crate::prover::Prover;

/// What rules are held against: the destination, and what the words mean at this point.
pub(crate) struct Terms<'p, 'q> {
    pub prover: &'p Prover<'p>,
    pub at: &'q FilterPoint,
    pub destination: Destination<'q>,
    virtual_network: OnceCell<Arc<VirtualNetwork>>,
    /// Tag lists and declared facts that terms came to read.
    tags_read: RefCell<Vec<Arc<str>>>,
    grounds: RefCell<Vec<String>>,
    covers_data_endpoint: Cell<bool>,
}

impl<'p, 'q> Terms<'p, 'q> {
    pub fn new(prover: &'p Prover<'p>, at: &'q FilterPoint, destination: Destination<'q>) -> Self {
        Self {
            prover,
            at,
            destination,
            virtual_network: OnceCell::new(),
            tags_read: RefCell::default(),
            grounds: RefCell::default(),
            covers_data_endpoint: Cell::new(false),
        }
    }

    /// What the terms came to read so far.
    pub fn basis(&self) -> Basis {
        let mut basis = Basis::default();
        if let Some(read) = self.virtual_network.get() {
            basis.merge(&read.basis);
        }
        basis.reads.extend(self.tags_read.borrow().iter().map(|tag| Read::Tag(tag.clone())));
        for ground in self.grounds.borrow().iter() {
            basis.assume(ground.as_str());
        }
        if self.covers_data_endpoint.get() {
            basis.remarks.insert(Remark {
                kind: "tag-covers-data-endpoint",
                message: format!(
                    "{} is taken to be in the AzureContainerRegistry tag: recorded in two regions",
                    self.destination.text()
                ),
                facts: vec!["A58"],
                evidence: Vec::new(),
            });
        }
        basis
    }

    fn virtual_network(&self) -> &VirtualNetwork {
        self.virtual_network.get_or_init(|| {
            let endpoint = matches!(self.at.holder, super::point::Holder::PrivateEndpoint(_));
            self.prover.virtual_network(self.at.subnet, endpoint)
        })
    }

    /// Does the side cover the destination? A term that is known to cover it outweighs unknown ones.
    pub fn covers(&self, side: &Side, rule: &Rule, world: &World) -> Asked<bool> {
        if side.any {
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
        let fixed = match &self.destination {
            Destination::Address(address) => Ok(side.fixed.contains(*address)),
            Destination::PublicHost { .. } if side.fixed.is_empty() => Ok(false),
            Destination::PublicHost { .. } => self.host_in(&side.fixed, world),
        };
        if see(fixed)
            || side.tags.iter().any(|tag| see(self.tag_covers(tag, world)))
            || side.asgs.iter().any(|asg| see(self.group_covers(asg, world)))
            || side.open.is_some_and(|symbol| see(self.hole_covers(symbol, rule, world)))
        {
            return Ok(true);
        }
        doubt.map_or(Ok(false), Err)
    }

    /// Does the side name the host's own service by its tag (F39)?
    pub fn names_platform(&self, side: &Side, tag: &Tag, rule: &Rule, world: &World) -> Asked<bool> {
        if side.tags.contains(tag) {
            return Ok(true);
        }
        let Some(symbol) = side.open else { return Ok(false) };
        // A hole that is known to stand for addresses is no tag.
        if self.prover.network.symbols.get(symbol).is_some_and(|known| self.domain(known).is_some()) {
            return Ok(false);
        }
        self.hole_covers(symbol, rule, world)
    }

    fn tag_covers(&self, tag: &Tag, world: &World) -> Asked<bool> {
        match tag {
            Tag::VirtualNetwork => self.in_virtual_network(world),
            Tag::Internet => self.is_internet(world),
            Tag::AzureLoadBalancer => Ok(self.destination.address() == Some(PLATFORM)),
            // Reached through the platform exemption only (F39).
            Tag::PlatformDns | Tag::PlatformMetadata | Tag::PlatformLicensing => Ok(false),
            Tag::Listed(name) => self.listed_covers(name, world),
        }
    }

    /// Notes the declared facts by which these addresses are in the tag.
    fn rest_on(&self, known: &VirtualNetwork, found: &Addresses) {
        for (set, ground) in &known.grounds {
            if set.overlaps(found) && !found.is_subset(&known.own) {
                self.grounds.borrow_mut().push(ground.clone());
            }
        }
    }

    fn in_virtual_network(&self, world: &World) -> Asked<bool> {
        let known = self.virtual_network();
        match &self.destination {
            Destination::Address(address) => {
                if known.sure.contains(*address) {
                    self.rest_on(known, &Addresses::address(*address));
                    return Ok(true);
                }
                let parts = known.parts.iter().filter(|part| part.set.contains(*address));
                any(parts, |part| ask_part(part, "destination", world))
            }
            Destination::PublicHost { .. } => {
                let mut sure = Some(self.host_in(&known.sure, world));
                if let Some(Ok(true)) = sure {
                    return Ok(true);
                }
                let parts = known.parts.iter().filter(|part| part.set.overlaps(public_space()));
                let parts = any(parts, |part| {
                    Ok(ask_part(part, "destination", world)?
                        && (part.each || self.host_in(&part.set, world)?))
                });
                match (parts, sure.take()) {
                    (Ok(true), _) => Ok(true),
                    (Err(doubt), _) | (Ok(false), Some(Err(doubt))) => Err(doubt),
                    (Ok(false), _) => Ok(false),
                }
            }
        }
    }

    /// F68–F72: public space outside the network itself; whether it holds what else is in `VirtualNetwork` is
    /// contested (F71).
    fn is_internet(&self, world: &World) -> Asked<bool> {
        let known = self.virtual_network();
        if let Some(address) = self.destination.address()
            && (!public_space().contains(address) || known.own.contains(address))
        {
            return Ok(false);
        }
        if self.in_virtual_network(world)? {
            return world.ask("F71", overlap);
        }
        match self.destination.address() {
            Some(address) if doubtfully_public().contains(address) => world.ask("F69", || left_out(address)),
            _ => Ok(true),
        }
    }

    fn listed_covers(&self, tag: &str, world: &World) -> Asked<bool> {
        let network = self.prover.network;
        let answer = self.destination.in_tag(network, tag);
        if let Destination::PublicHost { host, .. } = &self.destination
            && answer == Tri::Yes
            && host.contains(".data.")
            && starts_with(tag, "AzureContainerRegistry")
        {
            self.covers_data_endpoint.set(true);
        }
        if network.tag_addresses(tag).is_some() {
            self.tags_read.borrow_mut().push(tag.into());
        }
        match answer {
            Tri::Yes => Ok(true),
            Tri::No => Ok(false),
            Tri::Unknown => {
                let what = self.destination.text();
                let key = format!("tag:{}:destination", tag.to_ascii_lowercase());
                world.ask(&key, || unknown_tag(key.clone(), tag, &what, network.tag_addresses(tag).is_some()))
            }
        }
    }

    /// Is the public host's address in a set of addresses?
    fn host_in(&self, set: &Addresses, world: &World) -> Asked<bool> {
        let Destination::PublicHost { host, .. } = &self.destination else { return Ok(false) };
        match self.destination.in_set(self.prover.network, set) {
            Tri::Yes => Ok(true),
            Tri::No => Ok(false),
            Tri::Unknown => {
                let key = format!("host:{host}:{set}");
                let why = || format!("rules name some public addresses ({})", short(set));
                world.ask(&key, || self.destination.at_one_of(key.clone(), why()))
            }
        }
    }

    /// Is the destination one of what a hole stands for?
    fn hole_covers(&self, symbol: SymbolIx, rule: &Rule, world: &World) -> Asked<bool> {
        let known = self.prover.network.symbols.get(symbol);
        let domain = known.and_then(|known| self.domain(known));
        match (&self.destination, domain) {
            (Destination::Address(address), Some(domain)) if !domain.contains(*address) => return Ok(false),
            (Destination::PublicHost { .. }, Some(domain)) if !domain.overlaps(public_space()) => {
                return Ok(false);
            }
            _ => {}
        }
        let key = hole_key(known, "destination");
        world.ask(&key, || hole(key.clone(), known, rule, &format!("covers {}", self.destination.text())))
    }

    /// What a hole's addresses can be; `None`: anything.
    fn domain(&self, symbol: &Symbol) -> Option<Addresses> {
        // An open tail of a list may hold any number of terms of any kind.
        if !symbol.scalar {
            return None;
        }
        match symbol.domain.as_ref()? {
            Domain::Addresses(addresses) => Some(addresses.clone()),
            Domain::Subnet(id) => {
                let found = self.prover.network.subnets.values().find(|subnet| subnet.id == *id)?;
                found.prefixes.closed().map(|prefixes| Addresses::of(prefixes.iter().copied()))
            }
            Domain::OneOf(_) => None,
        }
    }

    /// Which of the sources `within` does the side cover?
    pub fn sources(&self, side: &Side, within: &Addresses, rule: &Rule, world: &World) -> Asked<Addresses> {
        if side.any {
            return Ok(within.clone());
        }
        let mut found = side.fixed.intersect(within);
        for tag in &side.tags {
            if within.is_subset(&found) {
                return Ok(found);
            }
            found = found.union(&self.tag_sources(tag, within, world)?);
        }
        for asg in &side.asgs {
            if within.is_subset(&found) {
                return Ok(found);
            }
            found = found.union(&self.group_sources(asg, within, world)?);
        }
        if let Some(symbol) = side.open
            && !within.is_subset(&found)
        {
            let known = self.prover.network.symbols.get(symbol);
            let could =
                known.and_then(|known| self.domain(known)).map_or(within.clone(), |d| d.intersect(within));
            let key = hole_key(known, "source");
            if !could.is_subset(&found)
                && world.ask(&key, || hole(key.clone(), known, rule, &format!("covers {could}")))?
            {
                found = found.union(&could);
            }
        }
        Ok(found)
    }

    fn tag_sources(&self, tag: &Tag, within: &Addresses, world: &World) -> Asked<Addresses> {
        match tag {
            Tag::VirtualNetwork => self.virtual_network_sources(within, world),
            Tag::Internet => {
                let public = within.intersect(public_space()).subtract(&self.virtual_network().own);
                if public.is_empty() {
                    return Ok(public);
                }
                let both = self.virtual_network_sources(&public, world)?;
                if both.is_empty() || world.ask("F71", overlap)? {
                    Ok(public)
                } else {
                    Ok(public.subtract(&both))
                }
            }
            Tag::AzureLoadBalancer => Ok(Addresses::address(PLATFORM).intersect(within)),
            Tag::PlatformDns | Tag::PlatformMetadata | Tag::PlatformLicensing => Ok(Addresses::empty()),
            Tag::Listed(name) => {
                let public = within.intersect(public_space());
                if public.is_empty() {
                    return Ok(public);
                }
                if let Some(list) = self.prover.network.tag_addresses(name) {
                    self.tags_read.borrow_mut().push((**name).into());
                    return Ok(list.intersect(&public));
                }
                let key = format!("tag:{}:source", name.to_ascii_lowercase());
                let yes = world.ask(&key, || unknown_tag(key.clone(), name, &public.to_string(), false))?;
                Ok(if yes { public } else { Addresses::empty() })
            }
        }
    }

    fn virtual_network_sources(&self, within: &Addresses, world: &World) -> Asked<Addresses> {
        let known = self.virtual_network();
        let mut found = known.sure.intersect(within);
        self.rest_on(known, &found);
        for part in &known.parts {
            let more = part.set.intersect(within);
            if !more.is_subset(&found) && ask_part(part, "source", world)? {
                found = found.union(&more);
            }
        }
        if self.at.forwarded && !within.is_subset(&found) && world.ask("FU16", || forwarded(within))? {
            return Ok(within.clone());
        }
        Ok(found)
    }

    /// A list of rules may hold more than was read.
    pub fn unseen_rules(&self, symbol: SymbolIx) -> Doubt {
        let known = self.prover.network.symbols.get(symbol);
        Doubt {
            key: hole_key(known, "rules"),
            kind: MissingKind::Evidence,
            what: format!(
                "security rules that are not known yet ({})",
                known.map_or("", |known| &known.name)
            ),
            why: known.map_or("", |known| &known.text).into(),
            remedy: "give the value, or run again once it is known".into(),
            yes: "one of them decides".into(),
            no: "none of them decides".into(),
        }
    }

    /// The value of a field that may be a hole.
    pub fn field(&self, field: &Field<bool>, rule: &Rule, name: &str, world: &World) -> Asked<bool> {
        match field {
            Field::Known(value) => Ok(*value),
            Field::Unknown(symbol) => {
                let known = symbol.and_then(|symbol| self.prover.network.symbols.get(symbol));
                let key = match known {
                    Some(known) => format!("hole:{}:{name}", known.name),
                    None => format!("word:{:?}:{name}", rule.at),
                };
                world.ask(&key, || hole(key.clone(), known, rule, name))
            }
        }
    }
}

fn starts_with(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// Any part that is certainly in outweighs the unknown ones.
fn any<'a>(parts: impl Iterator<Item = &'a Part>, ask: impl Fn(&'a Part) -> Asked<bool>) -> Asked<bool> {
    let mut doubt = None;
    for part in parts {
        match ask(part) {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(unknown) => {
                doubt.get_or_insert(unknown);
            }
        }
    }
    doubt.map_or(Ok(false), Err)
}

/// Is what is asked about in the part? One answer for all, or one for each side of the packet.
pub(crate) fn ask_part(part: &Part, side: &str, world: &World) -> Asked<bool> {
    if !part.each {
        return world.ask(&part.doubt.key, || part.doubt.clone());
    }
    let key = format!("{}:{side}", part.doubt.key);
    world.ask(&key, || Doubt { key: key.clone(), ..part.doubt.clone() })
}

fn overlap() -> Doubt {
    Doubt {
        key: "F71".into(),
        kind: MissingKind::Contested,
        what: "is a public address that is in the VirtualNetwork tag also in the Internet tag (F71)".into(),
        why: "reports contradict each other".into(),
        remedy: "read the effective security rules of an interface of the subnet".into(),
        yes: "it is in both".into(),
        no: "it is in VirtualNetwork only".into(),
    }
}

/// F69, F70.
fn left_out(address: IpAddr) -> Doubt {
    Doubt {
        key: "F69".into(),
        kind: MissingKind::Contested,
        what: format!("is {address} in the Internet tag (F69)"),
        why: "recorded expansions of the tag leave parts of this range out".into(),
        remedy: "name the address in a rule".into(),
        yes: "it is".into(),
        no: "it is not".into(),
    }
}

/// F179, FU16.
fn forwarded(sources: &Addresses) -> Doubt {
    Doubt {
        key: "FU16".into(),
        kind: MissingKind::Contested,
        what: "does the VirtualNetwork tag cover a packet that another network's device forwarded (F179)"
            .into(),
        why: format!("{} is in no prefix of the tag at the receiver", short(sources)),
        remedy: "allow the sources by an explicit rule, or give the receiver's subnet a route for them"
            .into(),
        yes: "the tag covers it".into(),
        no: "the tag does not cover it".into(),
    }
}

fn unknown_tag(key: String, tag: &str, what: &str, listed: bool) -> Doubt {
    let (kind, remedy) = if listed {
        (MissingKind::Declare, format!("declare [[public_name]] for {what} with its addresses"))
    } else {
        (MissingKind::Evidence, "add Microsoft's service tag file to the input".into())
    };
    Doubt {
        key,
        kind,
        what: format!("whether service tag {tag} covers {what}"),
        why: format!("a rule names {tag}"),
        remedy,
        yes: format!("{tag} covers {what}"),
        no: format!("{tag} does not cover {what}"),
    }
}

fn hole_key(symbol: Option<&Symbol>, side: &str) -> String {
    format!("hole:{}:{side}", symbol.map_or("", |symbol| &symbol.name))
}

fn hole(key: String, symbol: Option<&Symbol>, rule: &Rule, what: &str) -> Doubt {
    let name = symbol.map_or("a word that this version does not know", |symbol| &symbol.name);
    let why = symbol.map_or("", |symbol| &symbol.text);
    Doubt {
        key,
        kind: MissingKind::Evidence,
        what: format!("{name}, in rule `{}`", rule.name),
        why: why.into(),
        remedy: "give the value, or run again once it is known".into(),
        yes: format!("the rule {what}"),
        no: format!("not: the rule {what}"),
    }
}

/// A set in a message.
pub(crate) fn short(set: &Addresses) -> String {
    let prefixes = set.prefixes();
    match prefixes.as_slice() {
        [] => "nothing".into(),
        [one] => one.to_string(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    }
}

/// Is the address one that the host serves (F37)?
pub(crate) fn is_platform(address: IpAddr) -> bool {
    address == PLATFORM || address == crate::first_match::public_space::METADATA
}
