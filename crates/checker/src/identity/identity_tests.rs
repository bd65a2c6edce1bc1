//! Who may pull (A300–A316): each rule with a twin in which the deciding element differs.

use serde_json::{Value, json};

use super::{Pull, pull_right};
use crate::fixture::{SUBSCRIPTION, TENANT, aks, cluster, id, partial, plain, registry, resource};
use crate::plain::Plain;
use crate::tri::Tri;

const PULL_ROLE: &str = "7f951dda-4ed3-4680-a7ca-43fe172d538d";
const READER_ROLE: &str = "b93aa761-3e63-49ed-ac28-beffa264f7ac";

fn role(guid: &str) -> String {
    format!("{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/{guid}")
}

fn assignment(scope: &str, role: &str, principal: &str) -> Value {
    json!({ "id": format!("{scope}/providers/Microsoft.Authorization/roleAssignments/a"), "name": "a",
            "properties": { "scope": scope, "roleDefinitionId": role, "principalId": principal,
                            "principalType": "ServicePrincipal" } })
}

fn acme() -> String {
    id("Microsoft.ContainerRegistry/registries/acme")
}

fn right(plain: &Plain, repository: Option<&str>) -> Tri {
    right_at(plain, None, repository)
}

fn right_at(plain: &Plain, host: Option<&str>, repository: Option<&str>) -> Tri {
    pull_right(plain, &Pull { cluster: &aks(), pool: Some("np"), registry: "acme", host, repository }).answer
}

fn env(changes: Value, more: Vec<Value>) -> Plain {
    let mut resources = vec![cluster("spoke", json!({})), registry(changes)];
    resources.extend(more);
    plain(resources, "")
}

fn is_open(answer: &Tri) -> bool {
    matches!(answer, Tri::Unknown(missing) if !missing.is_empty())
}

#[test]
fn the_kubelets_identity_pulls_not_the_control_planes() {
    let given = |principal: &str| env(json!({}), vec![assignment(&acme(), &role(PULL_ROLE), principal)]);
    assert_eq!(right(&given("KUBELET"), None), Tri::Yes);
    assert_eq!(right(&given("control-plane"), None), Tri::No);
}

#[test]
fn scopes_above_the_registry_count() {
    let given =
        |scope: &str| right(&env(json!({}), vec![assignment(scope, &role(PULL_ROLE), "kubelet")]), None);
    assert_eq!(given(SUBSCRIPTION), Tri::Yes);
    assert_eq!(given(&format!("{SUBSCRIPTION}/resourceGroups/RG")), Tri::Yes);
    assert_eq!(given(&format!("{SUBSCRIPTION}/resourceGroups/other")), Tri::No);
    assert!(is_open(&given("/providers/Microsoft.Management/managementGroups/corp")));
    let mut group = vec![assignment(
        "/providers/Microsoft.Management/managementGroups/corp",
        &role(PULL_ROLE),
        "kubelet",
    )];
    let subscription = SUBSCRIPTION.trim_start_matches("/subscriptions/");
    group.push(json!({
        "id": format!("/providers/Microsoft.Management/managementGroups/corp/subscriptions/{subscription}"),
        "name": subscription, "properties": {} }));
    assert_eq!(right(&env(json!({}), group), None), Tri::Yes);
}

#[test]
fn assignments_that_were_not_read_are_not_absent() {
    let resources = || vec![cluster("spoke", json!({})), registry(json!({}))];
    assert_eq!(right(&plain(resources(), ""), None), Tri::No);
    let open = partial(resources(), "", |builder| {
        builder.complete.state(SUBSCRIPTION, "Microsoft.ContainerRegistry/registries", true);
    });
    assert!(is_open(&right(&open, None)));
}

