//! Microsoft's models as the judge of shapes: a resource fits when the model reads it and writes back all of it.
//!
//! Every expanded resource passes through here, so that each test from a scenario to a verdict checks our field names
//! against Microsoft's. The models end at the API version in their package names: what is newer stands in [`NEWER`].

use azure_mgmt_authorization::package_2022_04_01::models as authorization;
use azure_mgmt_containerregistry::package_2023_11_preview::models as containerregistry;
use azure_mgmt_containerservice::package_preview_2023_01::models as containerservice;
use azure_mgmt_dnsresolver::package_2022_07::models as dnsresolver;
use azure_mgmt_network::package_2024_03::models as network;
use azure_mgmt_privatedns::package_2024_06::models as privatedns;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Why a resource does not fit Microsoft's model of its type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    #[error("{id}: Microsoft's model cannot read it: {message}")]
    Unreadable { id: String, message: String },
    #[error("{id}: Microsoft's model does not know {pointer} = {value}")]
    Unknown { id: String, pointer: String, value: String },
}

type Model = fn(&Value) -> Result<Written, serde_json::Error>;

struct Written {
    json: Value,
    /// Enum values that the model does not know.
    unknown_values: Vec<String>,
}

fn model<T: DeserializeOwned + Serialize + std::fmt::Debug>(
    json: &Value,
) -> Result<Written, serde_json::Error> {
    let read: T = serde_json::from_value(json.clone())?;
    // Enums keep what they do not know in a variant of this name, and write it back as it was.
    let text = format!("{read:?}");
    let values = text.split("UnknownValue(\"").skip(1);
    let unknown_values = values.map(|rest| rest.split('"').next().unwrap_or_default().to_owned()).collect();
    Ok(Written { json: serde_json::to_value(&read)?, unknown_values })
}

/// Type → model. What is missing has no model here: identities, machines, scale sets, subscriptions.
const MODELS: &[(&str, Model)] = &[
    ("Microsoft.Authorization/denyAssignments", model::<authorization::DenyAssignment>),
    ("Microsoft.Authorization/roleAssignments", model::<authorization::RoleAssignment>),
    ("Microsoft.Authorization/roleDefinitions", model::<authorization::RoleDefinition>),
    ("Microsoft.ContainerRegistry/registries", model::<containerregistry::Registry>),
    ("Microsoft.ContainerRegistry/registries/replications", model::<containerregistry::Replication>),
    ("Microsoft.ContainerService/managedClusters", model::<containerservice::ManagedCluster>),
    ("Microsoft.ContainerService/managedClusters/agentPools", model::<containerservice::AgentPool>),
    ("Microsoft.Network/applicationSecurityGroups", model::<network::ApplicationSecurityGroup>),
    ("Microsoft.Network/azureFirewalls", model::<network::AzureFirewall>),
    ("Microsoft.Network/connections", model::<network::VirtualNetworkGatewayConnection>),
    ("Microsoft.Network/dnsForwardingRulesets", model::<dnsresolver::DnsForwardingRuleset>),
    ("Microsoft.Network/dnsForwardingRulesets/forwardingRules", model::<dnsresolver::ForwardingRule>),
    ("Microsoft.Network/dnsForwardingRulesets/virtualNetworkLinks", model::<dnsresolver::VirtualNetworkLink>),
    ("Microsoft.Network/dnsResolvers", model::<dnsresolver::DnsResolver>),
    ("Microsoft.Network/dnsResolvers/inboundEndpoints", model::<dnsresolver::InboundEndpoint>),
    ("Microsoft.Network/dnsResolvers/outboundEndpoints", model::<dnsresolver::OutboundEndpoint>),
    ("Microsoft.Network/expressRouteCircuits", model::<network::ExpressRouteCircuit>),
    ("Microsoft.Network/firewallPolicies", model::<network::FirewallPolicy>),
    (
        "Microsoft.Network/firewallPolicies/ruleCollectionGroups",
        model::<network::FirewallPolicyRuleCollectionGroup>,
    ),
    ("Microsoft.Network/ipGroups", model::<network::IpGroup>),
    ("Microsoft.Network/loadBalancers", model::<network::LoadBalancer>),
    ("Microsoft.Network/localNetworkGateways", model::<network::LocalNetworkGateway>),
    ("Microsoft.Network/natGateways", model::<network::NatGateway>),
    ("Microsoft.Network/networkInterfaces", model::<network::NetworkInterface>),
    ("Microsoft.Network/networkSecurityGroups", model::<network::NetworkSecurityGroup>),
    ("Microsoft.Network/privateDnsZones", model::<privatedns::PrivateZone>),
    ("Microsoft.Network/privateDnsZones/A", model::<privatedns::RecordSet>),
    ("Microsoft.Network/privateDnsZones/AAAA", model::<privatedns::RecordSet>),
    ("Microsoft.Network/privateDnsZones/CNAME", model::<privatedns::RecordSet>),
    ("Microsoft.Network/privateDnsZones/SOA", model::<privatedns::RecordSet>),
    ("Microsoft.Network/privateDnsZones/TXT", model::<privatedns::RecordSet>),
    ("Microsoft.Network/privateDnsZones/virtualNetworkLinks", model::<privatedns::VirtualNetworkLink>),
    ("Microsoft.Network/privateEndpoints", model::<network::PrivateEndpoint>),
    ("Microsoft.Network/privateEndpoints/privateDnsZoneGroups", model::<network::PrivateDnsZoneGroup>),
    ("Microsoft.Network/publicIPAddresses", model::<network::PublicIpAddress>),
    ("Microsoft.Network/publicIPPrefixes", model::<network::PublicIpPrefix>),
    ("Microsoft.Network/routeTables", model::<network::RouteTable>),
    ("Microsoft.Network/virtualHubs", model::<network::VirtualHub>),
    ("Microsoft.Network/virtualHubs/hubRouteTables", model::<network::HubRouteTable>),
    (
        "Microsoft.Network/virtualHubs/hubVirtualNetworkConnections",
        model::<network::HubVirtualNetworkConnection>,
    ),
    ("Microsoft.Network/virtualHubs/routingIntent", model::<network::RoutingIntent>),
    ("Microsoft.Network/virtualNetworkGateways", model::<network::VirtualNetworkGateway>),
    ("Microsoft.Network/virtualNetworks", model::<network::VirtualNetwork>),
    ("Microsoft.Network/virtualWans", model::<network::VirtualWan>),
];

