//! Small environments for tests: resources as ARM returns them, all of it complete.

use std::sync::Arc;

use pullproof_snapshot::builder::Builder;
use pullproof_snapshot::{ArmId, Declared, Layered};
use serde_json::{Value, json};

use crate::plain::{Plain, Pool, Source};

pub const SUBSCRIPTION: &str = "/subscriptions/00000000-0000-0000-0000-00000000000a";
pub const TENANT: &str = "00000000-0000-0000-0000-0000000000aa";

/// The id of a resource in the group `rg`; `path` such as `Microsoft.Network/virtualNetworks/hub`.
pub fn id(path: &str) -> String {
    format!("{SUBSCRIPTION}/resourceGroups/rg/providers/{path}")
}

/// A resource by its path, with its properties.
pub fn resource(path: &str, properties: Value) -> Value {
    let id = id(path);
    json!({ "id": id, "name": ArmId::new(&id).name(), "type": ArmId::new(&id).resource_type(), "location": "westeurope",
            "properties": properties })
}

/// A virtual network 10.`n`.0.0/16 with the subnet `nodes`, 10.`n`.1.0/24, and others of the caller's.
pub fn vnet(name: &str, n: u8, servers: &[&str], more: &[(&str, &str)]) -> Value {
    let path = format!("Microsoft.Network/virtualNetworks/{name}");
    let nodes = format!("10.{n}.1.0/24");
    let subnets: Vec<Value> = std::iter::once(("nodes", nodes.as_str()))
        .chain(more.iter().copied())
        .map(|(subnet, prefix)| {
            json!({ "id": id(&format!("{path}/subnets/{subnet}")), "name": subnet,
                    "properties": { "addressPrefix": prefix } })
        })
        .collect();
    resource(
        &path,
        json!({
            "addressSpace": { "addressPrefixes": [format!("10.{n}.0.0/16")] },
            "dhcpOptions": { "dnsServers": servers }, "subnets": subnets, "virtualNetworkPeerings": [],
        }),
    )
}

/// Two networks become peers, both sides connected.
pub fn peer(a: &mut Value, b: &mut Value) {
    let side = |from: &Value, to: &Value| {
        let name = format!("to-{}", to["name"].as_str().unwrap_or_default());
        let prefixes = to["properties"]["addressSpace"]["addressPrefixes"].clone();
        json!({ "id": format!("{}/virtualNetworkPeerings/{name}", from["id"].as_str().unwrap_or_default()), "name": name,
                "properties": { "peeringState": "Connected", "peeringSyncLevel": "FullyInSync",
                                "allowVirtualNetworkAccess": true, "allowForwardedTraffic": true,
                                "allowGatewayTransit": false, "useRemoteGateways": false, "peerCompleteVnets": true,
                                "remoteVirtualNetwork": { "id": to["id"] },
                                "remoteAddressSpace": { "addressPrefixes": prefixes },
                                "remoteVirtualNetworkAddressSpace": { "addressPrefixes": prefixes } } })
    };
    let (forth, back) = (side(a, b), side(b, a));
    for (vnet, peering) in [(a, forth), (b, back)] {
        if let Some(list) = vnet["properties"]["virtualNetworkPeerings"].as_array_mut() {
            list.push(peering);
        }
    }
}

/// A private zone with its A records and a link to each network.
pub fn zone(name: &str, vnets: &[&str], records: &[(&str, &str)]) -> Vec<Value> {
    let path = format!("Microsoft.Network/privateDnsZones/{name}");
    let mut out = vec![resource(&path, json!({}))];
    for vnet in vnets {
        out.push(resource(&format!("{path}/virtualNetworkLinks/{vnet}"), json!({
            "virtualNetwork": { "id": id(&format!("Microsoft.Network/virtualNetworks/{vnet}")) },
            "virtualNetworkLinkState": "Completed", "resolutionPolicy": "Default", "registrationEnabled": false,
        })));
    }
    for (record, address) in records {
        out.push(resource(
            &format!("{path}/A/{record}"),
            json!({ "aRecords": [{ "ipv4Address": address }] }),
        ));
    }
    out
}

