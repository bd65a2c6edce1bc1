//! The one table of what is read from Azure: per resource type the API version, the reason, the way in which Azure
//! lists it, the permission, and the secret fields that are dropped on reading.
//!
//! Resource Graph is used for a type only where Microsoft's reference of its tables names the type: a table that does
//! not hold a type answers with no rows and no error, and no rows would pass for evidence that nothing is there.

/// A table of Resource Graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    Resources,
    NetworkResources,
    DnsResources,
    ComputeResources,
    AuthorizationResources,
    ResourceContainers,
}

impl Table {
    /// The name as queries write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Resources => "resources",
            Self::NetworkResources => "networkresources",
            Self::DnsResources => "dnsresources",
            Self::ComputeResources => "computeresources",
            Self::AuthorizationResources => "authorizationresources",
            Self::ResourceContainers => "resourcecontainers",
        }
    }
}

/// How ARM lists a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// `GET {subscription or resource group}/providers/{type}`.
    Scope,
    /// `GET {resource group}/providers/{type}` only; a subscription has no list of them.
    Group,
    /// `GET {scope}/providers/{type}`; what is inherited from management groups and the tenant is in the answer (A305).
    Inherited,
    /// `GET {parent}/{collection}`, one call a parent.
    Parent { parent: &'static str, collection: &'static str },
    /// Not listed: read one by one, where something that was read names it.
    ByReference,
    /// The subscriptions and management groups themselves.
    Hierarchy,
}

/// What is kept of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Everything but the secret fields at these JSON pointers; `*` stands for each element of a list or object.
    AllBut(&'static [&'static str]),
    /// That it is there, its location and its provisioning state: only its presence is ever asked for.
    Presence,
}

/// One row: a resource type that is read.
#[derive(Clone, Copy, Debug)]
pub struct ReadType {
    /// The type as ARM writes it.
    pub name: &'static str,
    pub api_version: &'static str,
    /// What the prover needs it for, and why this API version where that matters.
    pub why: &'static str,
    pub listing: Listing,
    /// The table of Resource Graph that holds it; `None`: ARM only.
    pub table: Option<Table>,
    /// The permission that reading it takes.
    pub action: &'static str,
    pub kept: Kept,
}

const ALL: Kept = Kept::AllBut(&[]);

const NETWORK: &str = "2024-05-01";
const PERIMETER: &str = "2024-07-01";
const PRIVATE_DNS: &str = "2024-06-01";
const RESOLVER: &str = "2025-05-01";
const COMPUTE: &str = "2024-11-01";
const REGISTRY: &str = "2025-04-01";
const CLUSTER: &str = "2025-08-01";
const AUTHORIZATION: &str = "2022-04-01";
const POLICY: &str = "2023-04-01";
const MANAGEMENT: &str = "2023-04-01";

/// Listed by scope, and in a table of Resource Graph.
const fn listed(
    name: &'static str,
    action: &'static str,
    api_version: &'static str,
    why: &'static str,
    kept: Kept,
) -> ReadType {
    let (listing, table) = (Listing::Scope, Some(Table::Resources));
    ReadType { name, api_version, why, listing, table, action, kept }
}

/// Listed by resource group only, and in a table of Resource Graph.
const fn in_group(name: &'static str, action: &'static str, why: &'static str, kept: Kept) -> ReadType {
    let (listing, table) = (Listing::Group, Some(Table::Resources));
    ReadType { name, api_version: NETWORK, why, listing, table, action, kept }
}

/// Listed below its parent.
const fn below(
    (parent, collection): (&'static str, &'static str),
    (name, action): (&'static str, &'static str),
    table: Option<Table>,
    api_version: &'static str,
    why: &'static str,
    kept: Kept,
) -> ReadType {
    ReadType { name, api_version, why, listing: Listing::Parent { parent, collection }, table, action, kept }
}

/// A type that may hold an address of a subnet and is not followed (R41).
const fn holder(name: &'static str, action: &'static str, api_version: &'static str) -> ReadType {
    listed(name, action, api_version, "may hold an address of a subnet (R41)", Kept::Presence)
}

