//! What public DNS says, as far as documents and declared facts tell (D2, D58–D67, D93, D180).

use std::collections::BTreeSet;
use std::net::IpAddr;

use pullproof_snapshot::declared::PublicName;
use pullproof_snapshot::facts::{clouds, presets};
use pullproof_snapshot::question::Missing;

use super::name::{fold, is_within, pattern_covers};
use crate::missing;
use crate::plain::Plain;
use crate::registry::{self, Hop};

/// How a public chain ends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    Addresses(BTreeSet<IpAddr>),
    /// The name has a public address, and nothing says which (D2).
    SomeAddress,
    Nodata,
    Nxdomain,
    Unknown(Vec<Missing>),
}

/// A name's aliases in order and what stands at the end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chain {
    pub hops: Vec<String>,
    pub end: End,
}

/// The possible public chains of a name; more than one where it is not known which (the missing fact stands beside).
pub(crate) fn chains(plain: &Plain, name: &str, record: &str) -> (Vec<Chain>, Option<Missing>) {
    let hop = registry::public_hop(plain, name);
    if let Some(declared) = declared(plain, name, record) {
        let lacks = |alias: &str| !declared.hops.iter().any(|hop| hop == alias);
        // Azure itself shows that the name has the alias: an endpoint is approved (D63). Both readings, then.
        if let Some(Hop::Alias(alias)) = &hop
            && lacks(alias)
        {
            let what = format!("public aliases of {name}");
            let why = "declared without the privatelink alias, but the registry has an approved private endpoint (D63)";
            let mut with = declared.clone();
            with.hops.insert(0, alias.clone());
            return (
                vec![declared, with],
                Some(missing::declare(what, why, "declare the aliases in [[public_name]]")),
            );
        }
        return (vec![declared], None);
    }
    let plain_chain = Chain { hops: Vec::new(), end: documented_end(plain, name, record) };
    match hop {
        None | Some(Hop::None) => (vec![plain_chain], None),
        Some(Hop::Alias(alias)) => (vec![Chain { hops: vec![alias], ..plain_chain }], None),
        Some(Hop::Unknown(alias, missing)) => {
            let with = Chain { hops: vec![alias], end: plain_chain.end.clone() };
            (vec![plain_chain, with], Some(missing))
        }
    }
}

/// `[[public_name]]`: neither alias nor address is a name that does not exist (CONTRACT §2).
fn declared(plain: &Plain, name: &str, record: &str) -> Option<Chain> {
    declared_beyond(plain, name, record, &[])
}

/// The chain of a name that the names of `through` led to.
fn declared_beyond(plain: &Plain, name: &str, record: &str, through: &[String]) -> Option<Chain> {
    let through = &[through, &[name.to_owned()]].concat();
    let rows = &plain.declared.public_names;
    let tail = |row: &PublicName| -> Option<Vec<String>> {
        let at = row.cname.iter().position(|alias| fold(alias) == name)?;
        Some(row.cname.iter().skip(at + 1).map(|alias| fold(alias)).collect())
    };
    let own = rows.iter().find(|row| fold(&row.host) == name);
    // An alias in a declared chain is answered with the rest of it.
    let (row, hops) = match own {
        Some(row) => (row, row.cname.iter().map(|alias| fold(alias)).collect()),
        None => rows.iter().find_map(|row| Some((row, tail(row)?)))?,
    };
    if plain.strict {
        let missing =
            missing::declare(format!("public answer for {name}"), "declared, and --strict takes it back", "");
        return Some(Chain { hops: Vec::new(), end: End::Unknown(vec![missing]) });
    }
    if hops.iter().enumerate().any(|(i, hop)| through.contains(hop) || hops.iter().take(i).any(|h| h == hop))
    {
        let what = format!("public aliases of {name}");
        let missing =
            missing::declare(what, "they lead round in a circle", "correct cname in [[public_name]]");
        return Some(Chain { hops: Vec::new(), end: End::Unknown(vec![missing]) });
    }
    let all: BTreeSet<IpAddr> = row.addresses.iter().copied().collect();
    let of_type: BTreeSet<IpAddr> =
        all.iter().copied().filter(|a| a.is_ipv6() == (record == "AAAA")).collect();
    let end = match (row.cname.is_empty(), all.is_empty(), of_type.is_empty()) {
        (true, true, _) => End::Nxdomain,
        // The chain's last name may be declared on its own.
        (false, true, _) => hops
            .last()
            .filter(|last| rows.iter().any(|row| fold(&row.host) == **last))
            .and_then(|last| declared_beyond(plain, last, record, through))
            .filter(|chain| chain.hops.is_empty())
            .map_or(End::SomeAddress, |chain| chain.end),
        (_, false, true) => End::Nodata,
        (_, false, false) => End::Addresses(of_type),
    };
    Some(Chain { hops, end })
}

/// What Azure's own services are called (A54, A194), beside the presets' hosts (A151) and the clouds' storage (A31).
const DOCUMENTED: &[&str] = &[
    "mcr.microsoft.com",
    "mcr.azure.cn",
    "data.mcr.azure.cn",
    "login.microsoftonline.com",
    "management.azure.com",
];

/// Some name below each of those that the public chains of registries lead through (D62, D180).
const REGISTRY_ALIASES: &[&str] = &["*.azcr.io", "*.trafficmanager.net", "*.cloudapp.azure.com"];

/// Hosts that are known to exist in public DNS.
fn is_documented(name: &str) -> bool {
    let in_presets = || {
        let mut hosts = presets::all().iter().flat_map(|preset| &preset.hosts);
        hosts.any(|host| pattern_covers(&host.host, name))
    };
    registry::is_registry_host(name)
        || REGISTRY_ALIASES.contains(&name)
        || clouds::all().iter().any(|cloud| is_within(name, &cloud.blob))
        || DOCUMENTED.iter().any(|host| is_within(name, host))
        || in_presets()
}

/// Names that public DNS never delegates (RFC 6761, RFC 6762, RFC 8375, RFC 9476, ICANN's `internal`): no such name.
const NEVER_PUBLIC: &[&str] = &["local", "localhost", "invalid", "internal", "onion", "alt", "home.arpa"];

fn documented_end(plain: &Plain, name: &str, record: &str) -> End {
    if NEVER_PUBLIC.iter().any(|suffix| is_within(name, suffix)) || !name.contains('.') {
        return End::Nxdomain;
    }
    if !is_documented(name) {
        let why =
            "public DNS is not part of the configuration, and the name has no documented shape (D2, D174)";
        return End::Unknown(vec![missing::declare(
            format!("public answer for {name}"),
            why,
            "declare it in pullproof.toml, [[public_name]]",
        )]);
    }
    if record == "A" {
        return End::SomeAddress;
    }
    match registry::has_public_ipv6(plain, name) {
        Ok(true) => End::SomeAddress,
        Ok(false) => End::Nodata, // A46
        Err(missing) => End::Unknown(vec![missing]),
    }
}
