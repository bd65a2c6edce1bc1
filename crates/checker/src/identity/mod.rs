//! Who pulls, and whether that one may (registry-and-aks.md §7, A300–A316).
//!
//! Lives here: the identity that a node pulls with, role and deny assignments, conditions, declared pull secrets. Does
//! not live here: whether the request gets to the registry.
//!
//! Read in this order: [`principal`], [`attached`], [`assignments`], [`condition`].

mod assignments;
mod attached;
mod condition;
#[cfg(test)]
mod identity_tests;
mod principal;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::declared::Registry as DeclaredRegistry;
use pullproof_snapshot::facts::presets;
use pullproof_snapshot::question::Missing;

use crate::json::is;
use crate::missing;
use crate::plain::Plain;
use crate::registry::{HostName, Kind, find_by_name};
use crate::resources::{Resource, find};
use crate::tri::Tri;
use principal::Principal;

/// The permission that a pull needs where roles are those of the control plane (A304).
pub const PULL: &str = "Microsoft.ContainerRegistry/registries/pull/read";
/// The permission that a pull needs where roles are those of repositories (A304).
pub const READ: &str = "Microsoft.ContainerRegistry/registries/repositories/content/read";

/// One pull, as identity sees it.
#[derive(Clone, Debug)]
pub struct Pull<'a> {
    pub cluster: &'a ArmId,
    /// The node pool by name, where the node image matters (A11).
    pub pool: Option<&'a str>,
    /// An ARM id, an unambiguous name, or a declared registry's name.
    pub registry: &'a str,
    /// The host that the image names; absent: the login server.
    pub host: Option<&'a str>,
    /// Needed only where a role assignment has a condition on it (A308).
    pub repository: Option<&'a str>,
}

/// Whether the pull is allowed, and what decided.
#[derive(Clone, Debug, PartialEq)]
pub struct PullRight {
    pub answer: Tri,
    /// The object id that asks; `None` for anonymous pulls and pull secrets.
    pub principal: Option<String>,
    /// [`PULL`] or [`READ`].
    pub action: &'static str,
    /// ARM ids of the assignments, or of the registry, that decided.
    pub by: Vec<String>,
}

/// Yes exactly when the credential that a new node presents, or none at all, may read the repository.
pub fn pull_right(plain: &Plain, pull: &Pull<'_>) -> PullRight {
    if let Some(row) =
        plain.declared.registries.iter().find(|row| row.name.eq_ignore_ascii_case(pull.registry))
    {
        return PullRight { answer: by_secret(plain, row), principal: None, action: PULL, by: Vec::new() };
    }
    let Some(registry) = find_by_name(plain, pull.registry) else {
        let missing = missing::evidence(pull.registry.to_owned(), "the registry is not in the snapshot");
        return PullRight { answer: Tri::unknown(missing), principal: None, action: PULL, by: Vec::new() };
    };
    let by_repository = match registry.node().text("/properties/roleAssignmentMode").known() {
        Ok(mode) => Ok(mode.is_some_and(|mode| is(mode, "AbacRepositoryPermissions"))), // A111
        Err(missing) => Err(missing),
    };
    let action = if by_repository == Ok(true) { READ } else { PULL };
    match anonymous(&registry) {
        Ok(false) => {}
        Ok(true) => {
            let by = vec![registry.id.to_string()];
            return PullRight { answer: Tri::Yes, principal: None, action, by };
        }
        Err(missing) => {
            return PullRight { answer: Tri::unknown(missing), principal: None, action, by: Vec::new() };
        }
    }
    let (principal, by, answer) = match by_repository {
        Err(missing) => (None, Vec::new(), Tri::unknown(missing)),
        Ok(by_repository) => with_identity(plain, pull, &registry, by_repository),
    };
    PullRight { answer, principal, action, by }
}

/// Anonymous pulls need no identity (A310); Basic registries do not have them (A36).
fn anonymous(registry: &Resource) -> Result<bool, Missing> {
    if registry.node().text("/sku/name").known()?.is_some_and(|sku| is(sku, "Basic")) {
        return Ok(false);
    }
    Ok(registry.node().flag("/properties/anonymousPullEnabled").known()?.unwrap_or(false))
}

/// What a declared registry's table says about its pull secret (CONTRACT §2); presets may need none (A151).
fn by_secret(plain: &Plain, row: &DeclaredRegistry) -> Tri {
    let what = format!("pull secret of the registry {}", row.name);
    let open = |why: &str| {
        Tri::unknown(missing::declare(what.clone(), why, "state it in the registry's [[registry]] table"))
    };
    if plain.strict {
        return open("declared, and --strict takes it back");
    }
    let preset = row.preset.as_deref().and_then(presets::find).is_some_and(|preset| preset.anonymous);
    match (row.pull_secret, row.pull_secret_valid) {
        (Some(false), _) => Tri::Yes,
        (None, _) if preset => Tri::Yes,
        (None, _) => open("neither a secret nor anonymous access is declared (A311)"),
        (Some(true), Some(valid)) => valid.into(),
        (Some(true), None) => open("whether it is valid is not declared (A311)"),
    }
}

fn with_identity(
    plain: &Plain,
    pull: &Pull<'_>,
    registry: &Resource,
    by_repository: bool,
) -> (Option<String>, Vec<String>, Tri) {
    match presents_credential(plain, pull) {
        Tri::Yes => {}
        other => return (None, Vec::new(), other),
    }
    let Some(cluster) = find(plain, pull.cluster.folded()) else {
        return (None, Vec::new(), Tri::unknown(missing::resource(pull.cluster)));
    };
    match principal::of_cluster(plain, &cluster, registry) {
        Principal::Unknown(missing) => (None, Vec::new(), Tri::unknown(missing)),
        Principal::Foreign(id) => (id, vec![registry.id.to_string()], Tri::No),
        Principal::Known { object_id, usable } => {
            let (mut answer, by) =
                assignments::grants(plain, registry, &object_id, by_repository, pull.repository);
            answer = answer.and(attached::attached(plain, &cluster, pull.pool));
            if answer != Tri::No {
                answer = answer.and(usable);
            }
            (Some(object_id), by, answer)
        }
    }
}

/// Node images from this one on hand credentials to regional hosts (A11): year and month, day.
const REGIONAL_FROM: (u32, u32) = (202_607, 29);

/// The kubelet hands its identity only to hosts that its patterns match: one label before the suffix (A10), regional
/// hosts from some node image on (A11).
fn presents_credential(plain: &Plain, pull: &Pull<'_>) -> Tri {
    let Some(host) = pull.host.and_then(HostName::parse) else { return Tri::Yes };
    if host.privatelink {
        return Tri::No;
    }
    if host.kind != Kind::Geo {
        return Tri::Yes;
    }
    let image = pull
        .pool
        .and_then(|name| {
            let pool = crate::plain::Pool { cluster: pull.cluster.clone(), name: name.to_owned() };
            crate::lookup::servers::agent_pool(plain, &pool)
        })
        .and_then(|pool| {
            pool.node().text("/properties/nodeImageVersion").known().ok().flatten().map(str::to_owned)
        });
    let date = image.as_deref().and_then(|image| {
        let mut parts = image.rsplit('-').next()?.split('.');
        Some((parts.next()?.parse::<u32>().ok()?, parts.next()?.parse::<u32>().ok()?))
    });
    match date {
        Some(date) => (date >= REGIONAL_FROM).into(),
        None => Tri::unknown(missing::evidence(
            format!("nodeImageVersion of the pools of {}", pull.cluster),
            "older node images give no credential to regional hosts (A11)",
        )),
    }
}
