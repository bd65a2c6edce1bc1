//! azapi: the body is ARM as it stands (terraform-mapping.md §4.8).

use serde_json::{Value, json};

use crate::address::{Key, Step};
use crate::world::World;

/// The ARM type: `type` without the API version.
pub(crate) fn arm_type(value: &Value) -> Option<&str> {
    value.get("type")?.as_str().map(|text| text.split('@').next().unwrap_or(text))
}

/// The ARM id: below `parent_id`, or `resource_id` itself.
pub(crate) fn id(world: &World<'_>, i: usize) -> Option<String> {
    let value = world.value(i);
    if let Some(id) = world.text(i, "resource_id", 0).filter(|id| id.starts_with('/')) {
        return Some(id);
    }
    let kind = arm_type(&value)?;
    let name = world.text(i, "name", 0)?;
    let parent = world.text(i, "parent_id", 0);
    let (outer, last) = kind.rsplit_once('/')?;
    let is_child = outer.contains('/');
    match parent {
        // A parent of another type is no parent: the reference was only a part of the expression.
        Some(parent) if is_child => {
            let fits = pullproof_snapshot::ArmId::new(&parent)
                .resource_type()
                .is_some_and(|t| t.eq_ignore_ascii_case(outer));
            fits.then(|| format!("{parent}/{last}/{name}"))
        }
        Some(parent) => {
            let own = kind.eq_ignore_ascii_case("Microsoft.Resources/resourceGroups");
            Some(if own {
                format!("{parent}/resourceGroups/{name}")
            } else {
                format!("{parent}/providers/{kind}/{name}")
            })
        }
        None => None,
    }
}

/// The azurerm argument that means the same as a property of a body: what it can refer to.
pub(crate) fn argument<'k>(key: &'k str, parent: &'k str) -> &'k str {
    const IDS: &[(&str, &str)] = &[
        ("remoteVirtualNetwork", "remote_virtual_network_id"),
        ("virtualNetwork", "virtual_network_id"),
        ("subnet", "subnet_id"),
        ("routeTable", "route_table_id"),
        ("networkSecurityGroup", "network_security_group_id"),
        ("natGateway", "nat_gateway_id"),
        ("firewallPolicy", "firewall_policy_id"),
        ("basePolicy", "base_policy_id"),
        ("virtualHub", "virtual_hub_id"),
        ("virtualWan", "virtual_wan_id"),
        ("publicIPAddress", "public_ip_address_id"),
        ("associatedRouteTable", "associated_route_table_id"),
    ];
    const PROPERTIES: &[(&str, &str)] = &[
        ("privateDnsZoneId", "private_dns_zone_id"),
        ("privateLinkServiceId", "private_connection_resource_id"),
        ("vnetSubnetID", "vnet_subnet_id"),
        ("podSubnetID", "pod_subnet_id"),
        ("subnetId", "subnet_id"),
        ("principalId", "principal_id"),
        ("nextHopIpAddress", "next_hop_in_ip_address"),
        ("containerRegistryId", "container_registry_id"),
    ];
    let find = |list: &'static [(&str, &'static str)], name: &str| {
        list.iter().find(|(arm, _)| *arm == name).map(|(_, argument)| *argument)
    };
    if key == "id" {
        return find(IDS, parent).unwrap_or(key);
    }
    find(PROPERTIES, key).unwrap_or(key)
}

/// The argument that a pointer into the JSON comes from: the body as it stands, but for what has an argument of its own.
pub(crate) fn argument_path(pointer: &str) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::new();
    if !matches!(pointer, "/location" | "/tags") {
        out.push(Step { name: "body".into(), keys: Vec::new() });
    }
    for segment in pointer.split('/').skip(1) {
        match (segment.parse(), out.last_mut()) {
            (Ok(number), Some(last)) => last.keys.push(Key::Number(number)),
            _ => out.push(Step { name: segment.replace("~1", "/").replace("~0", "~"), keys: Vec::new() }),
        }
    }
    out
}

/// The JSON of an `azapi_resource`, or what an `azapi_update_resource` lays over one. `None`: the body is text that is
/// known only after apply.
pub(crate) fn json(id: &str, value: &Value) -> Option<Value> {
    let mut out = match value.get("body") {
        Some(Value::String(text)) => serde_json::from_str(text).ok()?,
        Some(body @ Value::Object(_)) if pullproof_snapshot::hole::hole(body).is_none() => body.clone(),
        None | Some(Value::Null) => json!({}),
        Some(_) => return None,
    };
    let map = out.as_object_mut()?;
    map.insert("id".into(), json!(id));
    map.insert("name".into(), json!(id.rsplit('/').next().unwrap_or_default()));
    map.insert("type".into(), json!(arm_type(value)?));
    for key in ["location", "tags"] {
        if let Some(there) = value.get(key).filter(|v| !v.is_null()) {
            map.entry(key).or_insert_with(|| there.clone());
        }
    }
    Some(out)
}
