//! The six default rules (F13–F15): always there, whether the input shows them or not.

use pullproof_network::model::nsg::{Nsg, RuleDirection, nsg as pointer, nsg_rule};
use pullproof_network::set::Ports;
use pullproof_snapshot::At;

use super::rule::{Access, Field, Rule, Side, Tag};

struct Default {
    name: &'static str,
    priority: u16,
    outbound: bool,
    source: &'static str,
    destination: &'static str,
    access: Access,
}

const ANY: &str = "*";

/// F13. Ports and protocol are any.
#[rustfmt::skip]
const DEFAULTS: [Default; 6] = [
    Default { name: "AllowVnetInBound", priority: 65000, outbound: false, source: "VirtualNetwork", destination: "VirtualNetwork", access: Access::Allow },
    Default { name: "AllowAzureLoadBalancerInBound", priority: 65001, outbound: false, source: "AzureLoadBalancer", destination: ANY, access: Access::Allow },
    Default { name: "DenyAllInBound", priority: 65500, outbound: false, source: ANY, destination: ANY, access: Access::Deny },
    Default { name: "AllowVnetOutBound", priority: 65000, outbound: true, source: "VirtualNetwork", destination: "VirtualNetwork", access: Access::Allow },
    Default { name: "AllowInternetOutBound", priority: 65001, outbound: true, source: ANY, destination: "Internet", access: Access::Allow },
    Default { name: "DenyAllOutBound", priority: 65500, outbound: true, source: ANY, destination: ANY, access: Access::Deny },
];

/// The default rules of one direction, in their order. They stand where the input has them, else at the group's list.
pub(crate) fn default_rules(nsg: &Nsg, outbound: bool) -> impl Iterator<Item = Rule> + '_ {
    rules(outbound, move |row| {
        let wanted = if outbound { RuleDirection::Outbound } else { RuleDirection::Inbound };
        let read = nsg
            .default_rules
            .iter()
            .find(|rule| rule.direction.is(&wanted) && rule.name.eq_ignore_ascii_case(row));
        read.map_or_else(|| nsg.place.at(pointer::DEFAULT_RULES), |rule| rule.place.at(nsg_rule::ACCESS))
    })
}

/// The default rules of a group that was not read, all standing at one place.
pub(crate) fn assumed_default_rules(at: At, outbound: bool) -> impl Iterator<Item = Rule> {
    rules(outbound, move |_| at)
}

fn rules(outbound: bool, at: impl Fn(&str) -> At) -> impl Iterator<Item = Rule> {
    DEFAULTS.iter().filter(move |row| row.outbound == outbound).map(move |row| {
        let (source, destination) = (side(row.source), side(row.destination));
        let ports = Field::Known(Ports::all());
        Rule {
            name: row.name.into(),
            priority: Some(row.priority),
            at: at(row.name),
            access: Field::Known(row.access),
            tcp: Field::Known(true),
            udp: Field::Known(true),
            source,
            source_ports: Field::Known(Ports::all()),
            destination,
            ports,
            applies: None,
            default: true,
        }
    })
}

fn side(word: &str) -> Side {
    if word == ANY {
        Side { any: true, ..Side::default() }
    } else {
        Side { tags: vec![Tag::word(word)], ..Side::default() }
    }
}
