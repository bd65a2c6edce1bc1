//! Service endpoint policies (A93).

use pullproof_snapshot::{ArmId, Place};

use super::val::{List, Val};
use super::word::ProvisioningState;

/// `Microsoft.Network/serviceEndpointPolicies`.
#[derive(Clone, Debug)]
pub struct ServiceEndpointPolicy {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub definitions: List<ServiceEndpointPolicyDefinition>,
    /// Aliases such as `/services/Azure/ManagedInstance`.
    pub service_alias: Val<Option<Box<str>>>,
}

pub mod service_endpoint_policy {
    pub const DEFINITIONS: &str = "/properties/serviceEndpointPolicyDefinitions";
    pub const SERVICE_ALIAS: &str = "/properties/serviceAlias";
}

#[derive(Clone, Debug)]
pub struct ServiceEndpointPolicyDefinition {
    pub id: ArmId,
    pub place: Place,
    pub name: Box<str>,
    /// `Microsoft.Storage`, or `Global` for aliases.
    pub service: Val<Option<Box<str>>>,
    /// Ids of accounts, resource groups or subscriptions, and aliases.
    pub service_resources: List<Box<str>>,
}

pub mod service_endpoint_policy_definition {
    pub const SERVICE: &str = "/properties/service";
    pub const SERVICE_RESOURCES: &str = "/properties/serviceResources";
}
