//! Subscriptions and tenants.

use serde_json::json;

use super::expansion::Expansion;
use super::filler;
use crate::yaml::{Document, Subscription};

pub(crate) fn expand(x: &mut Expansion<'_>) {
    let default = default_subscription(x.document);
    let all = if x.document.subscriptions.is_empty() {
        std::slice::from_ref(&default)
    } else {
        &x.document.subscriptions
    };
    for subscription in all {
        let guid = id(subscription);
        let tenant = tenant_guid(x.document, subscription.tenant.as_deref());
        let chain: Vec<_> = subscription
            .management_groups
            .iter()
            .map(|group| json!({"name": group, "displayName": group}))
            .collect();
        let body = json!({
            "subscriptionId": guid,
            "tenantId": tenant,
            "displayName": subscription.name,
            "state": "Enabled",
            "properties": {"state": "Enabled", "managementGroupAncestorsChain": chain},
        });
        x.push_at(&format!("/subscriptions/{guid}"), "Microsoft.Resources/subscriptions", None, body);
    }
}

fn default_subscription(document: &Document) -> Subscription {
    Subscription { name: format!("sub-{}", document.name), ..Subscription::default() }
}

fn id(subscription: &Subscription) -> String {
    subscription.id.clone().unwrap_or_else(|| filler::guid(&format!("subscription:{}", subscription.name)))
}

/// The GUID of a subscription by name; the first one's without a name. A name that is not listed stands for a
/// subscription outside the snapshot.
pub(crate) fn guid_of(document: &Document, name: Option<&str>) -> String {
    match name {
        None => document.subscriptions.first().map_or_else(|| id(&default_subscription(document)), id),
        Some(name) => document
            .subscriptions
            .iter()
            .find(|s| s.name == name)
            .map_or_else(|| id(&Subscription { name: name.to_owned(), ..Subscription::default() }), id),
    }
}

/// The scopes that the snapshot covers.
pub(crate) fn scopes(document: &Document) -> Vec<String> {
    if document.subscriptions.is_empty() {
        return vec![format!("/subscriptions/{}", guid_of(document, None))];
    }
    document.subscriptions.iter().map(|s| format!("/subscriptions/{}", id(s))).collect()
}

/// The GUID of a tenant by name; the scenario's without one.
pub(crate) fn tenant_guid(document: &Document, name: Option<&str>) -> String {
    filler::guid(&format!("tenant:{}", name.or(document.tenant.as_deref()).unwrap_or("contoso")))
}

/// The GUID of the tenant in which a subscription lives.
pub(crate) fn tenant_of(document: &Document, subscription: Option<&str>) -> String {
    let entry = match subscription {
        None => document.subscriptions.first(),
        Some(name) => document.subscriptions.iter().find(|s| s.name == name),
    };
    tenant_guid(document, entry.and_then(|s| s.tenant.as_deref()))
}
