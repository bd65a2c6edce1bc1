//! Virtual network gateways, connections, local network gateways, ExpressRoute circuits (R7–R9).

use std::net::IpAddr;

use ipnet::IpNet;
use pullproof_snapshot::{ArmId, Place};

use super::index::{CircuitIx, GatewayIx, LocalGatewayIx, PublicIpIx, Ref, SubnetIx};
use super::val::{List, Val};
use super::word::{ProvisioningState, words};

/// `Microsoft.Network/virtualNetworkGateways`.
#[derive(Clone, Debug)]
pub struct Gateway {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub gateway_type: Val<Option<GatewayType>>,
    pub vpn_type: Val<Option<VpnType>>,
    pub sku: Val<Option<Box<str>>>,
    pub active_active: Val<Option<bool>>,
    pub enable_bgp: Val<Option<bool>>,
    pub bgp: BgpSettings,
    /// Forced tunnelling (R153).
    pub default_site: Val<Option<Ref<LocalGatewayIx>>>,
    pub custom_routes: List<IpNet>,
    pub has_nat_rules: Val<bool>,
    pub has_vpn_client: Val<bool>,
    pub allow_remote_vnet_traffic: Val<Option<bool>>,
    pub allow_virtual_wan_traffic: Val<Option<bool>>,
    pub enable_private_ip_address: Val<Option<bool>>,
    pub ip_configs: List<GatewayIpConfig>,
}

pub mod gateway {
    pub const GATEWAY_TYPE: &str = "/properties/gatewayType";
    pub const VPN_TYPE: &str = "/properties/vpnType";
    pub const SKU: &str = "/properties/sku/name";
    pub const ACTIVE_ACTIVE: &str = "/properties/activeActive";
    pub const ENABLE_BGP: &str = "/properties/enableBgp";
    pub const BGP_ASN: &str = "/properties/bgpSettings/asn";
    pub const BGP_PEERING_ADDRESS: &str = "/properties/bgpSettings/bgpPeeringAddress";
    pub const DEFAULT_SITE: &str = "/properties/gatewayDefaultSite/id";
    pub const CUSTOM_ROUTES: &str = "/properties/customRoutes/addressPrefixes";
    pub const NAT_RULES: &str = "/properties/natRules";
    pub const VPN_CLIENT: &str = "/properties/vpnClientConfiguration";
    pub const ALLOW_REMOTE_VNET_TRAFFIC: &str = "/properties/allowRemoteVnetTraffic";
    pub const ALLOW_VIRTUAL_WAN_TRAFFIC: &str = "/properties/allowVirtualWanTraffic";
    pub const ENABLE_PRIVATE_IP_ADDRESS: &str = "/properties/enablePrivateIpAddress";
    pub const IP_CONFIGS: &str = "/properties/ipConfigurations";
}

/// `bgpSettings` of a gateway or a local network gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BgpSettings {
    pub asn: Val<Option<u32>>,
    /// One address, or several joined by commas (active-active).
    pub peering_addresses: List<Val<IpAddr>>,
}

#[derive(Clone, Debug)]
pub struct GatewayIpConfig {
    pub place: Place,
    pub name: Box<str>,
    pub subnet: Val<Option<Ref<SubnetIx>>>,
    pub address: Val<Option<IpAddr>>,
    pub public_ip: Val<Option<Ref<PublicIpIx>>>,
}

pub mod gateway_ip_config {
    pub const SUBNET: &str = "/properties/subnet/id";
    pub const ADDRESS: &str = "/properties/privateIPAddress";
    pub const PUBLIC_IP: &str = "/properties/publicIPAddress/id";
}

