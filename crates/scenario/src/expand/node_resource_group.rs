//! What AKS makes in the node resource group: identity, NSG, scale sets, outbound load balancer, and the virtual
//! network of clusters that bring none. Identities, machines and scale sets have no model among our dependencies
//! (the compute models are too heavy): their JSON is written here by hand.

use serde_json::{Value, json};

use super::expansion::Expansion;
use super::{cluster, filler, identity, registry, security_group, types, virtual_network};
use crate::error::ScenarioError;
use crate::yaml::{AgentPool, Cluster, Described};

/// What the cluster itself shows of it.
#[derive(Default)]
pub(crate) struct Made {
    /// Ids of the public addresses of the outbound load balancer or managed NAT gateway.
    pub(crate) outbound_ips: Vec<String>,
}

/// The node resource group's name.
pub(crate) fn name(x: &Expansion<'_>, cluster: &Cluster) -> String {
    let head = cluster.head();
    cluster.node_resource_group.clone().unwrap_or_else(|| {
        format!("MC_{}_{}_{}", x.resource_group(&head), cluster.name, registry::region(&x.location(&head)))
    })
}

/// The id of a resource in it.
pub(crate) fn id(x: &Expansion<'_>, cluster: &Cluster, kind: &str, resource: &str) -> String {
    let cluster_id = x.id_of(&cluster.head(), types::CLUSTER);
    let (scope, _) = cluster_id.split_once("/resourceGroups/").unwrap_or_default();
    format!("{scope}/resourceGroups/{}/providers/{kind}/{resource}", name(x, cluster))
}

pub(crate) fn expand(x: &mut Expansion<'_>, cluster: &Cluster) -> Result<Made, ScenarioError> {
    let place = format!("clusters {}", cluster.name);
    let number = filler::digits(&x.id_of(&cluster.head(), types::CLUSTER));
    let location = x.location(&cluster.head());
    if let Some(kubelet) =
        cluster::kubelet_identity(x, cluster)?.filter(|_| cluster.kubelet_identity.is_none())
    {
        identity::push(x, &kubelet, &location, cluster.head().subscription, None);
    }
    let group = id(x, cluster, types::NETWORK_SECURITY_GROUP, &format!("aks-agentpool-{number}-nsg"));
    let body = security_group::body(x, &group, &cluster.node_security_rules, &place)?;
    x.push_at(&group, types::NETWORK_SECURITY_GROUP, Some(&location), body);

    let mut made = Made::default();
    let mut pools = Vec::new();
    match cluster.outbound_type.as_deref().unwrap_or("loadBalancer") {
        "loadBalancer" => {
            let balancer = id(x, cluster, types::LOAD_BALANCER, "kubernetes");
            pools.push(format!("{balancer}/backendAddressPools/aksOutboundBackendPool"));
            made.outbound_ips = outbound_load_balancer(x, cluster, &balancer, &location, &place)?;
        }
        "managedNATGateway" => {
            let gateway = id(x, cluster, types::NAT_GATEWAY, &format!("aks-nat-gateway-{number}"));
            made.outbound_ips = outbound_ips(x, cluster, &gateway, &location, &place)?;
            let addresses: Vec<Value> = made.outbound_ips.iter().map(|id| json!({ "id": id })).collect();
            let body = json!({
                "sku": {"name": "Standard"},
                "properties": {
                    "provisioningState": "Succeeded",
                    "idleTimeoutInMinutes": 4,
                    "publicIpAddresses": addresses,
                },
            });
            x.push_at(&gateway, types::NAT_GATEWAY, Some(&location), body);
        }
        _ => {}
    }
    let managed = managed_subnet(x, cluster, &number, &group, &location)?;
    for pool in cluster.pools.iter().filter(|pool| !pool.scale_set.absent) {
        let subnet = match (&pool.subnet, &managed) {
            (Some(subnet), _) => x.names.find(types::SUBNET, subnet, &place)?,
            (None, Some(managed)) => managed.clone(),
            (None, None) => return Err(ScenarioError::invalid(&place, "a pool has no `subnet`")),
        };
        scale_set(x, cluster, pool, &number, &subnet, &group, &pools)?;
    }
    Ok(made)
}

