//! Private DNS zones: which one answers for a name in a virtual network, and what it says (D33–D57).

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::Missing;

use super::links::{OnNxdomain, ZONE, ZONE_LINK, links_complete};
use super::name::{fold, is_within, labels, relative};
use crate::json::Node;
use crate::missing;
use crate::plain::Plain;
use crate::resources::{Resource, absent_for_sure, all, at, find};

/// The record set types of a zone (D35) with the collection that holds them.
const TYPES: &[(&str, &str)] = &[
    ("A", "microsoft.network/privatednszones/a"),
    ("AAAA", "microsoft.network/privatednszones/aaaa"),
    ("CNAME", "microsoft.network/privatednszones/cname"),
    ("MX", "microsoft.network/privatednszones/mx"),
    ("PTR", "microsoft.network/privatednszones/ptr"),
    ("SRV", "microsoft.network/privatednszones/srv"),
    ("TXT", "microsoft.network/privatednszones/txt"),
    ("SOA", "microsoft.network/privatednszones/soa"),
];

/// A zone that answers for the name.
pub(crate) struct Zone {
    pub resource: Resource,
    pub name: String,
    pub on_nxdomain: OnNxdomain,
}

/// What a zone says about a name.
pub(crate) enum Says {
    Addresses(BTreeSet<IpAddr>, String),
    Alias(String, String),
    Nodata,
    Nxdomain,
    Unknown(Missing),
}

/// The zones with the longest name that is a suffix of `name`, of those linked to the virtual network (D38, D47). More
/// than one only where two of the same name are linked, which Azure refuses (D42). `Err` when a link that matters is
/// not known: in progress, to an unknown virtual network, or in a subscription that was not read (D44a).
pub(crate) fn choose(plain: &Plain, vnet: &ArmId, name: &str) -> Result<Vec<Zone>, Vec<Missing>> {
    let mut sure: Vec<Zone> = Vec::new();
    let mut open: Vec<(usize, Missing)> = Vec::new();
    for link in &plain.links().zones {
        if !is_within(name, &link.zone_name) {
            continue;
        }
        let size = labels(&link.zone_name);
        match link.serves(vnet) {
            Ok(false) => {}
            Err(missing) => open.push((size, missing)),
            Ok(true) => match find(plain, link.zone_id.folded()) {
                Some(resource) => {
                    let on_nxdomain = link.on_nxdomain();
                    sure.push(Zone { resource, name: link.zone_name.clone(), on_nxdomain });
                }
                None => open.push((size, missing::resource(&link.zone_id))),
            },
        }
    }
    let longest = sure.iter().map(|zone| labels(&zone.name)).max().unwrap_or(0);
    let blocking: Vec<Missing> =
        open.into_iter().filter(|(size, _)| *size >= longest).map(|(_, missing)| missing).collect();
    if !blocking.is_empty() {
        return Err(blocking);
    }
    sure.retain(|zone| labels(&zone.name) == longest);
    if sure.iter().all(|zone| zone.name != name) {
        links_complete(plain, vnet, ZONE_LINK)?; // a longer zone may be linked from where nobody looked
    }
    Ok(sure)
}

/// The names of all zones that are linked, or may be linked, to the virtual network.
pub(crate) fn names(plain: &Plain, vnet: &ArmId) -> BTreeSet<String> {
    let zones = plain.links().zones.iter();
    zones.filter(|link| link.serves(vnet) != Ok(false)).map(|link| link.zone_name.clone()).collect()
}

/// A record set of some private link zone, linked or not, for a host of the registry with this label and suffix.
pub(crate) fn private_link_record(plain: &Plain, label: &str, suffix: &str) -> Option<ArmId> {
    let apex = format!("privatelink.{suffix}");
    let zones = all(plain, ZONE).into_iter().filter(|zone| is_within(&fold(zone.id.name()), &apex));
    let mut sets = zones.flat_map(|zone| {
        let of_type = |(kind, _): &(&str, &str)| plain.layered.standalone_children(zone.ix, kind);
        let sets: Vec<ArmId> = TYPES.iter().flat_map(of_type).map(|ix| at(plain, ix).id).collect();
        sets.into_iter().map(move |set| (fold(zone.id.name()), set))
    });
    let is_of_label = |zone: &str, set: &ArmId| {
        let name = fold(set.name());
        // The apex of a zone for one name is that name.
        let name = if name == "@" { relative(zone, &apex) } else { &name };
        name.split('.').next() == Some(label)
    };
    sets.find(|(zone, set)| is_of_label(zone, set)).map(|(_, set)| set)
}

