//! Who holds an address.

use std::net::IpAddr;

use super::index::{
    FirewallIx, GatewayIx, HubIx, InboundEndpointIx, LoadBalancerIx, NicIx, PoolIx, PrivateEndpointIx,
    ScaleSetIx, SubnetIx, VnetIx,
};
use super::symbol::SymbolIx;

/// One holder of an address. One address in two networks has two owners (`same_address_in_two_networks_is_two_hosts`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Owner {
    pub address: IpAddr,
    pub kind: OwnerKind,
    /// `None`: not read, or a virtual hub holds it.
    pub subnet: Option<SubnetIx>,
    pub vnet: Option<VnetIx>,
}

/// What holds the address. Numbers are positions in the object's own list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OwnerKind {
    /// `ip_configs[n]` of a NIC that is not a private endpoint's.
    Nic(NicIx, u16),
    /// `frontends[n]` of an internal load balancer.
    Frontend(LoadBalancerIx, u16),
    /// `ip_configs[n]` of a firewall in a network.
    Firewall(FirewallIx, u16),
    /// The private address of a secured hub's firewall.
    HubFirewall(FirewallIx),
    /// A member of a private endpoint, by its NIC, its custom DNS configuration or its static address (A74).
    PrivateEndpoint(PrivateEndpointIx),
    /// `ip_configs[n]` of an inbound endpoint.
    InboundEndpoint(InboundEndpointIx, u16),
    /// `ip_configs[n]` of a gateway, or one of its BGP addresses.
    Gateway(GatewayIx),
    /// `virtualRouterIps` of a Virtual WAN hub or Route Server.
    HubRouter(HubIx),
}

/// A holder of an address that is not known: `symbol` stands for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnknownOwner {
    pub symbol: SymbolIx,
    pub kind: OwnerKind,
    pub subnet: Option<SubnetIx>,
    pub vnet: Option<VnetIx>,
}

/// A member of an application security group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AsgMember {
    /// `ip_configs[n]` of a NIC (F31).
    Nic(NicIx, u16),
    /// F36.
    PrivateEndpoint(PrivateEndpointIx),
    /// Every node of the pool (F35).
    Pool(PoolIx),
    ScaleSet(ScaleSetIx),
}
