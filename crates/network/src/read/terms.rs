//! Address terms and ports, as security rules, routes and firewall rules write them.

use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use serde_json::Value;

use super::fields::{Fields, Raw};
use crate::model::address::AddressTerm;
use crate::model::val::{List, Val};
use crate::set::Ports;

/// One term (F26, F28, F126). `None` for what is neither an address nor a word.
pub(crate) fn term(text: &str) -> Option<AddressTerm> {
    let text = text.trim();
    if text == "*" || text.eq_ignore_ascii_case("any") {
        return Some(AddressTerm::Any);
    }
    if text.as_bytes().first()?.is_ascii_digit() || text.contains(':') {
        if let Ok(prefix) = IpNet::from_str(text) {
            return Some(AddressTerm::Prefix(prefix.trunc()));
        }
        if let Ok(address) = IpAddr::from_str(text) {
            return Some(AddressTerm::Prefix(address.into()));
        }
        let (from, to) = text.split_once('-')?;
        let (from, to) = (IpAddr::from_str(from.trim()).ok()?, IpAddr::from_str(to.trim()).ok()?);
        return (from.is_ipv4() == to.is_ipv4() && from <= to).then_some(AddressTerm::Range(from, to));
    }
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    text.chars().all(word).then(|| AddressTerm::Tag(text.into()))
}

impl Fields<'_, '_, '_> {
    pub(crate) fn terms(&mut self, pointer: &'static str) -> List<AddressTerm> {
        self.list(pointer, "an address, prefix, range or tag", |_, value, _| term(value.as_str()?))
    }

    /// The union of a singular and a plural field (F22). The singular one may hold several terms joined by commas.
    pub(crate) fn term_union(&mut self, one: &'static str, many: &'static str) -> List<AddressTerm> {
        let mut out = self.terms(many);
        match self.raw(one) {
            Raw::Absent => {}
            Raw::Sym(symbol) => self.open(&mut out, symbol, one),
            Raw::Here(Value::String(text)) if text.is_empty() => {}
            Raw::Here(value) => {
                let parts = value.as_str().map(|text| text.split(',').map(term).collect::<Option<Vec<_>>>());
                match parts.flatten() {
                    Some(parts) if out.items.is_empty() => out.items = parts,
                    Some(parts) => out.items.extend(parts),
                    None => {
                        let symbol = self.malformed(one, None, "an address, prefix or tag");
                        self.open(&mut out, symbol, one);
                    }
                }
            }
        }
        out
    }

    /// The union of a singular and a plural field of ports (F25); `None` where both are absent.
    pub(crate) fn port_union(&mut self, one: &'static str, many: &'static str) -> Val<Option<Ports>> {
        let single = self.scalar(one, "a port, a range or `*`", ports);
        let list = self.list(many, "a port, a range or `*`", |_, value, _| ports(value));
        if let Some(symbol) = list.open {
            return Val::Sym(symbol);
        }
        match single {
            Val::Known(one) => Val::Known(all_ports(one, list.items)),
            Val::Sym(symbol) => Val::Sym(symbol),
        }
    }
}

/// The union; `None` of nothing at all.
pub(crate) fn all_ports(one: Option<Ports>, mut many: Vec<Ports>) -> Option<Ports> {
    many.extend(one);
    if many.len() < 2 {
        return many.pop();
    }
    Some(Ports(crate::set::Ranges::of(many.iter().flat_map(|ports| ports.iter().collect::<Vec<_>>()))))
}

/// Text, or a plain number.
pub(crate) fn ports(value: &Value) -> Option<Ports> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => number.as_u64().and_then(|n| u16::try_from(n).ok()).map(Ports::one),
        _ => None,
    }
}
