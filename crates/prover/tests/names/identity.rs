//! Who may pull (A300–A316).

use pullproof_prover::Prover;
use pullproof_prover::registry_answer::{IdentityAnswer, RegistryKey};
use serde_json::{Value, json};

use crate::world::{
    ACR_PULL, CONTROL_PLANE, KUBELET, READER_OF_REPOSITORIES, SUBSCRIPTION, World, acr, first_cluster,
    first_pool, id, registry_id, word,
};

fn cluster_and_registry(more: Value) -> World {
    let mut w = World::default();
    w.vnet("spoke", 1, json!([]));
    w.registry(more);
    w.cluster("aks", "spoke", json!({}), json!({}));
    w
}

fn ask(w: &World, registry: RegistryKey, repositories: &[&str]) -> IdentityAnswer {
    let network = w.network();
    let repositories: Vec<String> = repositories.iter().map(|r| (*r).to_owned()).collect();
    Prover::new(&network).identity(first_cluster(), None, registry, &[], &repositories)
}

fn may(w: &World) -> String {
    word(&ask(w, acr(), &[]).outcome)
}

#[test]
fn the_kubelet_identity_needs_a_role_that_pulls() {
    let mut w = cluster_and_registry(json!({}));
    assert_eq!(may(&w), "no_role");
    w.assign(KUBELET, ACR_PULL, &registry_id("contoso"), json!({}));
    assert_eq!(may(&w), "holds");
    // AcrDelete does not pull.
    let mut other = cluster_and_registry(json!({}));
    other.assign(KUBELET, "c2f4ef07-c644-48eb-af81-4b1b4947fb11", &registry_id("contoso"), json!({}));
    assert_eq!(may(&other), "no_role");
}

#[test]
fn a_role_of_the_control_plane_does_not_pull() {
    let mut w = cluster_and_registry(json!({}));
    w.assign(CONTROL_PLANE, ACR_PULL, &registry_id("contoso"), json!({}));
    assert_eq!(may(&w), "wrong_identity");
}

#[test]
fn scopes_above_the_registry_count_and_others_do_not() {
    for (scope, expected) in [
        (SUBSCRIPTION.to_owned(), "holds"),
        (format!("{SUBSCRIPTION}/resourceGroups/RG"), "holds"),
        ("/".to_owned(), "holds"),
        (format!("{SUBSCRIPTION}/resourceGroups/r"), "no_role"),
        (registry_id("contosoother"), "no_role"),
        // Whether the group lies above the subscription was not read.
        ("/providers/Microsoft.Management/managementGroups/platform".to_owned(), "open"),
    ] {
        let mut w = cluster_and_registry(json!({}));
        w.assign(KUBELET, ACR_PULL, &scope, json!({}));
        assert_eq!(may(&w), expected, "{scope}");
    }
}

#[test]
fn management_groups_count_where_the_chain_is_known() {
    let mut w = cluster_and_registry(json!({}));
    w.assign(KUBELET, ACR_PULL, "/providers/Microsoft.Management/managementGroups/platform", json!({}));
    for (chain, expected) in [
        (json!([{ "name": "platform" }, { "name": "tenant-a" }]), "holds"),
        (json!([{ "name": "tenant-a" }]), "no_role"),
    ] {
        let mut w = w.clone();
        let subscription = w.put(
            SUBSCRIPTION.into(),
            "Microsoft.Resources/subscriptions",
            json!({ "managementGroupAncestorsChain": chain }),
        );
        subscription["tenantId"] = json!("tenant-a");
        assert_eq!(may(&w), expected);
    }
}

#[test]
fn custom_roles_are_read_by_their_permissions() {
    for (permissions, expected) in [
        (
            json!([{ "actions": ["Microsoft.ContainerRegistry/*/read"], "notActions": [], "dataActions": [], "notDataActions": [] }]),
            "holds",
        ),
        (
            json!([{ "actions": ["Microsoft.ContainerRegistry/*/read"], "notActions": ["Microsoft.ContainerRegistry/registries/pull/*"] }]),
            "no_role",
        ),
        (json!([{ "actions": ["Microsoft.Network/*/read"] }]), "no_role"),
    ] {
        let mut w = cluster_and_registry(json!({}));
        let guid = "12121212-0000-4000-8000-000000000000";
        w.put(
            format!("{SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/{guid}"),
            "Microsoft.Authorization/roleDefinitions",
            json!({ "roleName": "Puller", "type": "CustomRole", "permissions": permissions }),
        );
        w.assign(KUBELET, guid, &registry_id("contoso"), json!({}));
        assert_eq!(may(&w), expected);
    }
    let mut unread = cluster_and_registry(json!({}));
    unread.assign(KUBELET, "12121212-0000-4000-8000-000000000000", &registry_id("contoso"), json!({}));
    assert_eq!(may(&unread), "open");
}

