//! Addresses that Azure picks and that nothing in the configuration tells apart.
//!
//! Where no prefix and no address of the configuration lies strictly inside a subnet (addresses that known interfaces
//! own aside: Azure never picks those), every way to hand out its free addresses is a renaming of every other: whatever
//! holds or fails for one holds or fails for all. Then one way stands for all of them, and the values are put in. Where
//! something does tell them apart, they stay holes (DESIGN V2, *chosen*), and the audit tries them class by class.

use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;

use pullproof_snapshot::hole;
use pullproof_snapshot::{ArmId, Layered};
use serde_json::Value;

use crate::estate::Estate;

/// An IPv4 prefix: first address and length.
type Net = (u32, u8);

/// Puts addresses in for holes that are interchangeable; returns `hole → address` for those.
///
/// `also`: further texts whose addresses count (declared facts).
pub(crate) fn settle(
    estate: &mut Estate<'_>,
    base: Option<&Layered>,
    also: &[String],
) -> BTreeMap<String, Ipv4Addr> {
    let mut by_subnet: BTreeMap<ArmId, BTreeSet<String>> = BTreeMap::new();
    for (_, text) in estate.texts().filter(|(_, text)| text.contains("\"within\"")) {
        if let Ok(json) = serde_json::from_str(text) {
            within(&json, &mut by_subnet);
        }
    }
    let mut subnets: Vec<(Net, BTreeSet<String>)> = Vec::new();
    for (id, names) in by_subnet {
        if let Some(net) = estate.get(&id).as_ref().and_then(only_prefix).filter(|net| is_private(*net)) {
            subnets.push((net, names));
        }
    }
    if subnets.is_empty() {
        return BTreeMap::new();
    }
    let mut seen = Seen::default();
    for text in also {
        seen.text(text);
    }
    if let Some(base) = base {
        for ix in base.resources() {
            match base.whole_text(ix, &[]).and_then(|text| std::str::from_utf8(text).ok()) {
                Some(text) if !text.contains("rivateI") => seen.text(text),
                _ => seen.json(&base.json(ix), ""),
            }
        }
    }
    for (_, text) in estate.texts() {
        if !text.contains("rivateI") {
            seen.text(text);
        } else if let Ok(json) = serde_json::from_str(text) {
            seen.json(&json, "");
        }
    }
    let mut out: BTreeMap<String, Ipv4Addr> = BTreeMap::new();
    for (net, names) in &subnets {
        // Two subnets of the same range, in networks that do not meet: leave both alone.
        let alone = subnets.iter().filter(|(other, _)| overlap(*other, *net)).count() == 1;
        if !alone || seen.splits(*net) {
            continue;
        }
        let mut free = assignable(*net).filter(|address| !seen.owned.contains(address));
        let picked: Vec<(String, u32)> = names.iter().cloned().zip(free.by_ref()).collect();
        if picked.len() == names.len() {
            out.extend(picked.into_iter().map(|(name, address)| (name, Ipv4Addr::from(address))));
        }
    }
    // A name that stands for an address of two subnets is no one address.
    let counted = subnets.iter().flat_map(|(_, names)| names);
    let mut times: BTreeMap<&String, usize> = BTreeMap::new();
    for name in counted {
        *times.entry(name).or_default() += 1;
    }
    out.retain(|name, _| times.get(name) == Some(&1));
    if !out.is_empty() {
        let holed = estate.texts().filter(|(_, text)| text.contains("$unknown"));
        let ids: Vec<ArmId> = holed.map(|(id, _)| id.clone()).collect();
        for id in ids {
            estate.change(&id, |json| replace(json, &out));
        }
    }
    out
}

/// Holes that are an address of a subnet. The tail of a list is none: it is any number of them.
fn within(value: &Value, out: &mut BTreeMap<ArmId, BTreeSet<String>>) {
    if let Some(hole) = hole::hole(value) {
        let subnet = hole.within.and_then(Value::as_str).filter(|id| id.starts_with("/subscriptions/"));
        if let Some(subnet) =
            subnet.filter(|_| !hole.name.ends_with("[*]") && !hole.name.ends_with("router_ips"))
        {
            out.entry(ArmId::new(subnet)).or_default().insert(hole.name.to_owned());
        }
        return;
    }
    match value {
        Value::Object(map) => map.values().for_each(|v| within(v, out)),
        Value::Array(items) => items.iter().for_each(|v| within(v, out)),
        _ => {}
    }
}

