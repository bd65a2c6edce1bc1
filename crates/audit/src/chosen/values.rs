//! The values that are chosen, and the classes of them that nothing in the input tells apart.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};

use pullproof_network::model::index::VnetIx;
use pullproof_network::model::symbol::{Domain, Symbol, Why};
use pullproof_network::set::{Addresses, assignable};
use pullproof_network::{Network, SymbolIx};
use pullproof_snapshot::Declared;
use serde_json::{Value, json};

/// More classes of one value than this are not tried (V6, `too_complex`).
const CLASSES: usize = 64;

/// A value that is chosen.
pub struct Chosen {
    /// The name of the hole.
    pub name: String,
    /// For people: the Terraform address, or the name.
    pub text: String,
    /// The network in which something holds this address: it is nobody else's there.
    pub held_in: Option<VnetIx>,
    /// In order of their first values; empty where there are too many.
    pub classes: Vec<Class>,
}

/// Values that fare alike.
#[derive(Clone, Debug)]
pub enum Class {
    Addresses(Addresses),
    Word(Box<str>),
}

impl Class {
    /// How many values it stands for.
    pub fn len(&self) -> u128 {
        match self {
            Self::Addresses(all) => all.len(),
            Self::Word(_) => 1,
        }
    }

    /// The first one that is not in `taken`, as it stands in JSON.
    pub fn first(&self, taken: &BTreeSet<IpAddr>) -> Option<Value> {
        match self {
            Self::Addresses(all) => {
                let used = taken.iter().fold(Addresses::empty(), |all, a| all.union(&Addresses::address(*a)));
                all.subtract(&used).first().map(|address| json!(address.to_string()))
            }
            Self::Word(word) => {
                let plain =
                    serde_json::from_str(word).ok().filter(|v: &Value| v.is_boolean() || v.is_number());
                Some(plain.unwrap_or_else(|| json!(word)))
            }
        }
    }
}

/// All chosen values of a network, in order of their names. `texts`: what the input says, in which a value may be named.
pub fn chosen(network: &Network, declared: &Declared, texts: impl FnOnce() -> Vec<Value>) -> Vec<Chosen> {
    let open = network.symbols.iter().into_iter().filter(|(_, s)| s.why == Why::Hole && s.domain.is_some());
    let open: Vec<(SymbolIx, &Symbol)> = open.collect();
    if open.is_empty() {
        return Vec::new();
    }
    let mut spans = BTreeSet::new();
    for text in texts() {
        in_json(&text, &mut spans);
    }
    in_declared(declared, &mut spans);
    open.into_iter().filter_map(|(ix, symbol)| one(network, ix, symbol, &spans)).collect()
}

fn one(network: &Network, ix: SymbolIx, symbol: &Symbol, spans: &BTreeSet<(u32, u32)>) -> Option<Chosen> {
    let owner = network.unknown_owners().iter().find(|owner| owner.symbol == ix);
    let classes = match symbol.domain.as_ref()? {
        Domain::OneOf(words) => words.iter().map(|word| Class::Word(word.clone())).collect(),
        Domain::Addresses(all) => classes(all, spans),
        Domain::Subnet(id) => {
            let (subnet, model) = network.subnets.iter().find(|(_, s)| s.id == *id)?;
            if model.prefixes.open.is_some() {
                return None;
            }
            let mut all = model.prefixes.iter().fold(Addresses::empty(), |all, p| all.union(&assignable(*p)));
            if owner.is_some() {
                for address in each(&all) {
                    if network.owners_of(address).iter().any(|o| o.subnet == Some(subnet)) {
                        all = all.subtract(&Addresses::address(address));
                    }
                }
            }
            classes(&all, spans)
        }
    };
    let text = if symbol.text.is_empty() { &symbol.name } else { &symbol.text };
    let classes = if classes.len() > CLASSES { Vec::new() } else { classes };
    Some(Chosen {
        name: symbol.name.to_string(),
        text: text.to_string(),
        held_in: owner.and_then(|o| o.vnet),
        classes,
    })
}

/// The addresses of a set of IPv4 ranges, one by one; none of a set that no subnet has.
fn each(all: &Addresses) -> Vec<IpAddr> {
    if all.len() > 1 << 16 {
        return Vec::new();
    }
    let ranges = all.iter().filter_map(|(from, to)| Some((v4(from)?, v4(to)?)));
    ranges.flat_map(|(from, to)| from..=to).map(address).collect()
}

/// Addresses that lie in the same spans of the input fare alike.
fn classes(all: &Addresses, spans: &BTreeSet<(u32, u32)>) -> Vec<Class> {
    let ranges: Vec<(u32, u32)> = all.iter().filter_map(|(from, to)| Some((v4(from)?, v4(to)?))).collect();
    let (Some(low), Some(high)) = (ranges.first().map(|r| r.0), ranges.last().map(|r| r.1)) else {
        return Vec::new();
    };
    let cutting: Vec<(u32, u32)> = spans
        .iter()
        .copied()
        .filter(|(from, to)| *from <= high && *to >= low && !(*from <= low && *to >= high))
        .collect();
    let starts = cutting.iter().map(|(from, _)| *from);
    let cuts: BTreeSet<u32> = starts.chain(cutting.iter().filter_map(|(_, to)| to.checked_add(1))).collect();
    let mut by_spans: BTreeMap<Vec<usize>, Addresses> = BTreeMap::new();
    for (from, to) in ranges {
        let mut start = from;
        let inside: Vec<u32> = cuts.range(from..=to).copied().filter(|cut| *cut > from).collect();
        for next in inside.into_iter().map(Some).chain([None]) {
            let end = next.map_or(to, |next| next.saturating_sub(1));
            let of = cutting.iter().enumerate().filter(|(_, (a, b))| *a <= start && *b >= start);
            let part = Addresses::range(address(start), address(end));
            let known = by_spans.entry(of.map(|(i, _)| i).collect()).or_default();
            *known = known.union(&part);
            start = next.unwrap_or(to);
        }
    }
    let mut out: Vec<Addresses> = by_spans.into_values().collect();
    out.sort_by_key(Addresses::first);
    out.into_iter().map(Class::Addresses).collect()
}

