//! A firewall's rules in the order in which they are tried, with what could not be read in its place.

use pullproof_network::Ref;
use pullproof_network::model::firewall::{
    ApplicationProtocolType, ApplicationRule, FirewallProtocol, FirewallRule, FirewallRuleBody, NetworkRule,
};
use pullproof_network::model::index::IpGroupIx;
use pullproof_network::set::Addresses;
use pullproof_network::{List, Val};
use pullproof_snapshot::At;

use crate::first_match::Doubt;
use crate::outcome::Basis;

/// Everything that decides at one firewall, in the order of F114: network rules, then application rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ordered {
    pub dnat: Vec<Entry>,
    pub network: Vec<Entry>,
    pub application: Vec<Entry>,
    pub basis: Basis,
}

/// One place in the order.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    Rule(Box<PlacedRule>),
    /// Rules may stand here that were not read or not understood.
    Unseen(Box<Doubt>),
}

/// A rule with its collection's action.
#[derive(Clone, Debug)]
pub(crate) struct PlacedRule {
    pub name: Box<str>,
    /// The collection and, of a policy, the group: for messages.
    pub within: Box<str>,
    pub at: At,
    /// `None`: not known.
    pub allows: Option<bool>,
    pub sources: Terms,
    pub body: Body,
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    Network(NetworkRule),
    Application(ApplicationRule),
    Dnat { destinations: Terms },
}

/// Addresses and IP groups of one side (F126).
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    pub any: bool,
    pub fixed: Addresses,
    pub tags: Vec<Box<str>>,
    pub groups: Vec<Ref<IpGroupIx>>,
    /// There may be more terms.
    pub open: bool,
}

impl Terms {
    pub fn of(
        addresses: &List<pullproof_network::model::address::AddressTerm>,
        groups: &List<Ref<IpGroupIx>>,
    ) -> Self {
        use pullproof_network::model::address::AddressTerm;
        let mut out = Self {
            groups: groups.items.clone(),
            open: addresses.open.is_some() || groups.open.is_some(),
            ..Self::default()
        };
        for term in addresses {
            match term {
                AddressTerm::Any => out.any = true,
                AddressTerm::Prefix(prefix) if prefix.prefix_len() == 0 => out.any = true,
                AddressTerm::Prefix(prefix) => out.fixed = out.fixed.union(&Addresses::prefix(*prefix)),
                AddressTerm::Range(from, to) => out.fixed = out.fixed.union(&Addresses::range(*from, *to)),
                AddressTerm::Tag(tag) => out.tags.push(tag.clone()),
            }
        }
        out
    }
}

impl PlacedRule {
    /// `None` for a rule of a type that is not known: it may be any.
    pub fn of(rule: &FirewallRule, allows: Option<bool>, within: &str) -> Option<Self> {
        let body = match &rule.body {
            FirewallRuleBody::Network(body) => Body::Network(body.clone()),
            FirewallRuleBody::Application(body) => Body::Application(body.clone()),
            FirewallRuleBody::Nat(body) => {
                Body::Dnat { destinations: Terms::of(&body.destinations, &List::empty()) }
            }
            FirewallRuleBody::Unknown(_) => return None,
        };
        Some(Self {
            name: rule.name.clone(),
            within: within.into(),
            at: rule.place.at(""),
            allows,
            sources: Terms::of(&rule.sources, &rule.source_groups),
            body,
        })
    }
}

/// Does a network rule's protocol list cover this transport (F125)?
pub(crate) fn covers_protocol(list: &List<FirewallProtocol>, tcp: bool) -> Option<bool> {
    let wanted = if tcp { FirewallProtocol::Tcp } else { FirewallProtocol::Udp };
    if list.iter().any(|protocol| *protocol == wanted || *protocol == FirewallProtocol::Any) {
        return Some(true);
    }
    let unknown = list.open.is_some() || list.iter().any(|p| matches!(p, FirewallProtocol::Other(_)));
    if unknown { None } else { Some(false) }
}

/// Does an application rule take a TLS flow on this port over? Only for `Https`: `Http` reads the Host header of plain
/// requests, `Mssql` its own hello (F119, F120).
pub(crate) fn covers_port(rule: &ApplicationRule, port: u16) -> Option<bool> {
    let mut unknown = rule.protocols.open.is_some();
    for protocol in &rule.protocols {
        let named = match &protocol.protocol {
            Val::Known(Some(ApplicationProtocolType::Https)) => Some(true),
            Val::Known(Some(ApplicationProtocolType::Http | ApplicationProtocolType::Mssql)) => Some(false),
            Val::Known(None | Some(ApplicationProtocolType::Other(_))) | Val::Sym(_) => None,
        };
        let here = match &protocol.port {
            Val::Known(Some(listed)) => Some(*listed == port),
            Val::Known(None) | Val::Sym(_) => None,
        };
        match (named, here) {
            (Some(true), Some(true)) => return Some(true),
            (Some(false), _) | (_, Some(false)) => {}
            _ => unknown = true,
        }
    }
    if unknown { None } else { Some(false) }
}
