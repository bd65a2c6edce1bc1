//! Who pulls: the kubelet identity, or the cluster's service principal (A300, A312).

use pullproof_network::model::cluster::cluster;
use pullproof_network::model::index::{ClusterIx, RegistryIx};
use pullproof_network::{Network, Ref, SymbolIx, Val};
use pullproof_snapshot::{ArmId, At};

use crate::blocker::BlockerKind;
use crate::missing::{declare, evidence};
use crate::outcome::{Basis, Blocker, Missing};

/// The principal that role assignments name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Principal {
    /// An object id, lower case.
    Object(String),
    /// One that is known only after apply; the same symbol is the same principal.
    Symbol(SymbolIx),
}

#[derive(Clone, Debug)]
pub(super) struct Puller {
    pub principal: Principal,
    /// For people.
    pub name: String,
    pub managed: bool,
    pub tenant: Option<String>,
    pub at: At,
}

/// Why nobody can be named, or nobody can pull.
pub(super) enum NoPuller {
    Fails(Blocker),
    Open(Missing),
}

pub(super) fn puller(
    network: &Network,
    cluster_ix: ClusterIx,
    registry: RegistryIx,
    basis: &mut Basis,
) -> Result<Puller, NoPuller> {
    let object = &network.clusters[cluster_ix];
    let kubelet = &object.kubelet;
    let identity = kubelet.resource.present().and_then(Ref::here).map(|ix| &network.user_identities[ix]);
    let name = match kubelet.resource.present() {
        Some(Ref::Here(ix)) => network.user_identities[*ix].id.name().to_owned(),
        Some(Ref::NotRead(id)) => id.name().to_owned(),
        None => format!("the kubelet identity of {}", object.id.name()),
    };
    let tenant = identity
        .and_then(|i| i.tenant.present())
        .or_else(|| object.identity_tenant.present())
        .map(|t| t.to_ascii_lowercase())
        .or_else(|| tenant_of(network, &object.id));
    let at = object.place.at(cluster::KUBELET_OBJECT);
    let principal = match &kubelet.object {
        Val::Known(Some(id)) => Some(Principal::Object(id.to_ascii_lowercase())),
        Val::Known(None) => identity.and_then(|i| match &i.principal {
            Val::Known(id) => id.as_ref().map(|id| Principal::Object(id.to_ascii_lowercase())),
            Val::Sym(symbol) => Some(Principal::Symbol(*symbol)),
        }),
        // The identity itself may be known where the cluster's copy is not.
        Val::Sym(symbol) => Some(match identity.map(|i| &i.principal) {
            Some(Val::Known(Some(id))) => Principal::Object(id.to_ascii_lowercase()),
            Some(Val::Sym(own)) => Principal::Symbol(*own),
            _ => Principal::Symbol(*symbol),
        }),
    };
    if let Some(principal) = principal {
        return Ok(Puller { principal, name, managed: true, tenant, at });
    }
    match object.service_principal.present() {
        Some(client) if !client.eq_ignore_ascii_case("msi") => {
            service_principal(network, client, object.place.at(cluster::SERVICE_PRINCIPAL), registry, basis)
        }
        _ => Err(NoPuller::Open(evidence(
            format!("the kubelet identity of {}", object.id.name()),
            "roles are assigned to its object id (A300)",
            "read the cluster with identityProfile.kubeletidentity",
        ))),
    }
}

/// What Entra knows of a service principal has to be declared: its object id in the registry's tenant, and whether its
/// secret is valid (A300, A312).
fn service_principal(
    network: &Network,
    client: &str,
    at: At,
    registry: RegistryIx,
    basis: &mut Basis,
) -> Result<Puller, NoPuller> {
    let tables = &network.declared.service_principals;
    let table = tables.iter().find(|t| t.app_id.as_deref().is_some_and(|id| id.eq_ignore_ascii_case(client)));
    let Some(table) = table else {
        return Err(NoPuller::Open(declare(
            format!("the service principal {client} of the cluster"),
            "roles are assigned to its object id, which Azure Resource Manager does not show (A300)",
            format!("declare it: [[service_principal]] app_id = \"{client}\" with objects and secret_valid"),
        )));
    };
    basis.assume(format!("service_principal:{}", table.name));
    match table.secret_valid {
        Some(true) => {}
        Some(false) => {
            return Err(NoPuller::Fails(Blocker {
                kind: BlockerKind::SecretInvalid,
                message: format!("the secret of service principal {} is not valid", table.name),
                remedy: "renew the secret and update the cluster's credentials".into(),
                facts: vec!["A9", "A300"],
                evidence: vec![at],
            }));
        }
        None => {
            return Err(NoPuller::Open(declare(
                format!("whether the secret of service principal {} is valid", table.name),
                "nodes present it to the registry (A9)",
                format!("add secret_valid to [[service_principal]] name = \"{}\"", table.name),
            )));
        }
    }
    let wanted = tenant_of(network, &network.registries[registry].id);
    let home = table.home_tenant.as_deref().map(str::to_ascii_lowercase);
    if let (Some(wanted), Some(home)) = (&wanted, &home)
        && wanted != home
    {
        match table.multi_tenant {
            Some(true) => {}
            Some(false) => {
                return Err(NoPuller::Fails(cross_tenant(&table.name, home, wanted, at)));
            }
            None => {
                return Err(NoPuller::Open(declare(
                    format!("whether service principal {} is multi-tenant", table.name),
                    "the registry is in another tenant (A312)",
                    format!("add multi_tenant to [[service_principal]] name = \"{}\"", table.name),
                )));
            }
        }
    }
    let object = table
        .objects
        .iter()
        .find(|o| wanted.as_deref().is_none_or(|tenant| o.tenant.eq_ignore_ascii_case(tenant)));
    match object {
        Some(object) => Ok(Puller {
            principal: Principal::Object(object.object_id.to_ascii_lowercase()),
            name: table.name.clone(),
            managed: false,
            tenant: Some(object.tenant.to_ascii_lowercase()),
            at,
        }),
        None => Err(NoPuller::Open(declare(
            format!("the object id of service principal {} in the registry's tenant", table.name),
            "roles are assigned to it (A300)",
            format!("add it to the objects of [[service_principal]] name = \"{}\"", table.name),
        ))),
    }
}

/// The tenant of the subscription that holds a resource.
pub(super) fn tenant_of(network: &Network, id: &ArmId) -> Option<String> {
    let subscription = id.subscription()?;
    let wanted = format!("/subscriptions/{subscription}");
    let found = network.subscriptions.values().find(|s| s.id.folded() == wanted)?;
    found.tenant.present().map(|tenant| tenant.to_ascii_lowercase())
}

pub(super) fn cross_tenant(who: &str, own: &str, registry: &str, at: At) -> Blocker {
    Blocker {
        kind: BlockerKind::CrossTenant,
        message: format!(
            "{who} belongs to tenant {own}, the registry to tenant {registry}: it cannot pull across tenants"
        ),
        remedy: "use a multi-tenant service principal as the cluster's identity, or a pull secret".into(),
        facts: vec!["A312"],
        evidence: vec![at],
    }
}
