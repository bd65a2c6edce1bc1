//! Declared sites: what a network behind a gateway announces, routes back and filters (CONTRACT §2).

use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::declared::{Filter, FilterAction, Ports, Site};

use crate::json::{prefix, range_holds};
use crate::missing;
use crate::plain::Plain;
use crate::tri::Tri;

/// The sites that name this connection, by id or by name.
pub fn of_connection<'a>(plain: &'a Plain, connection: &ArmId) -> Vec<&'a Site> {
    plain.declared.sites.iter().filter(|s| s.connections.iter().any(|c| names(c, connection))).collect()
}

pub fn names(text: &str, id: &ArmId) -> bool {
    if text.contains('/') { ArmId::new(text) == *id } else { id.name().eq_ignore_ascii_case(text) }
}

pub fn announces(site: &Site, address: IpAddr) -> bool {
    site.prefixes.iter().filter_map(|p| prefix(p)).any(|p| p.contains(&address))
}

/// Announced by a prefix of its own, not only by a default route.
pub fn holds_narrowly(site: &Site, address: IpAddr) -> bool {
    site.prefixes.iter().filter_map(|p| prefix(p)).any(|p| p.prefix_len() > 0 && p.contains(&address))
}

pub fn routes_back(site: &Site, address: IpAddr) -> bool {
    site.routes_to_azure.iter().filter_map(|p| prefix(p)).any(|p| p.contains(&address))
}

/// One packet, as a declared filter sees it.
#[derive(Clone, Copy, Debug)]
pub struct First<'a> {
    pub source: IpAddr,
    pub destination: IpAddr,
    pub protocol: &'a str,
    pub destination_port: u16,
}

/// Does the site's filter let the first packet pass? With neither `filter` nor `firewall` the answer rests on the
/// assumption that is named.
pub fn admits(plain: &Plain, site: &Site, packet: First<'_>) -> (Tri, Option<String>) {
    if !site.firewall.is_empty() {
        return (decide(&site.firewall, packet), Some(format!("site:{}", site.name)));
    }
    if site.filter.as_deref().is_some_and(|f| f.eq_ignore_ascii_case("none")) {
        return (Tri::Yes, Some(format!("site:{}", site.name)));
    }
    let assumption = format!("site:{}/unfiltered", site.name);
    if plain.strict {
        let open = missing::declare(
            format!("the filters of the site {}", site.name),
            "neither `filter` nor `firewall` is declared, and assumptions are not accepted",
            "declare filter = \"none\", or its firewall",
        );
        return (Tri::unknown(open), None);
    }
    (Tri::Yes, Some(assumption))
}

/// First match decides; no match: allowed if all entries deny, denied if any allows.
fn decide(entries: &[Filter], packet: First<'_>) -> Tri {
    if let Some(action) = first_match(entries, packet) {
        return (action == FilterAction::Allow).into();
    }
    entries.iter().all(|e| e.action == FilterAction::Deny).into()
}

/// The action of the first entry that matches.
pub fn first_match(entries: &[Filter], packet: First<'_>) -> Option<FilterAction> {
    entries.iter().find(|e| matches(e, packet)).map(|e| e.action)
}

fn matches(entry: &Filter, packet: First<'_>) -> bool {
    let side = |list: &[String], address: IpAddr| {
        list.is_empty() || list.iter().any(|t| t == "*" || range_holds(t, address) == Some(true))
    };
    let protocol = entry.protocol == "*" || entry.protocol.eq_ignore_ascii_case(packet.protocol);
    protocol
        && side(&entry.from, packet.source)
        && side(&entry.to, packet.destination)
        && ports_hold(&entry.ports, packet.destination_port)
}

fn ports_hold(ports: &Ports, port: u16) -> bool {
    match ports {
        Ports::Number(n) => *n == port,
        Ports::Text(text) => text.split(',').any(|part| {
            let part = part.trim();
            if part == "*" {
                return true;
            }
            let (low, high) = part.split_once('-').unwrap_or((part, part));
            match (low.trim().parse::<u16>(), high.trim().parse::<u16>()) {
                (Ok(low), Ok(high)) => low <= port && port <= high,
                _ => false,
            }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(action: FilterAction, to: &str, ports: &str) -> Filter {
        Filter {
            from: vec!["10.0.0.0/8".into()],
            to: vec![to.into()],
            protocol: "tcp".into(),
            ports: Ports::Text(ports.into()),
            action,
        }
    }

    fn packet(to: &str, port: u16) -> First<'static> {
        let at = |s: &str| s.parse().expect("an address");
        First { source: at("10.1.2.3"), destination: at(to), protocol: "tcp", destination_port: port }
    }

    #[test]
    fn what_no_entry_covers_depends_on_what_the_entries_say() {
        let allows = [filter(FilterAction::Allow, "172.24.0.0/16", "80,443")];
        assert_eq!(decide(&allows, packet("172.24.1.1", 443)), Tri::Yes);
        assert_eq!(decide(&allows, packet("172.24.1.1", 22)), Tri::No);
        let denies = [filter(FilterAction::Deny, "172.24.0.0/16", "1-100")];
        assert_eq!(decide(&denies, packet("172.24.1.1", 22)), Tri::No);
        assert_eq!(decide(&denies, packet("172.24.1.1", 443)), Tri::Yes);
    }
}
