//! Virtual WAN hubs and Route Servers (R177–R200, R248).

use std::net::IpAddr;

use ipnet::IpNet;
use pullproof_snapshot::{ArmId, Place};

use super::index::{
    FirewallIx, HubConnectionIx, HubIx, HubRouteTableIx, Ref, RoutingIntentIx, SubnetIx, VnetIx,
};
use super::val::{List, Val};
use super::word::{ProvisioningState, words};

/// `Microsoft.Network/virtualHubs`: a Virtual WAN hub, or a Route Server.
#[derive(Clone, Debug)]
pub struct Hub {
    pub id: ArmId,
    pub place: Place,
    pub location: Val<Option<Box<str>>>,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub kind: Val<HubKind>,
    pub address_prefix: Val<Option<IpNet>>,
    pub virtual_wan: Val<Option<ArmId>>,
    pub sku: Val<Option<Box<str>>>,
    pub routing_state: Val<Option<RoutingState>>,
    /// Absent counts as `ExpressRoute` (R186).
    pub hub_routing_preference: Val<HubRoutingPreference>,
    pub virtual_router_ips: List<Val<IpAddr>>,
    pub firewall: Val<Option<Ref<FirewallIx>>>,
    pub vpn_gateway: Val<Option<ArmId>>,
    pub express_route_gateway: Val<Option<ArmId>>,
    pub p2s_gateway: Val<Option<ArmId>>,
    pub allow_branch_to_branch: Val<Option<bool>>,
    /// The subnets of its own IP configurations: `RouteServerSubnet` of a Route Server (R248).
    pub route_server_subnets: List<Ref<SubnetIx>>,
    /// BGP peers of a Route Server or hub (`bgpConnections`).
    pub bgp_peers: List<BgpPeer>,
    pub connections: List<HubConnectionIx>,
    pub route_tables: List<HubRouteTableIx>,
    pub routing_intents: List<RoutingIntentIx>,
}

pub mod hub {
    pub const KIND: &str = "/kind";
    pub const ADDRESS_PREFIX: &str = "/properties/addressPrefix";
    pub const VIRTUAL_WAN: &str = "/properties/virtualWan/id";
    pub const SKU: &str = "/properties/sku";
    pub const ROUTING_STATE: &str = "/properties/routingState";
    pub const HUB_ROUTING_PREFERENCE: &str = "/properties/hubRoutingPreference";
    pub const VIRTUAL_ROUTER_IPS: &str = "/properties/virtualRouterIps";
    pub const FIREWALL: &str = "/properties/azureFirewall/id";
    pub const VPN_GATEWAY: &str = "/properties/vpnGateway/id";
    pub const EXPRESS_ROUTE_GATEWAY: &str = "/properties/expressRouteGateway/id";
    pub const P2S_GATEWAY: &str = "/properties/p2SVpnGateway/id";
    pub const ALLOW_BRANCH_TO_BRANCH: &str = "/properties/allowBranchToBranchTraffic";
}

/// What a `virtualHubs` resource is (R177).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HubKind {
    VirtualWan,
    RouteServer,
}

/// `virtualHubs/bgpConnections`.
#[derive(Clone, Debug)]
pub struct BgpPeer {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub peer_ip: Val<Option<IpAddr>>,
    pub peer_asn: Val<Option<u32>>,
    pub connection_state: Val<Option<Box<str>>>,
}

pub mod bgp_peer {
    pub const PEER_IP: &str = "/properties/peerIp";
    pub const PEER_ASN: &str = "/properties/peerAsn";
    pub const CONNECTION_STATE: &str = "/properties/connectionState";
}

/// `virtualHubs/hubVirtualNetworkConnections` (R177).
#[derive(Clone, Debug)]
pub struct HubConnection {
    pub id: ArmId,
    pub place: Place,
    pub hub: HubIx,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub remote: Val<Option<Ref<VnetIx>>>,
    /// R187; Terraform's default is false, ARM returns it.
    pub enable_internet_security: Val<Option<bool>>,
    pub allow_hub_to_remote_vnet_transit: Val<Option<bool>>,
    pub allow_remote_vnet_to_use_hub_vnet_gateways: Val<Option<bool>>,
    pub routing: HubRoutingConfiguration,
}

pub mod hub_connection {
    pub const REMOTE: &str = "/properties/remoteVirtualNetwork/id";
    pub const ENABLE_INTERNET_SECURITY: &str = "/properties/enableInternetSecurity";
    pub const ALLOW_HUB_TO_REMOTE_VNET_TRANSIT: &str = "/properties/allowHubToRemoteVnetTransit";
    pub const ALLOW_REMOTE_VNET_TO_USE_HUB_VNET_GATEWAYS: &str =
        "/properties/allowRemoteVnetToUseHubVnetGateways";
    pub const ASSOCIATED_TABLE: &str = "/properties/routingConfiguration/associatedRouteTable/id";
    pub const PROPAGATED_TABLES: &str = "/properties/routingConfiguration/propagatedRouteTables/ids";
    pub const PROPAGATED_LABELS: &str = "/properties/routingConfiguration/propagatedRouteTables/labels";
    pub const STATIC_ROUTES: &str = "/properties/routingConfiguration/vnetRoutes/staticRoutes";
    pub const PROPAGATE_STATIC_ROUTES: &str =
        "/properties/routingConfiguration/vnetRoutes/staticRoutesConfig/propagateStaticRoutes";
    pub const LOCAL_ROUTE_OVERRIDE: &str =
        "/properties/routingConfiguration/vnetRoutes/staticRoutesConfig/vnetLocalRouteOverrideCriteria";
    pub const INBOUND_ROUTE_MAP: &str = "/properties/routingConfiguration/inboundRouteMap/id";
    pub const OUTBOUND_ROUTE_MAP: &str = "/properties/routingConfiguration/outboundRouteMap/id";
}

