//! Which resource types exist, and where each can be listed.

/// Where a top-level type can be listed, by Microsoft's specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listed {
    /// By subscription and by resource group.
    Everywhere,
    /// By resource group only.
    InGroups,
    /// At any scope, resources included; what is inherited counts (A305).
    Extension,
}

/// Types that the specification lists by resource group only: it has no list of them by subscription
/// \[specs: VirtualNetworkGateways_List, LocalNetworkGateways_List, VirtualNetworkGatewayConnections_List\].
const IN_GROUPS: &[&str] = &[
    "microsoft.network/connections",
    "microsoft.network/localnetworkgateways",
    "microsoft.network/virtualnetworkgateways",
];

const EXTENSIONS: &[&str] = &[
    "microsoft.authorization/denyassignments",
    "microsoft.authorization/locks",
    "microsoft.authorization/permissions",
    "microsoft.authorization/policyassignments",
    "microsoft.authorization/policydefinitions",
    "microsoft.authorization/policyexemptions",
    "microsoft.authorization/policysetdefinitions",
    "microsoft.authorization/roleassignments",
    "microsoft.authorization/roledefinitions",
];

/// Top-level types of the providers that the emulator knows, in ARM's writing. A type that is not here and not in the
/// snapshot does not exist.
const KNOWN: &[&str] = &[
    "Microsoft.ApiManagement/service",
    "Microsoft.Compute/virtualMachineScaleSets",
    "Microsoft.Compute/virtualMachines",
    "Microsoft.ContainerInstance/containerGroups",
    "Microsoft.ContainerRegistry/registries",
    "Microsoft.ContainerService/fleets",
    "Microsoft.ContainerService/managedClusters",
    "Microsoft.ContainerService/snapshots",
    "Microsoft.Databricks/workspaces",
    "Microsoft.KeyVault/vaults",
    "Microsoft.MachineLearningServices/workspaces",
    "Microsoft.ManagedIdentity/userAssignedIdentities",
    "Microsoft.NetApp/netAppAccounts",
    "Microsoft.Network/applicationGatewayWebApplicationFirewallPolicies",
    "Microsoft.Network/applicationGateways",
    "Microsoft.Network/applicationSecurityGroups",
    "Microsoft.Network/azureFirewalls",
    "Microsoft.Network/bastionHosts",
    "Microsoft.Network/connections",
    "Microsoft.Network/customIpPrefixes",
    "Microsoft.Network/ddosProtectionPlans",
    "Microsoft.Network/dnsForwardingRulesets",
    "Microsoft.Network/dnsResolverDomainLists",
    "Microsoft.Network/dnsResolverPolicies",
    "Microsoft.Network/dnsResolvers",
    "Microsoft.Network/dnsZones",
    "Microsoft.Network/expressRouteCircuits",
    "Microsoft.Network/expressRouteCrossConnections",
    "Microsoft.Network/expressRouteGateways",
    "Microsoft.Network/expressRoutePorts",
    "Microsoft.Network/firewallPolicies",
    "Microsoft.Network/ipAllocations",
    "Microsoft.Network/ipGroups",
    "Microsoft.Network/loadBalancers",
    "Microsoft.Network/localNetworkGateways",
    "Microsoft.Network/natGateways",
    "Microsoft.Network/networkInterfaces",
    "Microsoft.Network/networkManagerConnections",
    "Microsoft.Network/networkManagers",
    "Microsoft.Network/networkProfiles",
    "Microsoft.Network/networkSecurityGroups",
    "Microsoft.Network/networkSecurityPerimeters",
    "Microsoft.Network/networkVirtualAppliances",
    "Microsoft.Network/networkWatchers",
    "Microsoft.Network/p2sVpnGateways",
    "Microsoft.Network/privateDnsZones",
    "Microsoft.Network/privateEndpoints",
    "Microsoft.Network/privateLinkServices",
    "Microsoft.Network/publicIPAddresses",
    "Microsoft.Network/publicIPPrefixes",
    "Microsoft.Network/routeFilters",
    "Microsoft.Network/routeTables",
    "Microsoft.Network/securityPartnerProviders",
    "Microsoft.Network/serviceEndpointPolicies",
    "Microsoft.Network/virtualHubs",
    "Microsoft.Network/virtualNetworkAppliances",
    "Microsoft.Network/virtualNetworkGateways",
    "Microsoft.Network/virtualNetworkTaps",
    "Microsoft.Network/virtualNetworks",
    "Microsoft.Network/virtualRouters",
    "Microsoft.Network/virtualWans",
    "Microsoft.Network/vpnGateways",
    "Microsoft.Network/vpnServerConfigurations",
    "Microsoft.Network/vpnSites",
    "Microsoft.Sql/managedInstances",
    "Microsoft.Storage/storageAccounts",
    "Microsoft.Web/hostingEnvironments",
    "Microsoft.Web/serverFarms",
    "Microsoft.Web/sites",
];

/// Where a folded top-level type is listed; `None` where no such type is known.
pub(crate) fn listed(folded_type: &str) -> Option<Listed> {
    if EXTENSIONS.contains(&folded_type) {
        return Some(Listed::Extension);
    }
    if IN_GROUPS.contains(&folded_type) {
        return Some(Listed::InGroups);
    }
    KNOWN.iter().any(|known| known.eq_ignore_ascii_case(folded_type)).then_some(Listed::Everywhere)
}

/// The known types of a namespace, in ARM's writing, without the namespace.
pub(crate) fn of_namespace(namespace: &str) -> impl Iterator<Item = &'static str> + use<'_> {
    KNOWN.iter().filter_map(move |known| {
        let (of, name) = known.split_once('/')?;
        of.eq_ignore_ascii_case(namespace).then_some(name)
    })
}

/// The namespaces, in ARM's writing.
pub(crate) fn namespaces() -> Vec<&'static str> {
    let mut out: Vec<&str> = KNOWN.iter().filter_map(|known| known.split('/').next()).collect();
    out.extend([
        "Microsoft.Authorization",
        "Microsoft.Management",
        "Microsoft.ResourceGraph",
        "Microsoft.Resources",
    ]);
    out.dedup();
    out
}
