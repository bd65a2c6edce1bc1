//! Management groups, their descendants and subscriptions (A305).

use pullproof_snapshot::ArmId;
use serde_json::{Value, json};

use super::page::page;
use super::{Call, errors};
use crate::estate::containers::{Group, Subscription};
use crate::estate::{Item, Refusal};
use crate::reply::Reply;

const TYPE: &str = "Microsoft.Management/managementGroups";
const ACTION: &str = "Microsoft.Management/managementGroups/read";

fn id(name: &str) -> String {
    format!("/providers/{TYPE}/{name}")
}

/// The answer where the path is about management groups themselves (not about what stands on one).
pub(super) fn answer(call: &Call<'_>, segments: &[String]) -> Option<Reply> {
    let folded: Vec<String> = segments.iter().map(|segment| segment.to_ascii_lowercase()).collect();
    let folded: Vec<&str> = folded.iter().map(String::as_str).collect();
    let ["providers", "microsoft.management", rest @ ..] = folded.as_slice() else { return None };
    let groups = &call.estate.containers().groups;
    let name = match rest {
        ["managementgroups"] => return Some(all(call)),
        ["getentities"] => return Some(entities(call)),
        ["managementgroups", name] | ["managementgroups", name, "descendants" | "subscriptions"] => *name,
        ["managementgroups", name, "subscriptions", _] => *name,
        _ => return None,
    };
    let Some(group) = groups.get(name) else {
        // Whoever may not read a group is not told whether it exists.
        return Some(errors::unauthorized(&Refusal::unauthorized(), ACTION, &id(name)));
    };
    Some(match rest {
        [_, _, "descendants"] => page(call, &descendants(call, group), None),
        [_, _, "subscriptions"] => {
            let items: Vec<Item> = subscriptions_in(call, group).map(|of| in_group(group, of)).collect();
            page(call, &items, None)
        }
        [_, _, "subscriptions", subscription] => {
            match subscriptions_in(call, group).find(|of| of.name.eq_ignore_ascii_case(subscription)) {
                Some(of) => call.one(&in_group(group, of)),
                None => errors::subscription_not_found(subscription),
            }
        }
        _ => one(call, group),
    })
}

fn all(call: &Call<'_>) -> Reply {
    let groups = &call.estate.containers().groups;
    if groups.is_empty() {
        return errors::unauthorized(&Refusal::unauthorized(), ACTION, "/providers/Microsoft.Management");
    }
    let items = groups.values().map(|group| {
        let json = json!({
            "id": id(&group.name),
            "type": TYPE,
            "name": group.name,
            "properties": {"tenantId": call.estate.tenant(), "displayName": group.display_name},
        });
        Item::Made(ArmId::new(&id(&group.name)), json)
    });
    page(call, &items.collect::<Vec<_>>(), None)
}

fn one(call: &Call<'_>, group: &Group) -> Reply {
    let expand = call.request.parameter("$expand").unwrap_or_default().to_ascii_lowercase();
    let recurse = call.request.parameter("$recurse").is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let groups = &call.estate.containers().groups;
    let parent = group.parent.as_ref().map(|name| {
        let display = groups.get(&name.to_ascii_lowercase()).map_or(name, |group| &group.display_name);
        json!({"id": id(name), "name": name, "displayName": display})
    });
    let mut details =
        json!({"version": 1, "updatedTime": "2025-01-01T00:00:00Z", "updatedBy": "", "parent": parent});
    let above: Vec<Value> = call.estate.ancestry(&group.name).into_iter().skip(1).map(short).collect();
    if let Value::Object(details) = &mut details {
        if expand.contains("ancestors") {
            let names = above.iter().filter_map(|group| group.get("name").cloned()).collect();
            details.insert("managementGroupAncestors".into(), Value::Array(names));
            details.insert("managementGroupAncestorsChain".into(), Value::Array(above.clone()));
        }
        if expand.contains("path") {
            details.insert("path".into(), Value::Array(above.into_iter().rev().collect()));
        }
    }
    let mut properties =
        json!({"tenantId": call.estate.tenant(), "displayName": group.display_name, "details": details});
    if let Value::Object(properties) = &mut properties
        && expand.contains("children")
    {
        properties.insert("children".into(), children(call, group, recurse, 0));
    }
    let body = json!({"id": id(&group.name), "type": TYPE, "name": group.name, "properties": properties});
    Reply::json(200, &body)
}

