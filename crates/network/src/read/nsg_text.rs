//! Network security groups straight from their text. They are most of a large snapshot, and building a `Value` for
//! every rule takes longer than everything else that is done with it.
//!
//! Only what is regular is read here: every field known and of its documented kind. Anything else (a hole, an absent
//! field, a number as text, an escape in a name) is left to [`super::nsg`], which knows what to make of it; a test holds
//! the two against each other.

use pullproof_snapshot::{ArmId, Place, ResourceIx};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::nsg::{DEFAULT_RULE, RULE};
use super::reader::Reader;
use super::terms::{all_ports, term};
use crate::model::index::Ref;
use crate::model::nsg::{Nsg, NsgRule, RuleSide};
use crate::model::val::{List, Val};
use crate::model::word::Word;
use crate::set::{Ports, Protocol};

/// Reads the group; false where it is to be read from its JSON.
pub(crate) fn read(reader: &mut Reader<'_>, ix: ResourceIx) -> bool {
    let text = reader.layered.whole_text(ix, &["securityRules", "defaultSecurityRules"]);
    let read = text.and_then(|text| group(text, reader.layered.id(ix), ix));
    read.map(|nsg| reader.objects.nsgs.push(nsg)).is_some()
}

#[derive(Deserialize)]
struct Group<'a> {
    #[serde(borrow)]
    properties: GroupProperties<'a>,
    #[serde(rename = "$unknown")]
    hole: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GroupProperties<'a> {
    provisioning_state: Option<&'a str>,
    #[serde(borrow)]
    security_rules: Option<Vec<Rule<'a>>>,
    #[serde(borrow)]
    default_security_rules: Option<Vec<Rule<'a>>>,
    #[serde(rename = "$unknown")]
    hole: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Rule<'a> {
    name: &'a str,
    #[serde(borrow)]
    properties: RuleProperties<'a>,
    #[serde(rename = "$unknown")]
    hole: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RuleProperties<'a> {
    provisioning_state: Option<&'a str>,
    priority: u16,
    direction: &'a str,
    access: &'a str,
    protocol: &'a str,
    source_address_prefix: Option<&'a str>,
    #[serde(borrow)]
    source_address_prefixes: Option<Vec<&'a str>>,
    #[serde(borrow)]
    source_application_security_groups: Option<Vec<Link<'a>>>,
    source_port_range: Option<&'a str>,
    #[serde(borrow)]
    source_port_ranges: Option<Vec<&'a str>>,
    destination_address_prefix: Option<&'a str>,
    #[serde(borrow)]
    destination_address_prefixes: Option<Vec<&'a str>>,
    #[serde(borrow)]
    destination_application_security_groups: Option<Vec<Link<'a>>>,
    destination_port_range: Option<&'a str>,
    #[serde(borrow)]
    destination_port_ranges: Option<Vec<&'a str>>,
    #[serde(rename = "$unknown")]
    hole: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Link<'a> {
    id: &'a str,
    #[serde(rename = "$unknown")]
    hole: Option<IgnoredAny>,
}

fn group(text: &[u8], id: &ArmId, ix: ResourceIx) -> Option<Nsg> {
    let Group { properties, hole: None } = serde_json::from_slice(text).ok()? else { return None };
    let GroupProperties { provisioning_state, security_rules, default_security_rules, hole: None } =
        properties
    else {
        return None;
    };
    Some(Nsg {
        id: id.clone(),
        place: Place::whole(ix),
        provisioning_state: Val::Known(word(provisioning_state)),
        rules: rules(security_rules, ix, RULE)?,
        default_rules: rules(default_security_rules, ix, DEFAULT_RULE)?,
    })
}

fn rules(list: Option<Vec<Rule<'_>>>, ix: ResourceIx, base: &'static str) -> Option<List<NsgRule>> {
    let rules = list.unwrap_or_default().into_iter().enumerate().map(|(i, from)| {
        let place = Place { resource: ix, base, index: [u16::try_from(i).ok()?, 0, 0] };
        rule(from, place)
    });
    Some(List { items: rules.collect::<Option<_>>()?, open: None })
}

fn rule(from: Rule<'_>, place: Place) -> Option<NsgRule> {
    let Rule { name, properties: from, hole: None } = from else { return None };
    if name.is_empty() || from.hole.is_some() {
        return None;
    }
    Some(NsgRule {
        place,
        name: name.into(),
        provisioning_state: Val::Known(word(from.provisioning_state)),
        priority: Val::Known(from.priority),
        direction: Val::Known(word(Some(from.direction))?),
        access: Val::Known(word(Some(from.access))?),
        protocol: Val::Known((!from.protocol.is_empty()).then(|| Protocol::word(from.protocol))?),
        source: side(
            from.source_address_prefix,
            from.source_address_prefixes,
            from.source_application_security_groups,
            from.source_port_range,
            from.source_port_ranges,
        )?,
        destination: side(
            from.destination_address_prefix,
            from.destination_address_prefixes,
            from.destination_application_security_groups,
            from.destination_port_range,
            from.destination_port_ranges,
        )?,
    })
}

/// A word; empty text counts as absent (F22).
fn word<T: Word>(text: Option<&str>) -> Option<T> {
    text.filter(|text| !text.is_empty()).map(T::word)
}

/// As [`super::nsg`] reads it (F22, F25): the union of singular and plural fields.
fn side(
    prefix: Option<&str>,
    prefixes: Option<Vec<&str>>,
    asgs: Option<Vec<Link<'_>>>,
    port: Option<&str>,
    ports: Option<Vec<&str>>,
) -> Option<RuleSide> {
    let one = prefix.filter(|text| !text.is_empty()).into_iter().flat_map(|text| text.split(',').map(term));
    let many = prefixes.unwrap_or_default();
    let addresses = many.into_iter().map(term).chain(one).collect::<Option<Vec<_>>>()?;
    let links = asgs.unwrap_or_default().into_iter();
    let asgs =
        links.map(|link| (link.hole.is_none() && link.id.starts_with('/')).then(|| ArmId::new(link.id)));
    let asgs: Vec<_> = asgs.map(|id| id.map(Ref::NotRead)).collect::<Option<_>>()?;
    if addresses.is_empty() && asgs.is_empty() {
        return None;
    }
    let one = port.filter(|text| !text.is_empty()).map(str::parse::<Ports>).transpose().ok()?;
    let many = ports.unwrap_or_default().into_iter().map(str::parse::<Ports>);
    let ports = all_ports(one, many.collect::<Result<Vec<_>, _>>().ok()?)?;
    Some(RuleSide {
        addresses: List { items: addresses, open: None },
        asgs: List { items: asgs, open: None },
        ports: Val::Known(ports),
    })
}

#[cfg(test)]
#[path = "nsg_text_tests.rs"]
mod tests;
