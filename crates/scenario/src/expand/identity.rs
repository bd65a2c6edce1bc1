//! Identities, role definitions, role assignments and deny assignments.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::builtin_roles::{self, BuiltinRole};
use super::expansion::Expansion;
use super::{cluster, subscription, types};
use crate::error::ScenarioError;
use crate::yaml::{Described, RoleAssignment};

/// The principal of a deny assignment that means everyone (A309).
const EVERYONE: &str = "00000000-0000-0000-0000-000000000000";

pub(crate) fn client_id(x: &Expansion<'_>, identity: &str) -> String {
    x.guid(&format!("{identity}/client"))
}

pub(crate) fn principal_id(x: &Expansion<'_>, identity: &str) -> String {
    x.guid(&format!("{identity}/principal"))
}

/// What stands under an identity's id wherever it is attached.
pub(crate) fn ids(x: &Expansion<'_>, identity: &str) -> Value {
    json!({"clientId": client_id(x, identity), "principalId": principal_id(x, identity)})
}

pub(crate) fn expand_identities(x: &mut Expansion<'_>) -> Result<(), ScenarioError> {
    for identity in &x.document.identities {
        let head = identity.head();
        let id = x.id_of(&head, types::IDENTITY);
        let body = body(x, &id, head.subscription, identity.tenant.as_deref());
        x.push(identity, types::IDENTITY, body);
    }
    Ok(())
}

/// An identity that Azure, not the scenario, made.
pub(crate) fn push(
    x: &mut Expansion<'_>,
    id: &str,
    location: &str,
    subscription: Option<&str>,
    tenant: Option<&str>,
) {
    let body = body(x, id, subscription, tenant);
    x.push_at(id, types::IDENTITY, Some(location), body);
}

fn body(x: &Expansion<'_>, id: &str, subscription: Option<&str>, tenant: Option<&str>) -> Value {
    let tenant = match tenant {
        Some(name) => subscription::tenant_guid(x.document, Some(name)),
        None => subscription::tenant_of(x.document, subscription),
    };
    json!({"properties": {
        "clientId": client_id(x, id),
        "principalId": principal_id(x, id),
        "tenantId": tenant,
    }})
}

pub(crate) fn expand_roles(x: &mut Expansion<'_>) -> Result<(), ScenarioError> {
    for role in &x.document.role_definitions {
        let id = x.names.find(types::ROLE_DEFINITION, &role.name, "roleDefinitions")?;
        let scopes = if role.assignable_scopes.is_empty() {
            subscription::scopes(x.document)
        } else {
            role.assignable_scopes.clone()
        };
        let body = json!({"properties": {
            "roleName": role.name,
            "type": "CustomRole",
            "description": "",
            "assignableScopes": scopes,
            "permissions": [{
                "actions": role.actions,
                "notActions": role.not_actions,
                "dataActions": role.data_actions,
                "notDataActions": role.not_data_actions,
            }],
        }});
        x.push_at(&id, types::ROLE_DEFINITION, None, body);
    }
    let mut used = BTreeSet::new();
    for assignment in &x.document.role_assignments {
        role_assignment(x, assignment, &mut used)?;
    }
    for (role, scope) in used {
        push_builtin(x, builtin_roles::by_name(role), &scope);
    }
    deny_assignments(x)
}

fn push_builtin(x: &mut Expansion<'_>, role: Option<&BuiltinRole>, subscription: &str) {
    let Some(role) = role else { return };
    let id = format!("{subscription}/providers/{}/{}", types::ROLE_DEFINITION, role.id);
    let body = json!({"properties": {
        "roleName": role.name,
        "type": "BuiltInRole",
        "description": role.name,
        "assignableScopes": ["/"],
        "permissions": [{
            "actions": role.actions,
            "notActions": role.not_actions,
            "dataActions": role.data_actions,
            "notDataActions": [],
        }],
    }});
    x.push_at(&id, types::ROLE_DEFINITION, None, body);
}

