//! Subscriptions, resource groups, tenants, resource providers, and everything in a scope.

use pullproof_snapshot::ArmId;
use serde_json::{Value, json};

use super::page::page;
use super::{Call, errors, types, versions};
use crate::estate::{Item, Refusal};
use crate::reply::Reply;

const RESOURCE_GROUP: &str = "microsoft.resources/resourcegroups";

/// The reply where the subscription or resource group of `scope` does not exist or may not be read; `None` where both
/// are there, or the scope is in neither.
pub(super) fn missing(call: &Call<'_>, scope: &ArmId, action: &str) -> Option<Reply> {
    let containers = call.estate.containers();
    let subscription = scope.subscription()?;
    if !containers.subscriptions.contains_key(subscription) {
        let id = format!("/subscriptions/{subscription}");
        let known = call.estate.layered().absence(&id, "microsoft.resources/subscriptions").is_evidence();
        return Some(if known {
            errors::subscription_not_found(subscription)
        } else {
            errors::unauthorized(&Refusal::unauthorized(), action, scope.as_written())
        });
    }
    let group = scope.resource_group()?;
    let id = format!("/subscriptions/{subscription}/resourcegroups/{group}");
    if containers.resource_groups.contains_key(&id) {
        return None;
    }
    let name = scope.as_written().split('/').nth(4).unwrap_or(group);
    // A group that holds nothing that was read may be there all the same, unless groups themselves were read.
    let known = call.estate.layered().absence(&id, RESOURCE_GROUP).is_evidence();
    Some(if known {
        errors::group_not_found(name)
    } else {
        errors::unauthorized(&Refusal::unauthorized(), action, scope.as_written())
    })
}

/// `/subscriptions`, `/tenants`, and the collections of a subscription or resource group.
pub(super) fn collection(call: &Call<'_>, scope: &str, name: &str) -> Reply {
    let scope = ArmId::new(scope);
    if let Some(reply) = missing(call, &scope, "Microsoft.Resources/subscriptions/resources/read") {
        return reply;
    }
    let containers = call.estate.containers();
    let subscriptions = containers.subscriptions.values();
    match name {
        "subscriptions" => {
            let items =
                subscriptions.map(|of| Item::Made(ArmId::new(&of.id()), of.arm())).collect::<Vec<_>>();
            page(call, &items, None)
        }
        "tenants" => {
            let mut tenants: Vec<&str> = subscriptions.map(|of| of.tenant.as_str()).collect();
            tenants.sort_unstable();
            tenants.dedup();
            let items = tenants.into_iter().map(|tenant| {
                let id = format!("/tenants/{tenant}");
                let json =
                    json!({"id": id, "tenantId": tenant, "displayName": tenant, "tenantCategory": "Home"});
                Item::Made(ArmId::new(&id), json)
            });
            page(call, &items.collect::<Vec<_>>(), None)
        }
        "resourcegroups" => page(call, &resource_groups(call, &scope), None),
        "resources" => resources(call, &scope),
        "locations" => locations(call, &scope),
        _ => errors::no_such_path(&call.request.path),
    }
}

/// A subscription or resource group itself.
pub(super) fn container(call: &Call<'_>, id: &ArmId) -> Reply {
    let action = format!("{}/read", super::written_type(id));
    if let Some(reply) = missing(call, id, &action) {
        return reply;
    }
    let containers = call.estate.containers();
    if id.resource_group().is_some() {
        let found = resource_groups(call, id).into_iter().find(|item| call.estate.id(item) == id);
        return found.map_or_else(|| errors::group_not_found(id.name()), |item| call.one(&item));
    }
    let subscription = id.subscription().and_then(|name| containers.subscriptions.get(name));
    match subscription {
        Some(subscription) => Reply::json(200, &subscription.arm()),
        None => errors::subscription_not_found(id.name()),
    }
}

