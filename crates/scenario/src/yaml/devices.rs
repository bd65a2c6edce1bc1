//! Machines, load balancers and firewalls.

use serde_json::Value;

use super::Texts;

described! {
    /// A NIC. Without `address` it takes the next free address of its subnet, dynamically.
    pub struct NetworkInterface {
        pub subnet: String,
        pub address: Option<String>,
        #[serde(rename = "enableIPForwarding")]
        pub enable_ip_forwarding: bool,
        pub network_security_group: Option<String>,
        pub application_security_groups: Vec<String>,
        #[serde(rename = "publicIPAddress")]
        pub public_ip_address: Option<String>,
        pub dns_servers: Texts,
    }
}

described! {
    /// A machine. Either `networkInterfaces` (names; the first is the primary one), or the keys of one NIC, which is
    /// then called `<name>-nic`.
    pub struct VirtualMachine {
        pub os_type: Option<String>,
        pub network_interfaces: Vec<String>,
        pub subnet: Option<String>,
        pub address: Option<String>,
        #[serde(rename = "enableIPForwarding")]
        pub enable_ip_forwarding: bool,
        pub network_security_group: Option<String>,
        pub application_security_groups: Vec<String>,
        #[serde(rename = "publicIPAddress")]
        pub public_ip_address: Option<String>,
    }
}

described! {
    pub struct LoadBalancer {
        pub sku: Option<String>,
        pub frontends: Vec<Frontend>,
        pub backends: Vec<Backend>,
        pub rules: Vec<LoadBalancingRule>,
    }
}

part! {
    /// Private (`subnet`, `address`) or public (`publicIPAddress`).
    pub struct Frontend {
        pub name: String,
        pub subnet: Option<String>,
        pub address: Option<String>,
        #[serde(rename = "publicIPAddress")]
        pub public_ip_address: Option<String>,
    }
}

part! {
    pub struct Backend {
        pub name: String,
        pub network_interfaces: Vec<String>,
    }
}

part! {
    pub struct LoadBalancingRule {
        pub name: String,
        /// The first frontend and the first backend where absent.
        pub frontend: Option<String>,
        pub backend: Option<String>,
        /// `Tcp`, `Udp` or `All` (an HA-ports rule, with port 0).
        pub protocol: Option<String>,
        pub port: u16,
        pub backend_port: Option<u16>,
        #[serde(rename = "enableFloatingIP")]
        pub enable_floating_ip: bool,
        pub properties: Option<Value>,
    }
}

described! {
    /// In a virtual network (its `AzureFirewallSubnet`) or in a virtual hub.
    pub struct AzureFirewall {
        pub virtual_network: Option<String>,
        pub virtual_hub: Option<String>,
        pub policy: Option<String>,
        pub tier: Option<String>,
        /// The first free address of the subnet, `.4` as a rule.
        pub address: Option<String>,
        /// One is made up where none is given.
        #[serde(rename = "publicIPAddresses")]
        pub public_ip_addresses: Vec<String>,
    }
}

described! {
    pub struct FirewallPolicy {
        pub base_policy: Option<String>,
        pub tier: Option<String>,
        pub threat_intel_mode: Option<String>,
        /// Absent, with `dnsServers` empty: no DNS settings.
        pub dns_proxy: Option<bool>,
        pub dns_servers: Texts,
        pub private_ranges: Option<Texts>,
        pub groups: Vec<RuleCollectionGroup>,
    }
}

part! {
    pub struct RuleCollectionGroup {
        pub name: String,
        pub priority: u32,
        pub collections: Vec<RuleCollection>,
        pub properties: Option<Value>,
        pub unchecked: Option<Value>,
    }
}

part! {
    pub struct RuleCollection {
        pub name: String,
        pub priority: u32,
        /// `Allow`, `Deny`, or `DNAT` for NAT rules.
        pub action: String,
        pub network_rules: Vec<NetworkRule>,
        pub application_rules: Vec<ApplicationRule>,
        pub nat_rules: Vec<NatRule>,
    }
}

part! {
    pub struct NetworkRule {
        pub name: String,
        pub protocols: Texts,
        pub source: Texts,
        #[serde(rename = "sourceIPGroups")]
        pub source_ip_groups: Vec<String>,
        pub destination: Texts,
        #[serde(rename = "destinationIPGroups")]
        pub destination_ip_groups: Vec<String>,
        pub destination_fqdns: Texts,
        pub ports: Texts,
    }
}

part! {
    pub struct ApplicationRule {
        pub name: String,
        /// `Https:443` and the like; that where absent.
        pub protocols: Texts,
        pub source: Texts,
        #[serde(rename = "sourceIPGroups")]
        pub source_ip_groups: Vec<String>,
        pub fqdns: Texts,
        pub fqdn_tags: Texts,
        #[serde(rename = "terminateTLS")]
        pub terminate_tls: bool,
    }
}

part! {
    pub struct NatRule {
        pub name: String,
        pub protocols: Texts,
        pub source: Texts,
        pub destination: Texts,
        pub ports: Texts,
        pub translated_address: String,
        pub translated_port: Texts,
    }
}

described! {
    pub struct IpGroup {
        pub addresses: Texts,
    }
}