/// The subnet of the network that AKS made (A175): one that the scenario puts into the node resource group, or a new
/// one. None where every pool names a subnet.
fn managed_subnet(
    x: &mut Expansion<'_>,
    cluster: &Cluster,
    number: &str,
    group: &str,
    location: &str,
) -> Result<Option<String>, ScenarioError> {
    if cluster.pools.iter().all(|pool| pool.subnet.is_some()) {
        return Ok(None);
    }
    let node_group = name(x, cluster);
    let given = x.document.virtual_networks.iter().find(|vnet| {
        vnet.resource_group.as_deref().is_some_and(|group| group.eq_ignore_ascii_case(&node_group))
    });
    if let Some(vnet) = given {
        let vnet_id = x.id_of(&vnet.head(), types::VIRTUAL_NETWORK);
        return Ok(vnet.subnets.first().map(|subnet| format!("{vnet_id}/subnets/{}", subnet.name)));
    }
    let vnet = id(x, cluster, types::VIRTUAL_NETWORK, &format!("aks-vnet-{number}"));
    let subnet = format!("{vnet}/subnets/aks-subnet");
    x.refer(group, "/properties/subnets", &subnet);
    let body = json!({
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": x.guid(&vnet),
            "addressSpace": {"addressPrefixes": ["10.224.0.0/12"]},
            "dhcpOptions": {"dnsServers": []},
            "subnets": [{
                "name": "aks-subnet",
                "id": subnet,
                "type": types::SUBNET,
                "properties": {
                    "provisioningState": "Succeeded",
                    "addressPrefix": "10.224.0.0/16",
                    "networkSecurityGroup": {"id": group},
                    "serviceEndpoints": [],
                    "delegations": [],
                    "privateEndpointNetworkPolicies": "Disabled",
                    "privateLinkServiceNetworkPolicies": "Enabled",
                    "defaultOutboundAccess": false,
                },
            }],
            "virtualNetworkPeerings": [],
            "enableDdosProtection": false,
        },
    });
    x.push_at(&vnet, types::VIRTUAL_NETWORK, Some(location), body);
    Ok(Some(subnet))
}

fn outbound_ips(
    x: &mut Expansion<'_>,
    cluster: &Cluster,
    used_by: &str,
    location: &str,
    place: &str,
) -> Result<Vec<String>, ScenarioError> {
    if cluster.outbound_ips.is_empty() {
        let public = id(x, cluster, types::PUBLIC_IP_ADDRESS, &x.guid(&format!("{used_by}/outbound")));
        virtual_network::made_public_ip(x, &public, location, used_by)?;
        return Ok(vec![public]);
    }
    cluster.outbound_ips.iter().map(|name| x.names.find(types::PUBLIC_IP_ADDRESS, name, place)).collect()
}

fn outbound_load_balancer(
    x: &mut Expansion<'_>,
    cluster: &Cluster,
    balancer: &str,
    location: &str,
    place: &str,
) -> Result<Vec<String>, ScenarioError> {
    let addresses = outbound_ips(x, cluster, balancer, location, place)?;
    let rule = format!("{balancer}/outboundRules/aksOutboundRule");
    let pool = format!("{balancer}/backendAddressPools/aksOutboundBackendPool");
    let mut frontends = Vec::new();
    for address in &addresses {
        let name = address.rsplit('/').next().unwrap_or_default();
        let frontend = format!("{balancer}/frontendIPConfigurations/{name}");
        x.over(address, "/properties/ipConfiguration", &json!({ "id": frontend }), true);
        frontends.push(json!({
            "name": name,
            "id": frontend,
            "type": "Microsoft.Network/loadBalancers/frontendIPConfigurations",
            "properties": {
                "provisioningState": "Succeeded",
                "privateIPAllocationMethod": "Dynamic",
                "publicIPAddress": {"id": address},
                "outboundRules": [{"id": rule}],
            },
        }));
    }
    let uses: Vec<Value> = frontends.iter().map(|frontend| json!({"id": frontend["id"]})).collect();
    let body = json!({
        "sku": {"name": "Standard", "tier": "Regional"},
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": x.guid(balancer),
            "frontendIPConfigurations": frontends,
            "backendAddressPools": [{
                "name": "aksOutboundBackendPool",
                "id": pool,
                "type": "Microsoft.Network/loadBalancers/backendAddressPools",
                "properties": {
                    "provisioningState": "Succeeded",
                    "backendIPConfigurations": [],
                    "outboundRule": {"id": rule},
                },
            }],
            "loadBalancingRules": [],
            "probes": [],
            "inboundNatRules": [],
            "outboundRules": [{
                "name": "aksOutboundRule",
                "id": rule,
                "type": "Microsoft.Network/loadBalancers/outboundRules",
                "properties": {
                    "provisioningState": "Succeeded",
                    "allocatedOutboundPorts": 0,
                    "protocol": "All",
                    "enableTcpReset": true,
                    "idleTimeoutInMinutes": 30,
                    "backendAddressPool": {"id": pool},
                    "frontendIPConfigurations": uses,
                },
            }],
        },
    });
    x.push_at(balancer, types::LOAD_BALANCER, Some(location), body);
    Ok(addresses)
}

