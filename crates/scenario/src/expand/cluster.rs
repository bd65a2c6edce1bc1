//! AKS clusters and their agent pools; what AKS makes around them is in `node_resource_group`.

use base64::Engine;
use serde_json::{Value, json};

use super::expansion::Expansion;
use super::{filler, identity, node_resource_group, registry, subscription, types};
use crate::error::ScenarioError;
use crate::yaml::{AgentPool, Cluster, Described};

/// Certificates that a scenario may name; any other has to be given as a PEM.
const CERTIFICATES: [(&str, &str); 2] = [
    ("Contoso Root CA", include_str!("../../certificates/contoso-root-ca.pem")),
    ("Fabrikam Root CA", include_str!("../../certificates/fabrikam-root-ca.pem")),
];

/// The ids that other parts of a scenario refer to by cluster.
pub(crate) fn names(x: &mut Expansion<'_>) -> Result<(), ScenarioError> {
    for cluster in &x.document.clusters {
        if cluster.kubelet_identity.is_none() && cluster.service_principal.is_none() {
            let id = made_kubelet_identity(x, cluster);
            let group = node_resource_group::name(x, cluster);
            x.names.add(types::IDENTITY, &format!("{}-agentpool", cluster.name), &group, &id)?;
        }
    }
    Ok(())
}

fn made_kubelet_identity(x: &Expansion<'_>, cluster: &Cluster) -> String {
    node_resource_group::id(x, cluster, types::IDENTITY, &format!("{}-agentpool", cluster.name))
}

/// The id of the kubelet identity; none where the cluster has a service principal.
pub(crate) fn kubelet_identity(
    x: &Expansion<'_>,
    cluster: &Cluster,
) -> Result<Option<String>, ScenarioError> {
    let place = format!("clusters {}", cluster.name);
    match (&cluster.kubelet_identity, &cluster.service_principal) {
        (Some(_), Some(_)) => {
            Err(ScenarioError::invalid(place, "either `kubeletIdentity` or `servicePrincipal`"))
        }
        (Some(name), None) => Ok(Some(x.names.find(types::IDENTITY, name, &place)?)),
        (None, Some(_)) => Ok(None),
        (None, None) => Ok(Some(made_kubelet_identity(x, cluster))),
    }
}

pub(crate) fn expand(x: &mut Expansion<'_>) -> Result<(), ScenarioError> {
    for cluster in &x.document.clusters {
        push_cluster(x, cluster)?;
    }
    Ok(())
}

