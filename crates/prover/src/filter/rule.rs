//! Rules ready for evaluation: what security rules, default rules and security admin rules have in common.

use pullproof_network::SymbolIx;
use pullproof_network::model::address::AddressTerm;
use pullproof_network::model::index::{AsgIx, Ref};
use pullproof_network::set::{Addresses, Ports};
use pullproof_snapshot::At;

use crate::first_match::Doubt;

/// What a rule does with what it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Access {
    Allow,
    Deny,
    /// Only of security admin rules: delivered, NSGs are skipped (F100).
    AlwaysAllow,
}

/// A value that is known, or not: a hole, or (`None`) a word that this version does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Field<T> {
    Known(T),
    Unknown(Option<SymbolIx>),
}

/// What a rule calls by a word instead of by addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    VirtualNetwork,
    Internet,
    AzureLoadBalancer,
    /// F38: the host's own services, which no other term of a rule reaches (F37).
    PlatformDns,
    PlatformMetadata,
    PlatformLicensing,
    /// A tag of Microsoft's list.
    Listed(Box<str>),
}

/// F75, with the classic spellings (F76).
const SPECIAL: [(&str, Tag); 9] = [
    ("VirtualNetwork", Tag::VirtualNetwork),
    ("VIRTUAL_NETWORK", Tag::VirtualNetwork),
    ("Internet", Tag::Internet),
    ("AzureLoadBalancer", Tag::AzureLoadBalancer),
    ("AZURE_LOADBALANCER", Tag::AzureLoadBalancer),
    ("AZURE_LOAD_BALANCER", Tag::AzureLoadBalancer),
    ("AzurePlatformDNS", Tag::PlatformDns),
    ("AzurePlatformIMDS", Tag::PlatformMetadata),
    ("AzurePlatformLKM", Tag::PlatformLicensing),
];

impl Tag {
    pub fn word(text: &str) -> Self {
        let special = SPECIAL.iter().find(|(word, _)| word.eq_ignore_ascii_case(text));
        special.map_or_else(|| Self::Listed(text.into()), |(_, tag)| tag.clone())
    }
}

/// One rule.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub name: Box<str>,
    /// For messages; `None` where it is not known.
    pub priority: Option<u16>,
    /// The deciding element, and what it stands on: access first.
    pub at: At,
    pub access: Field<Access>,
    pub tcp: Field<bool>,
    pub udp: Field<bool>,
    pub source: Side,
    pub source_ports: Field<Ports>,
    pub destination: Side,
    pub ports: Field<Ports>,
    /// Why it is not known whether, or where in the order, the rule applies at all. `None`: it does, here.
    pub applies: Option<Box<Doubt>>,
    pub default: bool,
}

/// One side of a rule: a union of terms (F20, F22).
#[derive(Clone, Debug, Default)]
pub(crate) struct Side {
    /// `*`, `Any`, `0.0.0.0/0` (F26).
    pub any: bool,
    /// Prefixes and ranges together.
    pub fixed: Addresses,
    pub tags: Vec<Tag>,
    pub asgs: Vec<Ref<AsgIx>>,
    /// There may be more terms.
    pub open: Option<SymbolIx>,
}

impl Side {
    pub fn of_terms<'a>(terms: impl IntoIterator<Item = &'a AddressTerm>) -> Self {
        let mut side = Self::default();
        let mut prefixes = Vec::new();
        for term in terms {
            match term {
                AddressTerm::Any => side.any = true,
                AddressTerm::Prefix(prefix) if prefix.prefix_len() == 0 => side.any = true,
                AddressTerm::Prefix(prefix) => prefixes.push(*prefix),
                AddressTerm::Range(from, to) => side.fixed = side.fixed.union(&Addresses::range(*from, *to)),
                AddressTerm::Tag(tag) => side.tags.push(Tag::word(tag)),
            }
        }
        if !prefixes.is_empty() {
            side.fixed = side.fixed.union(&Addresses::of(prefixes));
        }
        side
    }

    /// The side is known to match a fixed set of addresses only.
    fn is_fixed(&self) -> bool {
        !self.any && self.tags.is_empty() && self.asgs.is_empty() && self.open.is_none()
    }
}

/// A box of IPv4 destinations, sources and destination ports that holds all that a rule can match. Most rules of a
/// long list are passed over by it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub destinations: (u32, u32),
    pub sources: (u32, u32),
    pub ports: (u16, u16),
}

impl Bounds {
    fn of(rule: &Rule) -> Self {
        let ports = match &rule.ports {
            Field::Known(ports) => (ports.first().unwrap_or(1), ports.last().unwrap_or(0)),
            Field::Unknown(_) => (0, u16::MAX),
        };
        let (destinations, sources) = (bounds_v4(&rule.destination), bounds_v4(&rule.source));
        Self { destinations, sources, ports }
    }
}

/// An empty set has bounds that hold nothing.
fn bounds_v4(side: &Side) -> (u32, u32) {
    if side.is_fixed() && side.fixed.v6.is_empty() {
        (side.fixed.v4.first().unwrap_or(1), side.fixed.v4.last().unwrap_or(0))
    } else {
        (0, u32::MAX)
    }
}

/// Rules of one direction, in the order in which they are tried (F10).
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleSet {
    pub rules: Vec<Rule>,
    /// A box around what each rule can match, in the same order: a list of its own, since a scan reads all of it.
    pub bounds: Vec<Bounds>,
    /// The list may hold more rules than these, anywhere in the order.
    pub open: Option<SymbolIx>,
}

impl RuleSet {
    pub fn new(rules: Vec<Rule>, open: Option<SymbolIx>) -> Self {
        let bounds = rules.iter().map(Bounds::of).collect();
        Self { rules, bounds, open }
    }
}
