//! Answers that Azure itself computed, recorded beside the configuration (CONTRACT §1).

use serde_json::Value;

use crate::id::ArmId;

/// One recorded answer. Void only if a resource that it was computed from is known to have changed later.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// What was asked: a NIC, subnet, gateway, virtual network …
    pub resource: ArmId,
    /// `effectiveRouteTable`, `effectiveNetworkSecurityGroups`, `getLearnedRoutes`, `getAdvertisedRoutes`, …
    pub operation: String,
    /// RFC 3339, where the recording says so.
    pub captured: Option<String>,
    /// As Azure returned it.
    pub answer: Value,
}
