//! The YAML as written: one struct a kind, in ARM's words (camelCase property names, names in place of ids).
//!
//! What lives here: shapes only. What may not: ids, defaults and anything that ARM adds; that is `expand`.
//! Every struct refuses unknown keys, so a misspelt key is an error with its place.
//!
//! Read in this order: [`described`], [`scenario`], [`network`], [`devices`], [`gateways`], [`names`], [`registry`],
//! [`cluster`].

#[macro_use]
mod described;
mod cluster;
mod devices;
mod gateways;
mod names;
mod network;
mod registry;
mod scenario;
mod texts;

pub use cluster::{
    AgentPool, Cluster, DenyAssignment, Identity, RoleAssignment, RoleDefinition, VirtualMachineScaleSet,
};
pub use described::{Described, Head};
pub use devices::{
    ApplicationRule, AzureFirewall, Backend, FirewallPolicy, Frontend, IpGroup, LoadBalancer,
    LoadBalancingRule, NatRule, NetworkInterface, NetworkRule, RuleCollection, RuleCollectionGroup,
    VirtualMachine,
};
pub use gateways::{
    Connection, ExpressRouteCircuit, HubConnection, HubRoute, HubRouteTable, LocalNetworkGateway,
    RoutingIntent, VirtualHub, VirtualNetworkGateway, VirtualWan,
};
pub use names::{
    DnsForwardingRuleset, DnsResolver, ForwardingRule, InboundEndpoint, OutboundEndpoint, PrivateDnsZone,
    RecordSet, RulesetLink, VirtualNetworkLink,
};
pub use network::{
    ApplicationSecurityGroup, NatGateway, NetworkSecurityGroup, Peering, PeeringHalf, PublicIPAddress,
    PublicIPPrefix, Route, RouteTable, SecurityRule, Subnet, VirtualNetwork,
};
pub use registry::{PrivateEndpoint, Registry, Replication};
pub use scenario::{Captured, Document, Expectation, Subscription, Twin};
pub use texts::Texts;
