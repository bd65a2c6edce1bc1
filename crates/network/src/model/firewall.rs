//! Azure Firewall, its policies with their rules, classic rules, IP groups (F113–F138, D118, R167–R169).

use std::net::IpAddr;

use pullproof_snapshot::{ArmId, Place};

use super::address::AddressTerm;
use super::index::{
    FirewallIx, HubIx, IpGroupIx, PolicyIx, PublicIpIx, Ref, RuleCollectionGroupIx, SubnetIx,
};
use super::val::{List, Val};
use super::word::{ProvisioningState, words};
use crate::set::Ports;

/// `Microsoft.Network/azureFirewalls`.
#[derive(Clone, Debug)]
pub struct Firewall {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    /// `AZFW_VNet` or `AZFW_Hub`.
    pub sku_name: Val<Option<Box<str>>>,
    pub sku_tier: Val<Option<FirewallTier>>,
    pub policy: Val<Option<Ref<PolicyIx>>>,
    pub hub: Val<Option<Ref<HubIx>>>,
    /// `hubIPAddresses.privateIPAddress` of a secured hub (D120).
    pub hub_address: Val<Option<IpAddr>>,
    pub hub_public_addresses: List<Val<IpAddr>>,
    pub ip_configs: List<FirewallIpConfig>,
    /// Present: forced tunnelling (R169).
    pub management_ip_config: Option<FirewallIpConfig>,
    /// Meaningful without a policy only.
    pub threat_intel_mode: Val<Option<ThreatIntelMode>>,
    /// Classic `additionalProperties` (F124, D118); ignored where a policy is attached.
    pub classic: ClassicSettings,
    /// Classic rules: `networkRuleCollections`, `applicationRuleCollections`, `natRuleCollections`.
    pub collections: List<RuleCollection>,
}

pub mod firewall {
    pub const SKU_NAME: &str = "/properties/sku/name";
    pub const SKU_TIER: &str = "/properties/sku/tier";
    pub const POLICY: &str = "/properties/firewallPolicy/id";
    pub const HUB: &str = "/properties/virtualHub/id";
    pub const HUB_ADDRESS: &str = "/properties/hubIPAddresses/privateIPAddress";
    pub const HUB_PUBLIC_ADDRESSES: &str = "/properties/hubIPAddresses/publicIPs/addresses";
    pub const IP_CONFIGS: &str = "/properties/ipConfigurations";
    pub const MANAGEMENT_IP_CONFIG: &str = "/properties/managementIpConfiguration";
    pub const THREAT_INTEL_MODE: &str = "/properties/threatIntelMode";
    pub const ADDITIONAL_PROPERTIES: &str = "/properties/additionalProperties";
    pub const NETWORK_COLLECTIONS: &str = "/properties/networkRuleCollections";
    pub const APPLICATION_COLLECTIONS: &str = "/properties/applicationRuleCollections";
    pub const NAT_COLLECTIONS: &str = "/properties/natRuleCollections";
}

/// The string map of a classic firewall. Keys `Network.DNS.EnableProxy`, `Network.DNS.Servers`,
/// `Network.SNAT.PrivateRanges`.
#[derive(Clone, Debug)]
pub struct ClassicSettings {
    pub dns_proxy: Val<Option<bool>>,
    pub dns_servers: List<Val<IpAddr>>,
    pub snat_private_ranges: Option<List<SnatRange>>,
}

#[derive(Clone, Debug)]
pub struct FirewallIpConfig {
    pub place: Place,
    pub name: Box<str>,
    /// Only the first configuration has one.
    pub subnet: Val<Option<Ref<SubnetIx>>>,
    pub address: Val<Option<IpAddr>>,
    pub public_ip: Val<Option<Ref<PublicIpIx>>>,
}

pub mod firewall_ip_config {
    pub const SUBNET: &str = "/properties/subnet/id";
    pub const ADDRESS: &str = "/properties/privateIPAddress";
    pub const PUBLIC_IP: &str = "/properties/publicIPAddress/id";
}

