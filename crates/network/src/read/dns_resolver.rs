//! Resolvers, rulesets, DNS security policies.

use super::PROVISIONING_STATE;
use super::fields::{Fields, domain};
use super::reader::{Reader, Source};
use crate::model::dns_resolver::{
    DnsPolicy, DnsPolicyLink, DnsSecurityRule, DnsTarget, DomainList, ForwardingRule, InboundEndpoint,
    InboundIpConfig, OutboundEndpoint, Resolver, Ruleset, RulesetLink, dns_policy_link, dns_security_rule,
    domain_list, forwarding_rule, inbound_endpoint, inbound_ip_config, outbound_endpoint, resolver, ruleset,
    ruleset_link,
};
use crate::model::index::{DnsPolicyIx, Ix, ResolverIx, RulesetIx};
use crate::model::val::List;

pub(crate) fn read(reader: &mut Reader<'_>, source: &Source) {
    let ix = ResolverIx::new(reader.objects.resolvers.next());
    let mut inbound = List::empty();
    let (children, open) = reader.children(source, "inboundEndpoints", "/properties/inboundEndpoints");
    inbound.open = open;
    for child in children {
        let mut f = Fields::new(reader, &child.json, child.place);
        let base = if child.place.base.is_empty() {
            "/properties/ipConfigurations/{}"
        } else {
            "/properties/inboundEndpoints/{}/properties/ipConfigurations/{}"
        };
        let read = InboundEndpoint {
            place: f.place,
            resolver: ix,
            provisioning_state: f.word(PROVISIONING_STATE),
            ip_configs: f.objects(inbound_endpoint::IP_CONFIGS, base, |f| InboundIpConfig {
                place: f.place,
                subnet: f.reference(inbound_ip_config::SUBNET),
                address: f.address(inbound_ip_config::ADDRESS),
                allocation: f.word(inbound_ip_config::ALLOCATION),
            }),
            id: child.id,
        };
        inbound.items.push(reader.objects.inbound_endpoints.push(read));
    }
    let mut outbound = List::empty();
    let (children, open) = reader.children(source, "outboundEndpoints", "/properties/outboundEndpoints");
    outbound.open = open;
    for child in children {
        let mut f = Fields::new(reader, &child.json, child.place);
        let read = OutboundEndpoint {
            place: f.place,
            resolver: ix,
            provisioning_state: f.word(PROVISIONING_STATE),
            subnet: f.reference(outbound_endpoint::SUBNET),
            id: child.id,
        };
        outbound.items.push(reader.objects.outbound_endpoints.push(read));
    }
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = Resolver {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        vnet: f.reference(resolver::VNET),
        inbound,
        outbound,
    };
    reader.objects.resolvers.push(read);
}

pub(crate) fn read_ruleset(reader: &mut Reader<'_>, source: &Source) {
    let ix = RulesetIx::new(reader.objects.rulesets.next());
    let mut rules = List::empty();
    let (children, open) = reader.children(source, "forwardingRules", "/properties/forwardingRules");
    rules.open = open;
    for child in children {
        let mut f = Fields::new(reader, &child.json, child.place);
        let name = f.host(forwarding_rule::DOMAIN);
        let read = ForwardingRule {
            place: f.place,
            ruleset: ix,
            provisioning_state: f.word(PROVISIONING_STATE),
            domain: f.required(forwarding_rule::DOMAIN, name),
            targets: f.objects(forwarding_rule::TARGETS, "/properties/targetDnsServers/{}", |f| DnsTarget {
                address: f.address("/ipAddress"),
                // D84.
                port: f.port("/port").or_default(53),
            }),
            state: f.word(forwarding_rule::STATE),
            id: child.id,
            name: child.name,
        };
        rules.items.push(reader.objects.forwarding_rules.push(read));
    }
    let mut links = List::empty();
    let (children, open) = reader.children(source, "virtualNetworkLinks", "/properties/virtualNetworkLinks");
    links.open = open;
    for child in children {
        let mut f = Fields::new(reader, &child.json, child.place);
        let read = RulesetLink {
            place: f.place,
            ruleset: ix,
            provisioning_state: f.word(PROVISIONING_STATE),
            vnet: f.reference(ruleset_link::VNET),
            id: child.id,
        };
        links.items.push(reader.objects.ruleset_links.push(read));
    }
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = Ruleset {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        outbound_endpoints: f.references(ruleset::OUTBOUND_ENDPOINTS),
        rules,
        links,
    };
    reader.objects.rulesets.push(read);
}

pub(crate) fn read_policy(reader: &mut Reader<'_>, source: &Source) {
    let ix = DnsPolicyIx::new(reader.objects.dns_policies.next());
    let mut rules = List::empty();
    let (children, open) = reader.children(source, "dnsSecurityRules", "");
    rules.open = open;
    for child in children {
        let mut f = Fields::new(reader, &child.json, child.place);
        let read = DnsSecurityRule {
            place: f.place,
            policy: ix,
            provisioning_state: f.word(PROVISIONING_STATE),
            priority: f.number(dns_security_rule::PRIORITY),
            action: f.word(dns_security_rule::ACTION),
            domain_lists: f.references(dns_security_rule::DOMAIN_LISTS),
            managed_domain_lists: f.texts(dns_security_rule::MANAGED_DOMAIN_LISTS),
            state: f.word(dns_security_rule::STATE),
            id: child.id,
            name: child.name,
        };
        rules.items.push(reader.objects.dns_security_rules.push(read));
    }
    let mut links = List::empty();
    let (children, open) = reader.children(source, "virtualNetworkLinks", "/properties/virtualNetworkLinks");
    links.open = open;
    for child in children {
        let mut f = Fields::new(reader, &child.json, child.place);
        let read = DnsPolicyLink {
            place: f.place,
            policy: ix,
            provisioning_state: f.word(PROVISIONING_STATE),
            vnet: f.reference(dns_policy_link::VNET),
            id: child.id,
        };
        links.items.push(reader.objects.dns_policy_links.push(read));
    }
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = DnsPolicy {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        rules,
        links,
    };
    reader.objects.dns_policies.push(read);
}

pub(crate) fn read_domain_list(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = DomainList {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        domains: f.list(domain_list::DOMAINS, "a DNS name", |_, value, _| value.as_str().map(domain)),
        has_bulk_content: f.has(domain_list::DOMAINS_URL),
    };
    reader.objects.domain_lists.push(read);
}
