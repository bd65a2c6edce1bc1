//! Firewalls, policies, IP groups.

use pullproof_snapshot::Place;
use serde_json::Value;

use super::PROVISIONING_STATE;
use super::fields::{Fields, Raw};
use super::firewall_rules::{classic_collections, policy_collections};
use super::reader::{Reader, Source};
use super::terms::term;
use crate::model::firewall::{
    ClassicSettings, Firewall, FirewallIpConfig, IpGroup, Policy, PolicyDns, RuleCollectionGroup, SnatRange,
    ThreatIntelMode, firewall, firewall_ip_config, ip_group, policy, rule_collection_group,
};
use crate::model::index::{Ix, PolicyIx};
use crate::model::val::{List, Val};

pub(crate) fn read(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = Firewall {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        sku_name: f.text(firewall::SKU_NAME),
        sku_tier: f.word(firewall::SKU_TIER),
        policy: f.reference(firewall::POLICY),
        hub: f.reference(firewall::HUB),
        hub_address: f.address(firewall::HUB_ADDRESS),
        hub_public_addresses: hub_public_addresses(&mut f),
        ip_configs: f.objects(firewall::IP_CONFIGS, "/properties/ipConfigurations/{}", read_ip_config),
        management_ip_config: management(&mut f),
        threat_intel_mode: f.word(firewall::THREAT_INTEL_MODE),
        classic: classic(&mut f),
        collections: classic_collections(&mut f),
    };
    reader.objects.firewalls.push(read);
}

fn hub_public_addresses(f: &mut Fields<'_, '_, '_>) -> List<Val<std::net::IpAddr>> {
    let list =
        f.objects(firewall::HUB_PUBLIC_ADDRESSES, "/properties/hubIPAddresses/publicIPs/addresses/{}", |f| {
            f.address("/address")
        });
    let items = list.items.into_iter().filter_map(|address| match address {
        Val::Known(address) => address.map(Val::Known),
        Val::Sym(symbol) => Some(Val::Sym(symbol)),
    });
    List { items: items.collect(), open: list.open }
}

fn read_ip_config(f: &mut Fields<'_, '_, '_>) -> FirewallIpConfig {
    FirewallIpConfig {
        place: f.place,
        name: f.name(),
        subnet: f.reference(firewall_ip_config::SUBNET),
        address: f.address(firewall_ip_config::ADDRESS),
        public_ip: f.reference(firewall_ip_config::PUBLIC_IP),
    }
}

fn management(f: &mut Fields<'_, '_, '_>) -> Option<FirewallIpConfig> {
    let place = Place { base: firewall::MANAGEMENT_IP_CONFIG, ..f.place };
    match f.raw(firewall::MANAGEMENT_IP_CONFIG) {
        Raw::Absent => None,
        Raw::Here(value) => Some(read_ip_config(&mut Fields::new(f.reader, value, place))),
        Raw::Sym(symbol) => Some(FirewallIpConfig {
            place,
            name: "".into(),
            subnet: Val::Sym(symbol),
            address: Val::Sym(symbol),
            public_ip: Val::Sym(symbol),
        }),
    }
}

/// The string map of a classic firewall: every value is text, lists are joined by commas (D118, F124).
fn classic(f: &mut Fields<'_, '_, '_>) -> ClassicSettings {
    const PROXY: &str = "/properties/additionalProperties/Network.DNS.EnableProxy";
    const SERVERS: &str = "/properties/additionalProperties/Network.DNS.Servers";
    const RANGES: &str = "/properties/additionalProperties/Network.SNAT.PrivateRanges";
    let dns_proxy = f.scalar(PROXY, "true or false", |value| match value {
        Value::Bool(on) => Some(*on),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    });
    let dns_servers = joined(f, SERVERS, |text| text.parse().ok().map(Val::Known)).unwrap_or_default();
    let snat_private_ranges = joined(f, RANGES, snat_range);
    ClassicSettings { dns_proxy, dns_servers, snat_private_ranges }
}

/// Text that holds a list, joined by commas; `None` where absent.
fn joined<T>(
    f: &mut Fields<'_, '_, '_>,
    pointer: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Option<List<T>> {
    let value = match f.raw(pointer) {
        Raw::Absent => return None,
        Raw::Sym(symbol) => return Some(List { items: Vec::new(), open: Some(symbol) }),
        Raw::Here(value) => value,
    };
    let items = value.as_str().map(|text| {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(&parse).collect::<Option<Vec<T>>>()
    });
    Some(match items.flatten() {
        Some(items) => List { items, open: None },
        None => List { items: Vec::new(), open: Some(f.malformed(pointer, None, "a list joined by commas")) },
    })
}

fn snat_range(text: &str) -> Option<SnatRange> {
    if text.trim().eq_ignore_ascii_case("IANAPrivateRanges") {
        return Some(SnatRange::IanaPrivateRanges);
    }
    term(text).map(SnatRange::Addresses)
}

pub(crate) fn read_policy(reader: &mut Reader<'_>, source: &Source) {
    let ix = PolicyIx::new(reader.objects.policies.next());
    let (children, open) = reader.children(source, "ruleCollectionGroups", policy::GROUPS);
    let mut groups = List { items: Vec::with_capacity(children.len()), open };
    for child in children {
        let mut f = Fields::new(reader, &child.json, child.place);
        let priority = f.number(rule_collection_group::PRIORITY);
        let read = RuleCollectionGroup {
            place: f.place,
            policy: ix,
            provisioning_state: f.word(PROVISIONING_STATE),
            priority: f.required(rule_collection_group::PRIORITY, priority),
            collections: policy_collections(&mut f),
            id: child.id,
            name: child.name,
        };
        groups.items.push(reader.objects.rule_collection_groups.push(read));
    }
    let mut f = Fields::new(reader, &source.json, source.place);
    let dns = !matches!(f.raw(policy::DNS), Raw::Absent);
    let snat = !matches!(f.raw(policy::SNAT_PRIVATE_RANGES), Raw::Absent);
    let read = Policy {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        base: f.reference(policy::BASE),
        sku_tier: f.word(policy::SKU_TIER),
        // F131.
        threat_intel_mode: f.word(policy::THREAT_INTEL_MODE).or_default(ThreatIntelMode::Alert),
        threat_intel_allowed_addresses: f.texts(policy::THREAT_INTEL_ADDRESSES),
        threat_intel_allowed_fqdns: f.texts(policy::THREAT_INTEL_FQDNS),
        dns: dns.then(|| PolicyDns {
            // D119.
            proxy: f.boolean(policy::DNS_PROXY).or_default(false),
            servers: f.addresses(policy::DNS_SERVERS),
            require_proxy_for_network_rules: f.boolean(policy::DNS_REQUIRE_PROXY),
        }),
        snat_private_ranges: snat.then(|| {
            f.list(policy::SNAT_PRIVATE_RANGES, "a prefix or `IANAPrivateRanges`", |_, value, _| {
                snat_range(value.as_str()?)
            })
        }),
        auto_learn_private_ranges: f.word(policy::AUTO_LEARN_PRIVATE_RANGES),
        intrusion_detection: f.word(policy::INTRUSION_DETECTION),
        certificate_authority: f.text(policy::CERTIFICATE_AUTHORITY),
        explicit_proxy: f.boolean(policy::EXPLICIT_PROXY),
        groups,
    };
    reader.objects.policies.push(read);
}

pub(crate) fn read_ip_group(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = IpGroup {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        addresses: f.terms(ip_group::ADDRESSES),
        firewalls: f.references(ip_group::FIREWALLS),
    };
    reader.objects.ip_groups.push(read);
}
