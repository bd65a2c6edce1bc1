//! Clusters, identities and roles.

use serde_json::Value;

use super::Texts;

described! {
    /// An AKS cluster, with its node resource group: scale sets, NSG, and the load balancer of the outbound type.
    pub struct Cluster {
        /// `1.33` where absent.
        pub kubernetes_version: Option<String>,
        /// `loadBalancer` where absent.
        pub outbound_type: Option<String>,
        /// `azure` where absent.
        pub network_plugin: Option<String>,
        /// `overlay` where absent and the plugin is `azure`; `none`: pods in the subnet.
        pub network_plugin_mode: Option<String>,
        pub pod_cidr: Option<String>,
        pub service_cidr: Option<String>,
        #[serde(rename = "dnsServiceIP")]
        pub dns_service_ip: Option<String>,
        /// The user-assigned identity of the control plane; system-assigned where absent.
        pub identity: Option<String>,
        /// `<cluster>-agentpool` in the node resource group where absent.
        pub kubelet_identity: Option<String>,
        /// A service principal's client id, in place of identities.
        pub service_principal: Option<String>,
        pub node_resource_group: Option<String>,
        pub private_cluster: bool,
        /// `Contoso Root CA`, `Fabrikam Root CA`, or a PEM.
        #[serde(rename = "customCATrustCertificates")]
        pub custom_ca_trust_certificates: Vec<String>,
        pub http_proxy_config: Option<Value>,
        /// `{artifactSource, containerRegistry}`.
        pub bootstrap_registry: Option<String>,
        /// Outbound addresses of the load balancer or managed NAT gateway; one is made up where none is given.
        #[serde(rename = "outboundIPs")]
        pub outbound_ips: Vec<String>,
        /// `Running` where absent.
        pub power_state: Option<String>,
        /// Rules of the node resource group's NSG.
        pub node_security_rules: Vec<super::SecurityRule>,
        pub pools: Vec<AgentPool>,
    }
}

part! {
    pub struct AgentPool {
        pub name: String,
        /// `<virtual network>/<subnet>`. Absent: the network that AKS made, which then has to be given as `raw` or not
        /// to be known.
        pub subnet: Option<String>,
        pub pod_subnet: Option<String>,
        /// The first pool is `System` where absent, the others `User`.
        pub mode: Option<String>,
        pub os_type: Option<String>,
        pub count: Option<u32>,
        pub power_state: Option<String>,
        #[serde(rename = "enableNodePublicIP")]
        pub enable_node_public_ip: bool,
        pub application_security_groups: Vec<String>,
        pub node_image_version: Option<String>,
        pub scale_set: VirtualMachineScaleSet,
        pub properties: Option<Value>,
        pub unchecked: Option<Value>,
    }
}

part! {
    /// What differs in the pool's scale set from what the pool says.
    pub struct VirtualMachineScaleSet {
        pub absent: bool,
        pub dns_servers: Texts,
        /// In place of the node resource group's; `none`: no NSG at the NIC.
        pub network_security_group: Option<String>,
        /// The kubelet identity is not attached.
        pub without_identity: bool,
        pub unchecked: Option<Value>,
    }
}

described! {
    /// A user-assigned identity.
    pub struct Identity {
        /// A name; the scenario's where absent.
        pub tenant: Option<String>,
    }
}

part! {
    pub struct RoleAssignment {
        /// An identity's name, `<cluster>/kubelet`, `<cluster>/control-plane`, or an object id.
        pub principal: String,
        /// A built-in role's or a role definition's name, or an id.
        pub role: String,
        /// A registry's name, `subscription`, `resourceGroup:<name>`, or an id.
        pub scope: String,
        /// `ServicePrincipal` where absent.
        pub principal_type: Option<String>,
        pub condition: Option<String>,
    }
}

part! {
    /// A custom role.
    pub struct RoleDefinition {
        pub name: String,
        pub actions: Vec<String>,
        pub not_actions: Vec<String>,
        pub data_actions: Vec<String>,
        pub not_data_actions: Vec<String>,
        pub assignable_scopes: Vec<String>,
    }
}

part! {
    pub struct DenyAssignment {
        pub name: String,
        pub scope: String,
        /// As in [`RoleAssignment::principal`], or `everyone`.
        pub principals: Vec<String>,
        pub exclude_principals: Vec<String>,
        pub actions: Vec<String>,
        pub data_actions: Vec<String>,
        pub do_not_apply_to_child_scopes: bool,
    }
}