/// The resource groups of the scope's subscription, as ARM returns them; what the snapshot has of one counts.
fn resource_groups(call: &Call<'_>, scope: &ArmId) -> Vec<Item> {
    let prefix = format!("/subscriptions/{}/", scope.subscription().unwrap_or_default());
    let groups = &call.estate.containers().resource_groups;
    let of_subscription = groups.iter().filter(|(folded, _)| folded.starts_with(&prefix));
    let items = of_subscription.map(|(_, (id, location))| match call.estate.layered().find(id.folded()) {
        Some(ix) => Item::Resource(ix),
        None => Item::Made(
            id.clone(),
            json!({
                "id": id.as_written(),
                "name": id.name(),
                "type": "Microsoft.Resources/resourceGroups",
                "location": location,
                "properties": {"provisioningState": "Succeeded"},
            }),
        ),
    });
    items.collect()
}

/// `/resources`: everything tracked in a scope, without properties.
fn resources(call: &Call<'_>, scope: &ArmId) -> Reply {
    let filter = call.request.parameter("$filter").unwrap_or_default().to_ascii_lowercase();
    let wanted = match filter.split_once("resourcetype eq ") {
        Some((_, rest)) => rest.split('\'').nth(1).map(str::to_owned),
        None => None,
    };
    let layered = call.estate.layered();
    let mut items = Vec::new();
    for ix in layered.resources() {
        let (id, kind) = (layered.id(ix), layered.resource_type(ix));
        let tracked =
            matches!(types::listed(kind), Some(types::Listed::Everywhere | types::Listed::InGroups));
        if !tracked || !id.is_within(scope.folded()) || wanted.as_deref().is_some_and(|wanted| wanted != kind)
        {
            continue;
        }
        let mut json = (*layered.json(ix)).clone();
        if let Value::Object(fields) = &mut json {
            let listed =
                ["id", "name", "type", "location", "tags", "kind", "sku", "managedBy", "identity", "zones"];
            fields.retain(|key, _| listed.contains(&key.as_str()));
        }
        items.push(Item::Made(id.clone(), json));
    }
    page(call, &items, None)
}

/// The locations that the subscription's resources name.
fn locations(call: &Call<'_>, scope: &ArmId) -> Reply {
    let layered = call.estate.layered();
    let mut names: Vec<String> = Vec::new();
    for ix in layered.of_type("microsoft.network/virtualnetworks") {
        if layered.id(ix).is_within(scope.folded()) {
            names.extend(layered.json(ix).get("location").and_then(Value::as_str).map(str::to_owned));
        }
    }
    names.sort();
    names.dedup();
    let items = names.into_iter().map(|name| {
        let id = format!("{}/locations/{name}", scope.as_written());
        let json = json!({
            "id": id, "name": name, "type": "Region", "displayName": name, "regionalDisplayName": name,
            "metadata": {"regionType": "Physical", "regionCategory": "Recommended"},
        });
        Item::Made(ArmId::new(&id), json)
    });
    page(call, &items.collect::<Vec<_>>(), None)
}

/// `/providers` and `/providers/{namespace}`, of the tenant or of a subscription.
pub(super) fn providers(call: &Call<'_>, scope: &str, namespace: &str) -> Reply {
    let provider = |namespace: &str| {
        let types: Vec<Value> = types::of_namespace(namespace)
            .map(|name| {
                let known = versions::of(&format!("{namespace}/{name}").to_ascii_lowercase());
                let newest_first: Vec<&str> = known.iter().rev().copied().collect();
                json!({"resourceType": name, "locations": [], "apiVersions": newest_first})
            })
            .collect();
        json!({
            "id": format!("{scope}/providers/{namespace}"),
            "namespace": namespace,
            "registrationState": "Registered",
            "registrationPolicy": "RegistrationRequired",
            "resourceTypes": types,
        })
    };
    let known = types::namespaces();
    if namespace.is_empty() {
        let items = known.into_iter().map(|name| Item::Made(ArmId::new(name), provider(name)));
        return page(call, &items.collect::<Vec<_>>(), None);
    }
    match known.into_iter().find(|known| known.eq_ignore_ascii_case(namespace)) {
        Some(namespace) => Reply::json(200, &provider(namespace)),
        None => {
            let message = format!("The resource namespace '{namespace}' is invalid.");
            Reply::arm_error(404, "InvalidResourceNamespace", &message)
        }
    }
}
