//! Load balancers, NAT gateways, public addresses.

use pullproof_snapshot::ArmId;

use super::PROVISIONING_STATE;
use super::fields::{Fields, arm_id};
use super::reader::{Reader, Source};
use crate::model::load_balancer::{
    BackendAddress, BackendPool, Frontend, LoadBalancer, LoadBalancingRule, NatGateway, OutboundRule, Probe,
    PublicIp, PublicIpPrefix, backend_pool, frontend, load_balancer, load_balancing_rule, nat_gateway,
    outbound_rule, probe, public_ip, public_ip_prefix,
};
use crate::model::val::{List, Val};

pub(crate) fn read(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = LoadBalancer {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        sku: f.word(load_balancer::SKU),
        frontends: f.objects(load_balancer::FRONTENDS, "/properties/frontendIPConfigurations/{}", |f| {
            Frontend {
                id: f.id("frontendIPConfigurations"),
                place: f.place,
                name: f.name(),
                subnet: f.reference(frontend::SUBNET),
                address: f.address(frontend::ADDRESS),
                allocation: f.word(frontend::ALLOCATION),
                public_ip: f.reference(frontend::PUBLIC_IP),
                public_ip_prefix: f.reference(frontend::PUBLIC_IP_PREFIX),
            }
        }),
        backend_pools: f.objects(
            load_balancer::BACKEND_POOLS,
            "/properties/backendAddressPools/{}",
            read_backend_pool,
        ),
        rules: f.objects(load_balancer::RULES, "/properties/loadBalancingRules/{}", read_rule),
        outbound_rules: f.objects(load_balancer::OUTBOUND_RULES, "/properties/outboundRules/{}", |f| {
            OutboundRule {
                id: f.id("outboundRules"),
                place: f.place,
                name: f.name(),
                frontends: f.ids(outbound_rule::FRONTENDS),
                backend_pool: f.arm_id(outbound_rule::BACKEND_POOL),
                protocol: f.word(outbound_rule::PROTOCOL),
            }
        }),
        probes: f.objects(load_balancer::PROBES, "/properties/probes/{}", |f| Probe {
            id: f.id("probes"),
            place: f.place,
            name: f.name(),
            protocol: f.text(probe::PROTOCOL),
            port: f.port(probe::PORT),
        }),
    };
    reader.objects.load_balancers.push(read);
}

fn read_backend_pool(f: &mut Fields<'_, '_, '_>) -> BackendPool {
    BackendPool {
        id: f.id("backendAddressPools"),
        place: f.place,
        name: f.name(),
        ip_configs: f.ids(backend_pool::IP_CONFIGS),
        addresses: f.objects(
            backend_pool::ADDRESSES,
            "/properties/backendAddressPools/{}/properties/loadBalancerBackendAddresses/{}",
            |f| BackendAddress {
                name: f.name(),
                address: f.address("/properties/ipAddress"),
                vnet: f.reference("/properties/virtualNetwork/id"),
                subnet: f.reference("/properties/subnet/id"),
                ip_config: f.arm_id("/properties/networkInterfaceIPConfiguration/id"),
            },
        ),
    }
}

fn read_rule(f: &mut Fields<'_, '_, '_>) -> LoadBalancingRule {
    let mut backend_pools: List<ArmId> =
        f.list(load_balancing_rule::BACKEND_POOLS, "an object with an id", |_, value, _| {
            arm_id(value.get("id")?)
        });
    match f.arm_id(load_balancing_rule::BACKEND_POOL) {
        Val::Known(Some(id)) if !backend_pools.items.contains(&id) => backend_pools.items.push(id),
        Val::Known(_) => {}
        Val::Sym(symbol) => f.open(&mut backend_pools, symbol, load_balancing_rule::BACKEND_POOL),
    }
    LoadBalancingRule {
        id: f.id("loadBalancingRules"),
        place: f.place,
        name: f.name(),
        frontend: f.arm_id(load_balancing_rule::FRONTEND),
        backend_pools,
        probe: f.arm_id(load_balancing_rule::PROBE),
        protocol: f.word(load_balancing_rule::PROTOCOL),
        frontend_port: f.port(load_balancing_rule::FRONTEND_PORT),
        backend_port: f.port(load_balancing_rule::BACKEND_PORT),
        enable_floating_ip: f.boolean(load_balancing_rule::FLOATING_IP),
        disable_outbound_snat: f.boolean(load_balancing_rule::DISABLE_OUTBOUND_SNAT),
    }
}

pub(crate) fn read_nat_gateway(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let mut public_ips = f.references(nat_gateway::PUBLIC_IPS);
    let v6 = f.references(nat_gateway::PUBLIC_IPS_V6);
    join(&mut f, &mut public_ips, v6, nat_gateway::PUBLIC_IPS_V6);
    let mut public_ip_prefixes = f.references(nat_gateway::PUBLIC_IP_PREFIXES);
    let v6 = f.references(nat_gateway::PUBLIC_IP_PREFIXES_V6);
    join(&mut f, &mut public_ip_prefixes, v6, nat_gateway::PUBLIC_IP_PREFIXES_V6);
    let read = NatGateway {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        sku: f.word(nat_gateway::SKU),
        public_ips,
        public_ip_prefixes,
    };
    reader.objects.nat_gateways.push(read);
}

fn join<T>(f: &mut Fields<'_, '_, '_>, list: &mut List<T>, more: List<T>, pointer: &'static str) {
    list.items.extend(more.items);
    if let Some(symbol) = more.open {
        f.open(list, symbol, pointer);
    }
}

pub(crate) fn read_public_ip(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = PublicIp {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        sku: f.word(public_ip::SKU),
        address: f.address(public_ip::ADDRESS),
        allocation: f.word(public_ip::ALLOCATION),
        prefix: f.reference(public_ip::PREFIX),
        holder: f.arm_id(public_ip::HOLDER),
        nat_gateway: f.reference(public_ip::NAT_GATEWAY),
    };
    reader.objects.public_ips.push(read);
}

pub(crate) fn read_public_ip_prefix(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = PublicIpPrefix {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        prefix: f.prefix(public_ip_prefix::PREFIX),
    };
    reader.objects.public_ip_prefixes.push(read);
}
