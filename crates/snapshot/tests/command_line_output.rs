//! What `az … show|list -o json` prints becomes what ARM returns.

mod folder;

use std::sync::Arc;

use folder::Folder;
use pullproof_snapshot::{ArmId, Layered};
use serde_json::{Value, json};

const GROUP: &str = "/subscriptions/s/resourceGroups/rg";

fn id(kind: &str, name: &str) -> String {
    format!("{GROUP}/providers/{kind}/{name}")
}

/// Reads `printed` as a file and compares what the snapshot holds with `arm`.
fn becomes(name: &str, printed: &Value, arm: &Value) {
    let folder = Folder::new(name);
    let snapshot = folder.read(&folder.json("a.json", printed));
    assert_eq!(snapshot.gaps(), [], "{name}");
    let layered = Layered::new(Arc::new(snapshot));
    let ix = layered.find(printed["id"].as_str().unwrap()).unwrap();
    assert_eq!(*layered.json(ix), *arm, "{name}");
    assert_eq!(layered.resource_type(ix), ArmId::new(arm["id"].as_str().unwrap()).resource_type().unwrap());
}

#[test]
fn virtual_network_with_subnets_and_peerings() {
    let v = id("Microsoft.Network/virtualNetworks", "v");
    let nsg = id("Microsoft.Network/networkSecurityGroups", "n");
    let printed = json!({
        "id": v, "name": "v", "type": "Microsoft.Network/virtualNetworks", "etag": "W/1", "resourceGroup": "rg",
        "location": "westeurope", "tags": { "resourceGroup": "kept" }, "ddosProtectionPlan": null,
        "provisioningState": "Succeeded", "addressSpace": { "addressPrefixes": ["10.0.0.0/16"] },
        "subnets": [{
            "id": format!("{v}/subnets/a"), "name": "a", "etag": "W/1", "resourceGroup": "rg",
            "type": "Microsoft.Network/virtualNetworks/subnets", "addressPrefix": "10.0.0.0/24", "routeTable": null,
            "networkSecurityGroup": { "id": nsg, "resourceGroup": "rg", "securityRules": null },
            "delegations": [{ "id": format!("{v}/subnets/a/delegations/0"), "name": "0", "resourceGroup": "rg",
                              "serviceName": "Microsoft.Network/dnsResolvers", "actions": [] }],
            "serviceEndpoints": [{ "service": "Microsoft.Storage", "locations": ["*"], "provisioningState": "Succeeded" }],
        }],
        "virtualNetworkPeerings": [{ "id": format!("{v}/virtualNetworkPeerings/p"), "name": "p", "resourceGroup": "rg",
                                     "peeringState": "Connected", "remoteVirtualNetwork": { "id": "/x", "resourceGroup": "rg" } }],
    });
    let arm = json!({
        "id": v, "name": "v", "type": "Microsoft.Network/virtualNetworks", "etag": "W/1", "location": "westeurope",
        "tags": { "resourceGroup": "kept" },
        "properties": {
            "provisioningState": "Succeeded", "addressSpace": { "addressPrefixes": ["10.0.0.0/16"] },
            "subnets": [{
                "id": format!("{v}/subnets/a"), "name": "a", "etag": "W/1",
                "type": "Microsoft.Network/virtualNetworks/subnets",
                "properties": {
                    "addressPrefix": "10.0.0.0/24", "networkSecurityGroup": { "id": nsg },
                    "delegations": [{ "id": format!("{v}/subnets/a/delegations/0"), "name": "0",
                        "properties": { "serviceName": "Microsoft.Network/dnsResolvers", "actions": [] } }],
                    "serviceEndpoints": [{ "service": "Microsoft.Storage", "locations": ["*"], "provisioningState": "Succeeded" }],
                },
            }],
            "virtualNetworkPeerings": [{ "id": format!("{v}/virtualNetworkPeerings/p"), "name": "p",
                "properties": { "peeringState": "Connected", "remoteVirtualNetwork": { "id": "/x" } } }],
        },
    });
    becomes("az-vnet", &printed, &arm);
}

#[test]
fn interface_spells_addresses_as_arm_does() {
    let n = id("Microsoft.Network/networkInterfaces", "n");
    let printed = json!({
        "id": n, "name": "n", "type": "Microsoft.Network/networkInterfaces", "resourceGroup": "rg", "enableIpForwarding": true,
        "ipConfigurations": [{ "id": format!("{n}/ipConfigurations/i"), "name": "i", "privateIpAddress": "10.0.0.4",
            "subnet": { "id": "/x", "resourceGroup": "rg" }, "publicIpAddress": null, "primary": true }],
    });
    let arm = json!({
        "id": n, "name": "n", "type": "Microsoft.Network/networkInterfaces",
        "properties": { "enableIPForwarding": true, "ipConfigurations": [{ "id": format!("{n}/ipConfigurations/i"), "name": "i",
            "properties": { "privateIPAddress": "10.0.0.4", "subnet": { "id": "/x" }, "primary": true } }] },
    });
    becomes("az-nic", &printed, &arm);
}

