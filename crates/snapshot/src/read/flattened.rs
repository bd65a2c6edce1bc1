//! What `az … show|list -o json` prints, back in ARM's form.
//!
//! The command line lifts `properties` one level up, in the resource and in every child resource inside it, adds
//! `resourceGroup` beside every id, prints `null` for what Azure did not return, and (in its older commands) writes
//! the names of fields as its own library spells them. Everything here undoes one of these.

use serde_json::{Map, Value};

/// Members that stand beside `properties` in ARM's form, not inside it.
const ENVELOPE: &[&str] = &[
    "id",
    "name",
    "type",
    "location",
    "tags",
    "etag",
    "sku",
    "kind",
    "identity",
    "managedBy",
    "plan",
    "zones",
    "systemData",
    "extendedLocation",
    "tenantId",
    "subscriptionId",
    "displayName",
    "apiVersion",
];

/// Members that a bare listing (`az resource list`, a projection) has too: they do not make a resource complete.
const LISTING: &[&str] = &["resourceGroup", "createdTime", "changedTime", "provisioningState", "scale"];

/// Types whose envelope member of that name is a property all the same.
const PROPERTY_AFTER_ALL: &[(&str, &str)] = &[
    ("microsoft.network/virtualnetworkgateways", "sku"),
    ("microsoft.network/azurefirewalls", "sku"),
    ("microsoft.network/firewallpolicies", "sku"),
    ("microsoft.network/virtualhubs", "sku"),
    ("microsoft.managedidentity/userassignedidentities", "tenantId"),
];

/// Elements of lists that ARM wraps in `properties` although they carry no id.
const WRAPPED_WITHOUT_ID: &[&str] = &[
    "privateDnsZoneConfigs",
    "networkInterfaceConfigurations",
    "ipConfigurations",
    "loadBalancerBackendAddresses",
    "manualPrivateLinkServiceConnections",
    "privateLinkServiceConnections",
    "delegations",
    "serviceEndpointPolicyDefinitions",
];

/// Lists whose elements have an id and yet stand without `properties` in ARM's form.
const NEVER_WRAPPED: &[(&str, &str)] = &[("microsoft.containerservice/", "privateLinkResources")];

/// Lists of references that carry properties of their own beside the id.
const REFERENCES_WITH_PROPERTIES: &[&str] = &["networkInterfaces"];

/// Objects (not lists) that ARM wraps although they carry no id.
const WRAPPED_OBJECTS: &[&str] = &["publicIpAddressConfiguration", "publicIPAddressConfiguration"];

/// Fields whose name is another one in ARM: (type prefix, list or object that holds it, the command line's, ARM's).
const RENAMED: &[(&str, &str, &str, &str)] = &[
    ("microsoft.containerregistry/registries", "ipRules", "ipAddressOrRange", "value"),
    ("microsoft.containerregistry/registries", "virtualNetworkRules", "virtualNetworkResourceId", "id"),
    ("microsoft.authorization/roledefinitions", "", "roleType", "type"),
    ("microsoft.", "", "typePropertiesType", "type"),
];

/// Fields that the command line adds and ARM does not have.
const ADDED: &[(&str, &str)] = &[
    ("microsoft.authorization/roleassignments", "principalName"),
    ("microsoft.authorization/roleassignments", "roleDefinitionName"),
    ("microsoft.authorization/roleassignments", "canDelegate"),
];

/// ARM's spelling where letter case alone differs; (type prefix, names). The first row whose prefix fits is used.
const SPELLING: &[(&str, &[&str])] = &[
    ("microsoft.network/dnsresolvers", &[]),
    ("microsoft.network/natgateways", &[]),
    ("microsoft.network/dnsforwardingrulesets", &[]),
    (
        "microsoft.network/",
        &[
            "privateIPAddress",
            "privateIPAllocationMethod",
            "privateIPAddressVersion",
            "publicIPAddress",
            "publicIPAddressVersion",
            "publicIPAllocationMethod",
            "publicIPPrefix",
            "publicIPs",
            "hubIPAddresses",
            "frontendIPConfigurations",
            "frontendIPConfiguration",
            "backendIPConfigurations",
            "networkInterfaceIPConfiguration",
            "enableIPForwarding",
            "enableFloatingIP",
        ],
    ),
    (
        "microsoft.containerservice/",
        &[
            "vnetSubnetID",
            "podSubnetID",
            "dnsServiceIP",
            "nodePublicIPPrefixID",
            "enableNodePublicIP",
            "enableFIPS",
            "enableRBAC",
            "osSKU",
            "privateFQDN",
            "azurePortalFQDN",
            "fqdnSubdomain",
            "diskEncryptionSetID",
            "proximityPlacementGroupID",
            "capacityReservationGroupID",
            "hostGroupID",
            "privateDNSZone",
            "managedOutboundIPs",
            "outboundIPs",
            "outboundIPPrefixes",
            "effectiveOutboundIPs",
            "privateLinkServiceID",
            "tenantID",
            "clientAppID",
            "serverAppID",
            "containerRegistryId",
        ],
    ),
    (
        "microsoft.compute/",
        &[
            "privateIPAddress",
            "privateIPAddressVersion",
            "publicIPAddressConfiguration",
            "publicIPPrefix",
            "enableIPForwarding",
            "enableFpga",
            "networkInterfaces",
        ],
    ),
];