fn push_cluster(x: &mut Expansion<'_>, cluster: &Cluster) -> Result<(), ScenarioError> {
    let place = format!("clusters {}", cluster.name);
    let head = cluster.head();
    let (id, location) = (x.id_of(&head, types::CLUSTER), x.location(&head));
    let made = node_resource_group::expand(x, cluster)?;
    let mut pools = Vec::new();
    for (i, pool) in cluster.pools.iter().enumerate() {
        let profile = pool_profile(x, cluster, pool, i, &place)?;
        let pool_id = format!("{id}/agentPools/{}", pool.name);
        let body = json!({ "properties": profile });
        x.push_at(&pool_id, "Microsoft.ContainerService/managedClusters/agentPools", None, body);
        x.over_part(&pool_id, "/properties", pool.properties.as_ref(), pool.unchecked.as_ref());
        let at = format!("/properties/agentPoolProfiles/{i}");
        x.over_part(&id, &at, pool.properties.as_ref(), pool.unchecked.as_ref());
        let mut inline = profile;
        inline["name"] = json!(pool.name);
        pools.push(inline);
    }
    let tenant = subscription::tenant_of(x.document, head.subscription);
    let own_identity = match &cluster.identity {
        Some(name) => {
            let identity = x.names.find(types::IDENTITY, name, &place)?;
            json!({"type": "UserAssigned", "userAssignedIdentities": {identity.clone(): identity::ids(x, &identity)}})
        }
        None => json!({
            "type": "SystemAssigned",
            "principalId": x.guid(&format!("{id}/principal")),
            "tenantId": tenant,
        }),
    };
    let kubelet = kubelet_identity(x, cluster)?;
    let identity_profile = kubelet.as_ref().map(|kubelet| {
        json!({"kubeletidentity": {
            "resourceId": kubelet,
            "clientId": identity::client_id(x, kubelet),
            "objectId": identity::principal_id(x, kubelet),
        }})
    });
    let version = cluster.kubernetes_version.as_deref().unwrap_or("1.33");
    let running = cluster.power_state.as_deref().unwrap_or("Running");
    let registry = x.link_opt(types::REGISTRY, cluster.bootstrap_registry.as_deref(), &place)?;
    let bootstrap =
        registry["id"].as_str().map(|id| json!({"artifactSource": "Cache", "containerRegistryId": id}));
    let fqdn =
        format!("{}-{}.hcp.{}.azmk8s.io", cluster.name, filler::short(&id), registry::region(&location));
    let access = cluster.private_cluster.then(|| {
        json!({"enablePrivateCluster": true, "enablePrivateClusterPublicFQDN": false, "privateDNSZone": "system"})
    });
    let body = json!({
        "sku": {"name": "Base", "tier": "Standard"},
        "identity": own_identity,
        "properties": {
            "provisioningState": "Succeeded",
            "powerState": {"code": running},
            "kubernetesVersion": version,
            "currentKubernetesVersion": version,
            "dnsPrefix": cluster.name,
            "fqdn": fqdn,
            "agentPoolProfiles": pools,
            "servicePrincipalProfile": {"clientId": cluster.service_principal.as_deref().unwrap_or("msi")},
            "nodeResourceGroup": node_resource_group::name(x, cluster),
            "enableRBAC": true,
            "networkProfile": network_profile(cluster, &made),
            "maxAgentPools": 100,
            "apiServerAccessProfile": access,
            "identityProfile": identity_profile,
            "httpProxyConfig": cluster.http_proxy_config,
            "securityProfile": {"customCATrustCertificates": certificates(cluster, &place)?},
            "bootstrapProfile": bootstrap,
            "disableLocalAccounts": false,
            "oidcIssuerProfile": {"enabled": false},
        },
    });
    x.push(cluster, types::CLUSTER, body);
    Ok(())
}

fn network_profile(cluster: &Cluster, made: &node_resource_group::Made) -> Value {
    let plugin = cluster.network_plugin.as_deref().unwrap_or("azure");
    let mode = match cluster.network_plugin_mode.as_deref() {
        Some("none") => None,
        Some(mode) => Some(mode),
        None => (plugin == "azure").then_some("overlay"),
    };
    let outbound_type = cluster.outbound_type.as_deref().unwrap_or("loadBalancer");
    let effective: Vec<Value> = made.outbound_ips.iter().map(|id| json!({ "id": id })).collect();
    let load_balancer = (outbound_type == "loadBalancer").then(|| {
        json!({
            "managedOutboundIPs": {"count": effective.len()},
            "effectiveOutboundIPs": effective,
            "allocatedOutboundPorts": 0,
            "idleTimeoutInMinutes": 30,
            "backendPoolType": "nodeIPConfiguration",
        })
    });
    let nat_gateway = (outbound_type == "managedNATGateway").then(|| {
        json!({
            "managedOutboundIPProfile": {"count": effective.len()},
            "effectiveOutboundIPs": effective,
            "idleTimeoutInMinutes": 4,
        })
    });
    // Only where the pods have addresses of their own.
    let pod_cidr = (plugin == "kubenet" || mode == Some("overlay"))
        .then(|| cluster.pod_cidr.as_deref().unwrap_or("100.96.0.0/12"));
    let service_cidr = cluster.service_cidr.as_deref().unwrap_or("100.64.0.0/16");
    json!({
        "networkPlugin": plugin,
        "networkPluginMode": mode,
        "networkDataplane": (plugin == "azure").then_some("azure"),
        "podCidr": pod_cidr,
        "podCidrs": pod_cidr.map(|cidr| [cidr]),
        "serviceCidr": service_cidr,
        "serviceCidrs": [service_cidr],
        "dnsServiceIP": cluster.dns_service_ip.as_deref().unwrap_or("100.64.0.10"),
        "outboundType": outbound_type,
        "loadBalancerSku": "standard",
        "loadBalancerProfile": load_balancer,
        "natGatewayProfile": nat_gateway,
        "ipFamilies": ["IPv4"],
    })
}

