//! Rule collections of policies and of classic firewalls (F115, F116, F127).

use serde_json::Value;

use super::fields::{Fields, Raw};
use crate::model::firewall::{
    ApplicationProtocol, ApplicationRule, CollectionKind, FirewallAction, FirewallRule, FirewallRuleBody,
    NatRule, NetworkRule, RuleCollection, classic_collection, firewall, firewall_rule, rule_collection,
    rule_collection_group,
};
use crate::model::val::{List, Val};
use crate::set::Ports;

pub(crate) fn policy_collections(f: &mut Fields<'_, '_, '_>) -> List<RuleCollection> {
    f.objects(rule_collection_group::COLLECTIONS, "/properties/ruleCollections/{}", |f| {
        let kind = f.scalar(rule_collection::KIND, "a rule collection type", |value| {
            let word = value.as_str()?;
            if word.eq_ignore_ascii_case("FirewallPolicyFilterRuleCollection") {
                Some(CollectionKind::Filter)
            } else {
                word.eq_ignore_ascii_case("FirewallPolicyNatRuleCollection").then_some(CollectionKind::Nat)
            }
        });
        let priority = f.number(rule_collection::PRIORITY);
        let action = f.word(rule_collection::ACTION);
        RuleCollection {
            place: f.place,
            name: f.name(),
            priority: f.required(rule_collection::PRIORITY, priority),
            kind: f.required(rule_collection::KIND, kind),
            action: f.required(rule_collection::ACTION, action),
            rules: f.objects(rule_collection::RULES, "/properties/ruleCollections/{}/rules/{}", |f| {
                read_rule(f, None)
            }),
        }
    })
}

/// Classic collections: network, application, NAT, one after the other.
pub(crate) fn classic_collections(f: &mut Fields<'_, '_, '_>) -> List<RuleCollection> {
    const LISTS: [(&str, &str, &str, CollectionKind); 3] = [
        (
            firewall::NETWORK_COLLECTIONS,
            "/properties/networkRuleCollections/{}",
            "/properties/networkRuleCollections/{}/properties/rules/{}",
            CollectionKind::ClassicNetwork,
        ),
        (
            firewall::APPLICATION_COLLECTIONS,
            "/properties/applicationRuleCollections/{}",
            "/properties/applicationRuleCollections/{}/properties/rules/{}",
            CollectionKind::ClassicApplication,
        ),
        (
            firewall::NAT_COLLECTIONS,
            "/properties/natRuleCollections/{}",
            "/properties/natRuleCollections/{}/properties/rules/{}",
            CollectionKind::Nat,
        ),
    ];
    let mut out = List::empty();
    for (pointer, base, rules_base, kind) in LISTS {
        let list = f.objects(pointer, base, |f| {
            let priority = f.number(classic_collection::PRIORITY);
            let action = f.word(classic_collection::ACTION);
            RuleCollection {
                place: f.place,
                name: f.name(),
                priority: f.required(classic_collection::PRIORITY, priority),
                kind: Val::Known(kind),
                action: match kind {
                    CollectionKind::Nat => Val::Known(FirewallAction::Dnat),
                    _ => f.required(classic_collection::ACTION, action),
                },
                rules: f.objects(classic_collection::RULES, rules_base, |f| read_rule(f, Some(kind))),
            }
        });
        out.items.extend(list.items);
        if let Some(symbol) = list.open {
            f.open(&mut out, symbol, pointer);
        }
    }
    out
}

/// One rule. `classic`: the kind of the classic collection that it stands in; a policy's rule says itself.
fn read_rule(f: &mut Fields<'_, '_, '_>, classic: Option<CollectionKind>) -> FirewallRule {
    FirewallRule {
        place: f.place,
        name: f.name(),
        sources: f.terms(firewall_rule::SOURCES),
        source_groups: ip_groups(f, firewall_rule::SOURCE_GROUPS),
        body: match classic {
            Some(CollectionKind::ClassicApplication) => FirewallRuleBody::Application(application(f)),
            Some(CollectionKind::Nat) => FirewallRuleBody::Nat(nat(f, firewall_rule::CLASSIC_PROTOCOLS)),
            Some(CollectionKind::ClassicNetwork | CollectionKind::Filter) => {
                FirewallRuleBody::Network(network(f, firewall_rule::CLASSIC_PROTOCOLS))
            }
            None => by_type(f),
        },
    }
}