/// (type, last key of the pointer): fields that ARM returns and the models do not have yet.
const NEWER: &[(&str, &str)] = &[
    ("Microsoft.ContainerRegistry/registries", "autoGeneratedDomainNameLabelScope"),
    ("Microsoft.ContainerRegistry/registries", "roleAssignmentMode"),
    ("Microsoft.ContainerService/managedClusters", "bootstrapProfile"),
    ("Microsoft.ContainerService/managedClusters", "customCATrustCertificates"),
    ("Microsoft.ContainerService/managedClusters", "localDNSProfile"),
    ("Microsoft.ContainerService/managedClusters", "networkDataplane"),
    ("Microsoft.ContainerService/managedClusters", "nodeProvisioningProfile"),
    ("Microsoft.ContainerService/managedClusters/agentPools", "localDNSProfile"),
    ("Microsoft.Network/privateDnsZones/virtualNetworkLinks", "resolutionPolicy"),
    ("Microsoft.Network/virtualNetworks", "peerCompleteVnets"),
    ("Microsoft.Network/virtualNetworks", "privateEndpointVNetPolicies"),
    ("Microsoft.Network/virtualNetworks", "remoteGateways"),
];

/// Enum values that ARM returns and the models do not have, or have in other letter case.
const OTHER_VALUES: &[&str] = &["block", "managedNATGatewayV2", "nodeIPConfiguration", "none", "overlay"];

/// Ok exactly when the type has no model here, or the model reads the resource, knows every enum value in it, and
/// writes back every field (an empty list counts as absent, letter case and number form count).
pub fn check(resource: &Value) -> Result<(), ShapeError> {
    let id = resource.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let kind = resource.get("type").and_then(Value::as_str).unwrap_or_default();
    let Some((_, model)) = MODELS.iter().find(|(name, _)| name.eq_ignore_ascii_case(kind)) else {
        return Ok(());
    };
    let written =
        model(resource).map_err(|e| ShapeError::Unreadable { id: id.clone(), message: e.to_string() })?;
    let mut pointer = String::new();
    if let Some(value) = lost(resource, Some(&written.json), kind, &mut pointer) {
        return Err(ShapeError::Unknown { id, pointer, value: value.to_string() });
    }
    match written.unknown_values.into_iter().find(|value| !OTHER_VALUES.contains(&value.as_str())) {
        Some(value) => Err(ShapeError::Unknown { id, pointer: "an enum value".into(), value }),
        None => Ok(()),
    }
}

/// The first value of `ours` that `theirs` lacks; `pointer` then says where.
fn lost<'a>(ours: &'a Value, theirs: Option<&Value>, kind: &str, pointer: &mut String) -> Option<&'a Value> {
    match (ours, theirs) {
        (Value::Object(ours), theirs) => ours.iter().find_map(|(key, value)| {
            // Models of child resources leave out the type that ARM returns with them.
            if pointer.is_empty() && key == "type" {
                return None;
            }
            if NEWER.iter().any(|(t, k)| t.eq_ignore_ascii_case(kind) && k == key) {
                return None;
            }
            step(value, theirs.and_then(|t| t.get(key)), kind, pointer, key)
        }),
        (Value::Array(ours), theirs) => ours
            .iter()
            .enumerate()
            .find_map(|(i, value)| step(value, theirs.and_then(|t| t.get(i)), kind, pointer, &i.to_string())),
        (ours, Some(theirs)) if ours == theirs => None,
        (ours, _) => Some(ours),
    }
}

fn step<'a>(
    ours: &'a Value,
    theirs: Option<&Value>,
    kind: &str,
    pointer: &mut String,
    key: &str,
) -> Option<&'a Value> {
    let length = pointer.len();
    pointer.push('/');
    pointer.push_str(key);
    let found = lost(ours, theirs, kind, pointer);
    if found.is_none() {
        pointer.truncate(length);
    }
    found
}
