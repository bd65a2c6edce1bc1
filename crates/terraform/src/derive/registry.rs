//! Host names of registries (A30–A35) and the connections that they list (A75).

use pullproof_snapshot::ArmId;
use serde_json::{Value, json};

use crate::estate::Estate;
use crate::table::apply::set;

const TYPE: &str = "microsoft.containerregistry/registries";
const CONNECTIONS: &str = "/properties/privateEndpointConnections";

/// A region as it stands in host names (A35).
pub(crate) fn region(location: &str) -> String {
    location.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase()
}

/// The regions of a registry, home first; `None` where they are not all known.
pub(crate) fn regions(estate: &Estate<'_>, id: &ArmId) -> Option<Vec<String>> {
    let json = estate.get(id)?;
    if json.pointer("/properties/replications").is_some_and(|v| v.get("$unknown").is_some()) {
        return None;
    }
    let mut out = vec![region(json.get("location")?.as_str()?)];
    for replication in estate.below(id, "replications").values() {
        let found = region(replication.get("location")?.as_str()?);
        if !out.contains(&found) {
            out.push(found);
        }
    }
    Some(out)
}

/// Login servers of new registries, and the list of connections that every registry shows.
pub(crate) fn derive(estate: &mut Estate<'_>) {
    let ids = estate.ids_of(TYPE);
    for id in ids {
        estate.change(&id, |json| {
            if json.pointer("/properties/loginServer").is_none() {
                // A32: without a label scope the name is the label.
                let host = format!("{}.azurecr.io", id.name().to_lowercase());
                set(json, "/properties/loginServer", json!(host));
            }
            if json.pointer(CONNECTIONS).is_none() {
                set(json, CONNECTIONS, json!([]));
            }
        });
    }
    let gone = estate.gone().clone();
    if gone.is_empty() {
        return;
    }
    for (id, json) in estate.of_type(TYPE) {
        let list = json.pointer(CONNECTIONS).and_then(Value::as_array);
        let lost = |item: &Value| {
            item.pointer("/properties/privateEndpoint/id")
                .and_then(Value::as_str)
                .is_some_and(|endpoint| gone.contains(&ArmId::new(endpoint)))
        };
        if list.is_some_and(|list| list.iter().any(lost)) {
            estate.change(&id, |json| {
                if let Some(list) = json.pointer_mut(CONNECTIONS).and_then(Value::as_array_mut) {
                    list.retain(|item| !lost(item));
                }
            });
        }
    }
}

/// Lists a private endpoint at its registry.
pub(crate) fn connect(estate: &mut Estate<'_>, registry: &ArmId, endpoint: &ArmId, status: &str) {
    estate.change(registry, |json| {
        if json.pointer(CONNECTIONS).is_none_or(Value::is_null) {
            set(json, CONNECTIONS, json!([]));
        }
        let Some(list) = json.pointer_mut(CONNECTIONS).and_then(Value::as_array_mut) else { return };
        let own = |item: &Value| {
            item.pointer("/properties/privateEndpoint/id")
                .and_then(Value::as_str)
                .is_some_and(|id| ArmId::new(id) == *endpoint)
        };
        if list.iter().any(own) {
            return;
        }
        let name = format!("{}.planned", endpoint.name());
        list.push(json!({
            "id": format!("{}/privateEndpointConnections/{name}", registry.as_written()),
            "name": name,
            "type": "Microsoft.ContainerRegistry/registries/privateEndpointConnections",
            "properties": {
                "provisioningState": "Succeeded",
                "privateEndpoint": { "id": endpoint.as_written() },
                "privateLinkServiceConnectionState": { "status": status },
            },
        }));
    });
}