/// True when the object is a resource whose properties were lifted up: it has a name, something that only a whole
/// resource carries, and at least one field that is no part of a bare listing.
pub(super) fn is_flattened(object: &Map<String, Value>) -> bool {
    let known = |key: &str| object.get(key).is_some_and(|v| !v.is_null());
    known("name")
        && (known("type") || known("etag") || known("provisioningState"))
        && object.iter().any(|(key, value)| {
            !value.is_null() && !ENVELOPE.contains(&key.as_str()) && !LISTING.contains(&key.as_str())
        })
}

/// The resource in ARM's form.
pub(super) fn to_arm(object: Map<String, Value>, resource_type: &str) -> Value {
    let mut out = Map::new();
    let mut properties = Map::new();
    for (key, value) in object {
        if value.is_null() || key == "resourceGroup" || key == "properties" || is_added(resource_type, &key) {
            continue;
        }
        let inside =
            PROPERTY_AFTER_ALL.iter().any(|(prefix, name)| resource_type.starts_with(prefix) && *name == key);
        if ENVELOPE.contains(&key.as_str()) && !inside {
            out.insert(key, value);
        } else {
            let name = arm_name(resource_type, "", key);
            let value = inner(value, &name, resource_type);
            properties.insert(name, value);
        }
    }
    out.insert("properties".into(), Value::Object(properties));
    Value::Object(out)
}

fn is_added(resource_type: &str, key: &str) -> bool {
    ADDED.iter().any(|(prefix, name)| resource_type.starts_with(prefix) && *name == key)
}

fn arm_name(resource_type: &str, holder: &str, key: String) -> String {
    let renamed = RENAMED.iter().find(|(prefix, place, theirs, _)| {
        resource_type.starts_with(prefix) && *place == holder && *theirs == key
    });
    if let Some((_, _, _, arm)) = renamed {
        return (*arm).to_owned();
    }
    let spelling = SPELLING.iter().find(|(prefix, _)| resource_type.starts_with(prefix));
    match spelling.and_then(|(_, names)| names.iter().find(|name| name.eq_ignore_ascii_case(&key))) {
        Some(name) => (*name).to_owned(),
        None => key,
    }
}

/// A value below the resource; `holder` is the field (of ARM's name) that holds it, also for elements of its list.
fn inner(value: Value, holder: &str, resource_type: &str) -> Value {
    match value {
        Value::Array(items) => {
            items.into_iter().map(|item| inner(item, holder, resource_type)).collect::<Vec<_>>().into()
        }
        Value::Object(object) if is_map(holder) => Value::Object(object),
        Value::Object(object) => object_inside(object, holder, resource_type),
        other => other,
    }
}

/// Fields whose keys are the user's, not Azure's.
fn is_map(holder: &str) -> bool {
    matches!(holder, "tags" | "nodeLabels" | "userAssignedIdentities" | "config" | "metadata")
}

fn object_inside(object: Map<String, Value>, holder: &str, resource_type: &str) -> Value {
    let mut fields = Map::new();
    for (key, value) in object {
        if value.is_null() || key == "resourceGroup" {
            continue;
        }
        let name = arm_name(resource_type, holder, key);
        let value = inner(value, &name, resource_type);
        fields.insert(name, value);
    }
    if fields.contains_key("properties") || !is_wrapped(&fields, holder, resource_type) {
        return Value::Object(fields);
    }
    let mut out = Map::new();
    let mut properties = Map::new();
    for (key, value) in fields {
        let beside = matches!(key.as_str(), "id" | "name" | "type" | "etag" | "location" | "tags" | "zones");
        if beside || (key == "sku" && value.is_object()) {
            out.insert(key, value);
        } else {
            properties.insert(key, value);
        }
    }
    if !properties.is_empty() {
        out.insert("properties".into(), Value::Object(properties));
    }
    Value::Object(out)
}

fn is_wrapped(fields: &Map<String, Value>, holder: &str, resource_type: &str) -> bool {
    let never = NEVER_WRAPPED
        .iter()
        .any(|(prefix, list)| resource_type.starts_with(prefix) && list.eq_ignore_ascii_case(holder));
    if never {
        return false;
    }
    let has = |key: &str| fields.get(key).is_some_and(Value::is_string);
    let is_resource = has("id") && has("name");
    is_resource
        || (has("name") && WRAPPED_WITHOUT_ID.contains(&holder))
        || (has("name") && WRAPPED_OBJECTS.contains(&holder))
        || (has("id") && REFERENCES_WITH_PROPERTIES.contains(&holder))
}
