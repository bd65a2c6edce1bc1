//! DNS Private Resolvers, forwarding rulesets, DNS security policies (D83–D102, D128).

use std::net::IpAddr;

use pullproof_snapshot::{ArmId, Place};

use super::index::{
    DnsPolicyIx, DnsPolicyLinkIx, DnsSecurityRuleIx, DomainListIx, ForwardingRuleIx, InboundEndpointIx,
    OutboundEndpointIx, Ref, ResolverIx, RulesetIx, RulesetLinkIx, SubnetIx, VnetIx,
};
use super::nic::Allocation;
use super::val::{List, Val};
use super::word::{ProvisioningState, words};

/// `Microsoft.Network/dnsResolvers`.
#[derive(Clone, Debug)]
pub struct Resolver {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub vnet: Val<Option<Ref<VnetIx>>>,
    pub inbound: List<InboundEndpointIx>,
    pub outbound: List<OutboundEndpointIx>,
}

pub mod resolver {
    pub const VNET: &str = "/properties/virtualNetwork/id";
}

#[derive(Clone, Debug)]
pub struct InboundEndpoint {
    pub id: ArmId,
    pub place: Place,
    pub resolver: ResolverIx,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub ip_configs: List<InboundIpConfig>,
}

pub mod inbound_endpoint {
    pub const IP_CONFIGS: &str = "/properties/ipConfigurations";
}

#[derive(Clone, Debug)]
pub struct InboundIpConfig {
    pub place: Place,
    pub subnet: Val<Option<Ref<SubnetIx>>>,
    pub address: Val<Option<IpAddr>>,
    pub allocation: Val<Option<Allocation>>,
}

pub mod inbound_ip_config {
    pub const SUBNET: &str = "/subnet/id";
    /// `Ip`, not `IP`, unlike everywhere else (D83).
    pub const ADDRESS: &str = "/privateIpAddress";
    pub const ALLOCATION: &str = "/privateIpAllocationMethod";
}

#[derive(Clone, Debug)]
pub struct OutboundEndpoint {
    pub id: ArmId,
    pub place: Place,
    pub resolver: ResolverIx,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub subnet: Val<Option<Ref<SubnetIx>>>,
}

pub mod outbound_endpoint {
    pub const SUBNET: &str = "/properties/subnet/id";
}

/// `Microsoft.Network/dnsForwardingRulesets` (D84).
#[derive(Clone, Debug)]
pub struct Ruleset {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub outbound_endpoints: List<Ref<OutboundEndpointIx>>,
    pub rules: List<ForwardingRuleIx>,
    pub links: List<RulesetLinkIx>,
}

pub mod ruleset {
    pub const OUTBOUND_ENDPOINTS: &str = "/properties/dnsResolverOutboundEndpoints";
}

#[derive(Clone, Debug)]
pub struct ForwardingRule {
    pub id: ArmId,
    pub place: Place,
    pub name: Box<str>,
    pub ruleset: RulesetIx,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    /// Lower case, without the trailing dot; the root is the empty name.
    pub domain: Val<Box<str>>,
    /// In order (D92).
    pub targets: List<DnsTarget>,
    pub state: Val<Option<SwitchState>>,
}

pub mod forwarding_rule {
    pub const DOMAIN: &str = "/properties/domainName";
    pub const TARGETS: &str = "/properties/targetDnsServers";
    pub const STATE: &str = "/properties/forwardingRuleState";
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DnsTarget {
    pub address: Val<Option<IpAddr>>,
    /// Absent counts as 53 (D84).
    pub port: Val<u16>,
}

#[derive(Clone, Debug)]
pub struct RulesetLink {
    pub id: ArmId,
    pub place: Place,
    pub ruleset: RulesetIx,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub vnet: Val<Option<Ref<VnetIx>>>,
}

pub mod ruleset_link {
    pub const VNET: &str = "/properties/virtualNetwork/id";
}

/// `Microsoft.Network/dnsResolverPolicies` (D128).
#[derive(Clone, Debug)]
pub struct DnsPolicy {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub rules: List<DnsSecurityRuleIx>,
    pub links: List<DnsPolicyLinkIx>,
}

#[derive(Clone, Debug)]
pub struct DnsPolicyLink {
    pub id: ArmId,
    pub place: Place,
    pub policy: DnsPolicyIx,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub vnet: Val<Option<Ref<VnetIx>>>,
}

pub mod dns_policy_link {
    pub const VNET: &str = "/properties/virtualNetwork/id";
}

#[derive(Clone, Debug)]
pub struct DnsSecurityRule {
    pub id: ArmId,
    pub place: Place,
    pub name: Box<str>,
    pub policy: DnsPolicyIx,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub priority: Val<Option<u32>>,
    pub action: Val<Option<DnsAction>>,
    pub domain_lists: List<Ref<DomainListIx>>,
    pub managed_domain_lists: List<Box<str>>,
    pub state: Val<Option<SwitchState>>,
}

pub mod dns_security_rule {
    pub const PRIORITY: &str = "/properties/priority";
    pub const ACTION: &str = "/properties/action/actionType";
    pub const DOMAIN_LISTS: &str = "/properties/dnsResolverDomainLists";
    pub const MANAGED_DOMAIN_LISTS: &str = "/properties/managedDomainLists";
    pub const STATE: &str = "/properties/dnsSecurityRuleState";
}

/// `Microsoft.Network/dnsResolverDomainLists`: `domains` lower case, without trailing dots, the root is empty. A list
/// that was filled in bulk has its content elsewhere (D128): `has_bulk_content`.
#[derive(Clone, Debug)]
pub struct DomainList {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub domains: List<Box<str>>,
    pub has_bulk_content: Val<bool>,
}

pub mod domain_list {
    pub const DOMAINS: &str = "/properties/domains";
    pub const DOMAINS_URL: &str = "/properties/domainsUrl";
}

words! {
    SwitchState { Enabled = "Enabled", Disabled = "Disabled" }
    DnsAction { Allow = "Allow", Alert = "Alert", Block = "Block" }
}