#[test]
fn cluster_keeps_its_pools_flat() {
    let k = id("Microsoft.ContainerService/managedClusters", "k");
    let printed = json!({
        "id": k, "name": "k", "type": "Microsoft.ContainerService/ManagedClusters", "resourceGroup": "rg",
        "identity": { "type": "UserAssigned", "userAssignedIdentities": { "/i": { "clientId": "c" } } },
        "sku": { "name": "Base", "tier": "Free" }, "httpProxyConfig": null, "nodeResourceGroup": "mc",
        "identityProfile": { "kubeletidentity": { "objectId": "o", "resourceId": "/k" } },
        "agentPoolProfiles": [{ "name": "sys", "vnetSubnetId": "/x", "osSku": "Ubuntu", "count": 3, "type": "VirtualMachineScaleSets",
                                "podSubnetId": null, "nodeLabels": { "a": null } }],
        "networkProfile": { "dnsServiceIp": "10.1.0.10", "loadBalancerProfile": { "effectiveOutboundIPs": [{ "id": "/p", "resourceGroup": "mc" }] } },
    });
    let arm = json!({
        "id": k, "name": "k", "type": "Microsoft.ContainerService/ManagedClusters",
        "identity": { "type": "UserAssigned", "userAssignedIdentities": { "/i": { "clientId": "c" } } },
        "sku": { "name": "Base", "tier": "Free" },
        "properties": {
            "nodeResourceGroup": "mc", "identityProfile": { "kubeletidentity": { "objectId": "o", "resourceId": "/k" } },
            "agentPoolProfiles": [{ "name": "sys", "vnetSubnetID": "/x", "osSKU": "Ubuntu", "count": 3, "type": "VirtualMachineScaleSets",
                                    "nodeLabels": { "a": null } }],
            "networkProfile": { "dnsServiceIP": "10.1.0.10", "loadBalancerProfile": { "effectiveOutboundIPs": [{ "id": "/p" }] } },
        },
    });
    becomes("az-aks", &printed, &arm);
}

#[test]
fn registry_endpoint_zone_group_and_role() {
    let r = id("Microsoft.ContainerRegistry/registries", "r");
    becomes(
        "az-acr",
        &json!({ "id": r, "name": "r", "type": "Microsoft.ContainerRegistry/registries", "sku": { "name": "Premium" },
            "resourceGroup": "rg", "loginServer": "r.azurecr.io", "publicNetworkAccess": "Enabled",
            "networkRuleSet": { "defaultAction": "Deny", "ipRules": [{ "action": "Allow", "ipAddressOrRange": "203.0.113.1" }] },
            "privateEndpointConnections": [{ "id": format!("{r}/privateEndpointConnections/c"), "name": "c", "resourceGroup": "rg",
                "type": "t", "privateEndpoint": { "id": "/e", "resourceGroup": "rg" },
                "privateLinkServiceConnectionState": { "status": "Approved", "description": null } }] }),
        &json!({ "id": r, "name": "r", "type": "Microsoft.ContainerRegistry/registries", "sku": { "name": "Premium" },
            "properties": { "loginServer": "r.azurecr.io", "publicNetworkAccess": "Enabled",
                "networkRuleSet": { "defaultAction": "Deny", "ipRules": [{ "action": "Allow", "value": "203.0.113.1" }] },
                "privateEndpointConnections": [{ "id": format!("{r}/privateEndpointConnections/c"), "name": "c", "type": "t",
                    "properties": { "privateEndpoint": { "id": "/e" }, "privateLinkServiceConnectionState": { "status": "Approved" } } }] } }),
    );
    let z = format!("{}/privateDnsZoneGroups/default", id("Microsoft.Network/privateEndpoints", "e"));
    becomes(
        "az-zone-group",
        &json!({ "id": z, "name": "default", "etag": "1", "resourceGroup": "rg", "provisioningState": "Succeeded",
            "privateDnsZoneConfigs": [{ "name": "acr", "privateDnsZoneId": "/z", "resourceGroup": "rg",
                "recordSets": [{ "recordSetName": "r", "ipAddresses": ["10.0.0.4"] }] }] }),
        &json!({ "id": z, "name": "default", "etag": "1", "properties": { "provisioningState": "Succeeded",
            "privateDnsZoneConfigs": [{ "name": "acr", "properties": { "privateDnsZoneId": "/z",
                "recordSets": [{ "recordSetName": "r", "ipAddresses": ["10.0.0.4"] }] } }] } }),
    );
    let a = format!("{r}/providers/Microsoft.Authorization/roleAssignments/g");
    becomes(
        "az-role",
        &json!({ "id": a, "name": "g", "type": "Microsoft.Authorization/roleAssignments", "resourceGroup": "rg", "canDelegate": null,
            "principalId": "p", "principalName": "n", "roleDefinitionId": "/d", "roleDefinitionName": "AcrPull", "scope": r }),
        &json!({ "id": a, "name": "g", "type": "Microsoft.Authorization/roleAssignments",
            "properties": { "principalId": "p", "roleDefinitionId": "/d", "scope": r } }),
    );
}

#[test]
fn a_projection_is_no_resource() {
    let v = id("Microsoft.Network/virtualNetworks", "v");
    let folder = Folder::new("projection");
    let printed = json!([{ "id": v, "name": "v", "resourceGroup": "rg", "prefixes": ["10.0.0.0/16"] }]);
    let snapshot = folder.read(&folder.json("a.json", &printed));
    assert_eq!((snapshot.len(), snapshot.gaps().len()), (0, 1));
}
