//! What an argument takes, by its name: ids of which ARM types, an address, a principal.

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Wanted {
    /// The id of a resource of one of these folded ARM types; none listed: of any.
    Id(&'static [&'static str]),
    /// An IP address.
    Address,
    /// The object id of an identity.
    Principal,
    /// The value of the same kind as the attribute referred to.
    Same,
}

const SUBNET: &[&str] = &["microsoft.network/virtualnetworks/subnets"];
const VNET: &[&str] = &["microsoft.network/virtualnetworks"];
const ZONE: &[&str] = &["microsoft.network/privatednszones"];
const PUBLIC_IP: &[&str] = &["microsoft.network/publicipaddresses"];
const PREFIX: &[&str] = &["microsoft.network/publicipprefixes"];
const POLICY: &[&str] = &["microsoft.network/firewallpolicies"];
const IDENTITY: &[&str] = &["microsoft.managedidentity/userassignedidentities"];
const HUB: &[&str] = &["microsoft.network/virtualhubs"];
const HUB_TABLE: &[&str] = &["microsoft.network/virtualhubs/hubroutetables"];
const GATEWAY: &[&str] = &["microsoft.network/virtualnetworkgateways"];
const ASG: &[&str] = &["microsoft.network/applicationsecuritygroups"];
const GROUPS: &[&str] = &["microsoft.network/ipgroups"];
const BALANCER: &[&str] = &["microsoft.network/loadbalancers"];
const MANAGER_GROUP: &[&str] = &["microsoft.network/networkmanagers/networkgroups"];

/// Arguments that take ids (terraform-mapping.md §4). One row a name.
#[rustfmt::skip]
const IDS: &[(&str, &[&str])] = &[
    ("subnet_id", SUBNET), ("vnet_subnet_id", SUBNET), ("pod_subnet_id", SUBNET), ("subnet_ids", SUBNET),
    ("virtual_network_id", VNET), ("remote_virtual_network_id", VNET), ("target_virtual_network_id", VNET),
    ("route_table_id", &["microsoft.network/routetables"]),
    ("network_security_group_id", &["microsoft.network/networksecuritygroups"]),
    ("security_group", &["microsoft.network/networksecuritygroups"]),
    ("nat_gateway_id", &["microsoft.network/natgateways"]),
    ("network_interface_id", &["microsoft.network/networkinterfaces"]),
    ("network_interface_ids", &["microsoft.network/networkinterfaces"]),
    ("public_ip_address_id", PUBLIC_IP), ("public_ip_prefix_id", PREFIX), ("node_public_ip_prefix_id", PREFIX),
    ("outbound_ip_address_ids", PUBLIC_IP), ("outbound_ip_prefix_ids", PREFIX),
    ("private_dns_zone_ids", ZONE), ("private_dns_zone_id", ZONE),
    ("private_dns_resolver_id", &["microsoft.network/dnsresolvers"]),
    ("dns_forwarding_ruleset_id", &["microsoft.network/dnsforwardingrulesets"]),
    ("private_dns_resolver_outbound_endpoint_ids", &["microsoft.network/dnsresolvers/outboundendpoints"]),
    ("private_endpoint_id", &["microsoft.network/privateendpoints"]),
    ("private_connection_resource_id", &[]),
    ("application_security_group_id", ASG), ("application_security_group_ids", ASG),
    ("source_application_security_group_ids", ASG), ("destination_application_security_group_ids", ASG),
    ("firewall_policy_id", POLICY), ("base_policy_id", POLICY),
    ("source_ip_groups", GROUPS), ("destination_ip_groups", GROUPS), ("ip_group_id", GROUPS),
    ("loadbalancer_id", BALANCER),
    ("backend_address_pool_id", &["microsoft.network/loadbalancers/backendaddresspools"]),
    ("backend_address_pool_ids", &["microsoft.network/loadbalancers/backendaddresspools"]),
    ("probe_id", &["microsoft.network/loadbalancers/probes"]),
    ("load_balancer_frontend_ip_configuration_ids", &["microsoft.network/loadbalancers/frontendipconfigurations"]),
    ("virtual_network_gateway_id", GATEWAY), ("peer_virtual_network_gateway_id", GATEWAY),
    ("local_network_gateway_id", &["microsoft.network/localnetworkgateways"]),
    ("default_local_network_gateway_id", &["microsoft.network/localnetworkgateways"]),
    ("express_route_circuit_id", &["microsoft.network/expressroutecircuits"]),
    ("express_route_circuit_peering_id", &["microsoft.network/expressroutecircuits/peerings"]),
    ("express_route_gateway_id", &["microsoft.network/expressroutegateways"]),
    ("virtual_wan_id", &["microsoft.network/virtualwans"]),
    ("virtual_hub_id", HUB), ("route_server_id", HUB),
    ("virtual_network_connection_id", &["microsoft.network/virtualhubs/hubvirtualnetworkconnections"]),
    ("associated_route_table_id", HUB_TABLE), ("associated_route_table", HUB_TABLE), ("route_table_ids", HUB_TABLE),
    ("inbound_route_map_id", &["microsoft.network/virtualhubs/routemaps"]),
    ("outbound_route_map_id", &["microsoft.network/virtualhubs/routemaps"]),
    ("vpn_gateway_id", &["microsoft.network/vpngateways"]),
    ("remote_vpn_site_id", &["microsoft.network/vpnsites"]),
    ("next_hop", &["microsoft.network/azurefirewalls", "microsoft.network/networkvirtualappliances",
                   "microsoft.network/virtualhubs/hubvirtualnetworkconnections"]),
    ("kubernetes_cluster_id", &["microsoft.containerservice/managedclusters"]),
    ("container_registry_id", &["microsoft.containerregistry/registries"]),
    ("identity_ids", IDENTITY), ("user_assigned_identity_id", IDENTITY),
    ("network_manager_id", &["microsoft.network/networkmanagers"]),
    ("network_group_id", MANAGER_GROUP), ("network_group_ids", MANAGER_GROUP),
    ("security_admin_configuration_id", &["microsoft.network/networkmanagers/securityadminconfigurations"]),
    ("admin_rule_collection_id", &["microsoft.network/networkmanagers/securityadminconfigurations/rulecollections"]),
    ("scope", &[]), ("parent_id", &[]), ("resource_id", &[]), ("role_definition_id", &["microsoft.authorization/roledefinitions"]),
];

