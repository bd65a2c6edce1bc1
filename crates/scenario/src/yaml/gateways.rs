//! Gateways to other networks, and Virtual WAN.

use serde_json::Value;

use super::Texts;

described! {
    /// A gateway in its network's `GatewaySubnet`.
    pub struct VirtualNetworkGateway {
        pub virtual_network: String,
        /// `Vpn` where absent, or `ExpressRoute`.
        pub gateway_type: Option<String>,
        /// `RouteBased` where absent; only of VPN gateways.
        pub vpn_type: Option<String>,
        pub sku: Option<String>,
        pub active_active: bool,
        pub enable_bgp: bool,
        pub asn: Option<u32>,
        #[serde(rename = "publicIPAddresses")]
        pub public_ip_addresses: Vec<String>,
        /// A local network gateway.
        pub default_site: Option<String>,
    }
}

described! {
    pub struct LocalNetworkGateway {
        pub gateway_address: Option<String>,
        pub address_prefixes: Texts,
        pub asn: Option<u32>,
        pub bgp_peering_address: Option<String>,
    }
}

described! {
    /// One of `localNetworkGateway`, `expressRouteCircuit`, `remoteGateway`.
    pub struct Connection {
        pub gateway: String,
        pub local_network_gateway: Option<String>,
        pub express_route_circuit: Option<String>,
        pub remote_gateway: Option<String>,
        /// `Connected` where absent.
        pub status: Option<String>,
        pub enable_bgp: bool,
        pub routing_weight: u32,
    }
}

described! {
    pub struct ExpressRouteCircuit {
        pub peer_asn: Option<u32>,
        pub peering_location: Option<String>,
        pub provider: Option<String>,
    }
}

described! {
    pub struct VirtualWan {}
}

described! {
    pub struct VirtualHub {
        pub virtual_wan: String,
        pub address_prefix: String,
        pub connections: Vec<HubConnection>,
        /// `defaultRouteTable` and `noneRouteTable` always exist.
        pub route_tables: Vec<HubRouteTable>,
        pub routing_intent: Option<RoutingIntent>,
        pub routing_preference: Option<String>,
    }
}

part! {
    pub struct HubConnection {
        pub name: String,
        pub virtual_network: String,
        /// True where absent.
        pub enable_internet_security: Option<bool>,
        /// `defaultRouteTable` where absent.
        pub associated_route_table: Option<String>,
        /// `[defaultRouteTable]` where absent.
        pub propagated_route_tables: Option<Vec<String>>,
        pub labels: Option<Vec<String>>,
        pub static_routes: Vec<HubRoute>,
        pub properties: Option<Value>,
        pub unchecked: Option<Value>,
    }
}

part! {
    pub struct HubRouteTable {
        pub name: String,
        pub labels: Vec<String>,
        pub routes: Vec<HubRoute>,
    }
}

part! {
    pub struct HubRoute {
        pub name: String,
        pub prefixes: Texts,
        /// An address, a firewall's or hub connection's name, or an id.
        pub next_hop: String,
    }
}

part! {
    /// The firewalls (names or ids) that the two policies send to.
    pub struct RoutingIntent {
        pub private: Option<String>,
        pub internet: Option<String>,
    }
}