/// The types that are read, in the order of reading: parents before their children.
pub const TYPES: &[ReadType] = &[
    listed(
        "Microsoft.Network/virtualNetworks",
        "Microsoft.Network/virtualNetworks/read",
        NETWORK,
        "address space, subnets, peerings; from 2024-01-01 on with subnet and IPv6-only peering (R126)",
        ALL,
    ),
    listed(
        "Microsoft.Network/networkSecurityGroups",
        "Microsoft.Network/networkSecurityGroups/read",
        NETWORK,
        "rules of subnets and interfaces",
        ALL,
    ),
    listed(
        "Microsoft.Network/applicationSecurityGroups",
        "Microsoft.Network/applicationSecurityGroups/read",
        NETWORK,
        "sources and destinations of rules",
        ALL,
    ),
    listed(
        "Microsoft.Network/routeTables",
        "Microsoft.Network/routeTables/read",
        NETWORK,
        "user-defined routes, propagation",
        ALL,
    ),
    listed(
        "Microsoft.Network/networkInterfaces",
        "Microsoft.Network/networkInterfaces/read",
        NETWORK,
        "addresses, IP forwarding, members of private endpoints",
        ALL,
    ),
    listed(
        "Microsoft.Network/publicIPAddresses",
        "Microsoft.Network/publicIPAddresses/read",
        NETWORK,
        "egress addresses",
        ALL,
    ),
    listed(
        "Microsoft.Network/publicIPPrefixes",
        "Microsoft.Network/publicIPPrefixes/read",
        NETWORK,
        "egress addresses",
        ALL,
    ),
    listed(
        "Microsoft.Network/natGateways",
        "Microsoft.Network/natGateways/read",
        NETWORK,
        "egress of subnets",
        ALL,
    ),
    listed(
        "Microsoft.Network/loadBalancers",
        "Microsoft.Network/loadBalancers/read",
        NETWORK,
        "appliances and registries behind a front end; outbound rules",
        ALL,
    ),
    listed(
        "Microsoft.Network/serviceEndpointPolicies",
        "Microsoft.Network/serviceEndpointPolicies/read",
        NETWORK,
        "which services a subnet's service endpoints admit",
        ALL,
    ),
    listed(
        "Microsoft.Network/privateEndpoints",
        "Microsoft.Network/privateEndpoints/read",
        NETWORK,
        "private ways into registries",
        ALL,
    ),
    below(
        ("Microsoft.Network/privateEndpoints", "privateDnsZoneGroups"),
        (
            "Microsoft.Network/privateEndpoints/privateDnsZoneGroups",
            "Microsoft.Network/privateEndpoints/privateDnsZoneGroups/read",
        ),
        None,
        NETWORK,
        "which zones an endpoint's records are kept in (D71); no table of Resource Graph has them",
        ALL,
    ),
    listed(
        "Microsoft.Network/privateLinkServices",
        "Microsoft.Network/privateLinkServices/read",
        NETWORK,
        "targets of private endpoints",
        ALL,
    ),
    in_group(
        "Microsoft.Network/virtualNetworkGateways",
        "Microsoft.Network/virtualNetworkGateways/read",
        "VPN and ExpressRoute gateways",
        Kept::AllBut(&[
            "/properties/vpnClientConfiguration/radiusServerSecret",
            "/properties/vpnClientConfiguration/radiusServers/*/radiusServerSecret",
        ]),
    ),
    below(
        ("Microsoft.Network/virtualNetworkGateways", "natRules"),
        (
            "Microsoft.Network/virtualNetworkGateways/natRules",
            "Microsoft.Network/virtualNetworkGateways/natRules/read",
        ),
        None,
        NETWORK,
        "address translation in gateways (R139)",
        ALL,
    ),
    in_group(
        "Microsoft.Network/connections",
        "Microsoft.Network/connections/read",
        "what a gateway is connected to",
        Kept::AllBut(&["/properties/sharedKey", "/properties/authorizationKey"]),
    ),
    in_group(
        "Microsoft.Network/localNetworkGateways",
        "Microsoft.Network/localNetworkGateways/read",
        "prefixes of sites",
        ALL,
    ),
    listed(
        "Microsoft.Network/expressRouteCircuits",
        "Microsoft.Network/expressRouteCircuits/read",
        NETWORK,
        "state of circuits and their peerings",
        Kept::AllBut(&[
            "/properties/serviceKey",
            "/properties/authorizationKey",
            "/properties/authorizations/*/properties/authorizationKey",
            "/properties/peerings/*/properties/sharedKey",
            "/properties/peerings/*/properties/connections/*/properties/authorizationKey",
        ]),
    ),
    listed(
        "Microsoft.Network/virtualHubs",
        "Microsoft.Network/virtualHubs/read",
        NETWORK,
        "virtual WAN hubs and Route Servers",
        ALL,
    ),
    below(
        ("Microsoft.Network/virtualHubs", "hubVirtualNetworkConnections"),
        (
            "Microsoft.Network/virtualHubs/hubVirtualNetworkConnections",
            "Microsoft.Network/virtualHubs/hubVirtualNetworkConnections/read",
        ),
        None,
        NETWORK,
        "networks of a hub",
        ALL,
    ),
    below(
        ("Microsoft.Network/virtualHubs", "hubRouteTables"),
        ("Microsoft.Network/virtualHubs/hubRouteTables", "Microsoft.Network/virtualHubs/hubRouteTables/read"),
        None,
        NETWORK,
        "routes of a hub",
        ALL,
    ),
    below(
        ("Microsoft.Network/virtualHubs", "routingIntent"),
        ("Microsoft.Network/virtualHubs/routingIntent", "Microsoft.Network/virtualHubs/routingIntent/read"),
        None,
        NETWORK,
        "routing policies of a hub",
        ALL,
    ),
    below(
        ("Microsoft.Network/virtualHubs", "routeMaps"),
        ("Microsoft.Network/virtualHubs/routeMaps", "Microsoft.Network/virtualHubs/routeMaps/read"),
        None,
        NETWORK,
        "changes to what a hub learns (R200)",
        ALL,
    ),
    below(
        ("Microsoft.Network/virtualHubs", "bgpConnections"),
        ("Microsoft.Network/virtualHubs/bgpConnections", "Microsoft.Network/virtualHubs/bgpConnections/read"),
        None,
        NETWORK,
        "peers of a hub or Route Server (R200, R248)",
        ALL,
    ),
    below(
        ("Microsoft.Network/virtualHubs", "ipConfigurations"),
        (
            "Microsoft.Network/virtualHubs/ipConfigurations",
            "Microsoft.Network/virtualHubs/ipConfigurations/read",
        ),
        None,
        NETWORK,
        "the subnet of a Route Server",
        ALL,
    ),
    listed(
        "Microsoft.Network/vpnGateways",
        "Microsoft.Network/vpnGateways/read",
        NETWORK,
        "VPN gateways of hubs",
        Kept::AllBut(&[
            "/properties/connections/*/properties/sharedKey",
            "/properties/connections/*/properties/vpnLinkConnections/*/properties/sharedKey",
        ]),
    ),
    below(
        ("Microsoft.Network/vpnGateways", "vpnConnections"),
        ("Microsoft.Network/vpnGateways/vpnConnections", "Microsoft.Network/vpnGateways/vpnConnections/read"),
        None,
        NETWORK,
        "connections of a hub's VPN gateway",
        Kept::AllBut(&["/properties/sharedKey", "/properties/vpnLinkConnections/*/properties/sharedKey"]),
    ),
    listed(
        "Microsoft.Network/expressRouteGateways",
        "Microsoft.Network/expressRouteGateways/read",
        NETWORK,
        "ExpressRoute gateways of hubs",
        Kept::AllBut(&["/properties/expressRouteConnections/*/properties/authorizationKey"]),
    ),
    below(
        ("Microsoft.Network/expressRouteGateways", "expressRouteConnections"),
        (
            "Microsoft.Network/expressRouteGateways/expressRouteConnections",
            "Microsoft.Network/expressRouteGateways/expressRouteConnections/read",
        ),
        None,
        NETWORK,
        "connections of a hub's ExpressRoute gateway",
        Kept::AllBut(&["/properties/authorizationKey"]),
    ),
    listed(
        "Microsoft.Network/p2sVpnGateways",
        "Microsoft.Network/p2sVpnGateways/read",
        NETWORK,
        "point-to-site gateways of hubs",
        ALL,
    ),
    listed(
        "Microsoft.Network/networkVirtualAppliances",
        "Microsoft.Network/networkVirtualAppliances/read",
        NETWORK,
        "appliances inside hubs (R200)",
        Kept::AllBut(&["/properties/cloudInitConfiguration", "/properties/bootStrapConfigurationBlobs"]),
    ),
    listed(
        "Microsoft.Network/azureFirewalls",
        "Microsoft.Network/azureFirewalls/read",
        NETWORK,
        "firewalls and their classic rules",
        ALL,
    ),
    listed(
        "Microsoft.Network/firewallPolicies",
        "Microsoft.Network/firewallPolicies/read",
        NETWORK,
        "firewall policies, DNS proxy, private ranges",
        Kept::AllBut(&["/properties/explicitProxy/pacFile"]),
    ),
    below(
        ("Microsoft.Network/firewallPolicies", "ruleCollectionGroups"),
        (
            "Microsoft.Network/firewallPolicies/ruleCollectionGroups",
            "Microsoft.Network/firewallPolicies/ruleCollectionGroups/read",
        ),
        Some(Table::NetworkResources),
        NETWORK,
        "rules of firewall policies",
        Kept::AllBut(&["/properties/ruleCollections/*/rules/*/httpHeadersToInsert/*/headerValue"]),
    ),
    listed(
        "Microsoft.Network/ipGroups",
        "Microsoft.Network/ipGroups/read",
        NETWORK,
        "addresses in firewall rules",
        ALL,
    ),
    listed(
        "Microsoft.Network/networkManagers",
        "Microsoft.Network/networkManagers/read",
        NETWORK,
        "whether network managers act on a network",
        ALL,
    ),
    below(
        ("Microsoft.Network/networkManagers", "networkGroups"),
        (
            "Microsoft.Network/networkManagers/networkGroups",
            "Microsoft.Network/networkManagers/networkGroups/read",
        ),
        Some(Table::NetworkResources),
        NETWORK,
        "what security admin rules apply to (F104)",
        ALL,
    ),
    below(
        ("Microsoft.Network/networkManagers/networkGroups", "staticMembers"),
        (
            "Microsoft.Network/networkManagers/networkGroups/staticMembers",
            "Microsoft.Network/networkManagers/networkGroups/staticMembers/read",
        ),
        Some(Table::NetworkResources),
        NETWORK,
        "members of network groups (F104)",
        ALL,
    ),
    below(
        ("Microsoft.Network/networkManagers", "securityAdminConfigurations"),
        (
            "Microsoft.Network/networkManagers/securityAdminConfigurations",
            "Microsoft.Network/networkManagers/securityAdminConfigurations/read",
        ),
        Some(Table::NetworkResources),
        NETWORK,
        "security admin rules",
        ALL,
    ),
    below(
        ("Microsoft.Network/networkManagers/securityAdminConfigurations", "ruleCollections"),
        (
            "Microsoft.Network/networkManagers/securityAdminConfigurations/ruleCollections",
            "Microsoft.Network/networkManagers/securityAdminConfigurations/ruleCollections/read",
        ),
        Some(Table::NetworkResources),
        NETWORK,
        "security admin rules",
        ALL,
    ),
    below(
        ("Microsoft.Network/networkManagers/securityAdminConfigurations/ruleCollections", "rules"),
        (
            "Microsoft.Network/networkManagers/securityAdminConfigurations/ruleCollections/rules",
            "Microsoft.Network/networkManagers/securityAdminConfigurations/ruleCollections/rules/read",
        ),
        Some(Table::NetworkResources),
        NETWORK,
        "security admin rules",
        ALL,
    ),
    below(
        ("Microsoft.Network/networkManagers", "connectivityConfigurations"),
        (
            "Microsoft.Network/networkManagers/connectivityConfigurations",
            "Microsoft.Network/networkManagers/connectivityConfigurations/read",
        ),
        Some(Table::NetworkResources),
        NETWORK,
        "connected groups",
        ALL,
    ),
    below(
        ("Microsoft.Network/networkManagers", "routingConfigurations"),
        (
            "Microsoft.Network/networkManagers/routingConfigurations",
            "Microsoft.Network/networkManagers/routingConfigurations/read",
        ),
        Some(Table::NetworkResources),
        NETWORK,
        "routing rules of network managers (RU4)",
        ALL,
    ),
    listed(
        "Microsoft.Network/networkSecurityPerimeters",
        "Microsoft.Network/networkSecurityPerimeters/read",
        PERIMETER,
        "perimeters that a registry may be in (A95)",
        ALL,
    ),
    below(
        ("Microsoft.Network/networkSecurityPerimeters", "resourceAssociations"),
        (
            "Microsoft.Network/networkSecurityPerimeters/resourceAssociations",
            "Microsoft.Network/networkSecurityPerimeters/resourceAssociations/read",
        ),
        Some(Table::NetworkResources),
        PERIMETER,
        "perimeters that a registry may be in (A95)",
        ALL,
    ),
    listed(
        "Microsoft.Network/applicationGateways",
        "Microsoft.Network/applicationGateways/read",
        NETWORK,
        "front ends that hold an address",
        Kept::AllBut(&[
            "/properties/sslCertificates/*/properties/data",
            "/properties/sslCertificates/*/properties/password",
            "/properties/sslCertificates/*/properties/publicCertData",
            "/properties/authenticationCertificates/*/properties/data",
            "/properties/trustedRootCertificates/*/properties/data",
            "/properties/trustedClientCertificates/*/properties/data",
        ]),
    ),
    listed(
        "Microsoft.Network/privateDnsZones",
        "Microsoft.Network/privateDnsZones/read",
        PRIVATE_DNS,
        "private names",
        ALL,
    ),
    below(
        ("Microsoft.Network/privateDnsZones", "virtualNetworkLinks"),
        (
            "Microsoft.Network/privateDnsZones/virtualNetworkLinks",
            "Microsoft.Network/privateDnsZones/virtualNetworkLinks/read",
        ),
        Some(Table::Resources),
        PRIVATE_DNS,
        "which networks a zone answers; resolutionPolicy needs 2024-06-01 (D39)",
        ALL,
    ),
    below(
        ("Microsoft.Network/privateDnsZones", "ALL"),
        ("Microsoft.Network/privateDnsZones/ALL", "Microsoft.Network/privateDnsZones/ALL/read"),
        Some(Table::DnsResources),
        PRIVATE_DNS,
        "record sets of all kinds (D34)",
        ALL,
    ),
    listed(
        "Microsoft.Network/dnsResolvers",
        "Microsoft.Network/dnsResolvers/read",
        RESOLVER,
        "private resolvers",
        ALL,
    ),
    below(
        ("Microsoft.Network/dnsResolvers", "inboundEndpoints"),
        (
            "Microsoft.Network/dnsResolvers/inboundEndpoints",
            "Microsoft.Network/dnsResolvers/inboundEndpoints/read",
        ),
        Some(Table::Resources),
        RESOLVER,
        "addresses that answer queries",
        ALL,
    ),
    below(
        ("Microsoft.Network/dnsResolvers", "outboundEndpoints"),
        (
            "Microsoft.Network/dnsResolvers/outboundEndpoints",
            "Microsoft.Network/dnsResolvers/outboundEndpoints/read",
        ),
        Some(Table::Resources),
        RESOLVER,
        "where forwarded queries leave",
        ALL,
    ),
    listed(
        "Microsoft.Network/dnsForwardingRulesets",
        "Microsoft.Network/dnsForwardingRulesets/read",
        RESOLVER,
        "forwarding of names",
        ALL,
    ),
    below(
        ("Microsoft.Network/dnsForwardingRulesets", "forwardingRules"),
        (
            "Microsoft.Network/dnsForwardingRulesets/forwardingRules",
            "Microsoft.Network/dnsForwardingRulesets/forwardingRules/read",
        ),
        None,
        RESOLVER,
        "forwarding of names; no table of Resource Graph has them",
        ALL,
    ),
    below(
        ("Microsoft.Network/dnsForwardingRulesets", "virtualNetworkLinks"),
        (
            "Microsoft.Network/dnsForwardingRulesets/virtualNetworkLinks",
            "Microsoft.Network/dnsForwardingRulesets/virtualNetworkLinks/read",
        ),
        None,
        RESOLVER,
        "which networks a ruleset serves (D89); no table of Resource Graph has them",
        ALL,
    ),
    listed(
        "Microsoft.Network/dnsResolverPolicies",
        "Microsoft.Network/dnsResolverPolicies/read",
        RESOLVER,
        "DNS security policies",
        ALL,
    ),
    below(
        ("Microsoft.Network/dnsResolverPolicies", "dnsSecurityRules"),
        (
            "Microsoft.Network/dnsResolverPolicies/dnsSecurityRules",
            "Microsoft.Network/dnsResolverPolicies/dnsSecurityRules/read",
        ),
        Some(Table::Resources),
        RESOLVER,
        "what a DNS security policy blocks",
        ALL,
    ),
    below(
        ("Microsoft.Network/dnsResolverPolicies", "virtualNetworkLinks"),
        (
            "Microsoft.Network/dnsResolverPolicies/virtualNetworkLinks",
            "Microsoft.Network/dnsResolverPolicies/virtualNetworkLinks/read",
        ),
        Some(Table::Resources),
        RESOLVER,
        "which networks a DNS security policy filters",
        ALL,
    ),
    listed(
        "Microsoft.Network/dnsResolverDomainLists",
        "Microsoft.Network/dnsResolverDomainLists/read",
        RESOLVER,
        "names in DNS security rules",
        ALL,
    ),
    ReadType {
        name: "Microsoft.ContainerRegistry/registries",
        api_version: REGISTRY,
        why: "the registries; roleAssignmentMode needs 2025-04-01 (A303), so never from Resource Graph, which does \
              not say which API version its rows have",
        listing: Listing::Scope,
        table: None,
        action: "Microsoft.ContainerRegistry/registries/read",
        kept: Kept::AllBut(&["/properties/storageAccount/accessKey"]),
    },
    below(
        ("Microsoft.ContainerRegistry/registries", "replications"),
        (
            "Microsoft.ContainerRegistry/registries/replications",
            "Microsoft.ContainerRegistry/registries/replications/read",
        ),
        Some(Table::Resources),
        REGISTRY,
        "data hosts of every region (A117)",
        ALL,
    ),
    ReadType {
        name: "Microsoft.ContainerService/managedClusters",
        api_version: CLUSTER,
        why: "clusters with their pools; bootstrap profile, LocalDNS and node provisioning are recent, so never \
              from Resource Graph, which does not say which API version its rows have",
        listing: Listing::Scope,
        table: None,
        action: "Microsoft.ContainerService/managedClusters/read",
        kept: Kept::AllBut(&[
            "/properties/servicePrincipalProfile/secret",
            "/properties/windowsProfile/adminPassword",
            "/properties/aadProfile/serverAppSecret",
        ]),
    },
    listed(
        "Microsoft.Compute/virtualMachineScaleSets",
        "Microsoft.Compute/virtualMachineScaleSets/read",
        COMPUTE,
        "the node resource group's scale sets: subnets, identities, interface settings",
        Kept::AllBut(&[
            "/properties/virtualMachineProfile/osProfile/adminPassword",
            "/properties/virtualMachineProfile/osProfile/customData",
            "/properties/virtualMachineProfile/osProfile/secrets",
            "/properties/virtualMachineProfile/userData",
            "/properties/virtualMachineProfile/extensionProfile/extensions/*/properties/settings",
            "/properties/virtualMachineProfile/extensionProfile/extensions/*/properties/protectedSettings",
        ]),
    ),
    below(
        ("Microsoft.Compute/virtualMachineScaleSets", "networkInterfaces"),
        (
            "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/networkInterfaces",
            "Microsoft.Compute/virtualMachineScaleSets/networkInterfaces/read",
        ),
        Some(Table::ComputeResources),
        "2018-10-01",
        "addresses of nodes; 2018-10-01 is the version that scale sets answer for their interfaces",
        ALL,
    ),
    listed(
        "Microsoft.Compute/virtualMachines",
        "Microsoft.Compute/virtualMachines/read",
        COMPUTE,
        "appliances and DNS servers: whose interfaces, whether they run",
        Kept::AllBut(&[
            "/properties/osProfile/adminPassword",
            "/properties/osProfile/customData",
            "/properties/osProfile/secrets",
            "/properties/userData",
            "/resources/*/properties/settings",
            "/resources/*/properties/protectedSettings",
        ]),
    ),
    listed(
        "Microsoft.ManagedIdentity/userAssignedIdentities",
        "Microsoft.ManagedIdentity/userAssignedIdentities/read",
        "2023-01-31",
        "kubelet identities",
        ALL,
    ),
    holder("Microsoft.Network/bastionHosts", "Microsoft.Network/bastionHosts/read", NETWORK),
    holder("Microsoft.Sql/managedInstances", "Microsoft.Sql/managedInstances/read", "2021-11-01"),
    holder("Microsoft.ApiManagement/service", "Microsoft.ApiManagement/service/read", "2022-08-01"),
    holder("Microsoft.Web/hostingEnvironments", "Microsoft.Web/hostingEnvironments/read", "2023-12-01"),
    holder(
        "Microsoft.ContainerInstance/containerGroups",
        "Microsoft.ContainerInstance/containerGroups/read",
        "2023-05-01",
    ),
    holder("Microsoft.NetApp/netAppAccounts", "Microsoft.NetApp/netAppAccounts/read", "2024-03-01"),
    holder(
        "Microsoft.MachineLearningServices/workspaces",
        "Microsoft.MachineLearningServices/workspaces/read",
        "2024-04-01",
    ),
    ReadType {
        name: "Microsoft.Authorization/roleAssignments",
        api_version: AUTHORIZATION,
        why: "who may pull; ARM only, since the table's rows are not documented to carry conditions (A308)",
        listing: Listing::Inherited,
        table: None,
        action: "Microsoft.Authorization/roleAssignments/read",
        kept: ALL,
    },
    ReadType {
        name: "Microsoft.Authorization/roleDefinitions",
        api_version: AUTHORIZATION,
        why: "what a role allows (A304)",
        listing: Listing::Inherited,
        table: Some(Table::AuthorizationResources),
        action: "Microsoft.Authorization/roleDefinitions/read",
        kept: ALL,
    },
    ReadType {
        name: "Microsoft.Authorization/denyAssignments",
        api_version: AUTHORIZATION,
        why: "what is denied in spite of roles (A309); no table of Resource Graph has them",
        listing: Listing::Inherited,
        table: None,
        action: "Microsoft.Authorization/denyAssignments/read",
        kept: ALL,
    },
    ReadType {
        name: "Microsoft.Authorization/policyAssignments",
        api_version: POLICY,
        why: "policies that write private DNS zone groups after the fact",
        listing: Listing::Inherited,
        table: None,
        action: "Microsoft.Authorization/policyAssignments/read",
        kept: ALL,
    },
    ReadType {
        name: "Microsoft.Authorization/policySetDefinitions",
        api_version: POLICY,
        why: "policies that write private DNS zone groups after the fact",
        listing: Listing::ByReference,
        table: None,
        action: "Microsoft.Authorization/policySetDefinitions/read",
        kept: ALL,
    },
    ReadType {
        name: "Microsoft.Authorization/policyDefinitions",
        api_version: POLICY,
        why: "policies that write private DNS zone groups after the fact; others are not kept",
        listing: Listing::ByReference,
        table: None,
        action: "Microsoft.Authorization/policyDefinitions/read",
        kept: ALL,
    },
    ReadType {
        name: "Microsoft.Resources/subscriptions",
        api_version: "2022-12-01",
        why: "the tenant of a subscription, and the management groups above it (A305)",
        listing: Listing::Hierarchy,
        table: Some(Table::ResourceContainers),
        action: "Microsoft.Resources/subscriptions/read",
        kept: ALL,
    },
    ReadType {
        name: "Microsoft.Management/managementGroups",
        api_version: MANAGEMENT,
        why: "scopes above subscriptions (A305)",
        listing: Listing::Hierarchy,
        table: Some(Table::ResourceContainers),
        action: "Microsoft.Management/managementGroups/read",
        kept: ALL,
    },
    ReadType {
        name: "Microsoft.Management/managementGroups/subscriptions",
        api_version: MANAGEMENT,
        why: "the subscriptions of a management group (A305)",
        listing: Listing::Hierarchy,
        table: None,
        action: "Microsoft.Management/managementGroups/subscriptions/read",
        kept: ALL,
    },
];

