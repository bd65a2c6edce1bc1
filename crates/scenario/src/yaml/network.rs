//! Virtual networks and what hangs on their subnets.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Texts;

described! {
    pub struct VirtualNetwork {
        pub address_space: Texts,
        /// Absent or empty: Azure-provided DNS.
        pub dns_servers: Texts,
        pub subnets: Vec<Subnet>,
    }
}

described! {
    /// A subnet. The keys of [`crate::yaml::Head`] that only a resource of its own can have are refused.
    pub struct Subnet {
        pub address_prefix: Texts,
        pub route_table: Option<String>,
        pub network_security_group: Option<String>,
        pub nat_gateway: Option<String>,
        pub service_endpoints: Texts,
        pub delegations: Texts,
        /// `Enabled`, `Disabled` (ARM's default), `NetworkSecurityGroupEnabled` or `RouteTableEnabled`.
        pub private_endpoint_network_policies: Option<String>,
        pub default_outbound_access: Option<bool>,
    }
}

part! {
    /// Both halves of a peering: what stands beside `between` holds for both, what stands under a virtual network for
    /// the half that this network owns.
    pub struct Peering {
        pub between: BTreeMap<String, PeeringHalf>,
        pub peering_state: Option<String>,
        pub peering_sync_level: Option<String>,
        pub allow_virtual_network_access: Option<bool>,
        pub allow_forwarded_traffic: Option<bool>,
    }
}

part! {
    pub struct PeeringHalf {
        /// This half does not exist.
        pub absent: bool,
        /// The half's own name; `to-<other>` where absent.
        pub name: Option<String>,
        pub peering_state: Option<String>,
        pub peering_sync_level: Option<String>,
        pub allow_virtual_network_access: Option<bool>,
        pub allow_forwarded_traffic: Option<bool>,
        pub allow_gateway_transit: Option<bool>,
        pub use_remote_gateways: Option<bool>,
        /// The other network's address space as this half knows it; its present one where absent.
        pub remote_address_space: Option<Texts>,
        pub properties: Option<Value>,
        pub unchecked: Option<Value>,
    }
}

described! {
    pub struct RouteTable {
        pub disable_bgp_route_propagation: bool,
        pub routes: Vec<Route>,
    }
}

part! {
    pub struct Route {
        pub name: Option<String>,
        pub address_prefix: String,
        /// Absent: `VirtualAppliance` if there is an address.
        pub next_hop_type: Option<String>,
        pub next_hop_ip_address: Option<String>,
        pub properties: Option<Value>,
        pub unchecked: Option<Value>,
    }
}

described! {
    pub struct NetworkSecurityGroup {
        pub rules: Vec<SecurityRule>,
    }
}

part! {
    /// A rule; one prefix or port range becomes ARM's singular field, several its plural one.
    pub struct SecurityRule {
        pub name: String,
        pub priority: u32,
        pub direction: String,
        pub access: String,
        /// `*` where absent.
        pub protocol: Option<String>,
        /// `*` where absent, also below.
        pub source: Option<Texts>,
        pub source_ports: Option<Texts>,
        pub destination: Option<Texts>,
        pub destination_ports: Option<Texts>,
        pub source_application_security_groups: Vec<String>,
        pub destination_application_security_groups: Vec<String>,
        pub properties: Option<Value>,
        pub unchecked: Option<Value>,
    }
}

described! {
    pub struct ApplicationSecurityGroup {}
}

described! {
    pub struct NatGateway {
        #[serde(rename = "publicIPAddresses")]
        pub public_ip_addresses: Vec<String>,
        #[serde(rename = "publicIPPrefixes")]
        pub public_ip_prefixes: Vec<String>,
        pub sku: Option<String>,
    }
}

described! {
    pub struct PublicIPAddress {
        /// The next free documentation address where absent.
        pub address: Option<String>,
        pub sku: Option<String>,
        pub allocation: Option<String>,
    }
}

described! {
    pub struct PublicIPPrefix {
        pub prefix: String,
    }
}
