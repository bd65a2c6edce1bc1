//! Virtual hubs with what is below them.

use super::fields::{Fields, arm_id};
use super::reader::{ChildSource, Reader, Source};
use super::{LOCATION, PROVISIONING_STATE};
use crate::model::hub::{
    BgpPeer, Hub, HubConnection, HubGateway, HubGatewayKind, HubKind, HubNextHop, HubRoute, HubRouteTable,
    HubRoutingConfiguration, HubRoutingPreference, HubStaticRoute, RoutingIntent, RoutingPolicy, bgp_peer,
    hub, hub_connection, hub_route, hub_route_table, routing_intent, routing_policy,
};
use crate::model::index::{HubIx, Ix, Ref};
use crate::model::val::{List, Val};

pub(crate) fn read(reader: &mut Reader<'_>, source: &Source) {
    let ix = HubIx::new(reader.objects.hubs.next());
    let mut connections = List::empty();
    let (children, open) =
        reader.children(source, "hubVirtualNetworkConnections", "/properties/virtualNetworkConnections");
    connections.open = open;
    for child in children {
        let read = read_connection(reader, &child, ix);
        connections.items.push(reader.objects.hub_connections.push(read));
    }
    let mut route_tables = List::empty();
    let (children, open) = reader.children(source, "hubRouteTables", "");
    route_tables.open = open;
    for child in children {
        let read = read_route_table(reader, &child, ix);
        route_tables.items.push(reader.objects.hub_route_tables.push(read));
    }
    let mut routing_intents = List::empty();
    let (children, open) = reader.children(source, "routingIntent", "");
    routing_intents.open = open;
    for child in children {
        let read = read_routing_intent(reader, &child, ix);
        routing_intents.items.push(reader.objects.routing_intents.push(read));
    }
    let mut bgp_peers = List::empty();
    let (children, open) = reader.children(source, "bgpConnections", "");
    bgp_peers.open = open;
    for child in children {
        let mut f = Fields::new(reader, &child.json, child.place);
        bgp_peers.items.push(BgpPeer {
            place: f.place,
            provisioning_state: f.word(PROVISIONING_STATE),
            peer_ip: f.address(bgp_peer::PEER_IP),
            peer_asn: f.number(bgp_peer::PEER_ASN),
            connection_state: f.text(bgp_peer::CONNECTION_STATE),
            id: child.id,
        });
    }
    let mut route_server_subnets = List::empty();
    let (children, open) = reader.children(source, "ipConfigurations", "");
    route_server_subnets.open = open;
    for child in children {
        let mut f = Fields::new(reader, &child.json, child.place);
        match f.reference("/properties/subnet/id") {
            Val::Known(subnet) => route_server_subnets.items.extend(subnet),
            Val::Sym(symbol) => f.open(&mut route_server_subnets, symbol, "/properties/subnet/id"),
        }
    }

    let mut f = Fields::new(reader, &source.json, source.place);
    let kind = f.scalar(hub::KIND, "a word", |value| {
        let route_server = value.as_str()?.eq_ignore_ascii_case("RouteServer");
        Some(if route_server { HubKind::RouteServer } else { HubKind::VirtualWan })
    });
    let read = Hub {
        id: source.id.clone(),
        place: source.place,
        location: f.text(LOCATION),
        provisioning_state: f.word(PROVISIONING_STATE),
        // R177: `kind` says Route Server; without it, a hub of a Virtual WAN is one.
        kind: kind.or_default(HubKind::VirtualWan),
        address_prefix: f.prefix(hub::ADDRESS_PREFIX),
        virtual_wan: f.arm_id(hub::VIRTUAL_WAN),
        sku: f.text(hub::SKU),
        routing_state: f.word(hub::ROUTING_STATE),
        // R186.
        hub_routing_preference: f
            .word(hub::HUB_ROUTING_PREFERENCE)
            .or_default(HubRoutingPreference::ExpressRoute),
        virtual_router_ips: f.addresses(hub::VIRTUAL_ROUTER_IPS),
        firewall: f.reference(hub::FIREWALL),
        vpn_gateway: f.arm_id(hub::VPN_GATEWAY),
        express_route_gateway: f.arm_id(hub::EXPRESS_ROUTE_GATEWAY),
        p2s_gateway: f.arm_id(hub::P2S_GATEWAY),
        allow_branch_to_branch: f.boolean(hub::ALLOW_BRANCH_TO_BRANCH),
        route_server_subnets,
        bgp_peers,
        connections,
        route_tables,
        routing_intents,
    };
    reader.objects.hubs.push(read);
}