#[test]
fn permissions_decide_not_names() {
    let custom = |permissions: Value| {
        let definition =
            json!({ "id": role("custom"), "name": "custom", "properties": { "permissions": [permissions] } });
        right(&env(json!({}), vec![assignment(&acme(), &role("custom"), "kubelet"), definition]), None)
    };
    assert_eq!(custom(json!({ "actions": ["microsoft.containerregistry/registries/*/READ"] })), Tri::Yes);
    assert_eq!(custom(json!({ "actions": ["*"], "notActions": ["*/pull/read"] })), Tri::No);
    assert_eq!(custom(json!({ "actions": ["Microsoft.ContainerRegistry/registries/push/write"] })), Tri::No);
    let undefined = env(json!({}), vec![assignment(&acme(), &role("custom"), "kubelet")]);
    assert!(is_open(&right(&undefined, None)));
}

#[test]
fn repository_permissions_need_repository_roles() {
    let abac = json!({ "roleAssignmentMode": "AbacRepositoryPermissions" });
    let given =
        |mode: &Value, guid: &str| env(mode.clone(), vec![assignment(&acme(), &role(guid), "kubelet")]);
    assert_eq!(right(&given(&abac, PULL_ROLE), None), Tri::No);
    assert_eq!(right(&given(&abac, READER_ROLE), None), Tri::Yes);
    assert!(is_open(&right(&given(&json!({}), READER_ROLE), None)), "AU4");
}

#[test]
fn conditions_go_by_the_repository() {
    let mut given = assignment(&acme(), &role(READER_ROLE), "kubelet");
    given["properties"]["condition"] = json!(
        "((!(ActionMatches{'Microsoft.ContainerRegistry/registries/repositories/content/read'}) AND \
         !(ActionMatches{'Microsoft.ContainerRegistry/registries/repositories/metadata/read'})) OR \
         (@Request[Microsoft.ContainerRegistry/registries/repositories:name] StringStartsWithIgnoreCase 'team/'))"
    );
    let abac = json!({ "roleAssignmentMode": "AbacRepositoryPermissions" });
    let plain = env(abac.clone(), vec![given.clone()]);
    assert_eq!(right(&plain, Some("Team/app")), Tri::Yes);
    assert_eq!(right(&plain, Some("other/app")), Tri::No);
    assert!(is_open(&right(&plain, None)));
    given["properties"]["condition"] = json!("@Resource[x:y] ForAnyOfAnyValues:StringLike {'a'}");
    assert!(is_open(&right(&env(abac, vec![given]), Some("team/app"))));
}

#[test]
fn groups_may_hold_the_identity() {
    let mut given = assignment(SUBSCRIPTION, &role(PULL_ROLE), "a-group");
    given["properties"]["principalType"] = json!("Group");
    assert!(is_open(&right(&env(json!({}), vec![given.clone()]), None)));
    let mut own = assignment(&acme(), &role(PULL_ROLE), "kubelet");
    own["id"] = json!(format!("{}/providers/Microsoft.Authorization/roleAssignments/b", acme()));
    assert_eq!(right(&env(json!({}), vec![given, own]), None), Tri::Yes);
}

#[test]
fn a_deny_assignment_beats_every_role() {
    let deny = |principals: Value, actions: Value| {
        json!({ "id": format!("{SUBSCRIPTION}/providers/Microsoft.Authorization/denyAssignments/d"), "name": "d",
                "properties": { "scope": SUBSCRIPTION, "principals": principals,
                                "permissions": [{ "actions": actions }] } })
    };
    let with = |deny: Value| {
        right(&env(json!({}), vec![assignment(&acme(), &role(PULL_ROLE), "kubelet"), deny]), None)
    };
    let everyone = json!([{ "id": "00000000-0000-0000-0000-000000000000", "type": "SystemDefined" }]);
    assert_eq!(with(deny(everyone.clone(), json!(["*/read"]))), Tri::No);
    assert_eq!(with(deny(everyone, json!(["*/write"]))), Tri::Yes);
    assert_eq!(
        with(deny(json!([{ "id": "other", "type": "ServicePrincipal" }]), json!(["*/read"]))),
        Tri::Yes
    );
    assert!(is_open(&with(deny(json!([{ "id": "g", "type": "Group" }]), json!(["*/read"])))));
}

