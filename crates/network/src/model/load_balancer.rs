//! Load balancers, NAT gateways, public addresses and their prefixes (R165, R202–R206, A89).

use std::net::IpAddr;

use ipnet::IpNet;
use pullproof_snapshot::{ArmId, Place};

use super::index::{NatGatewayIx, PublicIpIx, PublicIpPrefixIx, Ref, SubnetIx, VnetIx};
use super::nic::Allocation;
use super::val::{List, Val};
use super::word::{ProvisioningState, words};

/// `Microsoft.Network/loadBalancers`.
#[derive(Clone, Debug)]
pub struct LoadBalancer {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    /// No fact gives a default: absent stays absent.
    pub sku: Val<Option<Sku>>,
    pub frontends: List<Frontend>,
    pub backend_pools: List<BackendPool>,
    pub rules: List<LoadBalancingRule>,
    pub outbound_rules: List<OutboundRule>,
    pub probes: List<Probe>,
}

pub mod load_balancer {
    pub const SKU: &str = "/sku/name";
    pub const FRONTENDS: &str = "/properties/frontendIPConfigurations";
    pub const BACKEND_POOLS: &str = "/properties/backendAddressPools";
    pub const RULES: &str = "/properties/loadBalancingRules";
    pub const OUTBOUND_RULES: &str = "/properties/outboundRules";
    pub const PROBES: &str = "/properties/probes";
}

/// One front end: internal (subnet and address) or public.
#[derive(Clone, Debug)]
pub struct Frontend {
    pub id: ArmId,
    pub place: Place,
    pub name: Box<str>,
    pub subnet: Val<Option<Ref<SubnetIx>>>,
    pub address: Val<Option<IpAddr>>,
    pub allocation: Val<Option<Allocation>>,
    pub public_ip: Val<Option<Ref<PublicIpIx>>>,
    pub public_ip_prefix: Val<Option<Ref<PublicIpPrefixIx>>>,
}

pub mod frontend {
    pub const SUBNET: &str = "/properties/subnet/id";
    pub const ADDRESS: &str = "/properties/privateIPAddress";
    pub const ALLOCATION: &str = "/properties/privateIPAllocationMethod";
    pub const PUBLIC_IP: &str = "/properties/publicIPAddress/id";
    pub const PUBLIC_IP_PREFIX: &str = "/properties/publicIPPrefix/id";
}

#[derive(Clone, Debug)]
pub struct BackendPool {
    pub id: ArmId,
    pub place: Place,
    pub name: Box<str>,
    /// The ids of NIC IP configurations (or scale-set instances') that Azure lists as members.
    pub ip_configs: List<ArmId>,
    /// Members given by address (R214).
    pub addresses: List<BackendAddress>,
}

pub mod backend_pool {
    pub const IP_CONFIGS: &str = "/properties/backendIPConfigurations";
    pub const ADDRESSES: &str = "/properties/loadBalancerBackendAddresses";
}

#[derive(Clone, Debug)]
pub struct BackendAddress {
    pub name: Box<str>,
    pub address: Val<Option<IpAddr>>,
    pub vnet: Val<Option<Ref<VnetIx>>>,
    pub subnet: Val<Option<Ref<SubnetIx>>>,
    /// Set where the member is a NIC: the id of its IP configuration.
    pub ip_config: Val<Option<ArmId>>,
}

/// One load balancing rule (R165: HA ports are protocol `All`, front end and backend port 0).
#[derive(Clone, Debug)]
pub struct LoadBalancingRule {
    pub id: ArmId,
    pub place: Place,
    pub name: Box<str>,
    /// The id of the front end.
    pub frontend: Val<Option<ArmId>>,
    /// The ids of the backend pools: `backendAddressPool` and `backendAddressPools` together.
    pub backend_pools: List<ArmId>,
    pub probe: Val<Option<ArmId>>,
    pub protocol: Val<Option<LoadBalancerProtocol>>,
    pub frontend_port: Val<Option<u16>>,
    pub backend_port: Val<Option<u16>>,
    pub enable_floating_ip: Val<Option<bool>>,
    pub disable_outbound_snat: Val<Option<bool>>,
}