fn read_connection(reader: &mut Reader<'_>, child: &ChildSource<'_>, hub: HubIx) -> HubConnection {
    let mut f = Fields::new(reader, &child.json, child.place);
    let static_routes_base = if child.place.base.is_empty() {
        "/properties/routingConfiguration/vnetRoutes/staticRoutes/{}"
    } else {
        "/properties/virtualNetworkConnections/{}/properties/routingConfiguration/vnetRoutes/staticRoutes/{}"
    };
    HubConnection {
        id: child.id.clone(),
        place: child.place,
        hub,
        provisioning_state: f.word(PROVISIONING_STATE),
        remote: f.reference(hub_connection::REMOTE),
        enable_internet_security: f.boolean(hub_connection::ENABLE_INTERNET_SECURITY),
        allow_hub_to_remote_vnet_transit: f.boolean(hub_connection::ALLOW_HUB_TO_REMOTE_VNET_TRANSIT),
        allow_remote_vnet_to_use_hub_vnet_gateways: f
            .boolean(hub_connection::ALLOW_REMOTE_VNET_TO_USE_HUB_VNET_GATEWAYS),
        routing: HubRoutingConfiguration {
            associated: f.reference(hub_connection::ASSOCIATED_TABLE),
            propagated: f.references(hub_connection::PROPAGATED_TABLES),
            labels: f.texts(hub_connection::PROPAGATED_LABELS),
            static_routes: f.objects(hub_connection::STATIC_ROUTES, static_routes_base, |f| HubStaticRoute {
                place: f.place,
                name: f.name(),
                prefixes: f.prefixes("/addressPrefixes"),
                next_hop: f.address("/nextHopIpAddress"),
            }),
            propagate_static_routes: f.boolean(hub_connection::PROPAGATE_STATIC_ROUTES),
            local_route_override: f.word(hub_connection::LOCAL_ROUTE_OVERRIDE),
            inbound_route_map: f.arm_id(hub_connection::INBOUND_ROUTE_MAP),
            outbound_route_map: f.arm_id(hub_connection::OUTBOUND_ROUTE_MAP),
        },
    }
}

fn read_route_table(reader: &mut Reader<'_>, child: &ChildSource<'_>, hub: HubIx) -> HubRouteTable {
    let mut f = Fields::new(reader, &child.json, child.place);
    HubRouteTable {
        id: child.id.clone(),
        place: child.place,
        name: child.name.clone(),
        hub,
        provisioning_state: f.word(PROVISIONING_STATE),
        labels: f.texts(hub_route_table::LABELS),
        routes: f.objects(hub_route_table::ROUTES, "/properties/routes/{}", read_route),
        associated_connections: f.texts(hub_route_table::ASSOCIATED_CONNECTIONS),
        propagating_connections: f.texts(hub_route_table::PROPAGATING_CONNECTIONS),
    }
}

fn read_route(f: &mut Fields<'_, '_, '_>) -> HubRoute {
    use crate::model::hub::HubDestinationType;
    let destination_type = f.word(hub_route::DESTINATION_TYPE);
    let cidr = matches!(destination_type, Val::Known(Some(HubDestinationType::Cidr)));
    HubRoute {
        place: f.place,
        name: f.name(),
        prefixes: if cidr { f.prefixes(hub_route::DESTINATIONS) } else { List::empty() },
        destination_words: if cidr { List::empty() } else { f.texts(hub_route::DESTINATIONS) },
        destination_type,
        next_hop_type: f.text(hub_route::NEXT_HOP_TYPE),
        next_hop: next_hop(f, hub_route::NEXT_HOP),
    }
}

fn next_hop(f: &mut Fields<'_, '_, '_>, pointer: &'static str) -> Val<Option<HubNextHop>> {
    f.scalar(pointer, "a resource id", |value| {
        let id = arm_id(value)?;
        Some(match id.resource_type().as_deref() {
            Some("microsoft.network/azurefirewalls") => HubNextHop::Firewall(Ref::NotRead(id)),
            Some("microsoft.network/virtualhubs/hubvirtualnetworkconnections") => {
                HubNextHop::Connection(Ref::NotRead(id))
            }
            _ => HubNextHop::Other(id),
        })
    })
}

fn read_routing_intent(reader: &mut Reader<'_>, child: &ChildSource<'_>, hub: HubIx) -> RoutingIntent {
    let mut f = Fields::new(reader, &child.json, child.place);
    RoutingIntent {
        id: child.id.clone(),
        place: child.place,
        hub,
        provisioning_state: f.word(PROVISIONING_STATE),
        policies: f.objects(routing_intent::POLICIES, "/properties/routingPolicies/{}", |f| RoutingPolicy {
            place: f.place,
            name: f.name(),
            destinations: f.words(routing_policy::DESTINATIONS),
            next_hop: next_hop(f, routing_policy::NEXT_HOP),
        }),
    }
}

pub(crate) fn read_vpn_gateway(reader: &mut Reader<'_>, source: &Source) {
    read_gateway(reader, source, HubGatewayKind::Vpn, "vpnConnections", "/properties/connections");
}

pub(crate) fn read_express_route_gateway(reader: &mut Reader<'_>, source: &Source) {
    let list = "/properties/expressRouteConnections";
    read_gateway(reader, source, HubGatewayKind::ExpressRoute, "expressRouteConnections", list);
}

pub(crate) fn read_p2s_gateway(reader: &mut Reader<'_>, source: &Source) {
    let list = "/properties/p2SConnectionConfigurations";
    read_gateway(reader, source, HubGatewayKind::PointToSite, "p2sConnectionConfigurations", list);
}

fn read_gateway(
    reader: &mut Reader<'_>,
    source: &Source,
    kind: HubGatewayKind,
    collection: &'static str,
    inline: &'static str,
) {
    let (standalone, open) = reader.children(source, collection, "");
    let mut f = Fields::new(reader, &source.json, source.place);
    let mut connections = f.ids(inline);
    for child in standalone {
        if !connections.items.contains(&child.id) {
            connections.items.push(child.id);
        }
    }
    if let Some(symbol) = open {
        f.open(&mut connections, symbol, inline);
    }
    let read = HubGateway {
        id: source.id.clone(),
        place: source.place,
        kind,
        provisioning_state: f.word(PROVISIONING_STATE),
        hub: f.reference("/properties/virtualHub/id"),
        connections,
    };
    reader.objects.hub_gateways.push(read);
}