#[test]
fn a_managed_identity_ends_at_its_tenant() {
    let identity = |tenant: &str| {
        resource("Microsoft.ManagedIdentity/userAssignedIdentities/kubelet", json!({ "tenantId": tenant }))
    };
    let kubelet = json!({ "kubeletidentity": { "objectId": "kubelet",
        "resourceId": id("Microsoft.ManagedIdentity/userAssignedIdentities/kubelet") } });
    let given = |tenant: &str| {
        let given = assignment(&acme(), &role(PULL_ROLE), "kubelet");
        let cluster = cluster("spoke", json!({ "identityProfile": kubelet }));
        right(&plain(vec![cluster, registry(json!({})), given, identity(tenant)], ""), None)
    };
    assert_eq!(given(TENANT), Tri::Yes);
    assert_eq!(given("00000000-0000-0000-0000-0000000000bb"), Tri::No);
}

#[test]
fn service_principals_are_declared() {
    let env = |declared: &str| {
        let cluster = cluster("spoke", json!({ "servicePrincipalProfile": { "clientId": "app" } }));
        let given = assignment(&acme(), &role(PULL_ROLE), "sp-object");
        right(&plain(vec![cluster, registry(json!({})), given], declared), None)
    };
    assert!(is_open(&env("")));
    let row = |valid: &str| {
        format!(
            "[[service_principal]]\nname = \"sp\"\napp_id = \"app\"\nhome_tenant = \"{TENANT}\"\nmulti_tenant = false\n\
             objects = [{{ tenant = \"{TENANT}\", object_id = \"sp-object\" }}]\n{valid}"
        )
    };
    assert_eq!(env(&row("secret_valid = true\n")), Tri::Yes);
    assert_eq!(env(&row("secret_valid = false\n")), Tri::No);
    assert!(is_open(&env(&row(""))));
    let foreign = row("secret_valid = true\n").replace(TENANT, "00000000-0000-0000-0000-0000000000bb");
    assert_eq!(env(&foreign), Tri::No);
}

#[test]
fn anonymous_pulls_need_no_role() {
    assert_eq!(right(&env(json!({ "anonymousPullEnabled": true }), Vec::new()), None), Tri::Yes);
    assert_eq!(right(&env(json!({ "anonymousPullEnabled": false }), Vec::new()), None), Tri::No);
}

#[test]
fn the_kubelet_knows_some_hosts_only() {
    let plain = env(json!({}), vec![assignment(&acme(), &role(PULL_ROLE), "kubelet")]);
    assert_eq!(right_at(&plain, Some("acme.azurecr.io"), None), Tri::Yes);
    assert_eq!(right_at(&plain, Some("acme.privatelink.azurecr.io"), None), Tri::No);
    assert_eq!(right_at(&plain, Some("acme.westeurope.geo.azurecr.io"), None), Tri::Yes);
}

#[test]
fn declared_registries_go_by_their_secret() {
    let with = |keys: &str| {
        let declared =
            format!("[[registry]]\nname = \"harbor\"\nhosts = [{{ host = \"harbor.contoso.com\" }}]\n{keys}");
        let plain = plain(vec![cluster("spoke", json!({}))], &declared);
        let pull = Pull { cluster: &aks(), pool: None, registry: "harbor", host: None, repository: None };
        pull_right(&plain, &pull).answer
    };
    assert!(is_open(&with("")));
    assert!(is_open(&with("pull_secret = true\n")));
    assert_eq!(with("pull_secret = false\n"), Tri::Yes);
    assert_eq!(with("pull_secret = true\npull_secret_valid = true\n"), Tri::Yes);
    assert_eq!(with("pull_secret = true\npull_secret_valid = false\n"), Tri::No);
}
