//! Role and deny assignments: what a principal may do at a registry (A302–A309).

use std::collections::BTreeSet;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::facts::roles;
use pullproof_snapshot::question::Missing;

use super::condition;
use super::{PULL, READ};
use crate::json::{Node, is};
use crate::missing;
use crate::plain::Plain;
use crate::resources::{Resource, absent_for_sure, all};
use crate::tri::Tri;

const ASSIGNMENT: &str = "microsoft.authorization/roleassignments";
const DENIAL: &str = "microsoft.authorization/denyassignments";
const DEFINITION: &str = "microsoft.authorization/roledefinitions";
/// Everyone, as a deny assignment's principal (A309).
const EVERYONE: &str = "00000000-0000-0000-0000-000000000000";

/// Whether a principal may pull, and the assignments that decided.
pub(super) fn grants(
    plain: &Plain,
    registry: &Resource,
    object_id: &str,
    by_repository: bool,
    repository: Option<&str>,
) -> (Tri, Vec<String>) {
    let action = if by_repository { READ } else { PULL };
    let mut by = Vec::new();
    let mut allowed = Tri::No;
    let mut groups = Vec::new();
    for assignment in all(plain, ASSIGNMENT) {
        let right = right_of(plain, registry, &assignment, by_repository, action, repository);
        if right == Tri::No {
            continue;
        }
        let node = assignment.node();
        match node.text("/properties/principalId").known() {
            Ok(Some(principal)) if is(principal, object_id) => {
                if right == Tri::Yes {
                    by = vec![assignment.id.to_string()];
                }
                allowed = allowed.or(right);
            }
            Ok(_) => {
                let kind = node.text("/properties/principalType").known().ok().flatten().unwrap_or_default();
                if kind.is_empty() || is(kind, "Group") || is(kind, "ForeignGroup") {
                    let why =
                        "whether the identity is a member of the group is not in the configuration (A307)";
                    groups.push(missing::evidence(format!("members of the group of {}", assignment.id), why));
                }
            }
            Err(missing) => allowed = allowed.or(Tri::unknown(missing)),
        }
    }
    if allowed == Tri::No {
        // A subscription that is complete for the type is complete for what it inherits, too (A305).
        let subscription = format!("/subscriptions/{}", registry.id.subscription().unwrap_or_default());
        groups.extend(absent_for_sure(plain, &subscription, ASSIGNMENT).err());
        if !groups.is_empty() {
            allowed = Tri::Unknown(groups);
        }
    }
    if allowed == Tri::No {
        by.push(registry.id.to_string());
        return (allowed, by);
    }
    match denied(plain, registry, object_id, action, by_repository) {
        Tri::No => (allowed, by),
        Tri::Yes => (Tri::No, denials(plain)),
        Tri::Unknown(missing) => (allowed.and(Tri::Unknown(missing)), by),
    }
}

fn denials(plain: &Plain) -> Vec<String> {
    all(plain, DENIAL).into_iter().map(|denial| denial.id.to_string()).collect()
}

/// What one assignment would give whoever has it.
fn right_of(
    plain: &Plain,
    registry: &Resource,
    assignment: &Resource,
    by_repository: bool,
    action: &str,
    repository: Option<&str>,
) -> Tri {
    let applies = match scope_of(assignment) {
        Ok(scope) => covers(plain, &scope, &registry.id),
        Err(missing) => Tri::unknown(missing),
    };
    if applies == Tri::No {
        return Tri::No;
    }
    let node = assignment.node();
    let role = match node.text("/properties/roleDefinitionId").known() {
        Ok(Some(role)) => role,
        Ok(None) => return Tri::unknown(missing::malformed(&assignment.id, "/properties/roleDefinitionId")),
        Err(missing) => return Tri::unknown(missing),
    };
    let allows = match permissions(plain, role) {
        Err(missing) => Tri::unknown(missing),
        Ok(permissions) => {
            let allows = permissions.iter().any(|set| set.allow(action, by_repository));
            let for_repositories = !by_repository && permissions.iter().any(|set| set.allow(READ, true));
            if !allows && for_repositories {
                let what = format!("effect of {} on {}", assignment.id, registry.id);
                let why = "a repository role on a registry that does not use repository permissions";
                Tri::unknown(missing::contested("AU4", what, why))
            } else {
                allows.into()
            }
        }
    };
    if allows == Tri::No {
        return Tri::No;
    }
    let condition = match node.text("/properties/condition").known() {
        Ok(None) => Tri::Yes,
        Ok(Some(text)) => condition::holds(text, action, repository, &assignment.id),
        Err(missing) => Tri::unknown(missing),
    };
    applies.and(allows).and(condition)
}

/// `properties.scope`, or what stands before the assignment in its id (A306).
fn scope_of(assignment: &Resource) -> Result<String, Missing> {
    if let Some(scope) = assignment.node().text("/properties/scope").known()? {
        return Ok(scope.to_owned());
    }
    let id = assignment.id.folded();
    let cut = id.rfind("/providers/microsoft.authorization/").unwrap_or(0);
    let scope = id.get(..cut).unwrap_or_default();
    Ok(if scope.is_empty() { "/".to_owned() } else { scope.to_owned() })
}

/// The scope is the registry, or above it (A305). Which management groups are above is known of some only.
fn covers(plain: &Plain, scope: &str, registry: &ArmId) -> Tri {
    let scope = ArmId::new(scope);
    if registry.is_within(scope.folded()) {
        return Tri::Yes;
    }
    if !scope.folded().starts_with("/providers/microsoft.management/managementgroups/") {
        return Tri::No;
    }
    let subscription = format!("/subscriptions/{}", registry.subscription().unwrap_or_default());
    let above =
        plain.layered.base().complete().scopes_above(&subscription).any(|above| above == scope.folded());
    if above {
        return Tri::Yes;
    }
    let what = format!("management groups above {subscription}");
    Tri::unknown(missing::evidence(what, format!("{scope} is not known to be one of them (A305)")))
}

