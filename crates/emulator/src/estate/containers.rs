//! What resources are in: resource groups, subscriptions, management groups, the tenant.

use std::collections::BTreeMap;

use pullproof_snapshot::{ArmId, Layered};
use serde_json::{Value, json};

use super::Estate;

const SUBSCRIPTIONS: &str = "microsoft.resources/subscriptions";
pub(crate) const GROUPS: &str = "microsoft.management/managementgroups";
const IN_GROUP: &str = "microsoft.management/managementgroups/subscriptions";

/// Levels of management groups that Azure allows, and some more; ends a loop in bad input.
const MAX_LEVELS: usize = 32;

/// The tenant of a subscription whose own resource the snapshot lacks.
const NO_TENANT: &str = "00000000-0000-0000-0000-000000000001";

/// A subscription.
#[derive(Clone, Debug)]
pub(crate) struct Subscription {
    /// The GUID, as written.
    pub name: String,
    pub display_name: String,
    pub tenant: String,
    /// The management group that it is in, by name.
    pub group: Option<String>,
    /// Everything that the snapshot has of it.
    json: Option<Value>,
}

/// A management group.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub name: String,
    pub display_name: String,
    pub parent: Option<String>,
}

/// The containers of an estate, by folded name.
#[derive(Default)]
pub(crate) struct Containers {
    pub subscriptions: BTreeMap<String, Subscription>,
    pub groups: BTreeMap<String, Group>,
    /// Folded id → (id as written, location).
    pub resource_groups: BTreeMap<String, (ArmId, String)>,
}