/// Arguments that take addresses.
const ADDRESSES: &[&str] = &[
    "next_hop_in_ip_address",
    "dns_servers",
    "servers",
    "records",
    "private_ip_address",
    "ip_address",
    "destination_address_prefix",
    "source_address_prefix",
    "destination_address",
    "translated_address",
    "gateway_address",
    "peer_ip",
    "next_hop_ip_address",
];

/// Attributes that are addresses, or lists of them.
const ADDRESS_ATTRIBUTES: &[&str] =
    &["private_ip_address", "private_ip_addresses", "ip_address", "ip_addresses"];

/// Attributes that name an identity's object in Entra.
const PRINCIPAL_ATTRIBUTES: &[&str] = &["principal_id", "object_id"];

/// Arguments whose value may hold an id as a part only: others can be appended to it.
pub(crate) fn may_continue(argument: &str) -> bool {
    matches!(argument, "scope" | "parent_id" | "resource_id")
}

impl Wanted {
    pub(crate) fn of(argument: &str) -> Self {
        if let Some((_, types)) = IDS.iter().find(|(name, _)| *name == argument) {
            return Self::Id(types);
        }
        if ADDRESSES.contains(&argument) {
            return Self::Address;
        }
        if PRINCIPAL_ATTRIBUTES.contains(&argument) {
            return Self::Principal;
        }
        Self::Same
    }

    /// The attribute that is meant where a reference has lost it (a dynamic index or splat drops what follows).
    pub(crate) fn default_attribute(self) -> Option<&'static str> {
        match self {
            Self::Id(_) => Some("id"),
            Self::Principal => Some("principal_id"),
            Self::Address | Self::Same => None,
        }
    }

    /// Whether an attribute can be what is wanted, by its last name.
    pub(crate) fn fits(self, attribute: &str) -> bool {
        match self {
            Self::Id(_) => {
                let other = matches!(attribute, "principal_id" | "object_id" | "client_id" | "tenant_id");
                attribute == "id" || attribute == "ids" || (attribute.ends_with("_id") && !other)
            }
            Self::Address => ADDRESS_ATTRIBUTES.contains(&attribute),
            Self::Principal => PRINCIPAL_ATTRIBUTES.contains(&attribute),
            Self::Same => attribute != "id",
        }
    }

    /// Whether a resource of a folded ARM type can be what the id is of.
    pub(crate) fn takes(self, arm_type: &str) -> bool {
        match self {
            Self::Id(types) => types.is_empty() || types.contains(&arm_type),
            Self::Address | Self::Principal | Self::Same => true,
        }
    }
}
