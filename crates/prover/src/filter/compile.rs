//! From a network security group to rules in the order in which they are tried (F10, F11).

use pullproof_network::Val;
use pullproof_network::model::nsg::{Access as Word, Nsg, NsgRule, RuleDirection, RuleSide, nsg_rule};
use pullproof_network::set::Protocol;

use super::default_rules::default_rules;
use super::rule::{Access, Field, Rule, RuleSet, Side};
use crate::first_match::Doubt;
use crate::outcome::MissingKind;

/// The rules of one direction: those whose place in the order is not known first, then by priority, then the default
/// rules.
pub(crate) fn compile(nsg: &Nsg, outbound: bool) -> RuleSet {
    let wanted = if outbound { RuleDirection::Outbound } else { RuleDirection::Inbound };
    let mut rules: Vec<Rule> = nsg
        .rules
        .iter()
        .filter(|rule| rule.direction.known().is_none_or(|direction| *direction == wanted))
        .map(|rule| custom(nsg, rule))
        .collect();
    // A rule without a known place sorts first: `None` is less than any priority.
    rules.sort_by_cached_key(|rule| if rule.applies.is_some() { None } else { rule.priority });
    unorder_ties(nsg, &mut rules);
    rules.extend(default_rules(nsg, outbound));
    RuleSet::new(rules, nsg.rules.open)
}

fn custom(nsg: &Nsg, rule: &NsgRule) -> Rule {
    let (source, destination) = (side(&rule.source), side(&rule.destination));
    let ports = field(&rule.destination.ports);
    let mut out = Rule {
        name: rule.name.clone(),
        priority: rule.priority.known().copied(),
        at: rule.place.at(nsg_rule::ACCESS),
        access: access(&rule.access),
        tcp: protocol(&rule.protocol, &Protocol::Tcp),
        udp: protocol(&rule.protocol, &Protocol::Udp),
        source,
        source_ports: field(&rule.source.ports),
        destination,
        ports,
        applies: None,
        default: false,
    };
    if rule.priority.symbol().is_some() || !direction_is_known(&rule.direction) {
        out.applies = Some(Box::new(somewhere(
            nsg,
            &rule.name,
            "its priority or direction is not known",
            "complete the rule in the input",
        )));
    }
    out
}

fn direction_is_known(direction: &Val<RuleDirection>) -> bool {
    matches!(direction, Val::Known(RuleDirection::Inbound | RuleDirection::Outbound))
}

fn somewhere(nsg: &Nsg, rule: &str, why: &str, remedy: &str) -> Doubt {
    Doubt {
        key: format!("applies:{}/{}", nsg.id.folded(), rule.to_ascii_lowercase()),
        kind: MissingKind::Evidence,
        what: format!("where rule `{rule}` of {} stands in the order", nsg.id.name()),
        why: why.into(),
        remedy: remedy.into(),
        yes: "the rule is tried before the one that otherwise decides".into(),
        no: "the rule is tried later".into(),
    }
}

/// Two rules of one direction with one priority: ARM refuses that, so their order is not guessed (F11).
fn unorder_ties(nsg: &Nsg, rules: &mut [Rule]) {
    let priorities: Vec<Option<u16>> = rules.iter().map(|rule| rule.priority).collect();
    for (i, rule) in rules.iter_mut().enumerate() {
        let same = |j: Option<usize>| {
            j.and_then(|j| priorities.get(j)).is_some_and(|other| other.is_some() && *other == rule.priority)
        };
        if rule.applies.is_none() && (same(i.checked_sub(1)) || same(i.checked_add(1))) {
            rule.applies = Some(Box::new(somewhere(
                nsg,
                &rule.name,
                "another rule of the same direction has the same priority",
                "give every rule of a direction its own priority",
            )));
        }
    }
}

fn side(side: &RuleSide) -> Side {
    let mut out = Side::of_terms(&side.addresses.items);
    out.asgs.extend(side.asgs.iter().cloned());
    out.open = side.addresses.open.or(side.asgs.open);
    out
}

fn field<T: Clone>(value: &Val<T>) -> Field<T> {
    match value {
        Val::Known(value) => Field::Known(value.clone()),
        Val::Sym(symbol) => Field::Unknown(Some(*symbol)),
    }
}

fn access(value: &Val<Word>) -> Field<Access> {
    match value {
        Val::Known(Word::Allow) => Field::Known(Access::Allow),
        Val::Known(Word::Deny) => Field::Known(Access::Deny),
        Val::Known(Word::Other(_)) => Field::Unknown(None),
        Val::Sym(symbol) => Field::Unknown(Some(*symbol)),
    }
}

/// Does the rule cover this transport (F23, F24)?
pub(crate) fn protocol(value: &Val<Protocol>, transport: &Protocol) -> Field<bool> {
    match value {
        Val::Known(Protocol::Any) => Field::Known(true),
        Val::Known(Protocol::Other(_)) => Field::Unknown(None),
        Val::Known(protocol) => Field::Known(protocol == transport),
        Val::Sym(symbol) => Field::Unknown(Some(*symbol)),
    }
}
