//! The destination of a question, as rules see it.

use std::net::IpAddr;

use pullproof_network::Network;
use pullproof_network::set::{Addresses, TagMatch, TagTarget, Tri};

use super::doubt::Doubt;
use super::public_space::public_space;
use crate::outcome::MissingKind;
use crate::path::Target;

/// One address, or a public host at an unknown address.
#[derive(Clone, Debug)]
pub(crate) enum Destination<'a> {
    Address(IpAddr),
    /// At an address in one of these tags; no tags: anywhere in public space. Never a private one (F83).
    PublicHost {
        host: &'a str,
        tags: &'a [String],
    },
}

impl<'a> Destination<'a> {
    pub fn of(target: &'a Target) -> Self {
        match target {
            Target::Address(address) => Self::Address(*address),
            Target::PublicHost { host, tags } => Self::PublicHost { host, tags },
        }
    }

    pub fn address(&self) -> Option<IpAddr> {
        match self {
            Self::Address(address) => Some(*address),
            Self::PublicHost { .. } => None,
        }
    }

    /// For people: the address, or the host.
    pub fn text(&self) -> String {
        match self {
            Self::Address(address) => address.to_string(),
            Self::PublicHost { host, .. } => (*host).to_owned(),
        }
    }

    /// Whether it is one of these addresses; unknown for a public host that may be at one of them.
    pub fn in_set(&self, network: &Network, set: &Addresses) -> Tri {
        let tags = match self {
            Self::Address(address) => return if set.contains(*address) { Tri::Yes } else { Tri::No },
            Self::PublicHost { tags, .. } => tags,
        };
        if public_space().is_subset(set) {
            return Tri::Yes;
        }
        if !set.overlaps(public_space()) {
            return Tri::No;
        }
        let lists: Option<Vec<&Addresses>> = tags.iter().map(|tag| network.tag_addresses(tag)).collect();
        match lists.filter(|lists| !lists.is_empty()) {
            Some(lists) if lists.iter().all(|list| list.v4.is_subset(&set.v4)) => Tri::Yes,
            Some(lists) if lists.iter().all(|list| !list.v4.overlaps(&set.v4)) => Tri::No,
            Some(_) | None => Tri::Unknown,
        }
    }

    /// Whether a service tag covers it; no tag holds private space (F83).
    pub fn in_tag(&self, network: &Network, tag: &str) -> Tri {
        match self {
            Self::Address(address) if !public_space().contains(*address) => Tri::No,
            Self::Address(_) => network.tag_covers(tag, &TagTarget::Addresses(&self.set())),
            Self::PublicHost { tags, .. } => {
                let mut answers =
                    tags.iter().map(|inside| network.tag_covers(tag, &TagTarget::PublicHostOf(inside)));
                match answers.next() {
                    Some(first) if answers.all(|answer| answer == first) => first,
                    Some(_) | None => Tri::Unknown,
                }
            }
        }
    }

    /// The doubt about a public host that rules name some addresses of; `why` says which rules.
    pub fn at_one_of(&self, key: String, why: String) -> Doubt {
        let host = self.text();
        Doubt {
            key,
            kind: MissingKind::Declare,
            what: format!("the public address of {host}"),
            why,
            remedy: format!("declare [[public_name]] host = \"{host}\" with its addresses"),
            yes: "its address is one of them".into(),
            no: "its address is none of them".into(),
        }
    }

    /// The set with just the address; empty for a host.
    pub fn set(&self) -> Addresses {
        self.address().map_or_else(Addresses::empty, Addresses::address)
    }
}
