//! Identities and roles (terraform-mapping.md §4.5).

use pullproof_snapshot::facts::roles;
use pullproof_snapshot::hole;
use serde_json::{Value, json};

use super::apply::Build;
use super::{Row, finished, same, whole};
use crate::world::placeholder;

pub(super) const ROWS: &[Row] = &[
    finished(
        whole(
            "azurerm_user_assigned_identity",
            "Microsoft.ManagedIdentity/userAssignedIdentities",
            &[
                "/subscriptions/{sub}/resourceGroups/{resource_group_name}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/{name}",
            ],
            &[
                same(&["location"], "/location"),
                same(&["principal_id"], "/properties/principalId"),
                same(&["client_id"], "/properties/clientId"),
                same(&["tenant_id"], "/properties/tenantId"),
            ],
        ),
        |build| {
            // A new identity's object is nobody else's.
            for (argument, pointer) in
                [("principal_id", "/properties/principalId"), ("client_id", "/properties/clientId")]
            {
                if build.get(argument).is_none_or(|v| hole::hole(v).is_some()) {
                    let own = json!(placeholder(build.address, argument));
                    build.set(pointer, own);
                }
            }
        },
    ),
    finished(
        whole(
            "azurerm_role_assignment",
            "Microsoft.Authorization/roleAssignments",
            &["{scope}/providers/Microsoft.Authorization/roleAssignments/{name?}"],
            &[
                same(&["scope"], "/properties/scope"),
                same(&["principal_id"], "/properties/principalId"),
                same(&["principal_type"], "/properties/principalType"),
                same(&["condition"], "/properties/condition"),
                same(&["condition_version"], "/properties/conditionVersion"),
                same(
                    &["delegated_managed_identity_resource_id"],
                    "/properties/delegatedManagedIdentityResourceId",
                ),
            ],
        ),
        assignment,
    ),
    whole(
        "azurerm_role_definition",
        "Microsoft.Authorization/roleDefinitions",
        &["{scope}/providers/Microsoft.Authorization/roleDefinitions/{role_definition_id}"],
        &[
            same(&["name"], "/properties/roleName"),
            same(&["assignable_scopes"], "/properties/assignableScopes"),
            super::how(
                &["permissions"],
                "/properties/permissions",
                super::How::Each(&[
                    same(&["actions"], "/actions"),
                    same(&["not_actions"], "/notActions"),
                    same(&["data_actions"], "/dataActions"),
                    same(&["not_data_actions"], "/notDataActions"),
                ]),
            ),
        ],
    ),
];

/// The role by name or id (A300 and following).
fn assignment(build: &mut Build<'_>) {
    let role = match (build.get("role_definition_id"), build.text("role_definition_name")) {
        (Some(id), None) => id.clone(),
        (_, Some(name)) => match roles::named(name) {
            Some(role) => json!(format!("/providers/Microsoft.Authorization/roleDefinitions/{}", role.id)),
            None => {
                hole::make(&format!("role {name}"), &format!("{}.role_definition_id ({name})", build.address))
            }
        },
        (None, None) => build.chosen("role_definition_id", None),
    };
    build.set("/properties/roleDefinitionId", role);
    if build.get("scope").is_none_or(Value::is_null) {
        let hole = build.chosen("scope", None);
        build.set("/properties/scope", hole);
    }
}