/// One set of permissions: what it allows less what it takes out again (A304).
struct Permissions {
    actions: BTreeSet<String>,
    not_actions: BTreeSet<String>,
    data_actions: BTreeSet<String>,
    not_data_actions: BTreeSet<String>,
}

impl Permissions {
    fn allow(&self, action: &str, data: bool) -> bool {
        let (yes, no) = if data {
            (&self.data_actions, &self.not_data_actions)
        } else {
            (&self.actions, &self.not_actions)
        };
        yes.iter().any(|pattern| matches(pattern, action))
            && !no.iter().any(|pattern| matches(pattern, action))
    }
}

/// The role's own definition in the snapshot, else the built-in role of this GUID (A302, A306).
fn permissions(plain: &Plain, role: &str) -> Result<Vec<Permissions>, Missing> {
    let guid = ArmId::new(role).name().to_ascii_lowercase();
    let defined = all(plain, DEFINITION)
        .into_iter()
        .find(|definition| definition.id.name().eq_ignore_ascii_case(&guid));
    if let Some(definition) = defined {
        return sets(&definition);
    }
    let Some(role) = roles::find(&guid) else {
        return Err(missing::evidence(
            format!("role definition {role}"),
            "it is no built-in role that decides about pulls",
        ));
    };
    let set = |list: &[String]| list.iter().cloned().collect();
    Ok(vec![Permissions {
        actions: set(&role.actions),
        not_actions: set(&role.not_actions),
        data_actions: set(&role.data_actions),
        not_data_actions: set(&role.not_data_actions),
    }])
}

fn sets(of: &Resource) -> Result<Vec<Permissions>, Missing> {
    let list = of.node().list("/properties/permissions");
    if let Some(open) = list.open.into_iter().next() {
        return Err(open);
    }
    let mut out = Vec::new();
    for item in list.known {
        let node = Node::new(item, &of.id);
        let set = |pointer: &str| -> Result<BTreeSet<String>, Missing> {
            let texts = node.texts(pointer);
            match texts.open.into_iter().next() {
                Some(open) => Err(open),
                None => Ok(texts.known.into_iter().map(str::to_owned).collect()),
            }
        };
        out.push(Permissions {
            actions: set("/actions")?,
            not_actions: set("/notActions")?,
            data_actions: set("/dataActions")?,
            not_data_actions: set("/notDataActions")?,
        });
    }
    Ok(out)
}

/// `*` spans segments; letter case does not matter (A304).
pub(super) fn matches(pattern: &str, action: &str) -> bool {
    let (pattern, action) = (pattern.to_ascii_lowercase(), action.to_ascii_lowercase());
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| action.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}

/// Yes when a deny assignment takes the action from the principal, which beats every role (A309).
fn denied(plain: &Plain, registry: &Resource, object_id: &str, action: &str, data: bool) -> Tri {
    let mut out = Tri::No;
    for denial in all(plain, DENIAL) {
        out = out.or(denies(plain, registry, &denial, object_id, action, data).unwrap_or_else(Tri::unknown));
    }
    out
}

fn denies(
    plain: &Plain,
    registry: &Resource,
    denial: &Resource,
    object_id: &str,
    action: &str,
    data: bool,
) -> Result<Tri, Missing> {
    let scope = scope_of(denial)?;
    let node = denial.node();
    let here_only = node.flag("/properties/doNotApplyToChildScopes").known()?.unwrap_or(false);
    let applies = if here_only {
        (ArmId::new(&scope) == registry.id).into()
    } else {
        covers(plain, &scope, &registry.id)
    };
    let takes = sets(denial)?.iter().any(|set| set.allow(action, data));
    if applies == Tri::No || !takes {
        return Ok(Tri::No);
    }
    if listed(denial, "/properties/excludePrincipals", object_id)? == Tri::Yes {
        return Ok(Tri::No);
    }
    let hit = listed(denial, "/properties/principals", object_id)?;
    let excluded = listed(denial, "/properties/excludePrincipals", object_id)?;
    let mut out = applies.and(hit).and(!excluded);
    let conditional = node.list("/properties/permissions").known.iter().any(|set| {
        Node::new(set, &denial.id).text("/condition").known().is_ok_and(|condition| condition.is_some())
    });
    if conditional && out != Tri::No {
        out = out.and(Tri::unknown(missing::not_modelled(
            denial.id.to_string(),
            "conditions of deny assignments",
        )));
    }
    Ok(out)
}

/// Whether a list of principals holds the principal; a group in it may (A307).
fn listed(denial: &Resource, pointer: &str, object_id: &str) -> Result<Tri, Missing> {
    let list = denial.node().list(pointer);
    if let Some(open) = list.open.into_iter().next() {
        return Err(open);
    }
    let mut out = Tri::No;
    for item in list.known {
        let node = Node::new(item, &denial.id);
        let id = node.text("/id").known()?.unwrap_or_default();
        let kind = node.text("/type").known()?.unwrap_or_default();
        if is(id, object_id) || is(id, EVERYONE) || is(kind, "SystemDefined") {
            return Ok(Tri::Yes);
        }
        if is(kind, "Group") {
            let what = format!("members of the group {id} of {}", denial.id);
            out = out
                .or(Tri::unknown(missing::evidence(what, "membership is not in the configuration (A307)")));
        }
    }
    Ok(out)
}