fn v4(address: IpAddr) -> Option<u32> {
    match address {
        IpAddr::V4(address) => Some(u32::from(address)),
        IpAddr::V6(_) => None,
    }
}

fn address(number: u32) -> IpAddr {
    IpAddr::V4(Ipv4Addr::from(number))
}

fn in_json(value: &Value, out: &mut BTreeSet<(u32, u32)>) {
    match value {
        Value::String(text) => span(text, out),
        Value::Array(items) => items.iter().for_each(|item| in_json(item, out)),
        Value::Object(fields) => fields.values().for_each(|field| in_json(field, out)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// An address, a prefix (with the addresses in it that nobody gets, R25), a range, or several of them.
fn span(text: &str, out: &mut BTreeSet<(u32, u32)>) {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return;
    }
    for part in text.split([',', ' ']) {
        let Ok(all) = part.parse::<Addresses>() else { continue };
        for (from, to) in all.iter().filter_map(|(from, to)| Some((v4(from)?, v4(to)?))) {
            out.insert((from, to));
            if part.contains('/') {
                out.extend([(from, from.saturating_add(3).min(to)), (to, to)]);
            }
        }
    }
}

/// What `pullproof.toml` says, and ranges that have a meaning of their own.
fn in_declared(declared: &Declared, out: &mut BTreeSet<(u32, u32)>) {
    const SPECIAL: [&str; 8] = [
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "100.64.0.0/10",
        "168.63.129.16",
        "169.254.0.0/16",
        "127.0.0.0/8",
        "224.0.0.0/3",
    ];
    let mut texts: Vec<String> = SPECIAL.iter().map(|text| (*text).to_owned()).collect();
    for site in &declared.sites {
        texts.extend(site.prefixes.iter().chain(&site.routes_to_azure).cloned());
        texts.extend(site.firewall.iter().flat_map(|f| f.from.iter().chain(&f.to)).cloned());
    }
    for appliance in &declared.appliances {
        let own = appliance.egress.iter().chain(&appliance.snat_to).chain([&appliance.address]);
        texts.extend(own.map(ToString::to_string));
        texts.extend(appliance.forwards.iter().flat_map(|f| f.from.iter().chain(&f.to)).cloned());
    }
    for server in &declared.dns_servers {
        texts.push(server.address.to_string());
        texts.extend(server.forwards.iter().flat_map(|f| &f.to).cloned());
        texts.extend(server.zones.iter().flat_map(|z| &z.records).flat_map(|r| &r.values).cloned());
    }
    let hosts = declared.registries.iter().flat_map(|r| &r.hosts);
    texts.extend(hosts.flat_map(|h| &h.addresses).map(ToString::to_string));
    texts.extend(declared.public_names.iter().flat_map(|n| &n.addresses).map(ToString::to_string));
    texts.extend(declared.trusts.iter().map(|t| t.presented_by.to_string()));
    texts.iter().for_each(|text| span(text, out));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(all: &str, spans: &[&str]) -> Vec<String> {
        let mut cut = BTreeSet::new();
        spans.iter().for_each(|text| span(text, &mut cut));
        let all: Addresses = all.parse().expect("addresses");
        let show = |class: &Class| match class {
            Class::Addresses(all) => all.to_string(),
            Class::Word(word) => word.to_string(),
        };
        classes(&all, &cut).iter().map(show).collect()
    }

    #[test]
    fn addresses_in_the_same_spans_are_one_class() {
        let whole = shown("10.0.0.0/24", &["10.0.0.0-10.0.255.255", "192.168.0.0/16"]);
        assert_eq!(whole.len(), 1, "{whole:?}");
        let one = shown("10.0.0.0/24", &["10.0.0.7"]);
        assert_eq!(one.len(), 2, "{one:?}");
        let nested = shown("10.0.0.0/24", &["10.0.0.128-10.0.0.255", "10.0.0.200-10.0.0.210"]);
        assert_eq!(nested.len(), 3, "{nested:?}");
    }

    #[test]
    fn classes_are_a_partition() {
        let mut cut = BTreeSet::new();
        ["10.0.0.4/30", "10.0.0.6-10.0.0.9", "10.0.0.9", "0.0.0.0/0"].iter().for_each(|t| span(t, &mut cut));
        let all: Addresses = "10.0.0.0/28".parse().expect("addresses");
        let mut union = Addresses::empty();
        let mut count = 0;
        for class in classes(&all, &cut) {
            let Class::Addresses(part) = class else { continue };
            assert!(!union.overlaps(&part));
            union = union.union(&part);
            count += part.len();
        }
        assert_eq!((union, count), (all, 16));
    }
}
