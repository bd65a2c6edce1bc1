//! Which role assignments let a principal pull (A302–A308).

use pullproof_network::model::identity::{PrincipalType, RoleAssignment, role_assignment};
use pullproof_network::model::index::{RegistryIx, RoleAssignmentIx};
use pullproof_network::{Network, Val};

use super::permission::{Need, Tri, role_has};
use super::puller::Principal;
use super::{condition, scope};
use crate::missing::evidence;
use crate::outcome::Missing;
use crate::unread::unknown_value;

/// Assignments that name the principal.
pub(super) fn assigned(network: &Network, principal: &Principal) -> Vec<RoleAssignmentIx> {
    match principal {
        Principal::Object(id) => network.assignments_of(id).to_vec(),
        Principal::Symbol(symbol) => {
            let open = network.assignments_open().iter().copied();
            open.filter(|ix| network.role_assignments[*ix].principal == Val::Sym(*symbol)).collect()
        }
    }
}

/// Whether one assignment grants what is needed at the registry, its condition aside.
pub(super) fn grants(
    network: &Network,
    assignment: &RoleAssignment,
    registry: RegistryIx,
    need: Need,
) -> Tri {
    let covers = scope::covers(network, &assignment.scope, &network.registries[registry].id);
    covers.and(|| match &assignment.role {
        Val::Known(Some(role)) => role_has(network, role, need),
        Val::Known(None) => Tri::No,
        Val::Sym(symbol) => Tri::Perhaps(unknown_value(network, *symbol, "the role of a role assignment")),
    })
}

/// Whether its condition lets the repository pass; no condition is registry-wide (A308).
pub(super) fn passes(
    network: &Network,
    assignment: &RoleAssignment,
    need: Need,
    repository: Option<&str>,
) -> Tri {
    match &assignment.condition {
        Val::Known(None) => Tri::Yes,
        Val::Known(Some(text)) if text.trim().is_empty() => Tri::Yes,
        Val::Known(Some(text)) => condition::allows(text, need.text, repository),
        Val::Sym(symbol) => {
            let what = format!("the condition of role assignment {}", assignment.id.name());
            Tri::Perhaps(unknown_value(network, *symbol, what))
        }
    }
}

/// Assignments to groups, or to principals that are not known, that would grant it: the puller may be meant (A307).
pub(super) fn perhaps_others(network: &Network, registry: RegistryIx, need: Need) -> Option<Missing> {
    for (_, assignment) in network.role_assignments.iter() {
        let group = matches!(
            assignment.principal_type,
            Val::Known(Some(PrincipalType::Group | PrincipalType::ForeignGroup))
        );
        let open = matches!(assignment.principal, Val::Sym(_));
        if !(group || open) || grants(network, assignment, registry, need) == Tri::No {
            continue;
        }
        if let Val::Sym(symbol) = &assignment.principal {
            let what = format!("the principal of role assignment {}", assignment.id.name());
            return Some(unknown_value(network, *symbol, what));
        }
        let group = assignment.principal.present().map(|p| p.to_string()).unwrap_or_default();
        let at = assignment.place.at(role_assignment::PRINCIPAL).pointer();
        return Some(evidence(
            format!("whether the pulling identity is a member of group {group}"),
            format!("the group may pull ({at}); who is in it is not in Azure Resource Manager (A307)"),
            "assign the role to the identity itself, or list its assignments with assignedTo('<object id>')",
        ));
    }
    None
}