/// The row of a type, whatever its letter case.
pub fn of(resource_type: &str) -> Option<&'static ReadType> {
    TYPES.iter().find(|row| row.name.eq_ignore_ascii_case(resource_type))
}

/// A call that is no resource type of its own.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// What comes after the resource's id, or the whole path where it starts with `/`.
    pub path: &'static str,
    /// The type of the resources on which it is called; empty where `path` is the whole path.
    pub on: &'static str,
    pub method: Method,
    pub api_version: &'static str,
    pub why: &'static str,
    pub action: &'static str,
}

/// What a call is in HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
}

/// Calls that reading takes beside the types.
pub const READS: &[Operation] = &[
    Operation {
        path: "/providers/Microsoft.ResourceGraph/resources",
        on: "",
        method: Method::Post,
        api_version: "2022-10-01",
        why: "whole subscriptions and tenants in one query",
        action: "Microsoft.ResourceGraph/resources/read",
    },
    Operation {
        path: "providers/Microsoft.Authorization/permissions",
        on: "Microsoft.Resources/subscriptions",
        method: Method::Get,
        api_version: AUTHORIZATION,
        why: "Resource Graph leaves out what may not be read without a word (D44a): it is asked only for what may be",
        action: "Microsoft.Authorization/permissions/read",
    },
    Operation {
        path: "resourcegroups",
        on: "Microsoft.Resources/subscriptions",
        method: Method::Get,
        api_version: "2022-09-01",
        why: "types that are listed by resource group only",
        action: "Microsoft.Resources/subscriptions/resourceGroups/read",
    },
    Operation {
        path: "providers/Microsoft.Network/locations/{location}/serviceTags",
        on: "Microsoft.Resources/subscriptions",
        method: Method::Get,
        api_version: NETWORK,
        why: "the prefixes of service tags in the cloud (F74)",
        action: "Microsoft.Network/locations/serviceTags/read",
    },
    Operation {
        path: "/providers/Microsoft.Management/managementGroups/{group}/descendants",
        on: "",
        method: Method::Get,
        api_version: MANAGEMENT,
        why: "the subscriptions below a management group that was asked for",
        action: "Microsoft.Management/managementGroups/descendants/read",
    },
];