/// `routingConfiguration` of a connection.
#[derive(Clone, Debug)]
pub struct HubRoutingConfiguration {
    pub associated: Val<Option<Ref<HubRouteTableIx>>>,
    pub propagated: List<Ref<HubRouteTableIx>>,
    pub labels: List<Box<str>>,
    pub static_routes: List<HubStaticRoute>,
    pub propagate_static_routes: Val<Option<bool>>,
    pub local_route_override: Val<Option<LocalRouteOverride>>,
    pub inbound_route_map: Val<Option<ArmId>>,
    pub outbound_route_map: Val<Option<ArmId>>,
}

/// A static route of a hub connection (R188).
#[derive(Clone, Debug)]
pub struct HubStaticRoute {
    pub place: Place,
    pub name: Box<str>,
    pub prefixes: List<IpNet>,
    pub next_hop: Val<Option<IpAddr>>,
}

/// `virtualHubs/hubRouteTables`.
#[derive(Clone, Debug)]
pub struct HubRouteTable {
    pub id: ArmId,
    pub place: Place,
    pub name: Box<str>,
    pub hub: HubIx,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub labels: List<Box<str>>,
    pub routes: List<HubRoute>,
    pub associated_connections: List<Box<str>>,
    pub propagating_connections: List<Box<str>>,
}

pub mod hub_route_table {
    pub const LABELS: &str = "/properties/labels";
    pub const ROUTES: &str = "/properties/routes";
    pub const ASSOCIATED_CONNECTIONS: &str = "/properties/associatedConnections";
    pub const PROPAGATING_CONNECTIONS: &str = "/properties/propagatingConnections";
}

/// A static route of a hub route table.
#[derive(Clone, Debug)]
pub struct HubRoute {
    pub place: Place,
    pub name: Box<str>,
    pub destination_type: Val<Option<HubDestinationType>>,
    /// With `CIDR`: the prefixes; other destination types leave this empty and stand in `destination_words`.
    pub prefixes: List<IpNet>,
    pub destination_words: List<Box<str>>,
    pub next_hop_type: Val<Option<Box<str>>>,
    pub next_hop: Val<Option<HubNextHop>>,
}

pub mod hub_route {
    pub const DESTINATION_TYPE: &str = "/destinationType";
    pub const DESTINATIONS: &str = "/destinations";
    pub const NEXT_HOP_TYPE: &str = "/nextHopType";
    pub const NEXT_HOP: &str = "/nextHop";
}

/// What a hub route or a routing policy sends to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HubNextHop {
    Firewall(Ref<FirewallIx>),
    Connection(Ref<HubConnectionIx>),
    Other(ArmId),
}

/// `virtualHubs/routingIntent` (R190).
#[derive(Clone, Debug)]
pub struct RoutingIntent {
    pub id: ArmId,
    pub place: Place,
    pub hub: HubIx,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub policies: List<RoutingPolicy>,
}

pub mod routing_intent {
    pub const POLICIES: &str = "/properties/routingPolicies";
}

#[derive(Clone, Debug)]
pub struct RoutingPolicy {
    pub place: Place,
    pub name: Box<str>,
    /// `Internet`, `PrivateTraffic`.
    pub destinations: List<PolicyDestination>,
    pub next_hop: Val<Option<HubNextHop>>,
}

pub mod routing_policy {
    pub const DESTINATIONS: &str = "/destinations";
    pub const NEXT_HOP: &str = "/nextHop";
}

/// `Microsoft.Network/vpnGateways` and `expressRouteGateways`: gateways of a Virtual WAN hub; what branches announce is
/// not in them (R200).
#[derive(Clone, Debug)]
pub struct HubGateway {
    pub id: ArmId,
    pub place: Place,
    pub kind: HubGatewayKind,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub hub: Val<Option<Ref<HubIx>>>,
    /// Ids of `connections` (VPN) or `expressRouteConnections`.
    pub connections: List<ArmId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HubGatewayKind {
    Vpn,
    ExpressRoute,
    PointToSite,
}

words! {
    RoutingState { Provisioned = "Provisioned", Provisioning = "Provisioning", Failed = "Failed", None = "None" }
    HubRoutingPreference { ExpressRoute = "ExpressRoute", VpnGateway = "VpnGateway", AsPath = "ASPath" }
    /// R189.
    LocalRouteOverride { Contains = "Contains", Equal = "Equal" }
    HubDestinationType { Cidr = "CIDR", ResourceId = "ResourceId", Service = "Service" }
    PolicyDestination { Internet = "Internet", PrivateTraffic = "PrivateTraffic" }
}