#[test]
fn repository_mode_voids_the_registry_roles() {
    let mode = json!({ "roleAssignmentMode": "AbacRepositoryPermissions" });
    let mut w = cluster_and_registry(mode.clone());
    w.assign(KUBELET, ACR_PULL, &registry_id("contoso"), json!({}));
    assert_eq!(may(&w), "wrong_role_mode");
    let mut right = cluster_and_registry(mode);
    right.assign(KUBELET, READER_OF_REPOSITORIES, &registry_id("contoso"), json!({}));
    assert_eq!(may(&right), "holds");
    // What the repository roles do on an ordinary registry is open (AU4).
    let mut legacy = cluster_and_registry(json!({}));
    legacy.assign(KUBELET, READER_OF_REPOSITORIES, &registry_id("contoso"), json!({}));
    assert_eq!(may(&legacy), "open");
}

#[test]
fn conditions_decide_by_repository() {
    let condition = "((!(ActionMatches{'Microsoft.ContainerRegistry/registries/repositories/content/read'})) OR \
                     (@Request[Microsoft.ContainerRegistry/registries/repositories:name] StringStartsWithIgnoreCase 'team/'))";
    let mut w = cluster_and_registry(json!({ "roleAssignmentMode": "AbacRepositoryPermissions" }));
    w.assign(
        KUBELET,
        READER_OF_REPOSITORIES,
        &registry_id("contoso"),
        json!({ "condition": condition, "conditionVersion": "2.0" }),
    );
    assert_eq!(word(&ask(&w, acr(), &["team/app"]).outcome), "holds");
    assert_eq!(word(&ask(&w, acr(), &["team/app", "other/app"]).outcome), "condition_excludes");
    // Which repositories are pulled is not known.
    assert_eq!(word(&ask(&w, acr(), &[]).outcome), "open");
}

#[test]
fn groups_are_not_looked_into() {
    let mut w = cluster_and_registry(json!({}));
    w.assign(
        "bbbbbbbb-0000-4000-8000-000000000000",
        ACR_PULL,
        &registry_id("contoso"),
        json!({ "principalType": "Group" }),
    );
    assert_eq!(may(&w), "open");
    w.assign(KUBELET, ACR_PULL, &registry_id("contoso"), json!({}));
    assert_eq!(may(&w), "holds");
}

#[test]
fn assignments_that_were_not_read_are_not_absent() {
    let mut w = cluster_and_registry(json!({}));
    w.unreadable(SUBSCRIPTION, "Microsoft.Authorization/roleAssignments");
    assert_eq!(may(&w), "open");
}

#[test]
fn a_deny_assignment_beats_the_role() {
    let deny = |principals: Value, excluded: Value| {
        json!({ "denyAssignmentName": "stack", "scope": SUBSCRIPTION, "doNotApplyToChildScopes": false,
            "permissions": [{ "actions": ["Microsoft.ContainerRegistry/*"], "notActions": [], "dataActions": [], "notDataActions": [] }],
            "principals": principals, "excludePrincipals": excluded, "isSystemProtected": true })
    };
    let everyone = json!([{ "id": "00000000-0000-0000-0000-000000000000", "type": "SystemDefined" }]);
    for (principals, excluded, expected) in [
        (everyone.clone(), json!([]), "deny_assignment"),
        (everyone, json!([{ "id": KUBELET, "type": "ServicePrincipal" }]), "holds"),
        (json!([{ "id": CONTROL_PLANE, "type": "ServicePrincipal" }]), json!([]), "holds"),
        (json!([{ "id": "bbbbbbbb-0000-4000-8000-000000000000", "type": "Group" }]), json!([]), "open"),
    ] {
        let mut w = cluster_and_registry(json!({}));
        w.assign(KUBELET, ACR_PULL, &registry_id("contoso"), json!({}));
        w.put(
            format!("{SUBSCRIPTION}/providers/Microsoft.Authorization/denyAssignments/stack"),
            "Microsoft.Authorization/denyAssignments",
            deny(principals, excluded),
        );
        assert_eq!(may(&w), expected);
    }
}

#[test]
fn a_managed_identity_does_not_cross_tenants() {
    for (tenant, expected) in [("tenant-a", "holds"), ("tenant-b", "cross_tenant")] {
        let mut w = cluster_and_registry(json!({}));
        w.assign(KUBELET, ACR_PULL, &registry_id("contoso"), json!({}));
        let subscription = w.put(SUBSCRIPTION.into(), "Microsoft.Resources/subscriptions", json!({}));
        subscription["tenantId"] = json!(tenant);
        assert_eq!(may(&w), expected);
    }
}

#[test]
fn service_principals_have_to_be_declared() {
    let mut w = World::default();
    w.vnet("spoke", 1, json!([]));
    w.registry(json!({}));
    w.cluster(
        "aks",
        "spoke",
        json!({}),
        json!({ "identityProfile": null, "servicePrincipalProfile": { "clientId": "app-1" } }),
    );
    w.assign("cccccccc-0000-4000-8000-000000000000", ACR_PULL, &registry_id("contoso"), json!({}));
    assert_eq!(may(&w), "open");
    let table = "[[service_principal]]\nname = \"sp\"\napp_id = \"app-1\"\nobjects = [ { tenant = \"tenant-a\", object_id = \"cccccccc-0000-4000-8000-000000000000\" } ]\nsecret_valid = true\n";
    w.toml = table.into();
    assert_eq!(may(&w), "holds");
    w.toml = table.replace("secret_valid = true", "secret_valid = false");
    assert_eq!(may(&w), "secret_invalid");
}