fn role_assignment(
    x: &mut Expansion<'_>,
    assignment: &RoleAssignment,
    used: &mut BTreeSet<(&'static str, String)>,
) -> Result<(), ScenarioError> {
    let place = format!("roleAssignments {} on {}", assignment.principal, assignment.scope);
    let principal = principal(x, &assignment.principal, &place)?;
    let scope = scope(x, &assignment.scope, &place)?;
    let home = scope.split('/').take(3).collect::<Vec<_>>().join("/");
    // Above subscriptions a built-in role's id has no subscription.
    let home = if home.starts_with("/subscriptions/") { home } else { String::new() };
    let role = match builtin_roles::by_name(&assignment.role) {
        Some(builtin) => {
            used.insert((builtin.name, home.clone()));
            format!("{home}/providers/{}/{}", types::ROLE_DEFINITION, builtin.id)
        }
        None => x.names.find(types::ROLE_DEFINITION, &assignment.role, &place)?,
    };
    let condition = assignment.condition.as_ref();
    let body = json!({"properties": {
        "scope": scope,
        "roleDefinitionId": role,
        "principalId": principal,
        "principalType": assignment.principal_type.as_deref().unwrap_or("ServicePrincipal"),
        "condition": condition,
        "conditionVersion": condition.map(|_| "2.0"),
        "createdOn": "2025-01-01T00:00:00Z",
        "updatedOn": "2025-01-01T00:00:00Z",
    }});
    let name = x.guid(&format!("{scope}/{role}/{principal}"));
    let kind = "Microsoft.Authorization/roleAssignments";
    let prefix = if scope == "/" { "" } else { scope.as_str() };
    x.push_at(&format!("{prefix}/providers/{kind}/{name}"), kind, None, body);
    Ok(())
}

/// The object id of a principal: an identity's, a cluster's, or as given.
fn principal(x: &Expansion<'_>, text: &str, place: &str) -> Result<String, ScenarioError> {
    if let Some((name, which)) = text.split_once('/')
        && let Some(cluster) = x.document.clusters.iter().find(|c| c.name == name)
    {
        let cluster_id = x.id_of(&cluster.head(), types::CLUSTER);
        return match which {
            "kubelet" => cluster::kubelet_identity(x, cluster)?
                .map(|id| principal_id(x, &id))
                .ok_or_else(|| ScenarioError::invalid(place, "the cluster has a service principal")),
            "control-plane" => match &cluster.identity {
                Some(name) => Ok(principal_id(x, &x.names.find(types::IDENTITY, name, place)?)),
                None => Ok(principal_id(x, &cluster_id)),
            },
            _ => Err(ScenarioError::invalid(place, format!("{which} is neither kubelet nor control-plane"))),
        };
    }
    let is_guid = text.len() == 36 && text.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
    if is_guid {
        return Ok(text.to_owned());
    }
    Ok(principal_id(x, &x.names.find(types::IDENTITY, text, place)?))
}

fn scope(x: &Expansion<'_>, text: &str, place: &str) -> Result<String, ScenarioError> {
    let subscription = || format!("/subscriptions/{}", subscription::guid_of(x.document, None));
    if text == "subscription" {
        return Ok(subscription());
    }
    if let Some(group) = text.strip_prefix("resourceGroup:") {
        return Ok(format!("{}/resourceGroups/{group}", subscription()));
    }
    x.names.find(types::REGISTRY, text, place)
}

fn deny_assignments(x: &mut Expansion<'_>) -> Result<(), ScenarioError> {
    for deny in &x.document.deny_assignments {
        let place = format!("denyAssignments {}", deny.name);
        let scope = scope(x, &deny.scope, &place)?;
        let list = |names: &[String]| -> Result<Vec<Value>, ScenarioError> {
            names
                .iter()
                .map(|name| match name.as_str() {
                    "everyone" => Ok(json!({"id": EVERYONE, "type": "SystemDefined"})),
                    name => Ok(json!({"id": principal(x, name, &place)?, "type": "ServicePrincipal"})),
                })
                .collect()
        };
        let (principals, excluded) = (list(&deny.principals)?, list(&deny.exclude_principals)?);
        let body = json!({"properties": {
            "denyAssignmentName": deny.name,
            "scope": scope,
            "doNotApplyToChildScopes": deny.do_not_apply_to_child_scopes,
            "isSystemProtected": false,
            "principals": principals,
            "excludePrincipals": excluded,
            "permissions": [{
                "actions": deny.actions,
                "notActions": [],
                "dataActions": deny.data_actions,
                "notDataActions": [],
            }],
        }});
        let kind = "Microsoft.Authorization/denyAssignments";
        let name = x.guid(&format!("{scope}/deny/{}", deny.name));
        x.push_at(&format!("{scope}/providers/{kind}/{name}"), kind, None, body);
    }
    Ok(())
}