/// `Microsoft.Network/connections` (R8).
#[derive(Clone, Debug)]
pub struct Connection {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub connection_type: Val<Option<ConnectionType>>,
    pub status: Val<Option<TunnelStatus>>,
    pub enable_bgp: Val<Option<bool>>,
    pub gateway: Val<Option<Ref<GatewayIx>>>,
    /// The other gateway of a `Vnet2Vnet` connection.
    pub gateway2: Val<Option<Ref<GatewayIx>>>,
    pub local_gateway: Val<Option<Ref<LocalGatewayIx>>>,
    pub circuit: Val<Option<Ref<CircuitIx>>>,
    pub routing_weight: Val<Option<i64>>,
    pub use_policy_based_traffic_selectors: Val<Option<bool>>,
    pub traffic_selectors: List<TrafficSelector>,
    pub express_route_gateway_bypass: Val<Option<bool>>,
    pub enable_private_link_fast_path: Val<Option<bool>>,
    pub has_nat_rules: Val<bool>,
}

pub mod connection {
    pub const CONNECTION_TYPE: &str = "/properties/connectionType";
    pub const STATUS: &str = "/properties/connectionStatus";
    pub const ENABLE_BGP: &str = "/properties/enableBgp";
    pub const GATEWAY: &str = "/properties/virtualNetworkGateway1/id";
    pub const GATEWAY2: &str = "/properties/virtualNetworkGateway2/id";
    pub const LOCAL_GATEWAY: &str = "/properties/localNetworkGateway2/id";
    pub const CIRCUIT: &str = "/properties/peer/id";
    pub const ROUTING_WEIGHT: &str = "/properties/routingWeight";
    pub const USE_POLICY_BASED_TRAFFIC_SELECTORS: &str = "/properties/usePolicyBasedTrafficSelectors";
    pub const TRAFFIC_SELECTORS: &str = "/properties/trafficSelectorPolicies";
    pub const EXPRESS_ROUTE_GATEWAY_BYPASS: &str = "/properties/expressRouteGatewayBypass";
    pub const ENABLE_PRIVATE_LINK_FAST_PATH: &str = "/properties/enablePrivateLinkFastPath";
    pub const INGRESS_NAT_RULES: &str = "/properties/ingressNatRules";
    pub const EGRESS_NAT_RULES: &str = "/properties/egressNatRules";
}

#[derive(Clone, Debug)]
pub struct TrafficSelector {
    pub local: List<IpNet>,
    pub remote: List<IpNet>,
}

/// `Microsoft.Network/localNetworkGateways` (R9).
#[derive(Clone, Debug)]
pub struct LocalGateway {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub address_space: List<IpNet>,
    pub gateway_address: Val<Option<IpAddr>>,
    pub fqdn: Val<Option<Box<str>>>,
    pub bgp: BgpSettings,
}

pub mod local_gateway {
    pub const ADDRESS_SPACE: &str = "/properties/localNetworkAddressSpace/addressPrefixes";
    pub const GATEWAY_ADDRESS: &str = "/properties/gatewayIpAddress";
    pub const FQDN: &str = "/properties/fqdn";
}

/// `Microsoft.Network/expressRouteCircuits`.
#[derive(Clone, Debug)]
pub struct Circuit {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub circuit_state: Val<Option<Box<str>>>,
    pub service_provider_state: Val<Option<Box<str>>>,
    /// `peerings[].properties.{peeringType, state}`.
    pub peerings: List<CircuitPeering>,
}

pub mod circuit {
    pub const CIRCUIT_STATE: &str = "/properties/circuitProvisioningState";
    pub const SERVICE_PROVIDER_STATE: &str = "/properties/serviceProviderProvisioningState";
    pub const PEERINGS: &str = "/properties/peerings";
}

#[derive(Clone, Debug)]
pub struct CircuitPeering {
    pub place: Place,
    pub peering_type: Val<Option<Box<str>>>,
    pub state: Val<Option<Box<str>>>,
}

words! {
    GatewayType { Vpn = "Vpn", ExpressRoute = "ExpressRoute", LocalGateway = "LocalGateway" }
    VpnType { RouteBased = "RouteBased", PolicyBased = "PolicyBased" }
    ConnectionType {
        IPsec = "IPsec", Vnet2Vnet = "Vnet2Vnet", ExpressRoute = "ExpressRoute", VpnClient = "VPNClient",
    }
    TunnelStatus {
        Unknown = "Unknown", Connecting = "Connecting", Connected = "Connected", NotConnected = "NotConnected",
    }
}