#[test]
fn anonymous_pulls_need_no_role() {
    assert_eq!(may(&cluster_and_registry(json!({ "anonymousPullEnabled": true }))), "holds");
    assert_eq!(may(&cluster_and_registry(json!({ "anonymousPullEnabled": false }))), "no_role");
}

#[test]
fn a_detached_identity_gets_no_token() {
    for (attached, expected) in [("aks-agentpool", "holds"), ("another", "identity_detached")] {
        let mut w = cluster_and_registry(json!({}));
        w.assign(KUBELET, ACR_PULL, &registry_id("contoso"), json!({}));
        let set = format!(
            "{SUBSCRIPTION}/resourceGroups/MC_aks/providers/Microsoft.Compute/virtualMachineScaleSets/vmss"
        );
        let resource = w.put(set, "Microsoft.Compute/virtualMachineScaleSets", json!({}));
        resource["tags"] = json!({ "aks-managed-poolName": "np" });
        let identity = id("Microsoft.ManagedIdentity/userAssignedIdentities", attached);
        resource["identity"] = json!({ "type": "UserAssigned", "userAssignedIdentities": { identity: {} } });
        assert_eq!(may(&w), expected);
    }
}

#[test]
fn a_scale_set_without_identity_gets_no_token() {
    let mut w = cluster_and_registry(json!({}));
    w.assign(KUBELET, ACR_PULL, &registry_id("contoso"), json!({}));
    let set = format!(
        "{SUBSCRIPTION}/resourceGroups/MC_aks/providers/Microsoft.Compute/virtualMachineScaleSets/vmss"
    );
    let resource = w.put(set, "Microsoft.Compute/virtualMachineScaleSets", json!({}));
    resource["tags"] = json!({ "aks-managed-poolName": "np" });
    assert_eq!(may(&w), "identity_detached");
    // A cut-down row shows nothing.
    let cut = w.resources.last_mut().and_then(Value::as_object_mut).expect("an object");
    cut.remove("properties");
    assert_eq!(may(&w), "holds");
}

#[test]
fn regional_hosts_need_a_recent_node_image() {
    for (image, host, expected) in [
        ("AKSUbuntu-2204gen2containerd-202607.29.0", "contoso.westeurope.geo.azurecr.io", "holds"),
        (
            "AKSUbuntu-2204gen2containerd-202607.28.0",
            "contoso.westeurope.geo.azurecr.io",
            "node_image_too_old",
        ),
        ("AKSUbuntu-2204gen2containerd-202607.28.0", "contoso.azurecr.io", "holds"),
    ] {
        let mut w = World::default();
        w.vnet("spoke", 1, json!([]));
        w.registry(json!({}));
        w.cluster("aks", "spoke", json!({ "nodeImageVersion": image }), json!({}));
        w.assign(KUBELET, ACR_PULL, &registry_id("contoso"), json!({}));
        let network = w.network();
        let hosts = [host.to_owned()];
        let answer = Prover::new(&network).identity(first_cluster(), Some(first_pool()), acr(), &hosts, &[]);
        assert_eq!(word(&answer.outcome), expected);
    }
}

#[test]
fn the_same_unknown_principal_is_the_same_principal() {
    let unknown = json!({ "$unknown": "kubelet.principal_id" });
    let mut w = World::default();
    w.vnet("spoke", 1, json!([]));
    w.registry(json!({}));
    w.cluster(
        "aks",
        "spoke",
        json!({}),
        json!({ "identityProfile": { "kubeletidentity": { "objectId": unknown } } }),
    );
    w.assign(KUBELET, ACR_PULL, &registry_id("contoso"), json!({ "principalId": unknown }));
    assert_eq!(may(&w), "holds");
    let mut other = w.clone();
    other.resources.pop();
    other.assign(
        KUBELET,
        ACR_PULL,
        &registry_id("contoso"),
        json!({ "principalId": { "$unknown": "other.principal_id" } }),
    );
    assert_eq!(may(&other), "open");
}

#[test]
fn pull_secrets_are_declared() {
    for (keys, expected) in [
        ("pull_secret = true\npull_secret_valid = true", "holds"),
        ("pull_secret = true\npull_secret_valid = false", "secret_invalid"),
        ("pull_secret = true", "open"),
        ("pull_secret = false", "holds"),
        ("", "open"),
    ] {
        let mut w = cluster_and_registry(json!({}));
        w.toml = format!(
            "[[registry]]\nname = \"harbor\"\nhosts = [ {{ host = \"harbor.contoso.example\" }} ]\n{keys}\n"
        );
        assert_eq!(word(&ask(&w, RegistryKey::Declared(0), &[]).outcome), expected, "{keys}");
    }
}
