//! The identity that nodes pull with: the kubelet's, never the control plane's (A300, A312).

use pullproof_snapshot::ArmId;
use pullproof_snapshot::declared::ServicePrincipal;
use pullproof_snapshot::question::Missing;

use crate::json::is;
use crate::missing;
use crate::plain::Plain;
use crate::resources::{Resource, find};
use crate::tri::Tri;

pub(super) enum Principal {
    /// `usable`: the credential itself is valid.
    Known {
        object_id: String,
        usable: Tri,
    },
    /// It does not exist in the registry's tenant and can have no role there.
    Foreign(Option<String>),
    Unknown(Missing),
}

pub(super) fn of_cluster(plain: &Plain, cluster: &Resource, registry: &Resource) -> Principal {
    match decide(plain, cluster, registry) {
        Ok(principal) => principal,
        Err(missing) => Principal::Unknown(missing),
    }
}

fn decide(plain: &Plain, cluster: &Resource, registry: &Resource) -> Result<Principal, Missing> {
    let node = cluster.node();
    let registry_tenant = tenant_of(plain, &registry.id);
    let client = node.text("/properties/servicePrincipalProfile/clientId").known()?;
    if let Some(client) = client.filter(|client| !is(client, "msi")) {
        return service_principal(plain, client, registry_tenant.as_deref(), registry);
    }
    let Some(object_id) = node.text("/properties/identityProfile/kubeletidentity/objectId").known()? else {
        let what = format!("identityProfile.kubeletidentity of {}", cluster.id);
        return Err(missing::evidence(what, "the control plane's identity does not pull (A300)"));
    };
    let object_id = object_id.to_owned();
    let resource = node.text("/properties/identityProfile/kubeletidentity/resourceId").known()?;
    let home = resource
        .and_then(|id| find(plain, id))
        .and_then(|identity| identity.node().text("/properties/tenantId").known().ok().flatten().map(fold))
        .or_else(|| tenant_of(plain, &cluster.id));
    match (home, registry_tenant) {
        // A managed identity exists in its own tenant only (A312).
        (Some(home), Some(there)) if home != there => Ok(Principal::Foreign(Some(object_id))),
        _ => Ok(Principal::Known { object_id, usable: Tri::Yes }),
    }
}

fn fold(text: &str) -> String {
    text.trim().to_ascii_lowercase()
}

/// The tenant of the subscription that a resource is in.
fn tenant_of(plain: &Plain, id: &ArmId) -> Option<String> {
    let subscription = find(plain, &format!("/subscriptions/{}", id.subscription()?))?;
    let node = subscription.node();
    let own = node.text("/tenantId").known().ok().flatten();
    own.or_else(|| node.text("/properties/tenantId").known().ok().flatten()).map(fold)
}

/// Entra shows a service principal's objects, ARM does not (A300): `[[service_principal]]`.
fn service_principal(
    plain: &Plain,
    client: &str,
    tenant: Option<&str>,
    registry: &Resource,
) -> Result<Principal, Missing> {
    let named = |row: &&ServicePrincipal| row.app_id.as_deref().is_some_and(|app| is(app, client));
    let row = plain.declared.service_principals.iter().find(named).filter(|_| !plain.strict);
    let remedy = "declare it in pullproof.toml, [[service_principal]]";
    let open = |what: &str, why: &str| {
        missing::declare(format!("{what} of the service principal {client}"), why, remedy)
    };
    let Some(row) = row else { return Err(open("object id", "the cluster uses a service principal (A300)")) };
    let Some(tenant) = tenant else {
        let what = format!("tenant of {}", registry.id);
        return Err(missing::evidence(what, "its subscription is not in the snapshot"));
    };
    let object = row.objects.iter().find(|object| is(&object.tenant, tenant));
    let Some(object) = object else {
        let elsewhere = row.home_tenant.as_deref().map(|home| !is(home, tenant));
        return match (elsewhere, row.multi_tenant) {
            (Some(true), Some(false)) => Ok(Principal::Foreign(None)), // A312
            _ => Err(open("object in the registry's tenant", "none is declared")),
        };
    };
    let usable = match row.secret_valid {
        Some(valid) => valid.into(),
        None => Tri::unknown(open("secret", "whether it is valid is not declared (A9)")),
    };
    Ok(Principal::Known { object_id: object.object_id.clone(), usable })
}