fn short(group: &Group) -> Value {
    json!({"name": group.name, "displayName": group.display_name})
}

/// Management groups allow six levels below the root; a loop in bad input ends here.
const MAX_DEPTH: usize = 32;

fn groups_in<'a>(call: &'a Call<'_>, group: &'a Group) -> impl Iterator<Item = &'a Group> + 'a {
    let all = call.estate.containers().groups.values();
    all.filter(|of| of.parent.as_deref().is_some_and(|parent| parent.eq_ignore_ascii_case(&group.name)))
}

fn subscriptions_in<'a>(call: &'a Call<'_>, group: &'a Group) -> impl Iterator<Item = &'a Subscription> + 'a {
    let all = call.estate.containers().subscriptions.values();
    all.filter(|of| of.group.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(&group.name)))
}

fn children(call: &Call<'_>, group: &Group, recurse: bool, depth: usize) -> Value {
    let groups = groups_in(call, group).map(|of| {
        let mut child =
            json!({"id": id(&of.name), "type": TYPE, "name": of.name, "displayName": of.display_name});
        if let Value::Object(child) = &mut child
            && recurse
            && depth < MAX_DEPTH
        {
            child.insert("children".into(), children(call, of, recurse, depth.saturating_add(1)));
        }
        child
    });
    let subscriptions = subscriptions_in(call, group).map(|of| {
        json!({"id": of.id(), "type": "/subscriptions", "name": of.name, "displayName": of.display_name})
    });
    groups.chain(subscriptions).collect()
}

fn descendants(call: &Call<'_>, group: &Group) -> Vec<Item> {
    let mut out = Vec::new();
    let mut open = vec![(group, 0_usize)];
    while let Some((group, depth)) = open.pop() {
        let parent = json!({"id": id(&group.name)});
        for of in groups_in(call, group).filter(|_| depth < MAX_DEPTH) {
            let properties = json!({"displayName": of.display_name, "parent": parent});
            let json = json!({"id": id(&of.name), "type": TYPE, "name": of.name, "properties": properties});
            out.push(Item::Made(ArmId::new(&id(&of.name)), json));
            open.push((of, depth.saturating_add(1)));
        }
        for of in subscriptions_in(call, group) {
            let properties = json!({"displayName": of.display_name, "parent": parent});
            let json =
                json!({"id": of.id(), "type": "/subscriptions", "name": of.name, "properties": properties});
            out.push(Item::Made(ArmId::new(&of.id()), json));
        }
    }
    out
}

fn in_group(group: &Group, of: &Subscription) -> Item {
    let id_of = format!("{}/subscriptions/{}", id(&group.name), of.name);
    let json = json!({
        "id": id_of,
        "type": "Microsoft.Management/managementGroups/subscriptions",
        "name": of.name,
        "properties": {
            "tenant": of.tenant,
            "displayName": of.display_name,
            "parent": {"id": id(&group.name)},
            "state": "Active",
        },
    });
    Item::Made(ArmId::new(&id_of), json)
}

/// `getEntities`: every group and subscription that the caller sees, with its ancestors.
fn entities(call: &Call<'_>) -> Reply {
    let containers = call.estate.containers();
    let chain = |group: Option<&str>| -> Vec<String> {
        let groups = group.map(|name| call.estate.ancestry(name)).unwrap_or_default();
        groups.into_iter().rev().map(|group| group.name.clone()).collect()
    };
    let mut items = Vec::new();
    for group in containers.groups.values() {
        let above = chain(group.parent.as_deref());
        let parent = json!({"id": group.parent.as_deref().map(id)});
        let properties = json!({
            "tenantId": call.estate.tenant(), "displayName": group.display_name, "parent": parent,
            "parentNameChain": above, "permissions": "view", "inheritedPermissions": "view",
        });
        let json = json!({"id": id(&group.name), "type": TYPE, "name": group.name, "properties": properties});
        items.push(Item::Made(ArmId::new(&id(&group.name)), json));
    }
    for of in containers.subscriptions.values() {
        let properties = json!({
            "tenantId": of.tenant, "displayName": of.display_name,
            "parent": {"id": of.group.as_deref().map(id)}, "parentNameChain": chain(of.group.as_deref()),
            "permissions": "view", "inheritedPermissions": "view",
        });
        let json =
            json!({"id": of.id(), "type": "/subscriptions", "name": of.name, "properties": properties});
        items.push(Item::Made(ArmId::new(&of.id()), json));
    }
    page(call, &items, None)
}
