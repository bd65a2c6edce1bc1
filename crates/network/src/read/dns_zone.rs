//! Private DNS zones, links, record sets.

use std::net::IpAddr;

use pullproof_snapshot::hole;
use serde_json::Value;

use super::PROVISIONING_STATE;
use super::fields::{Fields, Raw, address, domain};
use super::reader::{ChildSource, Reader, Source};
use crate::model::dns_zone::{RecordData, RecordSet, Zone, ZoneLink, record_set, zone, zone_link};
use crate::model::index::{Ix, ZoneIx};
use crate::model::val::{List, Val};

/// The record types of private zones (D35): the collection that a set stands in.
pub(crate) const RECORD_TYPES: [&str; 8] = ["A", "AAAA", "CNAME", "MX", "PTR", "SOA", "SRV", "TXT"];

pub(crate) fn read(reader: &mut Reader<'_>, source: &Source) {
    let ix = ZoneIx::new(reader.objects.zones.next());
    let mut links = List::empty();
    let (children, open) = reader.children(source, "virtualNetworkLinks", "/properties/virtualNetworkLinks");
    links.open = open;
    for child in children {
        let mut f = Fields::new(reader, &child.json, child.place);
        let read = ZoneLink {
            place: f.place,
            zone: ix,
            provisioning_state: f.word(PROVISIONING_STATE),
            vnet: f.reference(zone_link::VNET),
            registration_enabled: f.boolean(zone_link::REGISTRATION_ENABLED),
            resolution_policy: f.word(zone_link::RESOLUTION_POLICY),
            state: f.word(zone_link::STATE),
            id: child.id,
        };
        links.items.push(reader.objects.zone_links.push(read));
    }
    let mut record_sets = List::empty();
    for kind in RECORD_TYPES {
        let (children, open) = reader.children(source, kind, "");
        record_sets.open = record_sets.open.or(open);
        for child in children {
            let read = read_record_set(reader, child, kind, ix);
            record_sets.items.push(reader.objects.record_sets.push(read));
        }
    }
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = Zone {
        id: source.id.clone(),
        place: source.place,
        name: domain(source.id.name()),
        provisioning_state: f.word(PROVISIONING_STATE),
        links,
        record_sets,
        number_of_record_sets: f.number::<i64>(zone::NUMBER_OF_RECORD_SETS).map(count),
        number_of_links: f.number::<i64>(zone::NUMBER_OF_LINKS).map(count),
    };
    reader.objects.zones.push(read);
}

fn count(number: Option<i64>) -> Option<u64> {
    number.and_then(|n| u64::try_from(n).ok())
}

fn read_record_set(
    reader: &mut Reader<'_>,
    child: ChildSource<'_>,
    kind: &'static str,
    zone: ZoneIx,
) -> RecordSet {
    let mut f = Fields::new(reader, &child.json, child.place);
    let data = match kind {
        "A" => RecordData::A(values(&mut f, record_set::A, "ipv4Address")),
        "AAAA" => RecordData::Aaaa(values(&mut f, record_set::AAAA, "ipv6Address")),
        "CNAME" => RecordData::Cname(cname(&mut f)),
        other => RecordData::Other(other.into()),
    };
    RecordSet {
        place: f.place,
        zone,
        data,
        auto_registered: f.boolean(record_set::AUTO_REGISTERED),
        name: domain(&child.name),
        id: child.id,
    }
}

/// ARM's list, or Resource Graph's (D34): objects with the address under `key`.
fn values(f: &mut Fields<'_, '_, '_>, arm: &'static str, key: &'static str) -> List<Val<IpAddr>> {
    let pointer = if matches!(f.raw(arm), Raw::Absent) { record_set::RECORDS } else { arm };
    f.list(pointer, "an object with an address", |f, value, i| {
        let inner = value.get(key)?;
        if let Some(hole) = hole::hole(inner) {
            return Some(Val::Sym(f.reader.hole(hole, f.at(pointer).item(i), true)));
        }
        address(inner).map(Val::Known)
    })
}

fn cname(f: &mut Fields<'_, '_, '_>) -> Val<Option<Box<str>>> {
    let arm = f.host(record_set::CNAME);
    if !arm.is_absent() {
        return arm;
    }
    f.scalar(record_set::RECORDS, "one object with a cname", |value| {
        let first: &Value = value.as_array()?.first()?;
        first.get("cname")?.as_str().map(domain)
    })
}
