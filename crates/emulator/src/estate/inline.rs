//! Children that ARM returns inside their parents, and out of them.

use pullproof_snapshot::{ArmId, Child, ResourceIx};
use serde_json::{Map, Value, json};

use super::Estate;

/// A collection that may stand inside its parent's `properties`.
pub(super) struct Inline {
    /// Folded.
    parent: &'static str,
    pub collection: &'static str,
    /// The field of `properties` that holds the list.
    field: &'static str,
    /// ARM's GET and LIST of the parent return the children; the other collections stand inside a parent only in
    /// snapshots that came from elsewhere.
    returned: bool,
    /// An element is `{"name":…, fields}` where a resource of its own has the fields in `properties`.
    flat: bool,
}

const fn row(
    parent: &'static str,
    collection: &'static str,
    field: &'static str,
    returned: bool,
    flat: bool,
) -> Inline {
    Inline { parent, collection, field, returned, flat }
}

const VNET: &str = "microsoft.network/virtualnetworks";
const NSG: &str = "microsoft.network/networksecuritygroups";
const RESOLVER: &str = "microsoft.network/dnsresolvers";
const RULESET: &str = "microsoft.network/dnsforwardingrulesets";
const HUB: &str = "microsoft.network/virtualhubs";
const REGISTRY: &str = "microsoft.containerregistry/registries";

/// \[recorded: environments of the corpus; specs\]
const INLINE: &[Inline] = &[
    row(VNET, "subnets", "subnets", true, false),
    row(VNET, "virtualNetworkPeerings", "virtualNetworkPeerings", true, false),
    row(NSG, "securityRules", "securityRules", true, false),
    row(NSG, "defaultSecurityRules", "defaultSecurityRules", true, false),
    row("microsoft.network/routetables", "routes", "routes", true, false),
    row("microsoft.containerservice/managedclusters", "agentPools", "agentPoolProfiles", true, true),
    row(REGISTRY, "privateEndpointConnections", "privateEndpointConnections", true, false),
    row(REGISTRY, "replications", "replications", false, false),
    row("microsoft.network/privateendpoints", "privateDnsZoneGroups", "privateDnsZoneGroups", false, false),
    row(RESOLVER, "inboundEndpoints", "inboundEndpoints", false, false),
    row(RESOLVER, "outboundEndpoints", "outboundEndpoints", false, false),
    row(RULESET, "forwardingRules", "forwardingRules", false, false),
    row(RULESET, "virtualNetworkLinks", "virtualNetworkLinks", false, false),
    row("microsoft.network/privatednszones", "virtualNetworkLinks", "virtualNetworkLinks", false, false),
    row("microsoft.network/firewallpolicies", "ruleCollectionGroups", "ruleCollectionGroups", false, false),
    row("microsoft.network/virtualnetworkgateways", "natRules", "natRules", true, false),
    row(HUB, "hubVirtualNetworkConnections", "virtualNetworkConnections", false, false),
];

pub(super) fn of_parent(folded_type: &str) -> impl Iterator<Item = &'static Inline> + use<'_> {
    INLINE.iter().filter(move |row| row.parent == folded_type)
}

impl Estate {
    /// The children of `parent` in a collection that may stand inline, in ARM's form; `None` where the collection
    /// never does. Inline and standalone forms count as the snapshot merges them (CONTRACT §1); where the two disagree
    /// and neither is known to be newer, each is served as it was read.
    pub(super) fn unfolded(&self, parent: ResourceIx, collection: &str) -> Option<Vec<(ArmId, Value)>> {
        let row = of_parent(self.layered.resource_type(parent))
            .find(|row| row.collection.eq_ignore_ascii_case(collection))?;
        let json = self.layered.json(parent);
        let list = self.layered.child_list(parent, &json, row.collection);
        let children = list.items.into_iter().map(|child| {
            let disputed = list.conflicts.iter().any(|conflict| conflict.id == child.id);
            let alone = self.layered.find(child.id.folded()).filter(|_| disputed);
            let value = match alone {
                Some(ix) => (*self.layered.json(ix)).clone(),
                None => resource(&child, row),
            };
            (child.id, value)
        });
        Some(children.collect())
    }

    /// The parent as ARM returns it: what stands alone in the snapshot and ARM returns inside the parent is inside.
    pub(super) fn folded(&self, parent: ResourceIx) -> Value {
        let mut json = (*self.layered.json(parent)).clone();
        let before = json.clone();
        for row in of_parent(self.layered.resource_type(parent)).filter(|row| row.returned) {
            if self.layered.standalone_children(parent, row.collection).is_empty() {
                continue;
            }
            let list = self.layered.child_list(parent, &before, row.collection);
            if list.open.is_some() {
                continue;
            }
            let was = before.pointer(&format!("/properties/{}", row.field)).and_then(Value::as_array);
            let elements = list.items.iter().map(|child| {
                let disputed = list.conflicts.iter().any(|conflict| conflict.id == child.id);
                let inline = was.into_iter().flatten().find(|element| is(element, child));
                match inline {
                    Some(element) if disputed || row.flat => element.clone(),
                    _ => element(child, row),
                }
            });
            let elements: Vec<Value> = elements.collect();
            if let Some(properties) = json.get_mut("properties").and_then(Value::as_object_mut) {
                properties.insert(row.field.into(), Value::Array(elements));
            }
        }
        json
    }
}

fn is(element: &Value, child: &Child<'_>) -> bool {
    let text = |key: &str| element.get(key).and_then(Value::as_str);
    match text("id") {
        Some(id) => ArmId::new(id) == child.id,
        None => text("name").is_some_and(|name| name.eq_ignore_ascii_case(&child.name)),
    }
}

/// A child as a resource of its own.
fn resource(child: &Child<'_>, row: &Inline) -> Value {
    let mut out = match child.json.as_ref() {
        Value::Object(fields) if row.flat && !fields.contains_key("properties") => {
            let mut properties = fields.clone();
            properties.retain(|key, _| !matches!(key.as_str(), "id" | "name"));
            Map::from_iter([("properties".to_owned(), Value::Object(properties))])
        }
        Value::Object(fields) => fields.clone(),
        other => return other.clone(),
    };
    out.entry("id").or_insert_with(|| json!(child.id.as_written()));
    out.entry("name").or_insert_with(|| json!(child.name));
    if let Some(kind) = child.id.resource_type() {
        out.entry("type").or_insert_with(|| json!(kind));
    }
    Value::Object(out)
}

/// A child as an element of its parent's list.
fn element(child: &Child<'_>, row: &Inline) -> Value {
    if !row.flat {
        return child.json.as_ref().clone();
    }
    let mut out = Map::from_iter([("name".to_owned(), json!(child.name))]);
    if let Some(properties) = child.json.get("properties").and_then(Value::as_object) {
        out.extend(properties.clone());
    }
    Value::Object(out)
}
