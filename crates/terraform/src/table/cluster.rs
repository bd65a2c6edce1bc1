//! AKS clusters and node pools (terraform-mapping.md §4.5).

use serde_json::{Value, json};

use super::Unset::{Flag, Text};
use super::apply::{Build, moves};
use super::{How, Move, Row, finished, how, or, same, whole};
use crate::value::is_unset;

const CLUSTER: &str = "Microsoft.ContainerService/managedClusters";

pub(super) const ROWS: &[Row] = &[
    finished(
        whole(
            "azurerm_kubernetes_cluster",
            CLUSTER,
            &[
                "/subscriptions/{sub}/resourceGroups/{resource_group_name}/providers/Microsoft.ContainerService/managedClusters/{name}",
            ],
            &[
                same(&["location"], "/location"),
                or(&[], "/sku/name", Text("Base")),
                same(&["kubernetes_version"], "/properties/kubernetesVersion"),
                same(&["node_resource_group"], "/properties/nodeResourceGroup"),
                or(
                    &["private_cluster_enabled"],
                    "/properties/apiServerAccessProfile/enablePrivateCluster",
                    Flag(false),
                ),
                same(&["private_dns_zone_id"], "/properties/apiServerAccessProfile/privateDNSZone"),
                how(
                    &["service_principal"],
                    "/properties/servicePrincipalProfile",
                    How::One(&[same(&["client_id"], "/clientId")]),
                ),
                how(
                    &["http_proxy_config"],
                    "/properties/httpProxyConfig",
                    How::One(&[
                        same(&["http_proxy"], "/httpProxy"),
                        same(&["https_proxy"], "/httpsProxy"),
                        same(&["no_proxy"], "/noProxy"),
                        same(&["trusted_ca"], "/trustedCa"),
                    ]),
                ),
                same(
                    &["custom_ca_trust_certificates_base64"],
                    "/properties/securityProfile/customCATrustCertificates",
                ),
                how(
                    &["bootstrap_profile"],
                    "/properties/bootstrapProfile",
                    How::One(&[
                        or(&["artifact_source"], "/artifactSource", Text("Direct")),
                        same(&["container_registry_id"], "/containerRegistryId"),
                    ]),
                ),
                how(
                    &["node_provisioning_profile"],
                    "/properties/nodeProvisioningProfile",
                    How::One(&[same(&["mode"], "/mode"), same(&["default_node_pools"], "/defaultNodePools")]),
                ),
                how(
                    &["aci_connector_linux"],
                    "/properties/addonProfiles/aciConnectorLinux",
                    How::One(&[
                        or(&[], "/enabled", Flag(true)),
                        same(&["subnet_name"], "/config/SubnetName"),
                    ]),
                ),
                how(
                    &["network_profile"],
                    "/properties/networkProfile",
                    How::One(&[
                        same(&["network_plugin"], "/networkPlugin"),
                        same(&["network_plugin_mode"], "/networkPluginMode"),
                        same(&["network_data_plane", "ebpf_data_plane"], "/networkDataplane"),
                        same(&["network_policy"], "/networkPolicy"),
                        or(&["outbound_type"], "/outboundType", Text("loadBalancer")),
                        same(&["service_cidr"], "/serviceCidr"),
                        same(&["service_cidrs"], "/serviceCidrs"),
                        same(&["pod_cidr"], "/podCidr"),
                        same(&["pod_cidrs"], "/podCidrs"),
                        same(&["dns_service_ip"], "/dnsServiceIP"),
                        same(&["ip_versions"], "/ipFamilies"),
                        or(&["load_balancer_sku"], "/loadBalancerSku", Text("standard")),
                    ]),
                ),
            ],
        ),
        cluster,
    ),
    finished(
        whole(
            "azurerm_kubernetes_cluster_node_pool",
            "Microsoft.ContainerService/managedClusters/agentPools",
            &["{kubernetes_cluster_id}/agentPools/{name}"],
            &[],
        ),
        |build| {
            let mut profile = json!({});
            moves(POOL, build.value, &mut profile);
            build.set("/properties", profile);
        },
    ),
    finished(
        whole(
            "azurerm_kubernetes_automatic_cluster",
            CLUSTER,
            &[
                "/subscriptions/{sub}/resourceGroups/{resource_group_name}/providers/Microsoft.ContainerService/managedClusters/{name}",
            ],
            &[
                same(&["location"], "/location"),
                or(&[], "/sku/name", Text("Automatic")),
                same(&["node_resource_group"], "/properties/nodeResourceGroup"),
                or(&[], "/properties/nodeProvisioningProfile/mode", Text("Auto")),
            ],
        ),
        automatic,
    ),
];

