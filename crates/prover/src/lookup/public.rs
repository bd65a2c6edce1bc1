//! Public DNS, as far as it is declared or documented (D2, D58–D63, D180).

use std::net::IpAddr;

use pullproof_network::Val;
use pullproof_network::model::index::RegistryIx;
use pullproof_network::model::private_endpoint::ConnectionStatus;
use pullproof_network::model::registry::registry;
use pullproof_snapshot::At;
use pullproof_snapshot::facts::{clouds, presets};

use super::name;
use crate::missing::{contested, declare, evidence};
use crate::outcome::{Basis, Missing};
use crate::prover::Prover;
use crate::registry::host::Label;
use crate::unread::unknown_value;

/// What public DNS says about a name: one chain.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chain {
    /// The aliases, in order.
    pub cname: Vec<String>,
    pub end: End,
    /// Names of which the rest of the chain is made; which ones exactly is not known (D62: never match on them).
    pub tail: &'static [&'static str],
    pub basis: Basis,
    pub by: Vec<At>,
    pub facts: Vec<&'static str>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum End {
    /// These addresses.
    Addresses(Vec<IpAddr>),
    /// Some public address.
    #[default]
    Somewhere,
    NoSuchName,
}

/// What is known about public DNS's answer.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "made and taken apart at once")]
pub(crate) enum PublicSays {
    Chain(Chain),
    /// One of two chains; which, nobody knows.
    Either(Chain, Chain, Missing),
    Unknown(Missing),
}

/// Names behind the public front ends of registries (D62, D180).
const REGISTRY_TAIL: &[&str] = &["azcr.io", "trafficmanager.net", "cloudapp.azure.com"];

/// Whether the public name of a registry's host leads through its private link name (D62, D63).
enum Hop {
    Yes(Vec<At>),
    No(Vec<At>),
    Perhaps(Missing),
}

