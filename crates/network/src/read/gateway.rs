//! Gateways, connections, local network gateways, circuits.

use super::PROVISIONING_STATE;
use super::fields::{Fields, Raw};
use super::reader::{Reader, Source};
use crate::model::gateway::{
    BgpSettings, Circuit, CircuitPeering, Connection, Gateway, GatewayIpConfig, LocalGateway,
    TrafficSelector, circuit, connection, gateway, gateway_ip_config, local_gateway,
};
use crate::model::val::{List, Val};

pub(crate) fn read(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = Gateway {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        gateway_type: f.word(gateway::GATEWAY_TYPE),
        vpn_type: f.word(gateway::VPN_TYPE),
        sku: f.text(gateway::SKU),
        active_active: f.boolean(gateway::ACTIVE_ACTIVE),
        enable_bgp: f.boolean(gateway::ENABLE_BGP),
        bgp: bgp(&mut f),
        default_site: f.reference(gateway::DEFAULT_SITE),
        custom_routes: f.prefixes(gateway::CUSTOM_ROUTES),
        has_nat_rules: f.has(gateway::NAT_RULES),
        has_vpn_client: f.has(gateway::VPN_CLIENT),
        allow_remote_vnet_traffic: f.boolean(gateway::ALLOW_REMOTE_VNET_TRAFFIC),
        allow_virtual_wan_traffic: f.boolean(gateway::ALLOW_VIRTUAL_WAN_TRAFFIC),
        enable_private_ip_address: f.boolean(gateway::ENABLE_PRIVATE_IP_ADDRESS),
        ip_configs: f.objects(gateway::IP_CONFIGS, "/properties/ipConfigurations/{}", |f| GatewayIpConfig {
            place: f.place,
            name: f.name(),
            subnet: f.reference(gateway_ip_config::SUBNET),
            address: f.address(gateway_ip_config::ADDRESS),
            public_ip: f.reference(gateway_ip_config::PUBLIC_IP),
        }),
    };
    reader.objects.gateways.push(read);
}

/// `bgpPeeringAddress` holds one address, or two joined by a comma (active-active).
fn bgp(f: &mut Fields<'_, '_, '_>) -> BgpSettings {
    let peering_addresses = match f.raw(gateway::BGP_PEERING_ADDRESS) {
        Raw::Absent => List::empty(),
        Raw::Sym(symbol) => List { items: vec![Val::Sym(symbol)], open: None },
        Raw::Here(value) => {
            let parts = value.as_str().map(|text| {
                let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
                parts.map(|part| part.parse().map(Val::Known).ok()).collect::<Option<Vec<_>>>()
            });
            match parts.flatten() {
                Some(items) => List { items, open: None },
                None => {
                    let symbol = f.malformed(gateway::BGP_PEERING_ADDRESS, None, "addresses");
                    List { items: Vec::new(), open: Some(symbol) }
                }
            }
        }
    };
    BgpSettings { asn: f.number(gateway::BGP_ASN), peering_addresses }
}

pub(crate) fn read_connection(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let has_nat_rules = match (f.has(connection::INGRESS_NAT_RULES), f.has(connection::EGRESS_NAT_RULES)) {
        (Val::Known(a), Val::Known(b)) => Val::Known(a || b),
        (Val::Known(true), _) | (_, Val::Known(true)) => Val::Known(true),
        (Val::Sym(symbol), _) | (_, Val::Sym(symbol)) => Val::Sym(symbol),
    };
    let read = Connection {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        connection_type: f.word(connection::CONNECTION_TYPE),
        status: f.word(connection::STATUS),
        enable_bgp: f.boolean(connection::ENABLE_BGP),
        gateway: f.reference(connection::GATEWAY),
        gateway2: f.reference(connection::GATEWAY2),
        local_gateway: f.reference(connection::LOCAL_GATEWAY),
        circuit: f.reference(connection::CIRCUIT),
        routing_weight: f.number(connection::ROUTING_WEIGHT),
        use_policy_based_traffic_selectors: f.boolean(connection::USE_POLICY_BASED_TRAFFIC_SELECTORS),
        traffic_selectors: f.objects(
            connection::TRAFFIC_SELECTORS,
            "/properties/trafficSelectorPolicies/{}",
            |f| TrafficSelector {
                local: f.prefixes("/localAddressRanges"),
                remote: f.prefixes("/remoteAddressRanges"),
            },
        ),
        express_route_gateway_bypass: f.boolean(connection::EXPRESS_ROUTE_GATEWAY_BYPASS),
        enable_private_link_fast_path: f.boolean(connection::ENABLE_PRIVATE_LINK_FAST_PATH),
        has_nat_rules,
    };
    reader.objects.connections.push(read);
}

pub(crate) fn read_local(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = LocalGateway {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        address_space: f.prefixes(local_gateway::ADDRESS_SPACE),
        gateway_address: f.address(local_gateway::GATEWAY_ADDRESS),
        fqdn: f.host(local_gateway::FQDN),
        bgp: bgp(&mut f),
    };
    reader.objects.local_gateways.push(read);
}

pub(crate) fn read_circuit(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = Circuit {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        circuit_state: f.text(circuit::CIRCUIT_STATE),
        service_provider_state: f.text(circuit::SERVICE_PROVIDER_STATE),
        peerings: f.objects(circuit::PEERINGS, "/properties/peerings/{}", |f| CircuitPeering {
            place: f.place,
            peering_type: f.text("/properties/peeringType"),
            state: f.text("/properties/state"),
        }),
    };
    reader.objects.circuits.push(read);
}
