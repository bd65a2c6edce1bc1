//! The registries, in a subscription of their own.

use serde_json::{Value, json};

use super::layout::Layout;
use crate::expand::{builtin_roles, types};
use crate::yaml::{Document, Identity, Registry, Replication, RoleAssignment, Subscription};

/// The resource group of all registries.
const GROUP: &str = "rg-registries";
const REPLICAS: [&str; 3] = ["northeurope", "swedencentral", "uksouth"];

pub(crate) fn name(i: usize) -> String {
    format!("estatereg{i:03}")
}

pub(crate) fn id(layout: &Layout, i: usize) -> String {
    let subscription = layout.subscription(0);
    let kind = "Microsoft.ContainerRegistry/registries";
    format!("/subscriptions/{subscription}/resourceGroups/{GROUP}/providers/{kind}/{}", name(i))
}

/// Every fifth registry has repository permissions.
pub(crate) fn has_repository_permissions(i: usize) -> bool {
    i % 5 == 4
}

/// The roles that appear at registries.
pub(crate) const ROLES: [&str; 3] = ["AcrPull", "AcrDelete", "Container Registry Repository Reader"];

/// The id of a built-in role as assignments at registries name it.
pub(crate) fn role_id(layout: &Layout, role: &str) -> String {
    let id = builtin_roles::by_name(role).map_or(role, |role| role.id);
    format!("/subscriptions/{}/providers/{}/{id}", layout.subscription(0), types::ROLE_DEFINITION)
}

/// The regions of a registry, home first: one to three.
pub(crate) fn regions(i: usize) -> Vec<&'static str> {
    std::iter::once("westeurope").chain(REPLICAS.iter().copied().take(i % 3)).collect()
}

/// The members of its private endpoints with the names that they serve, in the order in which addresses are given.
pub(crate) fn members(i: usize) -> Vec<(String, String)> {
    let label = name(i);
    let data = regions(i)
        .into_iter()
        .map(|region| (format!("registry_data_{region}"), format!("{label}.{region}.data.azurecr.io")));
    data.chain([("registry".to_owned(), format!("{label}.azurecr.io"))]).collect()
}

/// The id of a registry's private endpoint in a hub.
pub(crate) fn endpoint_id(layout: &Layout, hub: usize) -> String {
    let subscription = layout.subscription(hub + 1);
    let kind = "Microsoft.Network/privateEndpoints";
    format!("/subscriptions/{subscription}/resourceGroups/rg-hub-{hub:03}/providers/{kind}/pe-registry")
}

pub(crate) fn document(layout: &Layout) -> Document {
    let registries = (0..layout.registries).map(|i| registry(layout, i)).collect();
    // What builds the images; with it come the definitions of the roles.
    let builder = "mi-build";
    let role_assignments = ROLES.map(|role| RoleAssignment {
        principal: builder.to_owned(),
        role: role.to_owned(),
        scope: name(0),
        ..RoleAssignment::default()
    });
    Document {
        name: "registries".into(),
        subscriptions: vec![Subscription {
            name: "sub-registries".into(),
            id: Some(layout.subscription(0)),
            ..Subscription::default()
        }],
        registries,
        identities: vec![Identity { name: builder.into(), ..Identity::default() }],
        role_assignments: role_assignments.into(),
        ..Document::default()
    }
}

fn registry(layout: &Layout, i: usize) -> Registry {
    let regions = regions(i);
    let hosts: Vec<String> =
        regions.iter().map(|region| format!("{}.{region}.data.azurecr.io", name(i))).collect();
    let connections: Vec<Value> = layout
        .hubs_of(i)
        .map(|hub| {
            let connection = format!("pe-registry.{hub:08}");
            json!({
                "id": format!("{}/privateEndpointConnections/{connection}", id(layout, i)),
                "name": connection,
                "type": "Microsoft.ContainerRegistry/registries/privateEndpointConnections",
                "properties": {
                    "provisioningState": "Succeeded",
                    "privateEndpoint": {"id": endpoint_id(layout, hub)},
                    "privateLinkServiceConnectionState": {
                        "status": "Approved", "description": "", "actionsRequired": "None",
                    },
                },
            })
        })
        .collect();
    let replications = regions
        .iter()
        .skip(1)
        .map(|region| Replication { location: (*region).to_owned(), ..Replication::default() });
    Registry {
        name: name(i),
        resource_group: Some(GROUP.into()),
        public_network_access: Some("Disabled".into()),
        role_assignment_mode: has_repository_permissions(i).then(|| "AbacRepositoryPermissions".into()),
        replications: replications.collect(),
        properties: Some(json!({"dataEndpointHostNames": hosts, "privateEndpointConnections": connections})),
        ..Registry::default()
    }
}
