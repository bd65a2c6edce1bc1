//! Scale sets and virtual machines: node NICs, attached identities, power (A175, A301, D6, D103, R209).

use pullproof_snapshot::{ArmId, Place};

use super::index::{AsgIx, NicIx, NsgIx, PublicIpPrefixIx, Ref, SubnetIx, UserIdentityIx};
use super::nic::DnsSettings;
use super::val::{List, Val};
use super::word::{ProvisioningState, words};

/// `Microsoft.Compute/virtualMachineScaleSets`.
#[derive(Clone, Debug)]
pub struct ScaleSet {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub orchestration_mode: Val<Option<OrchestrationMode>>,
    pub nic_configs: List<NicConfig>,
    pub user_identities: List<Ref<UserIdentityIx>>,
    /// The tag `aks-managed-poolName` (older sets: `poolName`).
    pub pool_name: Val<Option<Box<str>>>,
    /// R92: the tag may stand on the scale set.
    pub disable_snat_on_pl: Val<Option<Box<str>>>,
}

pub mod scale_set {
    pub const ORCHESTRATION_MODE: &str = "/properties/orchestrationMode";
    pub const NIC_CONFIGS: &str =
        "/properties/virtualMachineProfile/networkProfile/networkInterfaceConfigurations";
    pub const USER_IDENTITIES: &str = "/identity/userAssignedIdentities";
    pub const POOL_NAME: &str = "/tags/aks-managed-poolName";
    pub const OLD_POOL_NAME: &str = "/tags/poolName";
    pub const DISABLE_SNAT_ON_PL: &str = "/tags/disableSnatOnPL";
}

/// One element of `networkInterfaceConfigurations[]`.
#[derive(Clone, Debug)]
pub struct NicConfig {
    pub place: Place,
    pub name: Box<str>,
    pub primary: Val<Option<bool>>,
    pub ip_forwarding: Val<Option<bool>>,
    pub nsg: Val<Option<Ref<NsgIx>>>,
    pub dns: DnsSettings,
    pub ip_configs: List<ScaleSetIpConfig>,
}

pub mod nic_config {
    pub const PRIMARY: &str = "/properties/primary";
    pub const IP_FORWARDING: &str = "/properties/enableIPForwarding";
    pub const NSG: &str = "/properties/networkSecurityGroup/id";
    pub const DNS_SERVERS: &str = "/properties/dnsSettings/dnsServers";
    pub const IP_CONFIGS: &str = "/properties/ipConfigurations";
}

#[derive(Clone, Debug)]
pub struct ScaleSetIpConfig {
    pub place: Place,
    pub name: Box<str>,
    pub primary: Val<Option<bool>>,
    pub subnet: Val<Option<Ref<SubnetIx>>>,
    pub asgs: List<Ref<AsgIx>>,
    pub backend_pools: List<ArmId>,
    /// `publicIPAddressConfiguration` is there: each instance has a public address.
    pub has_public_ip: Val<bool>,
    pub public_ip_prefix: Val<Option<Ref<PublicIpPrefixIx>>>,
}

pub mod scale_set_ip_config {
    pub const PRIMARY: &str = "/properties/primary";
    pub const SUBNET: &str = "/properties/subnet/id";
    pub const ASGS: &str = "/properties/applicationSecurityGroups";
    pub const BACKEND_POOLS: &str = "/properties/loadBalancerBackendAddressPools";
    pub const PUBLIC_IP: &str = "/properties/publicIPAddressConfiguration";
    pub const PUBLIC_IP_PREFIX: &str =
        "/properties/publicIPAddressConfiguration/properties/publicIPPrefix/id";
}

/// `Microsoft.Compute/virtualMachines`.
#[derive(Clone, Debug)]
pub struct VirtualMachine {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub nics: List<Ref<NicIx>>,
    pub user_identities: List<Ref<UserIdentityIx>>,
    /// From `instanceView.statuses[]` (`PowerState/…`), where it was collected (D114).
    pub power_state: Val<Option<VmPower>>,
}

pub mod virtual_machine {
    pub const NICS: &str = "/properties/networkProfile/networkInterfaces";
    pub const USER_IDENTITIES: &str = "/identity/userAssignedIdentities";
    pub const STATUSES: &str = "/properties/instanceView/statuses";
    /// Resource Graph's shape.
    pub const EXTENDED_POWER_STATE: &str = "/properties/extended/instanceView/powerState/code";
}

words! {
    OrchestrationMode { Uniform = "Uniform", Flexible = "Flexible" }
    /// The part after `PowerState/`.
    VmPower {
        Running = "running", Starting = "starting", Stopping = "stopping", Stopped = "stopped",
        Deallocating = "deallocating", Deallocated = "deallocated",
    }
}