/// `Microsoft.Network/firewallPolicies` (F127).
#[derive(Clone, Debug)]
pub struct Policy {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub base: Val<Option<Ref<PolicyIx>>>,
    pub sku_tier: Val<Option<FirewallTier>>,
    /// Absent counts as `Alert` (F131).
    pub threat_intel_mode: Val<ThreatIntelMode>,
    pub threat_intel_allowed_addresses: List<Box<str>>,
    pub threat_intel_allowed_fqdns: List<Box<str>>,
    /// `None`: no `dnsSettings`, so the base policy's hold (D118).
    pub dns: Option<PolicyDns>,
    /// `None`: `snat.privateRanges` absent: RFC 1918 and RFC 6598 (R167).
    pub snat_private_ranges: Option<List<SnatRange>>,
    pub auto_learn_private_ranges: Val<Option<Switch>>,
    pub intrusion_detection: Val<Option<IntrusionDetectionMode>>,
    /// The name of the authority of `transportSecurity`, where TLS inspection is set up.
    pub certificate_authority: Val<Option<Box<str>>>,
    pub explicit_proxy: Val<Option<bool>>,
    pub groups: List<RuleCollectionGroupIx>,
}

pub mod policy {
    pub const BASE: &str = "/properties/basePolicy/id";
    pub const SKU_TIER: &str = "/properties/sku/tier";
    pub const THREAT_INTEL_MODE: &str = "/properties/threatIntelMode";
    pub const THREAT_INTEL_ADDRESSES: &str = "/properties/threatIntelWhitelist/ipAddresses";
    pub const THREAT_INTEL_FQDNS: &str = "/properties/threatIntelWhitelist/fqdns";
    pub const DNS: &str = "/properties/dnsSettings";
    pub const DNS_PROXY: &str = "/properties/dnsSettings/enableProxy";
    pub const DNS_SERVERS: &str = "/properties/dnsSettings/servers";
    pub const DNS_REQUIRE_PROXY: &str = "/properties/dnsSettings/requireProxyForNetworkRules";
    pub const SNAT_PRIVATE_RANGES: &str = "/properties/snat/privateRanges";
    pub const AUTO_LEARN_PRIVATE_RANGES: &str = "/properties/snat/autoLearnPrivateRanges";
    pub const INTRUSION_DETECTION: &str = "/properties/intrusionDetection/mode";
    pub const CERTIFICATE_AUTHORITY: &str = "/properties/transportSecurity/certificateAuthority/name";
    pub const EXPLICIT_PROXY: &str = "/properties/explicitProxy/enableExplicitProxy";
    pub const GROUPS: &str = "/properties/ruleCollectionGroups";
}

/// `dnsSettings` of a policy. Absent `enableProxy` is false, no servers is Azure DNS (D119).
#[derive(Clone, Debug)]
pub struct PolicyDns {
    pub proxy: Val<bool>,
    pub servers: List<Val<IpAddr>>,
    pub require_proxy_for_network_rules: Val<Option<bool>>,
}

/// One entry of `snat.privateRanges` (R168).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SnatRange {
    Addresses(AddressTerm),
    /// `IANAPrivateRanges`: the default ranges as well.
    IanaPrivateRanges,
}

/// `firewallPolicies/ruleCollectionGroups`.
#[derive(Clone, Debug)]
pub struct RuleCollectionGroup {
    pub id: ArmId,
    pub place: Place,
    pub name: Box<str>,
    pub policy: PolicyIx,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub priority: Val<u32>,
    pub collections: List<RuleCollection>,
}

pub mod rule_collection_group {
    pub const PRIORITY: &str = "/properties/priority";
    pub const COLLECTIONS: &str = "/properties/ruleCollections";
}

/// A rule collection of a policy's group or of a classic firewall.
#[derive(Clone, Debug)]
pub struct RuleCollection {
    pub place: Place,
    pub name: Box<str>,
    pub priority: Val<u32>,
    pub kind: Val<CollectionKind>,
    /// Of NAT collections always `Dnat`.
    pub action: Val<FirewallAction>,
    pub rules: List<FirewallRule>,
}

/// Pointers into a collection of a policy. A classic one has `/properties` before each ([`classic_collection`]).
pub mod rule_collection {
    pub const KIND: &str = "/ruleCollectionType";
    pub const PRIORITY: &str = "/priority";
    pub const ACTION: &str = "/action/type";
    pub const RULES: &str = "/rules";
}

pub mod classic_collection {
    pub const PRIORITY: &str = "/properties/priority";
    pub const ACTION: &str = "/properties/action/type";
    pub const RULES: &str = "/properties/rules";
}

/// What kinds of rule a collection may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CollectionKind {
    /// Network and application rules of a policy.
    Filter,
    Nat,
    /// Classic: network rules only.
    ClassicNetwork,
    /// Classic: application rules only.
    ClassicApplication,
}