const POOL: &[Move] = &[
    same(&["vnet_subnet_id"], "/vnetSubnetID"),
    same(&["pod_subnet_id"], "/podSubnetID"),
    or(&["mode"], "/mode", Text("User")),
    or(&["os_type"], "/osType", Text("Linux")),
    same(&["os_sku"], "/osSKU"),
    or(&["type"], "/type", Text("VirtualMachineScaleSets")),
    same(&["vm_size"], "/vmSize"),
    same(&["node_count"], "/count"),
    same(&["min_count"], "/minCount"),
    same(&["max_count"], "/maxCount"),
    same(&["auto_scaling_enabled", "enable_auto_scaling"], "/enableAutoScaling"),
    same(&["orchestrator_version"], "/orchestratorVersion"),
    or(&["node_public_ip_enabled", "enable_node_public_ip"], "/enableNodePublicIP", Flag(false)),
    same(&["node_public_ip_prefix_id"], "/nodePublicIPPrefixID"),
    how(
        &["node_network_profile"],
        "/networkProfile",
        How::One(&[
            same(&["application_security_group_ids"], "/applicationSecurityGroups"),
            how(
                &["allowed_host_ports"],
                "/allowedHostPorts",
                How::Each(&[same(&["port_start"], "/portStart"), same(&["port_end"], "/portEnd")]),
            ),
        ]),
    ),
];

fn cluster(build: &mut Build<'_>) {
    let mut pools = Vec::new();
    for block in build.blocks("default_node_pool") {
        let mut profile = json!({ "name": block.get("name") });
        moves(POOL, block, &mut profile);
        profile["mode"] = json!("System");
        pools.push(profile);
    }
    build.set("/properties/agentPoolProfiles", Value::Array(pools));
    if build.blocks("network_profile").is_empty() {
        // The provider sends no profile, and AKS fills it in: plugin and ranges are its choice.
        let hole = build.chosen("network_profile", None);
        build.set(
            "/properties/networkProfile",
            json!({ "outboundType": "loadBalancer", "networkPlugin": hole }),
        );
    }
    ranges(build);
    // The effective outbound addresses are only known once the cluster is there.
    let outbound = build.json.pointer("/properties/networkProfile/outboundType").and_then(Value::as_str);
    let pointer = match outbound.map(str::to_ascii_lowercase).as_deref() {
        Some("loadbalancer") => Some("/properties/networkProfile/loadBalancerProfile/effectiveOutboundIPs"),
        Some("managednatgateway") => {
            Some("/properties/networkProfile/natGatewayProfile/effectiveOutboundIPs")
        }
        _ => None,
    };
    if let Some(pointer) = pointer {
        let hole = build.chosen("network_profile[0].effective_outbound_ips", None);
        build.set(pointer, hole);
    }
    for (argument, pointer) in
        [("subnet_id", "subnetId"), ("virtual_network_integration_enabled", "enableVnetIntegration")]
    {
        let found = build.blocks("api_server_access_profile").first().and_then(|b| b.get(argument)).cloned();
        if let Some(value) = found.filter(|v| !is_unset(Some(v))) {
            build.set(&format!("/properties/apiServerAccessProfile/{pointer}"), value);
        }
    }
    identity(build);
    node_group(build);
    kubelet(build);
}