impl Prover<'_> {
    pub(crate) fn public_says(&self, name: &str) -> PublicSays {
        if self.declared_circle(name) {
            return PublicSays::Unknown(declare(
                format!("what public DNS answers for {name}"),
                "the declared aliases lead round in a circle",
                "correct cname in the [[public_name]] tables of pullproof.toml",
            ));
        }
        let documented = self.documented(name);
        let Some(declared) = self.declared_chain(name) else {
            return documented.unwrap_or_else(|| PublicSays::Unknown(not_declared(name)));
        };
        // A declared chain without the documented hop of a registry with a private endpoint may be shortened.
        if let Some(PublicSays::Chain(mut chain)) = documented
            && let Some(hop) = chain.cname.first().filter(|hop| name::is_private_link(hop))
            && !declared.cname.contains(hop)
            && declared.end != End::NoSuchName
        {
            let missing = evidence(
                format!("the public chain of {name}"),
                format!(
                    "its registry has a private endpoint, so it is documented to lead through {hop} (D62); [[public_name]] leaves that out"
                ),
                format!(
                    "declare the whole chain: [[public_name]] host = \"{name}\" with cname = [\"{hop}\", …]"
                ),
            );
            chain.end = declared.end.clone();
            chain.basis.merge(&declared.basis);
            return PublicSays::Either(declared, chain, missing);
        }
        PublicSays::Chain(declared)
    }

    /// Whether the declared aliases of a name come back to one of themselves.
    fn declared_circle(&self, name: &str) -> bool {
        let index = self.name_index();
        let mut seen = vec![name.to_owned()];
        let mut at = name.to_owned();
        loop {
            let table = index.public_names.get(&at).and_then(|i| self.network.declared.public_names.get(*i));
            let Some(table) = table else { return false };
            for alias in table.cname.iter().map(|alias| name::fold(alias)) {
                if seen.contains(&alias) {
                    return true;
                }
                seen.push(alias);
            }
            match table.cname.last().filter(|_| table.addresses.is_empty()) {
                Some(last) => at = name::fold(last),
                None => return false,
            }
        }
    }

    /// `[[public_name]]`: neither aliases nor addresses means that the name does not exist (CONTRACT §2).
    fn declared_chain(&self, name: &str) -> Option<Chain> {
        let index = self.name_index();
        let table = self.network.declared.public_names.get(*index.public_names.get(name)?)?;
        let mut cname: Vec<String> = table.cname.iter().map(|n| name::fold(n)).collect();
        let mut chain = Chain { facts: vec!["D2"], ..Chain::default() };
        chain.basis.assume(format!("public_name:{}", table.host));
        let mut addresses = table.addresses.clone();
        // The chain may go on in another table.
        for _ in 0..16 {
            let next = cname.last().filter(|_| addresses.is_empty());
            let Some(next) =
                next.and_then(|last| self.network.declared.public_names.get(*index.public_names.get(last)?))
            else {
                break;
            };
            if next.cname.is_empty() && next.addresses.is_empty() {
                return Some(Chain { cname, end: End::NoSuchName, ..chain });
            }
            chain.basis.assume(format!("public_name:{}", next.host));
            cname.extend(next.cname.iter().map(|n| name::fold(n)));
            addresses.clone_from(&next.addresses);
        }
        let end = match (addresses.is_empty(), cname.is_empty()) {
            (false, _) => End::Addresses(addresses),
            (true, false) => End::Somewhere,
            (true, true) => End::NoSuchName,
        };
        Some(Chain { cname, end, ..chain })
    }

    fn documented(&self, name: &str) -> Option<PublicSays> {
        if let Some(host) = self.name_index().registry_hosts.get(name) {
            let with = |by: Vec<At>| Chain {
                cname: vec![host.private_link.clone()],
                tail: REGISTRY_TAIL,
                by,
                facts: vec!["D62", "D63"],
                ..Chain::default()
            };
            let without =
                |by: Vec<At>| Chain { tail: REGISTRY_TAIL, by, facts: vec!["D63"], ..Chain::default() };
            return Some(match self.private_link_hop(host.registry) {
                Hop::Yes(by) => PublicSays::Chain(with(by)),
                Hop::No(by) => PublicSays::Chain(without(by)),
                Hop::Perhaps(missing) => PublicSays::Either(with(Vec::new()), without(Vec::new()), missing),
            });
        }
        if let Some((registry, _)) = self.name_index().private_links.get(name) {
            // Asked for itself, or met in a chain that has it.
            let chain = Chain { tail: REGISTRY_TAIL, facts: vec!["D62"], ..Chain::default() };
            return match self.private_link_hop(*registry) {
                Hop::Yes(by) => Some(PublicSays::Chain(Chain { by, ..chain })),
                Hop::No(_) | Hop::Perhaps(_) => None,
            };
        }
        if let Some(alias) = blob_private_link(name) {
            let facts = vec!["D81"];
            let with = Chain { cname: vec![alias.clone()], facts: facts.clone(), ..Chain::default() };
            let missing = evidence(
                format!("whether the storage account behind {name} has a private endpoint of its own"),
                format!(
                    "then its public name leads through {alias} (D81); the account is Microsoft's and not visible"
                ),
                "use dedicated data endpoints (dataEndpointEnabled) instead of storage hosts",
            );
            return Some(PublicSays::Either(Chain { facts, ..Chain::default() }, with, missing));
        }
        let known = presets::all().iter().flat_map(|p| &p.hosts).any(|h| matches(&h.host, name));
        if known || name.starts_with("*.") {
            return Some(PublicSays::Chain(Chain { facts: vec!["D167"], ..Chain::default() }));
        }
        None
    }

    /// Any Approved connection makes the public name lead through the private link name (D63).
    fn private_link_hop(&self, ix: RegistryIx) -> Hop {
        let object = &self.network.registries[ix];
        let at = object.place.at(registry::PRIVATE_ENDPOINT_CONNECTIONS);
        let mut pending = false;
        for connection in &object.private_endpoint_connections {
            match &connection.status {
                Val::Known(Some(ConnectionStatus::Approved)) => return Hop::Yes(vec![at]),
                Val::Known(_) | Val::Sym(_) => pending = true,
            }
        }
        // Endpoints that were read and that the registry's copy does not list: a plan, or an older capture.
        let here = crate::registry::serving::endpoints_of(self.network, ix);
        if here.iter().any(|e| e.approved) {
            return Hop::Yes(vec![at]);
        }
        if let Some(symbol) = object.private_endpoint_connections.open {
            let what = format!("private endpoint connections of {}", object.id.name());
            return Hop::Perhaps(unknown_value(self.network, symbol, what));
        }
        if pending || !here.is_empty() {
            return Hop::Perhaps(evidence(
                format!(
                    "whether the public name of {} leads through its private link name",
                    object.id.name()
                ),
                "no private endpoint connection is Approved, some are there (D63)",
                "record what public DNS answers in [[public_name]]",
            ));
        }
        match crate::registry::serving::connections_not_shown(self.network, object) {
            Some(missing) => Hop::Perhaps(missing),
            None => self.record_left_over(ix).map_or(Hop::No(vec![at]), Hop::Perhaps),
        }
    }

    /// A private link record for a registry without endpoints: one was there once, and whether the public name still
    /// leads through the private link name after its deletion is not documented (A99, D46, DU6).
    fn record_left_over(&self, ix: RegistryIx) -> Option<Missing> {
        let object = &self.network.registries[ix];
        let label = Label::of_registry(object)?;
        let set = self.name_index().private_link_record(&label.label, &label.suffix)?;
        let set = &self.network.record_sets[set];
        Some(contested(
            "DU6",
            format!(
                "whether the public name of {} still leads through its private link name: no private endpoint is left, record {} of {} is",
                object.id.name(),
                set.name,
                self.network.zones[set.zone].name
            ),
            "delete the record, or record what public DNS answers in [[public_name]]",
        ))
    }
}

/// `x.privatelink.blob.…` for `x.blob.…` of any cloud.
fn blob_private_link(name: &str) -> Option<String> {
    clouds::all().iter().find_map(|cloud| {
        let account = name::relative(name, &cloud.blob).filter(|a| *a != "@" && !a.contains('.'))?;
        Some(format!("{account}.privatelink.{}", cloud.blob))
    })
}

/// Whether `pattern` (`host` or `*.host`) covers `name`.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_prefix("*.") {
        Some(domain) => name::relative(name, domain).is_some_and(|rest| rest != "@"),
        None => pattern == name,
    }
}

fn not_declared(name: &str) -> Missing {
    declare(
        format!("what public DNS answers for {name}"),
        "the lookup ends in public DNS, which is no part of the configuration (D2)",
        format!(
            "declare it: [[public_name]] host = \"{name}\" with cname and addresses (neither: it does not exist)"
        ),
    )
}
