//! Whether an assignment's scope covers a registry (A305).

use pullproof_network::{Network, Val};
use pullproof_snapshot::ArmId;

use super::permission::Tri;
use crate::missing::permission;
use crate::unread::unknown_value;

const MANAGEMENT_GROUPS: &str = "/providers/microsoft.management/managementgroups/";

/// The root, a management group above, the subscription, the resource group, or the registry itself; compared segment
/// by segment.
pub(super) fn covers(network: &Network, scope: &Val<ArmId>, registry: &ArmId) -> Tri {
    let scope = match scope {
        Val::Known(scope) => scope,
        Val::Sym(symbol) => {
            return Tri::Perhaps(unknown_value(network, *symbol, "the scope of a role assignment"));
        }
    };
    let folded = scope.folded();
    if folded == "/" || folded.is_empty() || registry.is_within(folded) {
        return Tri::Yes;
    }
    if !folded.starts_with(MANAGEMENT_GROUPS) {
        return Tri::No;
    }
    let Some(subscription) = registry.subscription() else { return Tri::No };
    let subscription = format!("/subscriptions/{subscription}");
    let above: Vec<&str> = network.layered.base().complete().scopes_above(&subscription).collect();
    if above.contains(&folded) {
        return Tri::Yes;
    }
    // The chain is known up to the top exactly when it holds the tenant's root group, which is named by the tenant.
    let tenants = above.iter().filter_map(|scope| scope.strip_prefix("/tenants/"));
    let mut roots = tenants.map(|tenant| format!("{MANAGEMENT_GROUPS}{tenant}"));
    if roots.any(|root| above.contains(&root.as_str())) {
        return Tri::No;
    }
    Tri::Perhaps(permission(
        format!("whether management group {} lies above {subscription}", scope.name()),
        "a role is assigned there, and the hierarchy of management groups was not read to the top (A305)",
        "read Microsoft.Management/managementGroups, or the subscription through Resource Graph",
    ))
}
