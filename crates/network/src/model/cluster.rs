//! AKS clusters (A170, A177–A193, A300).

use std::net::IpAddr;

use ipnet::IpNet;
use pullproof_snapshot::{ArmId, Place};

use super::index::{PoolIx, PublicIpIx, Ref, RegistryIx, SubnetIx, UserIdentityIx};
use super::val::{List, Val};
use super::word::{ProvisioningState, words};

/// `Microsoft.ContainerService/managedClusters`.
#[derive(Clone, Debug)]
pub struct Cluster {
    pub id: ArmId,
    pub place: Place,
    pub location: Val<Option<Box<str>>>,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    /// `Base`, `Automatic`.
    pub sku: Val<Option<Box<str>>>,
    pub kubernetes_version: Val<Option<Box<str>>>,
    pub current_kubernetes_version: Val<Option<Box<str>>>,
    pub power_state: Val<Option<PowerCode>>,
    pub node_resource_group: Val<Option<Box<str>>>,
    pub node_resource_group_restriction: Val<Option<Box<str>>>,
    pub network: ClusterNetwork,
    pub kubelet: KubeletIdentity,
    /// `servicePrincipalProfile.clientId`; `msi` with managed identities (A300).
    pub service_principal: Val<Option<Box<str>>>,
    /// `identity.type`: `SystemAssigned`, `UserAssigned`, `None`.
    pub identity_type: Val<Option<Box<str>>>,
    pub identity_principal: Val<Option<Box<str>>>,
    pub identity_tenant: Val<Option<Box<str>>>,
    /// The keys of `identity.userAssignedIdentities`.
    pub user_identities: List<Ref<UserIdentityIx>>,
    pub api_server_subnet: Val<Option<Ref<SubnetIx>>>,
    pub private_cluster: Val<Option<bool>>,
    pub http_proxy: HttpProxyConfig,
    /// `securityProfile.customCATrustCertificates`, base64 (A188).
    pub custom_ca_certificates: List<Box<str>>,
    pub artifact_source: Val<Option<ArtifactSource>>,
    pub bootstrap_registry: Val<Option<Ref<RegistryIx>>>,
    pub node_provisioning: Val<Option<NodeProvisioningMode>>,
    pub default_node_pools: Val<Option<Box<str>>>,
    pub hosted_system: HostedSystemProfile,
    pub aci_connector: AciConnector,
    /// Inline profiles and child `agentPools` merged, the child wins (A170). `open`: there may be more.
    pub pools: List<PoolIx>,
}

pub mod cluster {
    pub const SKU: &str = "/sku/name";
    pub const KUBERNETES_VERSION: &str = "/properties/kubernetesVersion";
    pub const CURRENT_KUBERNETES_VERSION: &str = "/properties/currentKubernetesVersion";
    pub const POWER_STATE: &str = "/properties/powerState/code";
    pub const NODE_RESOURCE_GROUP: &str = "/properties/nodeResourceGroup";
    pub const NODE_RESOURCE_GROUP_RESTRICTION: &str = "/properties/nodeResourceGroupProfile/restrictionLevel";
    pub const SERVICE_PRINCIPAL: &str = "/properties/servicePrincipalProfile/clientId";
    pub const IDENTITY_TYPE: &str = "/identity/type";
    pub const IDENTITY_PRINCIPAL: &str = "/identity/principalId";
    pub const IDENTITY_TENANT: &str = "/identity/tenantId";
    pub const USER_IDENTITIES: &str = "/identity/userAssignedIdentities";
    pub const KUBELET_RESOURCE: &str = "/properties/identityProfile/kubeletidentity/resourceId";
    pub const KUBELET_OBJECT: &str = "/properties/identityProfile/kubeletidentity/objectId";
    pub const KUBELET_CLIENT: &str = "/properties/identityProfile/kubeletidentity/clientId";
    pub const API_SERVER_SUBNET: &str = "/properties/apiServerAccessProfile/subnetId";
    pub const PRIVATE_CLUSTER: &str = "/properties/apiServerAccessProfile/enablePrivateCluster";
    pub const HTTP_PROXY: &str = "/properties/httpProxyConfig/httpProxy";
    pub const HTTPS_PROXY: &str = "/properties/httpProxyConfig/httpsProxy";
    pub const NO_PROXY: &str = "/properties/httpProxyConfig/noProxy";
    /// What AKS adds to `noProxy` by itself, where it is shown.
    pub const EFFECTIVE_NO_PROXY: &str = "/properties/httpProxyConfig/effectiveNoProxy";
    pub const PROXY_TRUSTED_CA: &str = "/properties/httpProxyConfig/trustedCa";
    pub const PROXY_ENABLED: &str = "/properties/httpProxyConfig/enabled";
    pub const CUSTOM_CA_CERTIFICATES: &str = "/properties/securityProfile/customCATrustCertificates";
    pub const ARTIFACT_SOURCE: &str = "/properties/bootstrapProfile/artifactSource";
    pub const BOOTSTRAP_REGISTRY: &str = "/properties/bootstrapProfile/containerRegistryId";
    pub const NODE_PROVISIONING: &str = "/properties/nodeProvisioningProfile/mode";
    pub const DEFAULT_NODE_POOLS: &str = "/properties/nodeProvisioningProfile/defaultNodePools";
    pub const HOSTED_SYSTEM_ENABLED: &str = "/properties/hostedSystemProfile/enabled";
    pub const HOSTED_SYSTEM_NODE_SUBNET: &str = "/properties/hostedSystemProfile/systemNodeSubnetID";
    pub const HOSTED_NODE_SUBNET: &str = "/properties/hostedSystemProfile/nodeSubnetID";
    pub const ACI_ENABLED: &str = "/properties/addonProfiles/aciConnectorLinux/enabled";
    pub const ACI_SUBNET: &str = "/properties/addonProfiles/aciConnectorLinux/config/SubnetName";
    pub const POOLS: &str = "/properties/agentPoolProfiles";

