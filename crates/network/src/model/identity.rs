//! Identities, role assignments and definitions, deny assignments, subscriptions (A300–A312).

use pullproof_snapshot::{ArmId, Place};

use super::index::{Ref, RoleDefinitionIx};
use super::val::{List, Val};
use super::word::{ProvisioningState, words};

/// `Microsoft.ManagedIdentity/userAssignedIdentities`.
#[derive(Clone, Debug)]
pub struct UserIdentity {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub principal: Val<Option<Box<str>>>,
    pub client: Val<Option<Box<str>>>,
    pub tenant: Val<Option<Box<str>>>,
}

pub mod user_identity {
    pub const PRINCIPAL: &str = "/properties/principalId";
    pub const CLIENT: &str = "/properties/clientId";
    pub const TENANT: &str = "/properties/tenantId";
}

/// `Microsoft.Authorization/roleAssignments` (A306).
#[derive(Clone, Debug)]
pub struct RoleAssignment {
    pub id: ArmId,
    pub place: Place,
    /// `properties.scope`; absent: taken from the id.
    pub scope: Val<ArmId>,
    /// The last segment is the role's GUID.
    pub role: Val<Option<RoleReference>>,
    /// Lower case.
    pub principal: Val<Option<Box<str>>>,
    pub principal_type: Val<Option<PrincipalType>>,
    pub condition: Val<Option<Box<str>>>,
    pub condition_version: Val<Option<Box<str>>>,
    pub delegated_managed_identity: Val<Option<ArmId>>,
}

pub mod role_assignment {
    pub const SCOPE: &str = "/properties/scope";
    pub const ROLE: &str = "/properties/roleDefinitionId";
    pub const PRINCIPAL: &str = "/properties/principalId";
    pub const PRINCIPAL_TYPE: &str = "/properties/principalType";
    pub const CONDITION: &str = "/properties/condition";
    pub const CONDITION_VERSION: &str = "/properties/conditionVersion";
    pub const DELEGATED_MANAGED_IDENTITY: &str = "/properties/delegatedManagedIdentityResourceId";
}

/// A role named by an assignment. Definitions are matched by GUID: the prefix of `roleDefinitionId` differs by scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleReference {
    /// Lower case.
    pub guid: Box<str>,
    pub definition: Ref<RoleDefinitionIx>,
}

/// `Microsoft.Authorization/roleDefinitions`.
#[derive(Clone, Debug)]
pub struct RoleDefinition {
    pub id: ArmId,
    pub place: Place,
    /// Lower case.
    pub guid: Box<str>,
    pub role_name: Val<Option<Box<str>>>,
    pub role_type: Val<Option<Box<str>>>,
    pub permissions: List<Permission>,
    pub assignable_scopes: List<Box<str>>,
}

pub mod role_definition {
    pub const ROLE_NAME: &str = "/properties/roleName";
    pub const ROLE_TYPE: &str = "/properties/type";
    pub const PERMISSIONS: &str = "/properties/permissions";
    pub const ASSIGNABLE_SCOPES: &str = "/properties/assignableScopes";
}

/// One element of `permissions[]` (A304).
#[derive(Clone, Debug)]
pub struct Permission {
    pub place: Place,
    pub actions: List<Box<str>>,
    pub not_actions: List<Box<str>>,
    pub data_actions: List<Box<str>>,
    pub not_data_actions: List<Box<str>>,
    pub condition: Val<Option<Box<str>>>,
}

pub mod permission {
    pub const ACTIONS: &str = "/actions";
    pub const NOT_ACTIONS: &str = "/notActions";
    pub const DATA_ACTIONS: &str = "/dataActions";
    pub const NOT_DATA_ACTIONS: &str = "/notDataActions";
    pub const CONDITION: &str = "/condition";
}

/// `Microsoft.Authorization/denyAssignments` (A309).
#[derive(Clone, Debug)]
pub struct DenyAssignment {
    pub id: ArmId,
    pub place: Place,
    /// `properties.scope`; absent: taken from the id.
    pub scope: Val<ArmId>,
    pub permissions: List<Permission>,
    /// Absent counts as false.
    pub do_not_apply_to_child_scopes: Val<bool>,
    pub principals: List<DenyPrincipal>,
    pub exclude_principals: List<DenyPrincipal>,
    pub is_system_protected: Val<Option<bool>>,
}

pub mod deny_assignment {
    pub const SCOPE: &str = "/properties/scope";
    pub const PERMISSIONS: &str = "/properties/permissions";
    pub const DO_NOT_APPLY_TO_CHILD_SCOPES: &str = "/properties/doNotApplyToChildScopes";
    pub const PRINCIPALS: &str = "/properties/principals";
    pub const EXCLUDE_PRINCIPALS: &str = "/properties/excludePrincipals";
    pub const IS_SYSTEM_PROTECTED: &str = "/properties/isSystemProtected";
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DenyPrincipal {
    /// Lower case; the all-zero GUID is everyone (A309).
    pub id: Val<Option<Box<str>>>,
    /// `SystemDefined`, `User`, `Group`, `ServicePrincipal`.
    pub kind: Val<Option<Box<str>>>,
}

/// `/subscriptions/<id>`.
#[derive(Clone, Debug)]
pub struct Subscription {
    pub id: ArmId,
    pub place: Place,
    /// Lower case (A312).
    pub tenant: Val<Option<Box<str>>>,
    pub state: Val<Option<Box<str>>>,
    /// Names of the management groups above it, nearest first, where Resource Graph shows the chain.
    pub management_groups: Option<List<Box<str>>>,
}

pub mod subscription {
    pub const TENANT: &str = "/tenantId";
    pub const STATE: &str = "/state";
    /// Resource Graph's shape.
    pub const GRAPH_STATE: &str = "/properties/state";
    pub const MANAGEMENT_GROUPS: &str = "/properties/managementGroupAncestorsChain";
}

words! {
    PrincipalType {
        User = "User", Group = "Group", ServicePrincipal = "ServicePrincipal", ForeignGroup = "ForeignGroup",
        Device = "Device",
    }
}