/// A Premium registry `acme`, closed to the public, with what the caller changes.
pub fn registry(changes: Value) -> Value {
    let mut properties = json!({
        "loginServer": "acme.azurecr.io", "publicNetworkAccess": "Disabled", "dataEndpointEnabled": false,
        "dataEndpointHostNames": [], "privateEndpointConnections": [], "anonymousPullEnabled": false,
        "roleAssignmentMode": "LegacyRegistryPermissions",
    });
    for (key, value) in changes.as_object().into_iter().flatten() {
        properties[key] = value.clone();
    }
    let mut out = resource("Microsoft.ContainerRegistry/registries/acme", properties);
    out["sku"] = json!({ "name": "Premium" });
    out
}

/// One connection of a registry's list.
pub fn connection(endpoint: &str, status: &str) -> Value {
    json!({ "properties": { "privateEndpoint": { "id": id(&format!("Microsoft.Network/privateEndpoints/{endpoint}")) },
                            "privateLinkServiceConnectionState": { "status": status } } })
}

/// A cluster `aks` with one Linux pool `np` in a subnet, and a kubelet identity with the object id `kubelet`.
pub fn cluster(vnet: &str, changes: Value) -> Value {
    let mut properties = json!({
        "nodeResourceGroup": "nodes", "kubernetesVersion": "1.33",
        "servicePrincipalProfile": { "clientId": "msi" },
        "identityProfile": { "kubeletidentity": { "objectId": "kubelet" } },
        "agentPoolProfiles": [{
            "name": "np", "osType": "Linux", "osSKU": "Ubuntu", "currentOrchestratorVersion": "1.33.2",
            "nodeImageVersion": "AKSUbuntu-2204gen2containerd-202610.01.0",
            "vnetSubnetID": id(&format!("Microsoft.Network/virtualNetworks/{vnet}/subnets/nodes")),
        }],
    });
    for (key, value) in changes.as_object().into_iter().flatten() {
        properties[key] = value.clone();
    }
    resource("Microsoft.ContainerService/managedClusters/aks", properties)
}

/// The cluster's id.
pub fn aks() -> ArmId {
    ArmId::new(&id("Microsoft.ContainerService/managedClusters/aks"))
}

/// The subnet `nodes` of a network.
pub fn nodes(vnet: &str) -> ArmId {
    ArmId::new(&id(&format!("Microsoft.Network/virtualNetworks/{vnet}/subnets/nodes")))
}

/// A new node of the pool `np` in the subnet `nodes` of a network 10.`n`.0.0/16.
pub fn node(vnet: &str, n: u8) -> Source {
    let pool = Pool { cluster: aks(), name: "np".into() };
    Source { subnet: nodes(vnet), address: [10, n, 1, 4].into(), nic: None, pool: Some(pool) }
}

/// The environment; the subscription is complete for every type.
pub fn plain(resources: Vec<Value>, declared: &str) -> Plain {
    partial(resources, declared, |builder| builder.complete.state(SUBSCRIPTION, "*", true))
}

/// The environment, complete for what the caller says.
pub fn partial(resources: Vec<Value>, declared: &str, complete: impl FnOnce(&mut Builder)) -> Plain {
    let mut builder = Builder::default();
    complete(&mut builder);
    let subscription = json!({ "id": SUBSCRIPTION, "name": "a", "type": "Microsoft.Resources/subscriptions",
                               "tenantId": TENANT, "properties": {} });
    for resource in std::iter::once(subscription).chain(resources) {
        let id = ArmId::new(resource["id"].as_str().unwrap_or_default());
        let kind = id.resource_type().unwrap_or_default();
        builder.resource(id, &kind, None, resource);
    }
    let declared = format!("version = 1\n{declared}");
    let declared = Declared::parse("pullproof.toml", &declared).expect("a valid file");
    Plain::new(Layered::new(Arc::new(builder.finish())), declared)
}