/// What the zone says about a name in it: exact set, alias, closest wildcard, no data, no such name (D49–D53, RFC 4592).
pub(crate) fn says(plain: &Plain, zone: &Zone, name: &str, record: &str) -> Says {
    let sets = record_sets(plain, zone);
    let wanted = relative(name, &zone.name);
    let exists = |relative: &str| {
        relative == "@" || sets.keys().any(|other| other == relative || is_within(other, relative))
    };
    if exists(wanted) {
        return match sets.get(wanted).map(|types| at_name(types, record)) {
            Some(Some(says)) => says,
            Some(None) | None => negative(plain, zone, record, Says::Nodata),
        };
    }
    let mut encloser = wanted;
    while let Some((_, parent)) = encloser.split_once('.') {
        encloser = parent;
        if exists(encloser) {
            break;
        }
    }
    let wildcard =
        if exists(encloser) && encloser != wanted { format!("*.{encloser}") } else { "*".to_owned() };
    let Some(types) = sets.get(&wildcard) else { return negative(plain, zone, record, Says::Nxdomain) };
    // A name of any type, read or not, could be a closer encloser.
    for (_, resource_type) in TYPES {
        if let Err(missing) = absent_for_sure(plain, zone.resource.id.folded(), resource_type) {
            return Says::Unknown(missing);
        }
    }
    at_name(types, record).unwrap_or(Says::Nodata)
}

/// What the sets of one name say, `None` for no data of the type.
fn at_name(types: &BTreeMap<&'static str, Resource>, record: &str) -> Option<Says> {
    if let Some(set) = types.iter().find(|(kind, _)| kind.eq_ignore_ascii_case(record)).map(|(_, set)| set) {
        return match addresses(set, record) {
            Ok(found) if found.is_empty() => None,
            Ok(found) => Some(Says::Addresses(found, set.id.to_string())),
            Err(missing) => Some(Says::Unknown(missing)),
        };
    }
    let set = types.get("CNAME")?;
    match alias(set) {
        Ok(Some(alias)) => Some(Says::Alias(fold(alias), set.id.to_string())),
        Ok(None) => None,
        Err(missing) => Some(Says::Unknown(missing)),
    }
}

fn alias(set: &Resource) -> Result<Option<&str>, Missing> {
    match set.node().text("/properties/cnameRecord/cname").known()? {
        Some(alias) => Ok(Some(alias)),
        None => set.node().text("/properties/records/0/cname").known(), // as Resource Graph returns it (D34)
    }
}

fn addresses(set: &Resource, record: &str) -> Result<BTreeSet<IpAddr>, Missing> {
    let (list, field) = if record == "AAAA" {
        ("/properties/aaaaRecords", "/ipv6Address")
    } else {
        ("/properties/aRecords", "/ipv4Address")
    };
    let mut out = BTreeSet::new();
    for list in [list, "/properties/records"] {
        // the second as Resource Graph returns it (D34)
        let items = set.node().list(list);
        if let Some(open) = items.open.into_iter().next() {
            return Err(open);
        }
        for item in items.known {
            out.extend(Node::new(item, &set.id).address(field).known()?);
        }
    }
    Ok(out)
}

/// `says`, unless record sets of the type, or aliases, were not completely read.
fn negative(plain: &Plain, zone: &Zone, record: &str, says: Says) -> Says {
    let redirects = !matches!(zone.on_nxdomain, OnNxdomain::Final);
    for (kind, resource_type) in TYPES {
        // Sets of other types tell no such name from no data, which only matters where a redirect hangs on it (D40).
        let matters = redirects || *kind == "CNAME" || kind.eq_ignore_ascii_case(record);
        if !matters {
            continue;
        }
        if let Err(missing) = absent_for_sure(plain, zone.resource.id.folded(), resource_type) {
            return Says::Unknown(missing);
        }
    }
    says
}

/// Relative name → type → record set.
fn record_sets(plain: &Plain, zone: &Zone) -> BTreeMap<String, BTreeMap<&'static str, Resource>> {
    let mut out: BTreeMap<String, BTreeMap<&'static str, Resource>> = BTreeMap::new();
    for (kind, _) in TYPES {
        for ix in plain.layered.standalone_children(zone.resource.ix, kind) {
            let set = at(plain, ix);
            let name = fold(set.id.name());
            out.entry(name).or_default().insert(kind, set);
        }
    }
    out
}
