//! Deny assignments: they beat every role (A309).

use pullproof_network::model::identity::{DenyPrincipal, deny_assignment};
use pullproof_network::model::index::RegistryIx;
use pullproof_network::{List, Network, Val};
use pullproof_snapshot::Absence;

use super::permission::{Need, Tri, has};
use super::puller::{Principal, Puller};
use super::scope;
use crate::blocker::BlockerKind;
use crate::missing::evidence;
use crate::outcome::{Basis, Blocker, Outcome};
use crate::unread::{incomplete, unknown_value};

/// Everyone.
const EVERYONE: &str = "00000000-0000-0000-0000-000000000000";

const TYPE: &str = "microsoft.authorization/denyassignments";

/// Holds exactly when nothing denies it.
pub(super) fn not_denied(
    network: &Network,
    puller: &Puller,
    registry: RegistryIx,
    need: Need,
    basis: &mut Basis,
) -> Outcome {
    let id = &network.registries[registry].id;
    let mut outcome = Outcome::Holds;
    for (_, denial) in network.deny_assignments.iter() {
        let named = || format!("deny assignment {}", denial.id.name());
        let exact = match (&denial.do_not_apply_to_child_scopes, denial.scope.known()) {
            (Val::Known(true), Some(scope)) => scope == id,
            _ => true,
        };
        if !exact {
            continue;
        }
        let denies = scope::covers(network, &denial.scope, id)
            .and(|| has(network, &denial.permissions, need, &named))
            .and(|| names(network, &denial.principals, puller, &named))
            .and(|| names(network, &denial.exclude_principals, puller, &named).not());
        match denies {
            Tri::No => {}
            Tri::Perhaps(missing) => outcome = outcome.and(Outcome::open(missing)),
            Tri::Yes => {
                outcome = outcome.and(Outcome::fails(Blocker {
                    kind: BlockerKind::DenyAssignment,
                    message: format!("{} denies {} to {}", named(), need.text, puller.name),
                    remedy: "remove the deny assignment, or what made it (a deployment stack, a managed application)".into(),
                    facts: vec!["A309"],
                    evidence: vec![denial.place.at(deny_assignment::PERMISSIONS), denial.place.at(deny_assignment::PRINCIPALS)],
                }));
            }
        }
    }
    match network.layered.absence(id.folded(), TYPE) {
        Absence::Evidence { assumption } => {
            if let Some(assumption) = assumption {
                basis.assume(assumption);
            }
            outcome
        }
        Absence::NoEvidence(reason) => {
            outcome.and(Outcome::open(incomplete(&reason, "a deny assignment beats every role (A309)")))
        }
    }
}

/// Whether a list names the puller, or everyone; groups are not known.
fn names(network: &Network, list: &List<DenyPrincipal>, puller: &Puller, named: &dyn Fn() -> String) -> Tri {
    let mut out = match list.open {
        Some(symbol) => Tri::Perhaps(unknown_value(network, symbol, named())),
        None => Tri::No,
    };
    for entry in list {
        let group = entry.kind.present().is_some_and(|kind| kind.eq_ignore_ascii_case("Group"));
        let one = match (&entry.id, &puller.principal) {
            (Val::Known(Some(id)), _) if id.eq_ignore_ascii_case(EVERYONE) => Tri::Yes,
            (Val::Known(Some(id)), Principal::Object(own)) if id.eq_ignore_ascii_case(own) => Tri::Yes,
            (Val::Sym(symbol), Principal::Symbol(own)) if symbol == own => Tri::Yes,
            (Val::Sym(symbol), _) => Tri::Perhaps(unknown_value(network, *symbol, named())),
            _ if group => Tri::Perhaps(evidence(
                format!("whether {} is in a group that {} names", puller.name, named()),
                "who is in a group is not in Azure Resource Manager (A307)",
                "list the identity's group memberships",
            )),
            _ => Tri::No,
        };
        out = out.or(|| one);
    }
    out
}
