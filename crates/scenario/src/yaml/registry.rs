//! Registries and private endpoints.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Texts;

described! {
    /// An Azure Container Registry. Fields absent here get the value that ARM shows for a new registry.
    pub struct Registry {
        /// `Premium` where absent.
        pub sku: Option<String>,
        /// `<name in lower case>.azurecr.io` where absent.
        pub login_server: Option<String>,
        /// `Enabled` where absent.
        pub public_network_access: Option<String>,
        /// `Allow` where absent.
        pub default_action: Option<String>,
        pub ip_rules: Texts,
        pub data_endpoint_enabled: bool,
        pub anonymous_pull_enabled: bool,
        /// `LegacyRegistryPermissions` where absent.
        pub role_assignment_mode: Option<String>,
        /// Beside the home region, which is added where any is given.
        pub replications: Vec<Replication>,
    }
}

part! {
    pub struct Replication {
        pub location: String,
        /// True where absent.
        pub region_endpoint_enabled: Option<bool>,
        pub provisioning_state: Option<String>,
        pub properties: Option<Value>,
    }
}

described! {
    /// A private endpoint with its NIC. For a registry the members follow from its regions.
    pub struct PrivateEndpoint {
        pub subnet: String,
        /// A registry's name, or an id.
        pub target: String,
        /// `registry` where absent.
        pub group_id: Option<String>,
        /// `Approved` where absent.
        pub status: Option<String>,
        /// The registry's copy of the status, where it differs.
        pub registry_status: Option<String>,
        /// Asked for by hand (`manualPrivateLinkServiceConnections`).
        pub manual: bool,
        /// Member → address; next free addresses of the subnet where absent.
        pub addresses: BTreeMap<String, String>,
        /// The addresses were asked for, not handed out.
        pub static_addresses: bool,
        /// Member → names; only for targets that are not registries of this scenario.
        pub members: BTreeMap<String, Texts>,
        /// Members of the registry that this endpoint lacks.
        pub without_members: Vec<String>,
        /// Zones that the zone group writes records into. The records follow.
        pub zone_group: Vec<String>,
        pub application_security_groups: Vec<String>,
    }
}