pub mod load_balancing_rule {
    pub const FRONTEND: &str = "/properties/frontendIPConfiguration/id";
    pub const BACKEND_POOL: &str = "/properties/backendAddressPool/id";
    pub const BACKEND_POOLS: &str = "/properties/backendAddressPools";
    pub const PROBE: &str = "/properties/probe/id";
    pub const PROTOCOL: &str = "/properties/protocol";
    pub const FRONTEND_PORT: &str = "/properties/frontendPort";
    pub const BACKEND_PORT: &str = "/properties/backendPort";
    pub const FLOATING_IP: &str = "/properties/enableFloatingIP";
    pub const DISABLE_OUTBOUND_SNAT: &str = "/properties/disableOutboundSnat";
}

#[derive(Clone, Debug)]
pub struct OutboundRule {
    pub id: ArmId,
    pub place: Place,
    pub name: Box<str>,
    pub frontends: List<ArmId>,
    pub backend_pool: Val<Option<ArmId>>,
    pub protocol: Val<Option<LoadBalancerProtocol>>,
}

pub mod outbound_rule {
    pub const FRONTENDS: &str = "/properties/frontendIPConfigurations";
    pub const BACKEND_POOL: &str = "/properties/backendAddressPool/id";
    pub const PROTOCOL: &str = "/properties/protocol";
}

#[derive(Clone, Debug)]
pub struct Probe {
    pub id: ArmId,
    pub place: Place,
    pub name: Box<str>,
    pub protocol: Val<Option<Box<str>>>,
    pub port: Val<Option<u16>>,
}

pub mod probe {
    pub const PROTOCOL: &str = "/properties/protocol";
    pub const PORT: &str = "/properties/port";
}

/// `Microsoft.Network/natGateways` (R203, R204).
#[derive(Clone, Debug)]
pub struct NatGateway {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub sku: Val<Option<Sku>>,
    pub public_ips: List<Ref<PublicIpIx>>,
    pub public_ip_prefixes: List<Ref<PublicIpPrefixIx>>,
}

pub mod nat_gateway {
    pub const SKU: &str = "/sku/name";
    pub const PUBLIC_IPS: &str = "/properties/publicIpAddresses";
    /// StandardV2's own list of IPv6 addresses.
    pub const PUBLIC_IPS_V6: &str = "/properties/publicIpAddressesV6";
    pub const PUBLIC_IP_PREFIXES: &str = "/properties/publicIpPrefixes";
    pub const PUBLIC_IP_PREFIXES_V6: &str = "/properties/publicIpPrefixesV6";
}

/// `Microsoft.Network/publicIPAddresses`.
#[derive(Clone, Debug)]
pub struct PublicIp {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub sku: Val<Option<Sku>>,
    /// Absent while a dynamic address is not allocated.
    pub address: Val<Option<IpAddr>>,
    pub allocation: Val<Option<Allocation>>,
    pub prefix: Val<Option<Ref<PublicIpPrefixIx>>>,
    /// The id of the IP configuration that holds it.
    pub holder: Val<Option<ArmId>>,
    pub nat_gateway: Val<Option<Ref<NatGatewayIx>>>,
}

pub mod public_ip {
    pub const SKU: &str = "/sku/name";
    pub const ADDRESS: &str = "/properties/ipAddress";
    pub const ALLOCATION: &str = "/properties/publicIPAllocationMethod";
    pub const PREFIX: &str = "/properties/publicIPPrefix/id";
    pub const HOLDER: &str = "/properties/ipConfiguration/id";
    pub const NAT_GATEWAY: &str = "/properties/natGateway/id";
}

/// `Microsoft.Network/publicIPPrefixes`.
#[derive(Clone, Debug)]
pub struct PublicIpPrefix {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub prefix: Val<Option<IpNet>>,
}

pub mod public_ip_prefix {
    pub const PREFIX: &str = "/properties/ipPrefix";
}

words! {
    Sku { Basic = "Basic", Standard = "Standard", StandardV2 = "StandardV2", Gateway = "Gateway" }
    LoadBalancerProtocol { Tcp = "Tcp", Udp = "Udp", All = "All", Quic = "Quic" }
}