/// Calls that ask Azure to compute an answer: `--effective` only, since they take an action permission.
pub const EFFECTIVE: &[Operation] = &[
    Operation {
        path: "effectiveRouteTable",
        on: "Microsoft.Network/networkInterfaces",
        method: Method::Post,
        api_version: NETWORK,
        why: "effective routes of an interface",
        action: "Microsoft.Network/networkInterfaces/effectiveRouteTable/action",
    },
    Operation {
        path: "effectiveNetworkSecurityGroups",
        on: "Microsoft.Network/networkInterfaces",
        method: Method::Post,
        api_version: NETWORK,
        why: "effective rules of an interface",
        action: "Microsoft.Network/networkInterfaces/effectiveNetworkSecurityGroups/action",
    },
    Operation {
        path: "getLearnedRoutes",
        on: "Microsoft.Network/virtualNetworkGateways",
        method: Method::Post,
        api_version: NETWORK,
        why: "routes that a gateway learned by BGP: closes an open route source",
        action: "Microsoft.Network/virtualNetworkGateways/getLearnedRoutes/action",
    },
    Operation {
        path: "listNetworkManagerEffectiveSecurityAdminRules",
        on: "Microsoft.Network/virtualNetworks",
        method: Method::Post,
        api_version: NETWORK,
        why: "security admin rules that are in force on a network (F104)",
        action: "Microsoft.Network/virtualNetworks/listNetworkManagerEffectiveSecurityAdminRules/action",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_stands_after_its_parent_and_once() {
        for (i, row) in TYPES.iter().enumerate() {
            let earlier = TYPES.get(..i).unwrap_or_default();
            assert!(!earlier.iter().any(|other| other.name.eq_ignore_ascii_case(row.name)), "{}", row.name);
            if let Listing::Parent { parent, .. } = row.listing {
                assert!(earlier.iter().any(|other| other.name == parent), "{} before {parent}", row.name);
            }
        }
    }

    #[test]
    fn an_action_is_of_the_type_that_it_reads() {
        for row in TYPES {
            assert!(row.action.ends_with("/read"), "{}", row.action);
            let provider = row.name.split('/').next().unwrap_or_default();
            assert!(row.action.starts_with(provider), "{}", row.action);
        }
        assert!(EFFECTIVE.iter().all(|op| op.action.ends_with("/action")));
    }
}