fn text(json: &Value, pointer: &str) -> Option<String> {
    json.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

impl Containers {
    pub fn find(layered: &Layered) -> Self {
        let mut out = Self::default();
        out.find_groups(layered);
        out.find_subscriptions(layered);
        for ix in layered.resources() {
            let id = layered.id(ix);
            out.find_resource_group(id);
        }
        for ix in layered.of_type("microsoft.resources/resourcegroups") {
            let location = text(&layered.json(ix), "/location").unwrap_or_default();
            if let Some(group) = out.resource_groups.get_mut(layered.id(ix).folded()) {
                group.1 = location;
            }
        }
        out
    }

    fn find_groups(&mut self, layered: &Layered) {
        for ix in layered.of_type(GROUPS) {
            let json = layered.json(ix);
            let name = layered.id(ix).name().to_owned();
            let display_name = text(&json, "/properties/displayName").unwrap_or_else(|| name.clone());
            let parent =
                text(&json, "/properties/details/parent/id").map(|id| ArmId::new(&id).name().to_owned());
            self.groups.insert(name.to_ascii_lowercase(), Group { name, display_name, parent });
        }
    }

    fn find_subscriptions(&mut self, layered: &Layered) {
        for ix in layered.of_type(SUBSCRIPTIONS) {
            let json = layered.json(ix);
            let name = layered.id(ix).name().to_owned();
            let chain = json.pointer("/properties/managementGroupAncestorsChain").and_then(Value::as_array);
            let chain: Vec<(String, String)> = chain
                .into_iter()
                .flatten()
                .filter_map(|group| {
                    let name = text(group, "/name")?;
                    let display = text(group, "/displayName").unwrap_or_else(|| name.clone());
                    Some((name, display))
                })
                .collect();
            for (i, (group, display_name)) in chain.iter().enumerate() {
                let parent = chain.get(i.saturating_add(1)).map(|(name, _)| name.clone());
                let new =
                    Group { name: group.clone(), display_name: display_name.clone(), parent: parent.clone() };
                let known = self.groups.entry(group.to_ascii_lowercase()).or_insert(new);
                if known.parent.is_none() {
                    known.parent = parent;
                }
            }
            let subscription = Subscription {
                display_name: text(&json, "/displayName")
                    .or_else(|| text(&json, "/properties/displayName"))
                    .unwrap_or_else(|| name.clone()),
                tenant: text(&json, "/tenantId")
                    .or_else(|| text(&json, "/properties/tenantId"))
                    .unwrap_or_else(|| NO_TENANT.to_owned()),
                group: chain.first().map(|(name, _)| name.clone()),
                json: Some((*json).clone()),
                name: name.clone(),
            };
            self.subscriptions.insert(name.to_ascii_lowercase(), subscription);
        }
        for ix in layered.of_type(IN_GROUP) {
            let id = layered.id(ix);
            let group = id.parent().map(|parent| parent.name().to_owned());
            if let Some(subscription) = self.subscriptions.get_mut(&id.name().to_ascii_lowercase())
                && subscription.group.is_none()
            {
                subscription.group = group;
            }
        }
    }

    fn find_resource_group(&mut self, id: &ArmId) {
        let mut parts = id.as_written().split('/').skip(1);
        let (Some(first), Some(subscription)) = (parts.next(), parts.next()) else { return };
        if !first.eq_ignore_ascii_case("subscriptions") || subscription.is_empty() {
            return;
        }
        let folded = subscription.to_ascii_lowercase();
        if !self.subscriptions.contains_key(&folded) {
            let tenant =
                self.subscriptions.values().next().map_or(NO_TENANT, |other| &other.tenant).to_owned();
            let new = Subscription {
                name: subscription.to_owned(),
                display_name: subscription.to_owned(),
                tenant,
                group: None,
                json: None,
            };
            self.subscriptions.insert(folded, new);
        }
        if let (Some(key), Some(group)) = (parts.next(), parts.next())
            && key.eq_ignore_ascii_case("resourceGroups")
        {
            let id = ArmId::new(&format!("/subscriptions/{subscription}/resourceGroups/{group}"));
            self.resource_groups.entry(id.folded().to_owned()).or_insert((id, String::new()));
        }
    }
}

impl Subscription {
    pub fn id(&self) -> String {
        format!("/subscriptions/{}", self.name)
    }

    /// As `GET /subscriptions/{id}` returns it \[recorded: specs GetSubscription\].
    pub fn arm(&self) -> Value {
        let given = |key: &str| self.json.as_ref().and_then(|json| json.get(key)).cloned();
        json!({
            "id": self.id(),
            "subscriptionId": self.name,
            "tenantId": self.tenant,
            "displayName": self.display_name,
            "state": given("state").unwrap_or_else(|| json!("Enabled")),
            "subscriptionPolicies": given("subscriptionPolicies").unwrap_or_else(|| json!({
                "locationPlacementId": "Public_2014-09-01", "quotaId": "PayAsYouGo_2014-09-01", "spendingLimit": "Off",
            })),
            "authorizationSource": given("authorizationSource").unwrap_or_else(|| json!("RoleBased")),
            "managedByTenants": given("managedByTenants").unwrap_or_else(|| json!([])),
        })
    }
}

impl Estate {
    pub fn containers(&self) -> &Containers {
        &self.containers
    }

    /// The tenant of the first subscription: that of the credentials.
    pub fn tenant(&self) -> &str {
        self.containers.subscriptions.values().next().map_or(NO_TENANT, |subscription| &subscription.tenant)
    }

    /// A group and its ancestors, nearest first.
    pub fn ancestry(&self, group: &str) -> Vec<&Group> {
        let mut out: Vec<&Group> = Vec::new();
        let mut next = Some(group.to_ascii_lowercase());
        while let Some(group) = next.and_then(|name| self.containers.groups.get(&name)) {
            if out.len() >= MAX_LEVELS {
                break;
            }
            out.push(group);
            next = group.parent.as_ref().map(|name| name.to_ascii_lowercase());
        }
        out
    }

    /// The folded ids of the management groups above a scope, the scope itself excluded.
    pub fn groups_above(&self, scope: &ArmId) -> Vec<String> {
        let id = |group: &&Group| format!("/providers/{GROUPS}/{}", group.name.to_ascii_lowercase());
        let prefix = format!("/providers/{GROUPS}/");
        if let Some(name) = scope.folded().strip_prefix(&prefix) {
            return self.ancestry(name).iter().skip(1).map(id).collect();
        }
        let subscription = scope.subscription().and_then(|name| self.containers.subscriptions.get(name));
        let group = subscription.and_then(|subscription| subscription.group.as_deref());
        group.map(|group| self.ancestry(group).iter().map(id).collect()).unwrap_or_default()
    }
}
