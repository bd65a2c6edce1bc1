//! Filters that `pullproof.toml` declares: those of appliances and of sites (CONTRACT §2).

use std::str::FromStr;

use pullproof_network::set::{Addresses, Ports};
use pullproof_snapshot::declared::{Filter, FilterAction, Ports as WrittenPorts};

use crate::context::Proto;
use crate::path::Target;

/// What a declared filter does with part of the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    /// By the n-th entry, or by none.
    Allow(Option<usize>),
    Deny(Option<usize>),
    /// The n-th entry covers only some of the addresses that the destination may have.
    Open(usize),
}

/// The first packet of a connection.
pub(crate) struct FirstPacket<'a> {
    pub sources: &'a Addresses,
    pub to: &'a Target,
    pub proto: Proto,
    pub port: u16,
}

/// First match decides; sources that no entry matches get `otherwise`. The parts are disjoint and their union is the
/// packet's sources.
pub(crate) fn decide(
    entries: &[Filter],
    packet: &FirstPacket<'_>,
    otherwise: Declared,
) -> Vec<(Addresses, Declared)> {
    let mut rest = packet.sources.clone();
    let mut out = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        let Some(certain) = covers(entry, packet) else { continue };
        let from = if entry.from.is_empty() { Addresses::all() } else { parse(&entry.from) };
        let hit = rest.intersect(&from);
        if hit.is_empty() {
            continue;
        }
        rest = rest.subtract(&from);
        let what = match (certain, entry.action) {
            (false, _) => Declared::Open(i),
            (true, FilterAction::Allow) => Declared::Allow(Some(i)),
            (true, FilterAction::Deny) => Declared::Deny(Some(i)),
        };
        out.push((hit, what));
    }
    if !rest.is_empty() {
        out.push((rest, otherwise));
    }
    out
}

/// Whether the entry is about the packet, sources aside: `Some(false)` where it is about some of the addresses that
/// the destination may have.
fn covers(entry: &Filter, packet: &FirstPacket<'_>) -> Option<bool> {
    let protocol = match packet.proto {
        Proto::Tcp => "tcp",
        Proto::Udp => "udp",
    };
    let any = |word: &str| word == "*" || word.eq_ignore_ascii_case("any");
    if !any(&entry.protocol) && !entry.protocol.eq_ignore_ascii_case(protocol) {
        return None;
    }
    let ports = match &entry.ports {
        WrittenPorts::Number(port) => Ports::one(*port),
        WrittenPorts::Text(text) => Ports::from_str(text).unwrap_or_default(),
    };
    if !ports.contains(packet.port) {
        return None;
    }
    if entry.to.is_empty() {
        return Some(true);
    }
    let to = parse(&entry.to);
    match packet.to {
        Target::Address(address) => to.contains(*address).then_some(true),
        Target::PublicHost { .. } => {
            let space = public_space();
            match (space.is_subset(&to), space.overlaps(&to)) {
                (true, _) => Some(true),
                (false, true) => Some(false),
                (false, false) => None,
            }
        }
    }
}

/// IPv4 space outside the private and special ranges.
fn public_space() -> Addresses {
    const NOT_PUBLIC: [&str; 9] = [
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "224.0.0.0/4",
        "240.0.0.0/4",
    ];
    Addresses::all_v4().subtract(&Addresses::of(NOT_PUBLIC.iter().filter_map(|p| p.parse().ok())))
}

/// Prefixes and addresses; `*` is every address.
pub(crate) fn parse(texts: &[String]) -> Addresses {
    texts.iter().fold(Addresses::empty(), |set, text| {
        let part = if text == "*" { Addresses::all() } else { Addresses::from_str(text).unwrap_or_default() };
        set.union(&part)
    })
}