/// The ranges of services and pods that the REST API takes where none are given. Nodes keep them to themselves (A184),
/// so a plan that leaves them out still has them.
fn ranges(build: &mut Build<'_>) {
    const PROFILE: &str = "/properties/networkProfile";
    let profile = build.json.pointer(PROFILE).cloned().unwrap_or_default();
    let set = |name: &str| profile.get(name).is_some_and(|v| !v.is_null());
    if !set("serviceCidr") && !set("serviceCidrs") {
        build.set(&format!("{PROFILE}/serviceCidr"), json!("10.0.0.0/16"));
        if !set("dnsServiceIP") {
            build.set(&format!("{PROFILE}/dnsServiceIP"), json!("10.0.0.10"));
        }
    }
    let word =
        |name: &str| profile.get(name).and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    // Azure CNI without overlay takes pod addresses from subnets.
    let from_subnets = word("networkPlugin") == "azure" && word("networkPluginMode") != "overlay";
    if !set("podCidr") && !set("podCidrs") && !from_subnets && word("networkPlugin") != "none" {
        build.set(&format!("{PROFILE}/podCidr"), json!("10.244.0.0/16"));
    }
}

/// The cluster's own identity.
pub(super) fn identity(build: &mut Build<'_>) {
    let Some(block) = build.blocks("identity").first().cloned() else { return };
    if let Some(kind) = block.get("type").cloned() {
        build.set("/identity/type", kind);
    }
    match block.get("identity_ids") {
        Some(Value::Array(ids)) => {
            let keys = ids.iter().filter_map(Value::as_str).map(|id| (id.to_owned(), json!({})));
            build.set("/identity/userAssignedIdentities", Value::Object(keys.collect()));
        }
        Some(hole) if !hole.is_null() => build.set("/identity/userAssignedIdentities", hole.clone()),
        _ => {}
    }
    if build.json.pointer("/identity/type").and_then(Value::as_str) == Some("SystemAssigned") {
        let known = block.get("principal_id").filter(|v| v.is_string()).cloned();
        let principal = known
            .unwrap_or_else(|| json!(crate::world::placeholder(build.address, "identity[0].principal_id")));
        build.set("/identity/principalId", principal);
    }
}

/// `MC_<group>_<cluster>_<location>`, cut at 80 characters, unless another name is asked for.
fn node_group(build: &mut Build<'_>) {
    if build.get("node_resource_group").is_some_and(Value::is_string) {
        return;
    }
    let parts = (build.text("resource_group_name"), build.text("name"), build.text("location"));
    let (Some(group), Some(name), Some(location)) = parts else { return };
    let full = format!("MC_{group}_{name}_{location}");
    let cut: String = full.chars().take(80).collect();
    build.set("/properties/nodeResourceGroup", json!(cut));
}

/// The kubelet identity: the one given, else the one that AKS makes (new, so nobody else's).
fn kubelet(build: &mut Build<'_>) {
    const POINTER: &str = "/properties/identityProfile/kubeletidentity";
    let given = build.blocks("kubelet_identity").first().cloned();
    if !build.blocks("service_principal").is_empty() {
        return;
    }
    let part = |argument: &str| {
        let known = given.as_ref().and_then(|b| b.get(argument)).filter(|v| !is_unset(Some(v))).cloned();
        known.unwrap_or_else(|| {
            json!(crate::world::placeholder(build.address, &format!("kubelet_identity[0].{argument}")))
        })
    };
    let (object, client) = (part("object_id"), part("client_id"));
    let own = given
        .as_ref()
        .and_then(|b| b.get("user_assigned_identity_id"))
        .filter(|v| !is_unset(Some(v)))
        .cloned();
    let made = || {
        let group = build.json.pointer("/properties/nodeResourceGroup").and_then(Value::as_str)?;
        let (subscription, _) = build.id.split_once("/resourceGroups/")?;
        Some(json!(format!(
            "{subscription}/resourceGroups/{group}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/{}-agentpool",
            build.text("name")?
        )))
    };
    let resource = own.or_else(made);
    build.set(&format!("{POINTER}/objectId"), object);
    build.set(&format!("{POINTER}/clientId"), client);
    build.set(&format!("{POINTER}/resourceId"), resource.unwrap_or_default());
}

/// A cluster whose pools AKS runs: which subnets it takes is in the profiles, what else it makes is not shown.
fn automatic(build: &mut Build<'_>) {
    let hole = build.chosen("node_pools", None);
    build.set("/properties/agentPoolProfiles", hole);
    identity(build);
    node_group(build);
    kubelet(build);
}
