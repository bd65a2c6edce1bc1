//! Virtual networks, subnets and peerings (R3, R5, R6, D4).

use std::net::IpAddr;

use ipnet::IpNet;
use pullproof_snapshot::{ArmId, Place};

use super::index::{
    NatGatewayIx, NsgIx, PeeringIx, PrivateEndpointIx, Ref, RouteTableIx, ServiceEndpointPolicyIx, SubnetIx,
    VnetIx,
};
use super::val::{List, Val};
use super::word::{ProvisioningState, words};

/// `Microsoft.Network/virtualNetworks` (R5).
#[derive(Clone, Debug)]
pub struct Vnet {
    pub id: ArmId,
    pub place: Place,
    pub location: Val<Option<Box<str>>>,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub address_space: List<IpNet>,
    /// `dhcpOptions.dnsServers`, in order; empty means Azure-provided DNS (D4).
    pub dns_servers: List<Val<IpAddr>>,
    /// Absent counts as `Disabled` (R254).
    pub private_endpoint_vnet_policies: Val<Option<PrivateEndpointVnetPolicies>>,
    pub encryption_enabled: Val<Option<bool>>,
    pub encryption_enforcement: Val<Option<EncryptionEnforcement>>,
    /// R152.
    pub summarized_gateway_prefixes: List<IpNet>,
    /// In the order of the inline list, then of ids. `open`: there may be more.
    pub subnets: List<SubnetIx>,
    pub peerings: List<PeeringIx>,
}

/// Pointers into [`Vnet`].
pub mod vnet {
    pub const ADDRESS_SPACE: &str = "/properties/addressSpace/addressPrefixes";
    pub const DNS_SERVERS: &str = "/properties/dhcpOptions/dnsServers";
    pub const PRIVATE_ENDPOINT_VNET_POLICIES: &str = "/properties/privateEndpointVNetPolicies";
    pub const ENCRYPTION_ENABLED: &str = "/properties/encryption/enabled";
    pub const ENCRYPTION_ENFORCEMENT: &str = "/properties/encryption/enforcement";
    pub const SUMMARIZED_GATEWAY_PREFIXES: &str = "/properties/summarizedGatewayPrefixes/addressPrefixes";
    pub const SUBNETS: &str = "/properties/subnets";
    pub const PEERINGS: &str = "/properties/virtualNetworkPeerings";
}

/// `Microsoft.Network/virtualNetworks/subnets` (R3).
#[derive(Clone, Debug)]
pub struct Subnet {
    pub id: ArmId,
    pub place: Place,
    pub name: Box<str>,
    pub vnet: VnetIx,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    /// `addressPrefix` and `addressPrefixes` together (R3); no prefix twice.
    pub prefixes: List<IpNet>,
    pub nsg: Val<Option<Ref<NsgIx>>>,
    pub route_table: Val<Option<Ref<RouteTableIx>>>,
    pub nat_gateway: Val<Option<Ref<NatGatewayIx>>>,
    pub service_endpoints: List<ServiceEndpoint>,
    pub service_endpoint_policies: List<Ref<ServiceEndpointPolicyIx>>,
    /// Absent in a GET body counts as `Disabled`, with a flag (F90): the prover decides.
    pub private_endpoint_network_policies: Val<Option<PrivateEndpointNetworkPolicies>>,
    /// Three states, absent is one of them (R207, R208).
    pub default_outbound_access: Val<Option<bool>>,
    /// `delegations[].properties.serviceName`.
    pub delegations: List<Box<str>>,
    /// What Azure lists as private endpoints in this subnet.
    pub private_endpoints: List<Ref<PrivateEndpointIx>>,
}

pub mod subnet {
    pub const PREFIX: &str = "/properties/addressPrefix";
    pub const PREFIXES: &str = "/properties/addressPrefixes";
    pub const NSG: &str = "/properties/networkSecurityGroup/id";
    pub const ROUTE_TABLE: &str = "/properties/routeTable/id";
    pub const NAT_GATEWAY: &str = "/properties/natGateway/id";
    pub const SERVICE_ENDPOINTS: &str = "/properties/serviceEndpoints";
    pub const SERVICE_ENDPOINT_POLICIES: &str = "/properties/serviceEndpointPolicies";
    pub const PRIVATE_ENDPOINT_NETWORK_POLICIES: &str = "/properties/privateEndpointNetworkPolicies";
    pub const DEFAULT_OUTBOUND_ACCESS: &str = "/properties/defaultOutboundAccess";
    pub const DELEGATIONS: &str = "/properties/delegations";
    pub const PRIVATE_ENDPOINTS: &str = "/properties/privateEndpoints";
}