fn replace(value: &mut Value, by: &BTreeMap<String, Ipv4Addr>) {
    if let Some(hole) = hole::hole(value) {
        if let Some(address) = by.get(hole.name) {
            *value = Value::from(address.to_string());
        }
        return;
    }
    match value {
        Value::Object(map) => map.values_mut().for_each(|v| replace(v, by)),
        Value::Array(items) => items.iter_mut().for_each(|v| replace(v, by)),
        _ => {}
    }
}

/// The subnet's one IPv4 prefix; `None` where it has several, or one that is not known.
fn only_prefix(subnet: &Value) -> Option<Net> {
    let one = subnet.pointer("/properties/addressPrefix").filter(|v| !v.is_null());
    let many = subnet.pointer("/properties/addressPrefixes").filter(|v| !v.is_null());
    let text = match (one, many) {
        (_, Some(many)) => match many.as_array()?.as_slice() {
            [only] => only.as_str()?,
            _ => return None,
        },
        (Some(one), None) => one.as_str()?,
        (None, None) => return None,
    };
    net(text)
}

fn net(text: &str) -> Option<Net> {
    let (address, length) = text.split_once('/')?;
    let length: u8 = length.parse().ok().filter(|l| *l <= 32)?;
    let address = u32::from(address.parse::<Ipv4Addr>().ok()?);
    Some((address & mask(length), length))
}

fn mask(length: u8) -> u32 {
    u32::MAX.checked_shl(32_u32.saturating_sub(u32::from(length))).unwrap_or(0)
}

fn contains(net: Net, address: u32) -> bool {
    address & mask(net.1) == net.0
}

fn overlap(a: Net, b: Net) -> bool {
    contains(a, b.0) || contains(b, a.0)
}

/// Addresses whose use no list of Microsoft's could tell apart.
fn is_private(net: Net) -> bool {
    const PRIVATE: [Net; 4] = [(0x0a00_0000, 8), (0xac10_0000, 12), (0xc0a8_0000, 16), (0x6440_0000, 10)];
    PRIVATE.iter().any(|p| p.1 <= net.1 && contains(*p, net.0))
}

/// What Azure can hand out: all but the first four and the last.
fn assignable(net: Net) -> impl Iterator<Item = u32> {
    let last = net.0 | !mask(net.1);
    (net.0.saturating_add(4)..last).take(4096)
}

/// Addresses and prefixes that stand in the configuration.
#[derive(Default)]
struct Seen {
    addresses: BTreeSet<u32>,
    nets: BTreeSet<Net>,
    owned: BTreeSet<u32>,
}

impl Seen {
    fn json(&mut self, value: &Value, key: &str) {
        match value {
            Value::String(text) => {
                if matches!(key, "privateIPAddress" | "privateIpAddress")
                    && let Ok(address) = text.parse::<Ipv4Addr>()
                {
                    self.owned.insert(u32::from(address));
                }
                self.text(text);
            }
            Value::Array(items) => items.iter().for_each(|item| self.json(item, key)),
            Value::Object(map) => map.iter().for_each(|(key, item)| self.json(item, key)),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        for token in text.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '/')) {
            if token.matches('.').count() != 3 {
                continue;
            }
            if let Some(net) = net(token) {
                self.nets.insert(net);
            } else if let Ok(address) = token.parse::<Ipv4Addr>() {
                self.addresses.insert(u32::from(address));
            }
        }
    }

    /// Something tells addresses of the subnet apart.
    fn splits(&self, subnet: Net) -> bool {
        let last = subnet.0 | !mask(subnet.1);
        let address = |a: &u32| !self.owned.contains(a);
        self.addresses.range(subnet.0..=last).any(address)
            || self
                .nets
                .range((subnet.0, 0)..=(last, 32))
                .any(|n| n.1 > subnet.1 && !(n.1 == 32 && self.owned.contains(&n.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_prefix_inside_tells_addresses_apart() {
        let subnet = (0x0a00_0100, 24);
        for (value, splits) in [
            (json!({ "addressPrefix": "10.0.0.0/16", "x": "0.0.0.0/0", "y": "10.0.1.0/24" }), false),
            (json!({ "destinationAddressPrefix": "10.0.1.4" }), true),
            (json!({ "destinationAddressPrefix": "10.0.1.0/25" }), true),
            (json!({ "ranges": "10.0.0.9-10.0.1.9" }), true),
            (json!({ "privateIPAddress": "10.0.1.7", "next": "10.0.1.7/32" }), false),
        ] {
            let mut seen = Seen::default();
            seen.json(&value, "");
            assert_eq!(seen.splits(subnet), splits, "{value}");
        }
    }
}
