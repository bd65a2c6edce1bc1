//! References: from ids to numbers, where the object was read.

use std::collections::HashMap;

use crate::model::hub::HubNextHop;
use crate::model::index::Ref;
use crate::model::object::{Kind, Object};
use crate::model::private_endpoint::PrivateLinkTarget;
use crate::model::val::{List, Val};
use crate::network::Objects;

/// Finds objects by folded id.
pub(crate) struct Linker<'a> {
    pub by_id: &'a HashMap<Box<str>, Object>,
}

/// A field that may refer to something.
trait Link {
    fn link(&mut self, linker: &Linker<'_>);
}

impl<I: Kind> Link for Ref<I> {
    fn link(&mut self, linker: &Linker<'_>) {
        if let Self::NotRead(id) = self
            && let Some(ix) = linker.by_id.get(id.folded()).copied().and_then(I::of)
        {
            *self = Self::Here(ix);
        }
    }
}

impl<T: Link> Link for Val<Option<T>> {
    fn link(&mut self, linker: &Linker<'_>) {
        if let Self::Known(Some(reference)) = self {
            reference.link(linker);
        }
    }
}

impl<T: Link> Link for List<T> {
    fn link(&mut self, linker: &Linker<'_>) {
        for item in &mut self.items {
            item.link(linker);
        }
    }
}

impl Link for PrivateLinkTarget {
    fn link(&mut self, linker: &Linker<'_>) {
        if let Self::Registry(reference) = self {
            reference.link(linker);
        }
    }
}

impl Link for HubNextHop {
    fn link(&mut self, linker: &Linker<'_>) {
        match self {
            Self::Firewall(reference) => reference.link(linker),
            Self::Connection(reference) => reference.link(linker),
            Self::Other(_) => {}
        }
    }
}

/// Links every reference of every object.
pub(crate) fn link(objects: &mut Objects, linker: &Linker<'_>) {
    macro_rules! link {
        ($($table:ident: $($field:ident).+ $(, $more:ident $(. $rest:ident)*)* ;)*) => {$(
            for object in objects.$table.iter_mut() {
                object.$($field).+.link(linker);
                $(object.$more$(.$rest)*.link(linker);)*
            }
        )*};
    }
    link! {
        subnets: nsg, route_table, nat_gateway, service_endpoint_policies, private_endpoints;
        peerings: remote;
        nics: nsg, private_endpoint, virtual_machine;
        public_ips: prefix, nat_gateway;
        nat_gateways: public_ips, public_ip_prefixes;
        private_endpoints: subnet, nics, asgs;
        private_link_services: nat_subnets;
        gateways: default_site;
        connections: gateway, gateway2, local_gateway, circuit;
        hubs: firewall, route_server_subnets;
        hub_connections: remote, routing.associated, routing.propagated;
        hub_gateways: hub;
        firewalls: policy, hub;
        policies: base;
        ip_groups: firewalls;
        zone_links: vnet;
        resolvers: vnet;
        outbound_endpoints: subnet;
        rulesets: outbound_endpoints;
        ruleset_links: vnet;
        dns_policy_links: vnet;
        dns_security_rules: domain_lists;
        clusters: kubelet.resource, user_identities, api_server_subnet, bootstrap_registry,
            hosted_system.system_node_subnet, hosted_system.node_subnet,
            network.load_balancer_outbound_ips, network.nat_gateway_outbound_ips;
        pools: vnet_subnet, pod_subnet, node_public_ip_prefix, asgs;
        scale_sets: user_identities;
        virtual_machines: nics, user_identities;
    }
    elements(objects, linker);
    roles(objects);
}

/// References inside elements of lists.
fn elements(objects: &mut Objects, linker: &Linker<'_>) {
    for nsg in objects.nsgs.iter_mut() {
        for rule in &mut nsg.rules.items {
            rule.source.asgs.link(linker);
            rule.destination.asgs.link(linker);
        }
    }
    for config in objects.nics.iter_mut().flat_map(|nic| &mut nic.ip_configs.items) {
        config.subnet.link(linker);
        config.public_ip.link(linker);
        config.asgs.link(linker);
    }
    for balancer in objects.load_balancers.iter_mut() {
        for frontend in &mut balancer.frontends.items {
            frontend.subnet.link(linker);
            frontend.public_ip.link(linker);
            frontend.public_ip_prefix.link(linker);
        }
        for address in balancer.backend_pools.items.iter_mut().flat_map(|pool| &mut pool.addresses.items) {
            address.vnet.link(linker);
            address.subnet.link(linker);
        }
    }
    for connection in objects.private_endpoints.iter_mut().flat_map(|pe| &mut pe.connections.items) {
        connection.target.link(linker);
    }
    for config in objects.zone_groups.iter_mut().flat_map(|group| &mut group.configs.items) {
        config.zone.link(linker);
    }
    for config in objects.gateways.iter_mut().flat_map(|gateway| &mut gateway.ip_configs.items) {
        config.subnet.link(linker);
        config.public_ip.link(linker);
    }
    for route in objects.hub_route_tables.iter_mut().flat_map(|table| &mut table.routes.items) {
        route.next_hop.link(linker);
    }
    for policy in objects.routing_intents.iter_mut().flat_map(|intent| &mut intent.policies.items) {
        policy.next_hop.link(linker);
    }
    for firewall in objects.firewalls.iter_mut() {
        for config in firewall.ip_configs.items.iter_mut().chain(&mut firewall.management_ip_config) {
            config.subnet.link(linker);
            config.public_ip.link(linker);
        }
        link_rules(&mut firewall.collections, linker);
    }
    for group in objects.rule_collection_groups.iter_mut() {
        link_rules(&mut group.collections, linker);
    }
    for config in objects.inbound_endpoints.iter_mut().flat_map(|endpoint| &mut endpoint.ip_configs.items) {
        config.subnet.link(linker);
    }
    for registry in objects.registries.iter_mut() {
        for connection in &mut registry.private_endpoint_connections.items {
            connection.private_endpoint.link(linker);
        }
        for rule in &mut registry.network_rules.virtual_network_rules.items {
            rule.subnet.link(linker);
        }
    }
    for config in objects.scale_sets.iter_mut().flat_map(|set| &mut set.nic_configs.items) {
        config.nsg.link(linker);
        for ip in &mut config.ip_configs.items {
            ip.subnet.link(linker);
            ip.asgs.link(linker);
            ip.public_ip_prefix.link(linker);
        }
    }
}

fn link_rules(collections: &mut List<crate::model::firewall::RuleCollection>, linker: &Linker<'_>) {
    use crate::model::firewall::FirewallRuleBody;
    for rule in collections.items.iter_mut().flat_map(|collection| &mut collection.rules.items) {
        rule.source_groups.link(linker);
        if let FirewallRuleBody::Network(network) = &mut rule.body {
            network.destination_groups.link(linker);
        }
    }
}

/// Role definitions are matched by GUID: the scope in front of it differs from assignment to assignment (A306).
fn roles(objects: &mut Objects) {
    let by_guid: HashMap<Box<str>, _> =
        objects.role_definitions.iter().map(|(ix, role)| (role.guid.clone(), ix)).collect();
    for assignment in objects.role_assignments.iter_mut() {
        if let Val::Known(Some(role)) = &mut assignment.role
            && let Some(ix) = by_guid.get(&role.guid)
        {
            role.definition = Ref::Here(*ix);
        }
    }
}
