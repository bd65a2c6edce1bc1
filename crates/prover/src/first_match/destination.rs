//! The destination of a question, as rules see it.

use std::net::IpAddr;

use pullproof_network::set::Addresses;

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

    /// The set with just the address; empty for a host.
    pub fn set(&self) -> Addresses {
        self.address().map_or_else(Addresses::empty, Addresses::address)
    }
}