/// One element of `serviceEndpoints[]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceEndpoint {
    /// Such as `Microsoft.ContainerRegistry`.
    pub service: Val<Option<Box<str>>>,
    pub locations: List<Box<str>>,
    pub provisioning_state: Val<Option<ProvisioningState>>,
}

/// `…/virtualNetworkPeerings` (R6): one direction; the other link is a resource of the remote network.
#[derive(Clone, Debug)]
pub struct Peering {
    pub id: ArmId,
    pub place: Place,
    pub name: Box<str>,
    /// The network that this link belongs to.
    pub vnet: VnetIx,
    pub remote: Val<Option<Ref<VnetIx>>>,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub state: Val<Option<PeeringState>>,
    pub sync_level: Val<Option<PeeringSyncLevel>>,
    pub allow_virtual_network_access: Val<Option<bool>>,
    pub allow_forwarded_traffic: Val<Option<bool>>,
    pub allow_gateway_transit: Val<Option<bool>>,
    pub use_remote_gateways: Val<Option<bool>>,
    pub peer_complete_vnets: Val<Option<bool>>,
    pub enable_only_ipv6_peering: Val<Option<bool>>,
    pub local_subnet_names: List<Box<str>>,
    pub remote_subnet_names: List<Box<str>>,
    /// `None`: the field is absent.
    pub local_address_space: Option<List<IpNet>>,
    pub local_virtual_network_address_space: Option<List<IpNet>>,
    /// What was synced from the remote side (F63, R107).
    pub remote_address_space: Option<List<IpNet>>,
    pub remote_virtual_network_address_space: Option<List<IpNet>>,
}

pub mod peering {
    pub const REMOTE: &str = "/properties/remoteVirtualNetwork/id";
    pub const STATE: &str = "/properties/peeringState";
    pub const SYNC_LEVEL: &str = "/properties/peeringSyncLevel";
    pub const ALLOW_VIRTUAL_NETWORK_ACCESS: &str = "/properties/allowVirtualNetworkAccess";
    pub const ALLOW_FORWARDED_TRAFFIC: &str = "/properties/allowForwardedTraffic";
    pub const ALLOW_GATEWAY_TRANSIT: &str = "/properties/allowGatewayTransit";
    pub const USE_REMOTE_GATEWAYS: &str = "/properties/useRemoteGateways";
    pub const PEER_COMPLETE_VNETS: &str = "/properties/peerCompleteVnets";
    pub const ENABLE_ONLY_IPV6_PEERING: &str = "/properties/enableOnlyIPv6Peering";
    pub const LOCAL_SUBNET_NAMES: &str = "/properties/localSubnetNames";
    pub const REMOTE_SUBNET_NAMES: &str = "/properties/remoteSubnetNames";
    pub const LOCAL_ADDRESS_SPACE: &str = "/properties/localAddressSpace/addressPrefixes";
    pub const LOCAL_VIRTUAL_NETWORK_ADDRESS_SPACE: &str =
        "/properties/localVirtualNetworkAddressSpace/addressPrefixes";
    pub const REMOTE_ADDRESS_SPACE: &str = "/properties/remoteAddressSpace/addressPrefixes";
    pub const REMOTE_VIRTUAL_NETWORK_ADDRESS_SPACE: &str =
        "/properties/remoteVirtualNetworkAddressSpace/addressPrefixes";
}

words! {
    PeeringState { Initiated = "Initiated", Connected = "Connected", Disconnected = "Disconnected" }
    PeeringSyncLevel {
        FullyInSync = "FullyInSync", RemoteNotInSync = "RemoteNotInSync", LocalNotInSync = "LocalNotInSync",
        LocalAndRemoteNotInSync = "LocalAndRemoteNotInSync",
    }
    /// F88.
    PrivateEndpointNetworkPolicies {
        Enabled = "Enabled", Disabled = "Disabled",
        NetworkSecurityGroupEnabled = "NetworkSecurityGroupEnabled", RouteTableEnabled = "RouteTableEnabled",
    }
    PrivateEndpointVnetPolicies { Disabled = "Disabled", Basic = "Basic" }
    /// F151.
    EncryptionEnforcement { AllowUnencrypted = "AllowUnencrypted", DropUnencrypted = "DropUnencrypted" }
}
