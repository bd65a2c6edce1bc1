//! Identities, role assignments and definitions, deny assignments, subscriptions.

use pullproof_snapshot::ArmId;

use super::PROVISIONING_STATE;
use super::fields::{Fields, arm_id};
use super::reader::{Reader, Source};
use crate::model::identity::{
    DenyAssignment, DenyPrincipal, Permission, RoleAssignment, RoleDefinition, RoleReference, Subscription,
    UserIdentity, deny_assignment, permission, role_assignment, role_definition, subscription, user_identity,
};
use crate::model::index::Ref;
use crate::model::val::{List, Val};

pub(crate) fn read_user_identity(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = UserIdentity {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        principal: f.lower(user_identity::PRINCIPAL),
        client: f.lower(user_identity::CLIENT),
        tenant: f.lower(user_identity::TENANT),
    };
    reader.objects.user_identities.push(read);
}

pub(crate) fn read_role_assignment(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = RoleAssignment {
        id: source.id.clone(),
        place: source.place,
        scope: scope(&mut f, role_assignment::SCOPE, &source.id),
        role: f.scalar(role_assignment::ROLE, "a role definition id", |value| {
            let id = arm_id(value)?;
            let guid = id.name().to_ascii_lowercase().into();
            Some(RoleReference { guid, definition: Ref::NotRead(id) })
        }),
        principal: f.lower(role_assignment::PRINCIPAL),
        principal_type: f.word(role_assignment::PRINCIPAL_TYPE),
        condition: f.text(role_assignment::CONDITION),
        condition_version: f.text(role_assignment::CONDITION_VERSION),
        delegated_managed_identity: f.arm_id(role_assignment::DELEGATED_MANAGED_IDENTITY),
    };
    reader.objects.role_assignments.push(read);
}

/// `properties.scope`; where it is absent, what stands before the extension's provider in the id (A305).
fn scope(f: &mut Fields<'_, '_, '_>, pointer: &'static str, id: &ArmId) -> Val<ArmId> {
    let read = f.scalar(pointer, "a scope", arm_id);
    match read {
        Val::Known(Some(scope)) => Val::Known(scope),
        Val::Sym(symbol) => Val::Sym(symbol),
        Val::Known(None) => {
            let before = id.folded().rfind("/providers/").and_then(|cut| id.as_written().get(..cut));
            match before {
                Some("") => Val::Known(ArmId::new("/")),
                Some(scope) => Val::Known(ArmId::new(scope)),
                None => Val::Sym(f.missing(pointer)),
            }
        }
    }
}

pub(crate) fn read_role_definition(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = RoleDefinition {
        id: source.id.clone(),
        place: source.place,
        guid: source.id.name().to_ascii_lowercase().into(),
        role_name: f.text(role_definition::ROLE_NAME),
        role_type: f.text(role_definition::ROLE_TYPE),
        permissions: permissions(&mut f, role_definition::PERMISSIONS),
        assignable_scopes: f.texts(role_definition::ASSIGNABLE_SCOPES),
    };
    reader.objects.role_definitions.push(read);
}

fn permissions(f: &mut Fields<'_, '_, '_>, pointer: &'static str) -> List<Permission> {
    f.objects(pointer, "/properties/permissions/{}", |f| Permission {
        place: f.place,
        actions: f.texts(permission::ACTIONS),
        not_actions: f.texts(permission::NOT_ACTIONS),
        data_actions: f.texts(permission::DATA_ACTIONS),
        not_data_actions: f.texts(permission::NOT_DATA_ACTIONS),
        condition: f.text(permission::CONDITION),
    })
}

pub(crate) fn read_deny_assignment(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = DenyAssignment {
        id: source.id.clone(),
        place: source.place,
        scope: scope(&mut f, deny_assignment::SCOPE, &source.id),
        permissions: permissions(&mut f, deny_assignment::PERMISSIONS),
        do_not_apply_to_child_scopes: f
            .boolean(deny_assignment::DO_NOT_APPLY_TO_CHILD_SCOPES)
            .or_default(false),
        principals: principals(&mut f, deny_assignment::PRINCIPALS),
        exclude_principals: principals(&mut f, deny_assignment::EXCLUDE_PRINCIPALS),
        is_system_protected: f.boolean(deny_assignment::IS_SYSTEM_PROTECTED),
    };
    reader.objects.deny_assignments.push(read);
}

fn principals(f: &mut Fields<'_, '_, '_>, pointer: &'static str) -> List<DenyPrincipal> {
    f.objects(pointer, "/properties/principals/{}", |f| DenyPrincipal {
        id: f.lower("/id"),
        kind: f.text("/type"),
    })
}

pub(crate) fn read_subscription(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let state = match f.text(subscription::STATE) {
        Val::Known(None) if f.json.get("properties").is_some() => f.text(subscription::GRAPH_STATE),
        known => known,
    };
    let chain = f.json.pointer(subscription::MANAGEMENT_GROUPS).is_some();
    let read = Subscription {
        id: source.id.clone(),
        place: source.place,
        tenant: f.lower(subscription::TENANT),
        state,
        management_groups: chain.then(|| {
            f.list(subscription::MANAGEMENT_GROUPS, "a management group", |_, value, _| {
                value.get("name")?.as_str().map(Box::from)
            })
        }),
    };
    reader.objects.subscriptions.push(read);
}