    pub const NETWORK_PLUGIN: &str = "/properties/networkProfile/networkPlugin";
    pub const NETWORK_PLUGIN_MODE: &str = "/properties/networkProfile/networkPluginMode";
    pub const NETWORK_DATAPLANE: &str = "/properties/networkProfile/networkDataplane";
    pub const NETWORK_POLICY: &str = "/properties/networkProfile/networkPolicy";
    pub const POD_CIDR: &str = "/properties/networkProfile/podCidr";
    pub const POD_CIDRS: &str = "/properties/networkProfile/podCidrs";
    pub const SERVICE_CIDR: &str = "/properties/networkProfile/serviceCidr";
    pub const SERVICE_CIDRS: &str = "/properties/networkProfile/serviceCidrs";
    pub const DNS_SERVICE_IP: &str = "/properties/networkProfile/dnsServiceIP";
    pub const OUTBOUND_TYPE: &str = "/properties/networkProfile/outboundType";
    pub const LOAD_BALANCER_SKU: &str = "/properties/networkProfile/loadBalancerSku";
    pub const LOAD_BALANCER_OUTBOUND_IPS: &str =
        "/properties/networkProfile/loadBalancerProfile/effectiveOutboundIPs";
    pub const NAT_GATEWAY_OUTBOUND_IPS: &str =
        "/properties/networkProfile/natGatewayProfile/effectiveOutboundIPs";
    pub const IP_FAMILIES: &str = "/properties/networkProfile/ipFamilies";
}

/// `networkProfile` (A184, A185).
#[derive(Clone, Debug)]
pub struct ClusterNetwork {
    pub plugin: Val<Option<Box<str>>>,
    pub plugin_mode: Val<Option<Box<str>>>,
    pub dataplane: Val<Option<Box<str>>>,
    pub policy: Val<Option<Box<str>>>,
    /// `podCidr` and `podCidrs` together.
    pub pod_cidrs: List<IpNet>,
    /// `serviceCidr` and `serviceCidrs` together.
    pub service_cidrs: List<IpNet>,
    pub dns_service_ip: Val<Option<IpAddr>>,
    pub outbound_type: Val<Option<OutboundType>>,
    pub load_balancer_sku: Val<Option<Box<str>>>,
    /// A89.
    pub load_balancer_outbound_ips: List<Ref<PublicIpIx>>,
    pub nat_gateway_outbound_ips: List<Ref<PublicIpIx>>,
    pub ip_families: List<Box<str>>,
}

/// `identityProfile.kubeletidentity` (A300): role assignments refer to `object`.
#[derive(Clone, Debug)]
pub struct KubeletIdentity {
    pub resource: Val<Option<Ref<UserIdentityIx>>>,
    pub object: Val<Option<Box<str>>>,
    pub client: Val<Option<Box<str>>>,
}

/// `httpProxyConfig` (A189, A190).
#[derive(Clone, Debug)]
pub struct HttpProxyConfig {
    /// The object is there at all.
    pub configured: Val<bool>,
    pub http_proxy: Val<Option<Box<str>>>,
    pub https_proxy: Val<Option<Box<str>>>,
    pub no_proxy: List<Box<str>>,
    /// `None`: not shown.
    pub effective_no_proxy: Option<List<Box<str>>>,
    pub trusted_ca: Val<Option<Box<str>>>,
    /// Absent counts as true where the object is there (A189).
    pub enabled: Val<bool>,
}

/// `hostedSystemProfile` (A179).
#[derive(Clone, Debug)]
pub struct HostedSystemProfile {
    pub enabled: Val<Option<bool>>,
    pub system_node_subnet: Val<Option<Ref<SubnetIx>>>,
    pub node_subnet: Val<Option<Ref<SubnetIx>>>,
}

/// Virtual nodes (A180): the subnet's name in the cluster's network.
#[derive(Clone, Debug)]
pub struct AciConnector {
    pub enabled: Val<Option<bool>>,
    pub subnet_name: Val<Option<Box<str>>>,
}

words! {
    PowerCode { Running = "Running", Stopped = "Stopped" }
    OutboundType {
        LoadBalancer = "loadBalancer", ManagedNatGateway = "managedNATGateway",
        ManagedNatGatewayV2 = "managedNATGatewayV2", UserAssignedNatGateway = "userAssignedNATGateway",
        UserDefinedRouting = "userDefinedRouting", None = "none", Block = "block",
    }
    ArtifactSource { Cache = "Cache", Direct = "Direct" }
    NodeProvisioningMode { Manual = "Manual", Auto = "Auto" }
}
