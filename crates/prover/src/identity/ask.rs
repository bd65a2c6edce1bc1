//! The question: may the cluster's nodes pull from the registry.

use pullproof_network::model::identity::role_assignment;
use pullproof_network::model::index::{ClusterIx, PoolIx, RegistryIx, RoleAssignmentIx};
use pullproof_network::model::registry::{RegistrySku, RoleAssignmentMode, registry};
use pullproof_network::{Ref, Val};
use pullproof_snapshot::{Absence, At};

use super::grants::{assigned, grants, passes, perhaps_others};
use super::permission::{CONTENT, Need, PULL, Tri};
use super::puller::{NoPuller, Principal, Puller, cross_tenant, puller, tenant_of};
use super::{attached, credential, deny, secret};
use crate::blocker::BlockerKind;
use crate::missing::{contested, not_modelled};
use crate::outcome::{Basis, Blocker, Missing, Outcome, Read, Remark};
use crate::prover::Prover;
use crate::registry_answer::{IdentityAnswer, RegistryKey};
use crate::unread::{incomplete, unknown_value};

const ASSIGNMENTS: &str = "microsoft.authorization/roleassignments";

impl Prover<'_> {
    /// May the cluster's nodes pull these repositories (empty: whichever is pulled) from the registry? Holds exactly
    /// when the pulling identity has the right by a role, or none is needed; networks have no say. `pool`: whose scale
    /// sets need the identity (absent: those of all pools); `image_hosts`: the hosts that images name.
    pub fn identity(
        &self,
        cluster: ClusterIx,
        pool: Option<PoolIx>,
        registry: RegistryKey,
        image_hosts: &[String],
        repositories: &[String],
    ) -> IdentityAnswer {
        match registry {
            RegistryKey::Acr(ix) => self.acr_identity(cluster, pool, ix, image_hosts, repositories),
            RegistryKey::Declared(i) => {
                let mut basis = Basis::default();
                let table = self.network.declared.registries.get(i);
                let (outcome, result) = match table {
                    Some(table) => secret::declared(table, &mut basis),
                    None => (Outcome::open(not_modelled("the registry", "no such table")), "not known"),
                };
                let name = table.map(|t| t.name.clone()).unwrap_or_default();
                IdentityAnswer {
                    outcome,
                    principal: format!("the pull secret for {name}"),
                    action: "pull".into(),
                    scope: name,
                    result: result.into(),
                    basis,
                }
            }
        }
    }

    fn acr_identity(
        &self,
        cluster: ClusterIx,
        pool: Option<PoolIx>,
        ix: RegistryIx,
        image_hosts: &[String],
        repositories: &[String],
    ) -> IdentityAnswer {
        let network = self.network;
        let object = &network.registries[ix];
        let need = if object.role_assignment_mode.is(&RoleAssignmentMode::AbacRepositoryPermissions) {
            CONTENT
        } else {
            PULL
        };
        let mut answer = IdentityAnswer {
            outcome: Outcome::Holds,
            principal: format!("the kubelet identity of {}", network.clusters[cluster].id.name()),
            action: need.text.into(),
            scope: object.id.as_written().into(),
            result: "allowed".into(),
            basis: Basis::default(),
        };
        answer.basis.reads.insert(Read::Resource(object.id.clone()));
        // A310, A36: Basic has no anonymous pull.
        if object.anonymous_pull_enabled.is(&true) && !object.sku.is(&Some(RegistrySku::Basic)) {
            answer.result = "anonymous pull is enabled".into();
            return answer;
        }
        let puller = match puller(network, cluster, ix, &mut answer.basis) {
            Ok(puller) => puller,
            Err(NoPuller::Open(missing)) => {
                answer.outcome = Outcome::open(missing);
                answer.result = "not known".into();
                return answer;
            }
            Err(NoPuller::Fails(blocker)) => {
                answer.result = blocker.kind.as_str().into();
                answer.outcome = Outcome::fails(blocker);
                return answer;
            }
        };
        answer.principal = match &puller.principal {
            Principal::Object(id) => format!("{} ({id})", puller.name),
            Principal::Symbol(_) => puller.name.clone(),
        };
        let registry_tenant = tenant_of(network, &object.id);
        if let (Some(own), Some(theirs), true) = (&puller.tenant, &registry_tenant, puller.managed)
            && own != theirs
        {
            // A managed identity cannot be given roles in another tenant (A312).
            answer.result = "the registry is in another tenant".into();
            answer.outcome = Outcome::fails(cross_tenant(&puller.name, own, theirs, puller.at));
            return answer;
        }
        let roles = match &object.role_assignment_mode {
            Val::Known(RoleAssignmentMode::Legacy | RoleAssignmentMode::AbacRepositoryPermissions) => {
                self.by_roles(cluster, &puller, ix, need, repositories, &mut answer.basis)
            }
            Val::Known(other) => Outcome::open(not_modelled(
                format!("roleAssignmentMode {} of {}", other.as_str(), object.id.name()),
                "this mode is not known",
            )),
            Val::Sym(symbol) => {
                let a = self.by_roles(cluster, &puller, ix, PULL, repositories, &mut answer.basis);
                let b = self.by_roles(cluster, &puller, ix, CONTENT, repositories, &mut answer.basis);
                let what = format!("the roleAssignmentMode of {}", object.id.name());
                a.readings(b, unknown_value(network, *symbol, what))
            }
        };
        answer.outcome = roles;
        if puller.managed {
            let attached = attached::attached(network, cluster, pool);
            answer.outcome = answer.outcome.and(attached);
        }
        answer.outcome = answer.outcome.and(credential::presented(network, ix, pool, image_hosts));
        answer.result = match &answer.outcome {
            Outcome::Holds => "allowed".into(),
            Outcome::Fails(blocker, _) => match blocker.kind {
                BlockerKind::NoRole => "no matching role assignment".into(),
                other => other.as_str().into(),
            },
            Outcome::Open(..) => "not known".into(),
        };
        answer
    }

    fn by_roles(
        &self,
        cluster: ClusterIx,
        puller: &Puller,
        ix: RegistryIx,
        need: Need,
        repositories: &[String],
        basis: &mut Basis,
    ) -> Outcome {
        let network = self.network;
        let own = assigned(network, &puller.principal);
        let granting: Vec<(RoleAssignmentIx, Tri)> = own
            .iter()
            .map(|a| (*a, grants(network, &network.role_assignments[*a], ix, need)))
            .filter(|(_, granted)| *granted != Tri::No)
            .collect();
        let mut allowed = Outcome::Holds;
        let every: Vec<Option<&str>> = match repositories {
            [] => vec![None],
            some => some.iter().map(|r| Some(r.as_str())).collect(),
        };
        for repository in every {
            let mut may = Tri::No;
            for (assignment, granted) in &granting {
                let object = &network.role_assignments[*assignment];
                may = may.or(|| granted.clone().and(|| passes(network, object, need, repository)));
            }
            allowed = allowed.and(match may {
                Tri::Yes => Outcome::Holds,
                Tri::Perhaps(missing) => Outcome::open(missing),
                Tri::No => self.not_granted(cluster, puller, ix, need, &granting, repository, basis),
            });
        }
        if allowed.holds() {
            for (assignment, _) in &granting {
                basis.reads.insert(Read::Resource(network.role_assignments[*assignment].id.clone()));
            }
            self.over_grant(&granting, basis);
        }
        allowed.and(deny::not_denied(network, puller, ix, need, basis))
    }

    /// Why nothing grants it: what would have, had it been otherwise.
    #[expect(clippy::too_many_arguments, reason = "who, what, where, and what was found")]
    fn not_granted(
        &self,
        cluster: ClusterIx,
        puller: &Puller,
        ix: RegistryIx,
        need: Need,
        granting: &[(RoleAssignmentIx, Tri)],
        repository: Option<&str>,
        basis: &mut Basis,
    ) -> Outcome {
        let network = self.network;
        let object = &network.registries[ix];
        if let Some(missing) = self.more_assignments(ix, need, basis) {
            return Outcome::open(missing);
        }
        let evidence = |list: &[RoleAssignmentIx]| -> Vec<At> {
            list.iter().map(|a| network.role_assignments[*a].place.at(role_assignment::ROLE)).collect()
        };
        if !granting.is_empty() {
            let conditions = granting
                .iter()
                .map(|(a, _)| network.role_assignments[*a].place.at(role_assignment::CONDITION));
            return Outcome::fails(Blocker {
                kind: BlockerKind::ConditionExcludes,
                message: format!(
                    "{} has a role on {}, but its condition does not cover repository {}",
                    puller.name,
                    object.id.name(),
                    repository.unwrap_or("(any)")
                ),
                remedy: "extend the condition of the role assignment to the repository".into(),
                facts: vec!["A308"],
                evidence: conditions.collect(),
            });
        }
        let own = assigned(network, &puller.principal);
        let other = if need == PULL { CONTENT } else { PULL };
        let wrong_mode: Vec<RoleAssignmentIx> = own
            .into_iter()
            .filter(|a| grants(network, &network.role_assignments[*a], ix, other) == Tri::Yes)
            .collect();
        if !wrong_mode.is_empty() && need == PULL {
            return Outcome::open(contested(
                "AU4",
                format!(
                    "whether a repository role of {} lets it pull from {}",
                    puller.name,
                    object.id.name()
                ),
                "assign AcrPull, the role of registries without repository permissions (A302)",
            ));
        }
        if !wrong_mode.is_empty() {
            let mut at = vec![object.place.at(registry::ROLE_ASSIGNMENT_MODE)];
            at.extend(evidence(&wrong_mode));
            return Outcome::fails(Blocker {
                kind: BlockerKind::WrongRoleMode,
                message: format!(
                    "{} is in mode AbacRepositoryPermissions, where the role of {} (such as AcrPull) does not let it pull",
                    object.id.name(),
                    puller.name
                ),
                remedy: format!("assign Container Registry Repository Reader to {}", puller.name),
                facts: vec!["A302", "A303"],
                evidence: at,
            });
        }
        if let Some((who, assignment)) = self.control_plane_grant(cluster, ix, need) {
            return Outcome::fails(Blocker {
                kind: BlockerKind::WrongIdentity,
                message: format!(
                    "{who} (the cluster's control-plane identity) may pull from {}, but nodes pull as {}, which has no such role",
                    object.id.name(),
                    puller.name
                ),
                remedy: format!("assign the role to {}", puller.name),
                facts: vec!["A300"],
                evidence: vec![
                    network.role_assignments[assignment].place.at(role_assignment::PRINCIPAL),
                    puller.at,
                ],
            });
        }
        let role = if need == PULL { "AcrPull" } else { "Container Registry Repository Reader" };
        Outcome::fails(Blocker {
            kind: BlockerKind::NoRole,
            message: format!("{} has no role on {} that lets it pull", puller.name, object.id.name()),
            remedy: format!("assign {role} on {} to {}", object.id.name(), puller.name),
            facts: vec!["A302", "A304", "A305"],
            evidence: vec![puller.at, object.place.at(registry::ROLE_ASSIGNMENT_MODE)],
        })
    }

    /// Assignments that were not read, or whose principal may be the puller.
    fn more_assignments(&self, ix: RegistryIx, need: Need, basis: &mut Basis) -> Option<Missing> {
        let network = self.network;
        let object = &network.registries[ix];
        match network.layered.absence(object.id.folded(), ASSIGNMENTS) {
            Absence::Evidence { assumption } => {
                if let Some(assumption) = assumption {
                    basis.assume(assumption);
                }
                basis
                    .reads
                    .insert(Read::Absence { scope: object.id.folded().into(), resource_type: ASSIGNMENTS });
            }
            Absence::NoEvidence(reason) => {
                let why = format!("a role on {} may be assigned there (A305)", object.id.name());
                return Some(incomplete(&reason, why));
            }
        }
        perhaps_others(network, ix, need)
    }

    /// A role of the control plane's identity, which does not pull (A300).
    fn control_plane_grant(
        &self,
        cluster: ClusterIx,
        ix: RegistryIx,
        need: Need,
    ) -> Option<(String, RoleAssignmentIx)> {
        let network = self.network;
        let object = &network.clusters[cluster];
        let system = object
            .identity_principal
            .present()
            .map(|p| (format!("{}'s identity", object.id.name()), p.to_string()));
        let user = object.user_identities.iter().filter_map(Ref::here).filter_map(|ix| {
            let identity = &network.user_identities[ix];
            Some((identity.id.name().to_owned(), identity.principal.present()?.to_string()))
        });
        system.into_iter().chain(user).find_map(|(name, principal)| {
            let all = network.assignments_of(&principal).iter();
            let found = all
                .copied()
                .find(|a| grants(network, &network.role_assignments[*a], ix, need) == Tri::Yes)?;
            Some((name, found))
        })
    }

    /// A role that grants much more than pulls (A316).
    fn over_grant(&self, granting: &[(RoleAssignmentIx, Tri)], basis: &mut Basis) {
        const BROAD: [&str; 3] = ["Owner", "Contributor", "Reader"];
        let broad = |a: &RoleAssignmentIx| {
            let role = self.network.role_assignments[*a].role.present()?;
            let name = &pullproof_snapshot::facts::roles::find(&role.guid)?.name;
            BROAD.contains(&name.as_str()).then_some(name)
        };
        if let Some(names) = granting.iter().map(|(a, _)| broad(a)).collect::<Option<Vec<_>>>()
            && let Some(name) = names.first()
        {
            basis.remarks.insert(Remark {
                kind: "role-over-grant",
                message: format!("pulls rest on the role {name}, which grants more than they need"),
                facts: vec!["A316"],
                evidence: granting
                    .iter()
                    .map(|(a, _)| self.network.role_assignments[*a].place.at(role_assignment::ROLE))
                    .collect(),
            });
        }
    }
}