/// One firewall rule.
#[derive(Clone, Debug)]
pub struct FirewallRule {
    pub place: Place,
    pub name: Box<str>,
    /// `sourceAddresses`.
    pub sources: List<AddressTerm>,
    pub source_groups: List<Ref<IpGroupIx>>,
    pub body: FirewallRuleBody,
}

#[derive(Clone, Debug)]
pub enum FirewallRuleBody {
    Network(NetworkRule),
    Application(ApplicationRule),
    Nat(NatRule),
    /// A rule type that is not known; it may be any.
    Unknown(super::symbol::SymbolIx),
}

#[derive(Clone, Debug)]
pub struct NetworkRule {
    /// F125.
    pub protocols: List<FirewallProtocol>,
    pub destinations: List<AddressTerm>,
    pub destination_groups: List<Ref<IpGroupIx>>,
    pub destination_fqdns: List<Box<str>>,
    pub ports: Val<Ports>,
}

#[derive(Clone, Debug)]
pub struct ApplicationRule {
    pub destinations: List<AddressTerm>,
    pub protocols: List<ApplicationProtocol>,
    pub target_fqdns: List<Box<str>>,
    pub target_urls: List<Box<str>>,
    pub fqdn_tags: List<Box<str>>,
    pub web_categories: List<Box<str>>,
    /// Absent counts as false.
    pub terminate_tls: Val<bool>,
}

/// `protocols[].{protocolType, port}`; classic spells `Https` the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationProtocol {
    pub protocol: Val<Option<ApplicationProtocolType>>,
    pub port: Val<Option<u16>>,
}

#[derive(Clone, Debug)]
pub struct NatRule {
    pub protocols: List<FirewallProtocol>,
    pub destinations: List<AddressTerm>,
    pub ports: Val<Ports>,
    pub translated_address: Val<Option<IpAddr>>,
    pub translated_fqdn: Val<Option<Box<str>>>,
    pub translated_port: Val<Option<u16>>,
}

/// Pointers into a rule (policy and classic alike).
pub mod firewall_rule {
    pub const RULE_TYPE: &str = "/ruleType";
    pub const SOURCES: &str = "/sourceAddresses";
    pub const SOURCE_GROUPS: &str = "/sourceIpGroups";
    /// Network rules of a policy; classic: [`CLASSIC_PROTOCOLS`].
    pub const IP_PROTOCOLS: &str = "/ipProtocols";
    pub const CLASSIC_PROTOCOLS: &str = "/protocols";
    pub const DESTINATIONS: &str = "/destinationAddresses";
    pub const DESTINATION_GROUPS: &str = "/destinationIpGroups";
    pub const DESTINATION_FQDNS: &str = "/destinationFqdns";
    pub const PORTS: &str = "/destinationPorts";
    pub const PROTOCOLS: &str = "/protocols";
    pub const TARGET_FQDNS: &str = "/targetFqdns";
    pub const TARGET_URLS: &str = "/targetUrls";
    pub const FQDN_TAGS: &str = "/fqdnTags";
    pub const WEB_CATEGORIES: &str = "/webCategories";
    pub const TERMINATE_TLS: &str = "/terminateTLS";
    pub const TRANSLATED_ADDRESS: &str = "/translatedAddress";
    pub const TRANSLATED_FQDN: &str = "/translatedFqdn";
    pub const TRANSLATED_PORT: &str = "/translatedPort";
}

/// `Microsoft.Network/ipGroups` (F126).
#[derive(Clone, Debug)]
pub struct IpGroup {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub addresses: List<AddressTerm>,
    /// Firewalls that Azure lists as users.
    pub firewalls: List<Ref<FirewallIx>>,
}

pub mod ip_group {
    pub const ADDRESSES: &str = "/properties/ipAddresses";
    pub const FIREWALLS: &str = "/properties/firewalls";
}

words! {
    FirewallTier { Basic = "Basic", Standard = "Standard", Premium = "Premium" }
    ThreatIntelMode { Off = "Off", Alert = "Alert", Deny = "Deny" }
    IntrusionDetectionMode { Off = "Off", Alert = "Alert", Deny = "Deny" }
    Switch { Enabled = "Enabled", Disabled = "Disabled" }
    FirewallAction { Allow = "Allow", Deny = "Deny", Dnat = "Dnat", Snat = "Snat" }
    FirewallProtocol { Tcp = "TCP", Udp = "UDP", Icmp = "ICMP", Any = "Any" }
    ApplicationProtocolType { Http = "Http", Https = "Https", Mssql = "Mssql" }
}
