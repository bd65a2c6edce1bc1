//! The whole file.

use std::collections::BTreeMap;

use pullproof_snapshot::Gap;
use serde_json::Value;

use super::{
    ApplicationSecurityGroup, AzureFirewall, Cluster, Connection, DenyAssignment, DnsForwardingRuleset,
    DnsResolver, ExpressRouteCircuit, FirewallPolicy, Identity, IpGroup, LoadBalancer, LocalNetworkGateway,
    NatGateway, NetworkInterface, NetworkSecurityGroup, Peering, PrivateDnsZone, PrivateEndpoint,
    PublicIPAddress, PublicIPPrefix, Registry, RoleAssignment, RoleDefinition, RouteTable, VirtualHub,
    VirtualMachine, VirtualNetwork, VirtualNetworkGateway, VirtualWan,
};

part! {
    /// A scenario as written. Only `name` is asked for; everything else may be absent.
    pub struct Document {
        /// Seeds every filler (GUIDs, generated names), and names the default resource group `rg-<name>`.
        pub name: String,
        /// Where a resource does not say; `westeurope` if this does not say either.
        pub location: Option<String>,
        /// A name for the Entra tenant; its GUID is derived from it.
        pub tenant: Option<String>,
        pub captured: Captured,
        /// The first is the default. None: one subscription named `sub-<name>`.
        pub subscriptions: Vec<Subscription>,
        /// Resource types that the end line calls complete; absent: all. An empty list: no end line.
        pub complete: Option<Vec<String>>,
        pub gaps: Vec<Gap>,
        /// Tag → prefixes, for the service tag file.
        pub service_tags: Option<BTreeMap<String, Vec<String>>>,

        pub virtual_networks: Vec<VirtualNetwork>,
        pub peerings: Vec<Peering>,
        pub route_tables: Vec<RouteTable>,
        pub network_security_groups: Vec<NetworkSecurityGroup>,
        pub application_security_groups: Vec<ApplicationSecurityGroup>,
        pub nat_gateways: Vec<NatGateway>,
        #[serde(rename = "publicIPAddresses")]
        pub public_ip_addresses: Vec<PublicIPAddress>,
        #[serde(rename = "publicIPPrefixes")]
        pub public_ip_prefixes: Vec<PublicIPPrefix>,

        pub load_balancers: Vec<LoadBalancer>,
        pub network_interfaces: Vec<NetworkInterface>,
        pub virtual_machines: Vec<VirtualMachine>,
        pub azure_firewalls: Vec<AzureFirewall>,
        pub firewall_policies: Vec<FirewallPolicy>,
        pub ip_groups: Vec<IpGroup>,

        pub virtual_network_gateways: Vec<VirtualNetworkGateway>,
        pub local_network_gateways: Vec<LocalNetworkGateway>,
        pub connections: Vec<Connection>,
        pub express_route_circuits: Vec<ExpressRouteCircuit>,
        pub virtual_wans: Vec<VirtualWan>,
        pub virtual_hubs: Vec<VirtualHub>,

        pub private_dns_zones: Vec<PrivateDnsZone>,
        pub private_endpoints: Vec<PrivateEndpoint>,
        pub dns_resolvers: Vec<DnsResolver>,
        pub dns_forwarding_rulesets: Vec<DnsForwardingRuleset>,

        pub registries: Vec<Registry>,
        pub clusters: Vec<Cluster>,
        pub identities: Vec<Identity>,
        pub role_assignments: Vec<RoleAssignment>,
        pub role_definitions: Vec<RoleDefinition>,
        pub deny_assignments: Vec<DenyAssignment>,

        /// ARM resources given in full, for kinds that have no short form. `id` and `type` are asked for.
        pub raw: Vec<Value>,
        /// Recorded evidence lines: `resource` (id), `operation`, `captured`, `answer`.
        pub evidence: Vec<Value>,
        /// `pullproof.toml`, in YAML.
        pub declared: Option<Value>,

        /// What the audit must say.
        pub expect: Vec<Expectation>,
        pub twin: Option<Twin>,
    }
}

part! {
    /// When the snapshot was taken (RFC 3339).
    pub struct Captured {
        pub from: Option<String>,
        pub to: Option<String>,
    }
}

part! {
    pub struct Subscription {
        pub name: String,
        /// A GUID; derived from the name where absent.
        pub id: Option<String>,
        pub tenant: Option<String>,
        /// Nearest first, as Resource Graph lists them.
        pub management_groups: Vec<String>,
    }
}

part! {
    /// The outcome of one audit.
    pub struct Expectation {
        pub cluster: String,
        pub pool: String,
        /// Only where a pool has several.
        pub subnet: Option<String>,
        pub registry: String,
        /// `proven`, `disproven` or `undetermined`.
        pub verdict: String,
        /// Absent exactly when proven.
        #[serde(rename = "first_failing_layer")]
        pub first_failing_layer: Option<String>,
    }
}

part! {
    /// The same scenario with the deciding element changed.
    pub struct Twin {
        /// JSON pointers into the YAML, with the values that they get.
        pub set: BTreeMap<String, Value>,
        /// JSON pointers of what is taken out. Elements of lists go last to first.
        pub remove: Vec<String>,
        pub expect: Vec<Expectation>,
    }
}