fn scale_set(
    x: &mut Expansion<'_>,
    cluster: &Cluster,
    pool: &AgentPool,
    number: &str,
    subnet: &str,
    node_group: &str,
    backend_pools: &[String],
) -> Result<(), ScenarioError> {
    let place = format!("clusters {}, pool {}", cluster.name, pool.name);
    let scale_set_name = format!("aks-{}-{number}-vmss", pool.name);
    let scale_set = id(x, cluster, types::SCALE_SET, &scale_set_name);
    let security_group = match pool.scale_set.network_security_group.as_deref() {
        None => json!({ "id": node_group }),
        Some("none") => Value::Null,
        Some(name) => x.link(types::NETWORK_SECURITY_GROUP, name, &place)?,
    };
    let kubelet = cluster::kubelet_identity(x, cluster)?.filter(|_| !pool.scale_set.without_identity);
    let attached = kubelet.map(|kubelet| {
        json!({"type": "UserAssigned", "userAssignedIdentities": {kubelet.clone(): identity::ids(x, &kubelet)}})
    });
    let public = pool.enable_node_public_ip.then(|| {
        json!({"name": "pub1", "properties": {"idleTimeoutInMinutes": 4, "publicIPAddressVersion": "IPv4"}})
    });
    let pools: Vec<Value> = backend_pools.iter().map(|id| json!({ "id": id })).collect();
    let groups = x.links(types::APPLICATION_SECURITY_GROUP, &pool.application_security_groups, &place)?;
    let body = json!({
        "sku": {"name": "Standard_D4ds_v5", "tier": "Standard", "capacity": pool.count.unwrap_or(3)},
        "tags": {"aks-managed-poolName": pool.name},
        "identity": attached,
        "properties": {
            "provisioningState": "Succeeded",
            "uniqueId": x.guid(&scale_set),
            "orchestrationMode": "Uniform",
            "singlePlacementGroup": false,
            "overprovision": false,
            "upgradePolicy": {"mode": "Manual"},
            "virtualMachineProfile": {
                "storageProfile": {"osDisk": {
                    "osType": pool.os_type.as_deref().unwrap_or("Linux"),
                    "createOption": "FromImage",
                    "diskSizeGB": 128,
                }},
                "networkProfile": {"networkInterfaceConfigurations": [{
                    "name": scale_set_name,
                    "properties": {
                        "primary": true,
                        "enableAcceleratedNetworking": true,
                        "enableIPForwarding": true,
                        "disableTcpStateTracking": false,
                        "networkSecurityGroup": security_group,
                        "dnsSettings": {"dnsServers": pool.scale_set.dns_servers.0},
                        "ipConfigurations": [{
                            "name": "ipconfig1",
                            "properties": {
                                "primary": true,
                                "subnet": {"id": subnet},
                                "privateIPAddressVersion": "IPv4",
                                "publicIPAddressConfiguration": public,
                                "applicationSecurityGroups": groups,
                                "loadBalancerBackendAddressPools": pools,
                            },
                        }],
                    },
                }]},
            },
        },
    });
    let location = x.location(&cluster.head());
    x.push_at(&scale_set, types::SCALE_SET, Some(&location), body);
    x.over_part(&scale_set, "/properties", None, pool.scale_set.unchecked.as_ref());
    Ok(())
}
