//! Network interfaces (R10, D6, D69, F31).

use std::net::IpAddr;

use pullproof_snapshot::{ArmId, Place};

use super::index::{AsgIx, NsgIx, PrivateEndpointIx, PublicIpIx, Ref, SubnetIx, VirtualMachineIx};
use super::val::{List, Val};
use super::word::{ProvisioningState, words};

/// `Microsoft.Network/networkInterfaces`, and `…/virtualMachineScaleSets/…/networkInterfaces` where the input has them.
#[derive(Clone, Debug)]
pub struct Nic {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    /// Absent counts as false (R246).
    pub ip_forwarding: Val<bool>,
    pub nsg: Val<Option<Ref<NsgIx>>>,
    pub dns: DnsSettings,
    pub ip_configs: List<IpConfig>,
    /// Set on the NICs of private endpoints.
    pub private_endpoint: Val<Option<Ref<PrivateEndpointIx>>>,
    pub virtual_machine: Val<Option<Ref<VirtualMachineIx>>>,
    /// R210.
    pub default_outbound_connectivity_enabled: Val<Option<bool>>,
    /// Tag `disableSnatOnPL`, name case-sensitive (R92).
    pub disable_snat_on_pl: Val<Option<Box<str>>>,
}

pub mod nic {
    pub const IP_FORWARDING: &str = "/properties/enableIPForwarding";
    pub const NSG: &str = "/properties/networkSecurityGroup/id";
    pub const DNS_SERVERS: &str = "/properties/dnsSettings/dnsServers";
    pub const APPLIED_DNS_SERVERS: &str = "/properties/dnsSettings/appliedDnsServers";
    pub const IP_CONFIGS: &str = "/properties/ipConfigurations";
    pub const PRIVATE_ENDPOINT: &str = "/properties/privateEndpoint/id";
    pub const VIRTUAL_MACHINE: &str = "/properties/virtualMachine/id";
    pub const DEFAULT_OUTBOUND: &str = "/properties/defaultOutboundConnectivityEnabled";
    pub const DISABLE_SNAT_ON_PL: &str = "/tags/disableSnatOnPL";
}

/// `dnsSettings` of a NIC or of a scale set's NIC configuration (D6, D7).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DnsSettings {
    /// Not empty: replaces the network's list (D6).
    pub servers: List<Val<IpAddr>>,
    pub applied: List<Val<IpAddr>>,
}

/// One element of `ipConfigurations[]` of a NIC.
#[derive(Clone, Debug)]
pub struct IpConfig {
    pub id: ArmId,
    pub place: Place,
    pub name: Box<str>,
    pub subnet: Val<Option<Ref<SubnetIx>>>,
    pub address: Val<Option<IpAddr>>,
    pub allocation: Val<Option<Allocation>>,
    pub primary: Val<Option<bool>>,
    pub public_ip: Val<Option<Ref<PublicIpIx>>>,
    pub asgs: List<Ref<AsgIx>>,
    /// The ids of load balancer backend pools (`…/loadBalancers/x/backendAddressPools/y`).
    pub backend_pools: List<ArmId>,
    /// `privateLinkConnectionProperties` (D69): which member of a private endpoint this is.
    pub member: Option<PrivateLinkMember>,
}

pub mod ip_config {
    pub const SUBNET: &str = "/properties/subnet/id";
    pub const ADDRESS: &str = "/properties/privateIPAddress";
    pub const ALLOCATION: &str = "/properties/privateIPAllocationMethod";
    pub const PRIMARY: &str = "/properties/primary";
    pub const PUBLIC_IP: &str = "/properties/publicIPAddress/id";
    pub const ASGS: &str = "/properties/applicationSecurityGroups";
    pub const BACKEND_POOLS: &str = "/properties/loadBalancerBackendAddressPools";
    pub const MEMBER: &str = "/properties/privateLinkConnectionProperties";
    pub const MEMBER_GROUP: &str = "/properties/privateLinkConnectionProperties/groupId";
    pub const MEMBER_NAME: &str = "/properties/privateLinkConnectionProperties/requiredMemberName";
    pub const MEMBER_FQDNS: &str = "/properties/privateLinkConnectionProperties/fqdns";
}

/// D69: the ground truth for (name → address) of a private endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivateLinkMember {
    pub group: Val<Option<Box<str>>>,
    pub name: Val<Option<Box<str>>>,
    pub fqdns: List<Box<str>>,
}

words! {
    Allocation { Static = "Static", Dynamic = "Dynamic" }
}
