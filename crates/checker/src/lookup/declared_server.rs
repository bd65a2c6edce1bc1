//! What a declared server says: its zones, its forwarders, its default (D103–D113, CONTRACT §2 `[[dns_server]]`).

use std::collections::BTreeSet;
use std::net::IpAddr;

use pullproof_snapshot::declared::{DnsServer, Forward, ServerDefault, Zone};
use pullproof_snapshot::question::LookupResult;

use super::Walk;
use super::ask::{Asker, Transport};
use super::azure_dns::{Alias, Rematch};
use super::name::{fold, is_within, labels, relative};
use super::reply::{Reply, agreed};
use crate::missing;

/// The entry of a server that covers a name: the most specific one, a zone before a forwarder of the same name.
enum Entry<'a> {
    Zone(&'a Zone),
    Forward(&'a Forward),
}

fn entry<'a>(server: &'a DnsServer, name: &str) -> Option<Entry<'a>> {
    let zone = server
        .zones
        .iter()
        .filter(|zone| is_within(name, &fold(&zone.name)))
        .max_by_key(|zone| labels(&fold(&zone.name)));
    let forward = server
        .forwards
        .iter()
        .filter(|forward| is_within(name, &fold(&forward.domain)))
        .max_by_key(|forward| labels(&fold(&forward.domain)));
    match (zone, forward) {
        (Some(zone), Some(forward)) if labels(&fold(&forward.domain)) > labels(&fold(&zone.name)) => {
            Some(Entry::Forward(forward))
        }
        (Some(zone), _) => Some(Entry::Zone(zone)),
        (None, forward) => forward.map(Entry::Forward),
    }
}

/// An entry for some of the names that a wildcard host stands for, those of private endpoints apart.
fn below_wildcard(server: &DnsServer, wildcard: &str) -> Option<String> {
    let domain = wildcard.strip_prefix("*.")?;
    let private_link = format!("privatelink.{domain}");
    let zones = server.zones.iter().map(|zone| fold(&zone.name));
    let mut entries = zones.chain(server.forwards.iter().map(|forward| fold(&forward.domain)));
    entries.find(|entry| entry != domain && is_within(entry, domain) && !is_within(entry, &private_link))
}

