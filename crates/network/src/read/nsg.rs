//! Network security groups, rules, application security groups.

use super::PROVISIONING_STATE;
use super::fields::Fields;
use super::reader::{Reader, Source};
use crate::model::index::Ref;
use crate::model::nsg::{Asg, Nsg, NsgRule, RuleSide, nsg, nsg_rule};
use crate::model::val::{List, Val};
use crate::set::Protocol;

/// Where rules stand, in the form of [`pullproof_snapshot::Place`].
pub(crate) const RULE: &str = "/properties/securityRules/{}";
pub(crate) const DEFAULT_RULE: &str = "/properties/defaultSecurityRules/{}";

pub(crate) fn read(reader: &mut Reader<'_>, source: &Source) {
    let rules = rules(reader, source, "securityRules", nsg::RULES);
    let default_rules = self::rules(reader, source, "defaultSecurityRules", nsg::DEFAULT_RULES);
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = Nsg {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        rules,
        default_rules,
    };
    reader.objects.nsgs.push(read);
}

fn rules(
    reader: &mut Reader<'_>,
    source: &Source,
    collection: &'static str,
    pointer: &'static str,
) -> List<NsgRule> {
    let (children, open) = reader.children(source, collection, pointer);
    let mut rules = List { items: Vec::with_capacity(children.len()), open };
    for child in children {
        let mut f = Fields::new(reader, &child.json, child.place);
        rules.items.push(read_rule(&mut f, child.name));
    }
    rules
}

/// One rule (F21). What is odd about it stays with it: a symbol in its field and a gap.
fn read_rule(f: &mut Fields<'_, '_, '_>, name: Box<str>) -> NsgRule {
    let priority = f.number(nsg_rule::PRIORITY);
    let direction = f.word(nsg_rule::DIRECTION);
    let access = f.word(nsg_rule::ACCESS);
    let protocol = f.scalar(nsg_rule::PROTOCOL, "a protocol", |value| value.as_str().map(Protocol::word));
    NsgRule {
        place: f.place,
        name,
        provisioning_state: f.word(PROVISIONING_STATE),
        priority: f.required(nsg_rule::PRIORITY, priority),
        direction: f.required(nsg_rule::DIRECTION, direction),
        access: f.required(nsg_rule::ACCESS, access),
        protocol: f.required(nsg_rule::PROTOCOL, protocol),
        source: side(f, &SOURCE),
        destination: side(f, &DESTINATION),
    }
}

struct SidePointers {
    prefix: &'static str,
    prefixes: &'static str,
    asgs: &'static str,
    port: &'static str,
    ports: &'static str,
}

const SOURCE: SidePointers = SidePointers {
    prefix: nsg_rule::SOURCE_PREFIX,
    prefixes: nsg_rule::SOURCE_PREFIXES,
    asgs: nsg_rule::SOURCE_ASGS,
    port: nsg_rule::SOURCE_PORT,
    ports: nsg_rule::SOURCE_PORTS,
};

const DESTINATION: SidePointers = SidePointers {
    prefix: nsg_rule::DESTINATION_PREFIX,
    prefixes: nsg_rule::DESTINATION_PREFIXES,
    asgs: nsg_rule::DESTINATION_ASGS,
    port: nsg_rule::DESTINATION_PORT,
    ports: nsg_rule::DESTINATION_PORTS,
};

/// Empty text and empty lists count as absent; singular and plural together are the union; none of all is invalid
/// (F22).
fn side(f: &mut Fields<'_, '_, '_>, at: &SidePointers) -> RuleSide {
    let mut addresses = f.term_union(at.prefix, at.prefixes);
    let asgs: List<Ref<_>> = f.references(at.asgs);
    if addresses.is_empty() && asgs.is_empty() {
        let symbol = f.missing(at.prefix);
        f.open(&mut addresses, symbol, at.prefix);
    }
    let ports = match f.port_union(at.port, at.ports) {
        Val::Known(Some(ports)) => Val::Known(ports),
        Val::Known(None) => Val::Sym(f.missing(at.port)),
        Val::Sym(symbol) => Val::Sym(symbol),
    };
    RuleSide { addresses, asgs, ports }
}

pub(crate) fn read_asg(reader: &mut Reader<'_>, source: &Source) {
    reader.objects.asgs.push(Asg { id: source.id.clone(), place: source.place });
}