fn by_type(f: &mut Fields<'_, '_, '_>) -> FirewallRuleBody {
    let word = match f.raw(firewall_rule::RULE_TYPE) {
        Raw::Sym(symbol) => return FirewallRuleBody::Unknown(symbol),
        Raw::Absent => return FirewallRuleBody::Unknown(f.missing(firewall_rule::RULE_TYPE)),
        Raw::Here(value) => value.as_str().unwrap_or_default(),
    };
    if word.eq_ignore_ascii_case("NetworkRule") {
        FirewallRuleBody::Network(network(f, firewall_rule::IP_PROTOCOLS))
    } else if word.eq_ignore_ascii_case("ApplicationRule") {
        FirewallRuleBody::Application(application(f))
    } else if word.eq_ignore_ascii_case("NatRule") {
        FirewallRuleBody::Nat(nat(f, firewall_rule::IP_PROTOCOLS))
    } else {
        FirewallRuleBody::Unknown(f.malformed(firewall_rule::RULE_TYPE, None, "a known rule type"))
    }
}

/// IP groups are plain ids here.
fn ip_groups<I>(f: &mut Fields<'_, '_, '_>, pointer: &'static str) -> List<crate::model::index::Ref<I>> {
    f.list(pointer, "a resource id", |_, value, _| {
        super::fields::arm_id(value).map(crate::model::index::Ref::NotRead)
    })
}

fn network(f: &mut Fields<'_, '_, '_>, protocols: &'static str) -> NetworkRule {
    NetworkRule {
        protocols: f.words(protocols),
        destinations: f.terms(firewall_rule::DESTINATIONS),
        destination_groups: ip_groups(f, firewall_rule::DESTINATION_GROUPS),
        destination_fqdns: f.hosts(firewall_rule::DESTINATION_FQDNS),
        ports: ports(f),
    }
}

fn nat(f: &mut Fields<'_, '_, '_>, protocols: &'static str) -> NatRule {
    NatRule {
        protocols: f.words(protocols),
        destinations: f.terms(firewall_rule::DESTINATIONS),
        ports: ports(f),
        translated_address: f.address(firewall_rule::TRANSLATED_ADDRESS),
        translated_fqdn: f.host(firewall_rule::TRANSLATED_FQDN),
        translated_port: f.port(firewall_rule::TRANSLATED_PORT),
    }
}

/// Absent or empty: no port matches. Only rules of protocols without ports have none.
fn ports(f: &mut Fields<'_, '_, '_>) -> Val<Ports> {
    f.port_union("", firewall_rule::PORTS).or_default(Ports::empty())
}

fn application(f: &mut Fields<'_, '_, '_>) -> ApplicationRule {
    ApplicationRule {
        destinations: f.terms(firewall_rule::DESTINATIONS),
        protocols: f.list(firewall_rule::PROTOCOLS, "an object", |f, value, i| {
            value.is_object().then(|| application_protocol(f, value, i))
        }),
        target_fqdns: f.hosts(firewall_rule::TARGET_FQDNS),
        target_urls: f.texts(firewall_rule::TARGET_URLS),
        fqdn_tags: f.texts(firewall_rule::FQDN_TAGS),
        web_categories: f.texts(firewall_rule::WEB_CATEGORIES),
        terminate_tls: f.boolean(firewall_rule::TERMINATE_TLS).or_default(false),
    }
}

fn application_protocol(f: &mut Fields<'_, '_, '_>, value: &Value, _: usize) -> ApplicationProtocol {
    let mut inner = Fields::new(f.reader, value, f.place);
    ApplicationProtocol { protocol: inner.word("/protocolType"), port: inner.port("/port") }
}
