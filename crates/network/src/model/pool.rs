//! Agent pools (A171–A176, A182, A187, D143).

use pullproof_snapshot::{ArmId, At, Place};

use super::cluster::PowerCode;
use super::index::{AsgIx, ClusterIx, PublicIpPrefixIx, Ref, SubnetIx};
use super::val::{List, Val};
use super::word::{ProvisioningState, words};

/// `managedClusters/agentPools`, merged from `agentPoolProfiles[]` and the child resource (A170).
///
/// An inline profile has its fields at its top, a child resource under `/properties`: take pointers from
/// [`Pool::at`].
#[derive(Clone, Debug)]
pub struct Pool {
    pub id: ArmId,
    pub place: Place,
    pub name: Box<str>,
    pub cluster: ClusterIx,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    /// Absent: the managed network in the node resource group (A175).
    pub vnet_subnet: Val<Option<Ref<SubnetIx>>>,
    pub pod_subnet: Val<Option<Ref<SubnetIx>>>,
    pub mode: Val<Option<PoolMode>>,
    pub pool_type: Val<Option<PoolType>>,
    pub count: Val<Option<i64>>,
    pub min_count: Val<Option<i64>>,
    pub max_count: Val<Option<i64>>,
    pub enable_auto_scaling: Val<Option<bool>>,
    pub power_state: Val<Option<PowerCode>>,
    pub os_type: Val<Option<OsType>>,
    pub os_sku: Val<Option<Box<str>>>,
    pub vm_size: Val<Option<Box<str>>>,
    pub node_image_version: Val<Option<Box<str>>>,
    pub orchestrator_version: Val<Option<Box<str>>>,
    pub current_orchestrator_version: Val<Option<Box<str>>>,
    pub enable_node_public_ip: Val<Option<bool>>,
    pub node_public_ip_prefix: Val<Option<Ref<PublicIpPrefixIx>>>,
    /// `networkProfile.applicationSecurityGroups`: plain ids (F35).
    pub asgs: List<Ref<AsgIx>>,
    pub has_allowed_host_ports: Val<bool>,
    pub artifact_streaming: Val<Option<bool>>,
    pub local_dns: LocalDns,
    /// `linuxOSConfig.sysctls.netIpv4IpLocalPortRange`, such as `32768 60999`: the pool's ephemeral ports (V2).
    pub local_port_range: Val<Option<Box<str>>>,
    /// The fields stand at the object's top (inline profile).
    pub(crate) inline: bool,
}

impl Pool {
    /// Where a field stands; `field` is one of [`pool`]'s pointers.
    pub fn at(&self, field: &'static str) -> At {
        match field.strip_prefix("/properties") {
            Some(flat) if self.inline => self.place.at(flat),
            _ => self.place.at(field),
        }
    }
}

/// Pointers below a pool's properties: pass them to [`Pool::at`].
pub mod pool {
    pub const VNET_SUBNET: &str = "/properties/vnetSubnetID";
    pub const POD_SUBNET: &str = "/properties/podSubnetID";
    pub const MODE: &str = "/properties/mode";
    pub const POOL_TYPE: &str = "/properties/type";
    pub const COUNT: &str = "/properties/count";
    pub const MIN_COUNT: &str = "/properties/minCount";
    pub const MAX_COUNT: &str = "/properties/maxCount";
    pub const ENABLE_AUTO_SCALING: &str = "/properties/enableAutoScaling";
    pub const POWER_STATE: &str = "/properties/powerState/code";
    pub const OS_TYPE: &str = "/properties/osType";
    pub const OS_SKU: &str = "/properties/osSKU";
    pub const VM_SIZE: &str = "/properties/vmSize";
    pub const NODE_IMAGE_VERSION: &str = "/properties/nodeImageVersion";
    pub const ORCHESTRATOR_VERSION: &str = "/properties/orchestratorVersion";
    pub const CURRENT_ORCHESTRATOR_VERSION: &str = "/properties/currentOrchestratorVersion";
    pub const ENABLE_NODE_PUBLIC_IP: &str = "/properties/enableNodePublicIP";
    pub const NODE_PUBLIC_IP_PREFIX: &str = "/properties/nodePublicIPPrefixID";
    pub const ASGS: &str = "/properties/networkProfile/applicationSecurityGroups";
    pub const ALLOWED_HOST_PORTS: &str = "/properties/networkProfile/allowedHostPorts";
    pub const ARTIFACT_STREAMING: &str = "/properties/artifactStreamingProfile/enabled";
    pub const LOCAL_DNS_MODE: &str = "/properties/localDNSProfile/mode";
    pub const LOCAL_DNS_STATE: &str = "/properties/localDNSProfile/state";
    pub const LOCAL_DNS_OVERRIDES: &str = "/properties/localDNSProfile/vnetDNSOverrides";
    pub const LOCAL_PORT_RANGE: &str = "/properties/linuxOSConfig/sysctls/netIpv4IpLocalPortRange";
}

/// `localDNSProfile` (A187, D143): use `state`, not `mode`.
#[derive(Clone, Debug)]
pub struct LocalDns {
    pub mode: Val<Option<LocalDnsMode>>,
    pub state: Val<Option<LocalDnsState>>,
    /// `vnetDNSOverrides` by zone, in order of zone; the root is `.`. Lower case.
    pub overrides: List<LocalDnsOverride>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalDnsOverride {
    pub zone: Box<str>,
    pub protocol: Val<Option<LocalDnsProtocol>>,
    pub forward_destination: Val<Option<ForwardDestination>>,
    pub forward_policy: Val<Option<ForwardPolicy>>,
}

words! {
    PoolMode { System = "System", User = "User", Gateway = "Gateway" }
    PoolType {
        VirtualMachineScaleSets = "VirtualMachineScaleSets", AvailabilitySet = "AvailabilitySet",
        VirtualMachines = "VirtualMachines",
    }
    OsType { Linux = "Linux", Windows = "Windows" }
    LocalDnsMode { Preferred = "Preferred", Required = "Required", Disabled = "Disabled" }
    LocalDnsState { Enabled = "Enabled", Disabled = "Disabled" }
    LocalDnsProtocol { PreferUdp = "PreferUDP", ForceTcp = "ForceTCP" }
    ForwardDestination { VnetDns = "VnetDNS", ClusterCoreDns = "ClusterCoreDNS" }
    ForwardPolicy { Sequential = "Sequential", RoundRobin = "RoundRobin", Random = "Random" }
}
