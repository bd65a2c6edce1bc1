//! Azure Virtual Network Manager: presence only (R31, F100–F112). What is deployed is not in these resources (F104).

use pullproof_snapshot::{ArmId, Place};

use super::val::{List, Val};
use super::word::{ProvisioningState, words};

/// `Microsoft.Network/networkManagers`.
#[derive(Clone, Debug)]
pub struct NetworkManager {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    /// Ids of subscriptions and management groups.
    pub scopes: List<Box<str>>,
    /// `SecurityAdmin`, `Connectivity`, `Routing`.
    pub accesses: List<ManagerAccess>,
    /// Configurations of any kind below it, by id.
    pub configurations: List<ManagerConfiguration>,
}

pub mod network_manager {
    pub const SUBSCRIPTIONS: &str = "/properties/networkManagerScopes/subscriptions";
    pub const MANAGEMENT_GROUPS: &str = "/properties/networkManagerScopes/managementGroups";
    pub const ACCESSES: &str = "/properties/networkManagerScopeAccesses";
}

/// A configuration of a network manager; only deployed ones count, and deployment is not shown here (F104).
#[derive(Clone, Debug)]
pub struct ManagerConfiguration {
    pub id: ArmId,
    pub place: Place,
    pub kind: ManagerAccess,
}

words! {
    ManagerAccess { SecurityAdmin = "SecurityAdmin", Connectivity = "Connectivity", Routing = "Routing" }
}
