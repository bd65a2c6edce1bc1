//! Private endpoints, their DNS zone groups, and private link services (R11, A70–A76, D69–D76).

use std::net::IpAddr;

use pullproof_snapshot::{ArmId, Place};

use super::index::{AsgIx, NicIx, PrivateEndpointIx, Ref, RegistryIx, SubnetIx, ZoneGroupIx, ZoneIx};
use super::val::{List, Val};
use super::word::{ProvisioningState, words};

/// `Microsoft.Network/privateEndpoints`.
#[derive(Clone, Debug)]
pub struct PrivateEndpoint {
    pub id: ArmId,
    pub place: Place,
    pub location: Val<Option<Box<str>>>,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub subnet: Val<Option<Ref<SubnetIx>>>,
    pub nics: List<Ref<NicIx>>,
    /// `privateLinkServiceConnections` and `manualPrivateLinkServiceConnections` together (A72).
    pub connections: List<PrivateLinkConnection>,
    /// Static addresses by member (A72).
    pub ip_configs: List<PrivateEndpointIpConfig>,
    /// Empty where a zone group is attached: never read emptiness as "no name" (D70).
    pub custom_dns_configs: List<CustomDnsConfig>,
    pub asgs: List<Ref<AsgIx>>,
    pub zone_groups: List<ZoneGroupIx>,
}

pub mod private_endpoint {
    pub const SUBNET: &str = "/properties/subnet/id";
    pub const NICS: &str = "/properties/networkInterfaces";
    pub const CONNECTIONS: &str = "/properties/privateLinkServiceConnections";
    pub const MANUAL_CONNECTIONS: &str = "/properties/manualPrivateLinkServiceConnections";
    pub const IP_CONFIGS: &str = "/properties/ipConfigurations";
    pub const CUSTOM_DNS_CONFIGS: &str = "/properties/customDnsConfigs";
    pub const ASGS: &str = "/properties/applicationSecurityGroups";
    pub const ZONE_GROUPS: &str = "/properties/privateDnsZoneGroups";
}

/// A connection to a private link resource, as the private endpoint shows it.
#[derive(Clone, Debug)]
pub struct PrivateLinkConnection {
    pub place: Place,
    pub name: Box<str>,
    /// From `manualPrivateLinkServiceConnections`.
    pub manual: bool,
    pub target: Val<Option<PrivateLinkTarget>>,
    pub group_ids: List<Box<str>>,
    /// The private endpoint's copy; where the registry's differs, that one is right (A75).
    pub status: Val<Option<ConnectionStatus>>,
}

pub mod private_link_connection {
    pub const TARGET: &str = "/properties/privateLinkServiceId";
    pub const GROUP_IDS: &str = "/properties/groupIds";
    pub const STATUS: &str = "/properties/privateLinkServiceConnectionState/status";
}

/// What a private endpoint leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrivateLinkTarget {
    Registry(Ref<RegistryIx>),
    Other(ArmId),
    /// A private link service by its alias (manual connections): no ARM id.
    Alias(Box<str>),
}

/// One element of `ipConfigurations[]` of a private endpoint.
#[derive(Clone, Debug)]
pub struct PrivateEndpointIpConfig {
    pub place: Place,
    pub group: Val<Option<Box<str>>>,
    pub member: Val<Option<Box<str>>>,
    pub address: Val<Option<IpAddr>>,
}

pub mod private_endpoint_ip_config {
    pub const GROUP: &str = "/properties/groupId";
    pub const MEMBER: &str = "/properties/memberName";
    pub const ADDRESS: &str = "/properties/privateIPAddress";
}

/// One element of `customDnsConfigs[]`.
#[derive(Clone, Debug)]
pub struct CustomDnsConfig {
    pub place: Place,
    pub fqdn: Val<Option<Box<str>>>,
    pub addresses: List<Val<IpAddr>>,
}

pub mod custom_dns_config {
    pub const FQDN: &str = "/fqdn";
    pub const ADDRESSES: &str = "/ipAddresses";
}

/// `…/privateDnsZoneGroups` (D71).
#[derive(Clone, Debug)]
pub struct ZoneGroup {
    pub id: ArmId,
    pub place: Place,
    pub private_endpoint: PrivateEndpointIx,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub configs: List<ZoneConfig>,
}

pub mod zone_group {
    pub const CONFIGS: &str = "/properties/privateDnsZoneConfigs";
}

/// One zone of a zone group.
#[derive(Clone, Debug)]
pub struct ZoneConfig {
    pub name: Box<str>,
    pub zone: Val<Option<Ref<ZoneIx>>>,
    /// What Azure wrote; the zone's own record sets are what resolvers serve (D72).
    pub record_sets: List<WrittenRecordSet>,
}

#[derive(Clone, Debug)]
pub struct WrittenRecordSet {
    pub record_type: Val<Option<Box<str>>>,
    pub name: Val<Option<Box<str>>>,
    pub fqdn: Val<Option<Box<str>>>,
    pub addresses: List<Val<IpAddr>>,
    pub provisioning_state: Val<Option<ProvisioningState>>,
}

/// `Microsoft.Network/privateLinkServices`: what stands behind private endpoints to one's own load balancers.
#[derive(Clone, Debug)]
pub struct PrivateLinkService {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    /// The ids of load balancer front ends.
    pub frontends: List<ArmId>,
    /// The subnets that it takes its NAT addresses from.
    pub nat_subnets: List<Ref<SubnetIx>>,
}

pub mod private_link_service {
    pub const FRONTENDS: &str = "/properties/loadBalancerFrontendIpConfigurations";
    pub const IP_CONFIGS: &str = "/properties/ipConfigurations";
}

words! {
    /// A75: only `Approved` carries traffic.
    ConnectionStatus {
        Approved = "Approved", Pending = "Pending", Rejected = "Rejected", Disconnected = "Disconnected",
    }
}