impl Walk<'_> {
    /// The server's answer; it asks its upstreams from where it stands.
    pub(super) fn declared_server(&mut self, server: &DnsServer, place: &Asker, name: &str) -> Reply {
        let here = format!("host:{}", server.address);
        let key = format!(
            "{here} in {}",
            place.vnet().map_or_else(|| server.site.clone().unwrap_or_default(), |v| v.to_string())
        );
        self.step(&key, name, |walk| walk.server_says(server, place, name)).after(here)
    }

    fn server_says(&mut self, server: &DnsServer, place: &Asker, name: &str) -> Reply {
        if let Some(found) = below_wildcard(server, name) {
            let why = "it covers some of the names that layers come from (A12, A13)";
            return Reply::unknown(vec![missing::not_modelled(format!("{name} beside {found}"), why)]);
        }
        match entry(server, name) {
            Some(Entry::Zone(zone)) => self.server_zone(server, place, zone, name),
            Some(Entry::Forward(forward)) => self.server_forwards(server, place, forward, name),
            None => match server.default {
                ServerDefault::Unknown => {
                    let what = format!("what the resolver at {} does with {name}", server.address);
                    let why = "no declared zone or forwarder covers the name";
                    Reply::unknown(vec![missing::declare(
                        what,
                        why,
                        "add it to the server's [[dns_server]] table",
                    )])
                }
                ServerDefault::Refused | ServerDefault::Servfail => Reply::of(LookupResult::Servfail),
                ServerDefault::RootHints => {
                    self.ask_public(server, place, name, Rematch::Server(server, place))
                }
            },
        }
    }

    /// An iterative server holds every alias of the chain against its own zones and forwarders (D108).
    pub(super) fn server_takes(&mut self, server: &DnsServer, place: &Asker, alias: &str) -> Alias {
        match entry(server, alias) {
            None => Alias::Passes,
            Some(_) => Alias::Taken(self.declared_server(server, place, alias)),
        }
    }

    /// An authoritative zone: no fall-through for what it lacks (D110).
    fn server_zone(&mut self, server: &DnsServer, place: &Asker, zone: &Zone, name: &str) -> Reply {
        let apex = fold(&zone.name);
        let owner = |record: &str| {
            let record = fold(record);
            if is_within(&record, &apex) && record != "@" && !apex.is_empty() {
                relative(&record, &apex).to_owned()
            } else {
                record
            }
        };
        let names: BTreeSet<String> = zone.records.iter().map(|record| owner(&record.name)).collect();
        let exists =
            |name: &str| name == "@" || names.iter().any(|other| other == name || is_within(other, name));
        let wanted = relative(name, &apex);
        let at = if exists(wanted) {
            wanted.to_owned()
        } else {
            let mut encloser = wanted;
            let star = loop {
                match encloser.split_once('.') {
                    None => break "*".to_owned(),
                    Some((_, parent)) if exists(parent) => break format!("*.{parent}"),
                    Some((_, parent)) => encloser = parent,
                }
            };
            if !names.contains(&star) {
                return Reply::of(LookupResult::Nxdomain);
            }
            star
        };
        let of_type = |kind: &str| -> Vec<&String> {
            let rows =
                zone.records.iter().filter(|r| owner(&r.name) == at && r.kind.eq_ignore_ascii_case(kind));
            rows.flat_map(|record| &record.values).collect()
        };
        let values = of_type(&self.record);
        if !values.is_empty() {
            let parsed: Vec<IpAddr> = values.iter().filter_map(|value| value.trim().parse().ok()).collect();
            if parsed.len() != values.len() {
                let what = format!("records of {name} at {}", server.address);
                return Reply::unknown(vec![missing::declare(
                    what,
                    "a declared value is no address",
                    "correct it",
                )]);
            }
            return Reply::answer(parsed);
        }
        match of_type("CNAME").first() {
            Some(target) => {
                let target = fold(target);
                self.declared_server(server, place, &target).through(&target)
            }
            None => Reply::of(LookupResult::Nodata),
        }
    }

    /// The upstream's complete answer (D108). Which of several is asked is the server's affair: all that are not silent
    /// have to agree.
    fn server_forwards(&mut self, server: &DnsServer, place: &Asker, forward: &Forward, name: &str) -> Reply {
        let mut replies = Vec::new();
        for target in &forward.to {
            let reply = if target.eq_ignore_ascii_case("public") {
                self.ask_public(server, place, name, Rematch::Nobody)
            } else if let Ok(address) = target.trim().parse::<IpAddr>() {
                self.ask(place, address, 53, Transport::Udp, name)
            } else {
                let what = format!("forwarder {target} of {}", server.address);
                Reply::unknown(vec![missing::declare(what, "neither an address nor `public`", "correct it")])
            };
            if !reply.is_silence() {
                replies.push(reply);
            }
        }
        if replies.is_empty() {
            // It was reached; whether it says SERVFAIL or nothing before the client gives up is not known.
            return Reply { upstream_silent: true, ..Reply::of(LookupResult::Timeout) };
        }
        let what = format!("upstream of {} that answers {name}", server.address);
        agreed(replies, &missing::contested("D113", what, "the upstreams differ"))
    }

    /// Public DNS, which the declaration says that the server uses; a site that is declared without Internet cannot.
    fn ask_public(&mut self, server: &DnsServer, place: &Asker, name: &str, rematch: Rematch<'_>) -> Reply {
        if let Asker::Site(site, _) = place {
            let row = self.plain.declared.sites.iter().find(|row| row.name == *site);
            if row.and_then(|row| row.internet_egress) == Some(false) {
                let what = format!("public DNS from the resolver at {}", server.address);
                let why =
                    format!("declared to use it, in site {site} that is declared without Internet egress");
                return Reply::unknown(vec![missing::declare(what, why, "correct one of the two")]);
            }
        }
        self.public(name, rematch)
    }
}