fn pool_profile(
    x: &mut Expansion<'_>,
    cluster: &Cluster,
    pool: &AgentPool,
    index: usize,
    place: &str,
) -> Result<Value, ScenarioError> {
    let place = format!("{place}, pool {}", pool.name);
    let subnet = |reference: Option<&String>| -> Result<Option<String>, ScenarioError> {
        reference.map(|r| x.names.find(types::SUBNET, r, &place)).transpose()
    };
    let version = cluster.kubernetes_version.as_deref().unwrap_or("1.33");
    let os_type = pool.os_type.as_deref().unwrap_or("Linux");
    let is_linux = os_type.eq_ignore_ascii_case("Linux");
    let image = pool.node_image_version.clone().unwrap_or_else(|| {
        let stem = if is_linux { "AKSUbuntu-2204gen2containerd" } else { "AKSWindows-2022-containerd" };
        format!("{stem}-202608.10.0")
    });
    let groups: Vec<String> = x
        .links(types::APPLICATION_SECURITY_GROUP, &pool.application_security_groups, &place)?
        .iter()
        .filter_map(|link| link["id"].as_str().map(str::to_owned))
        .collect();
    Ok(json!({
        "count": pool.count.unwrap_or(3),
        "vmSize": "Standard_D4ds_v5",
        "osDiskSizeGB": 128,
        "osDiskType": "Managed",
        "kubeletDiskType": "OS",
        "vnetSubnetID": subnet(pool.subnet.as_ref())?,
        "podSubnetID": subnet(pool.pod_subnet.as_ref())?,
        "maxPods": 110,
        "type": "VirtualMachineScaleSets",
        "enableAutoScaling": false,
        "scaleDownMode": "Delete",
        "provisioningState": "Succeeded",
        "powerState": {"code": pool.power_state.as_deref().unwrap_or("Running")},
        "orchestratorVersion": version,
        "currentOrchestratorVersion": version,
        "enableNodePublicIP": pool.enable_node_public_ip,
        "mode": pool.mode.as_deref().unwrap_or(if index == 0 { "System" } else { "User" }),
        "osType": os_type,
        "osSKU": if is_linux { "Ubuntu" } else { "Windows2022" },
        "nodeImageVersion": image,
        "enableFIPS": false,
        "networkProfile": if groups.is_empty() { json!({}) } else { json!({"applicationSecurityGroups": groups}) },
    }))
}

fn certificates(cluster: &Cluster, place: &str) -> Result<Vec<String>, ScenarioError> {
    let encode = |pem: &str| base64::engine::general_purpose::STANDARD.encode(pem);
    let all = cluster.custom_ca_trust_certificates.iter();
    all.map(|text| match CERTIFICATES.iter().find(|(name, _)| name == text) {
        Some((_, pem)) => Ok(encode(pem)),
        None if text.starts_with("-----BEGIN CERTIFICATE-----") => Ok(encode(text)),
        None => {
            let known: Vec<&str> = CERTIFICATES.iter().map(|(name, _)| *name).collect();
            let message = format!("{text} is neither a PEM nor one of {}", known.join(", "));
            Err(ScenarioError::invalid(place, message))
        }
    })
    .collect()
}
