//! Private DNS zones, resolvers and forwarding rulesets.

use serde_json::Value;

use super::Texts;

described! {
    /// A zone; its SOA record is added.
    pub struct PrivateDnsZone {
        pub links: Vec<VirtualNetworkLink>,
        /// Those that no zone group writes.
        pub records: Vec<RecordSet>,
    }
}

part! {
    pub struct VirtualNetworkLink {
        /// `link-<virtual network>` where absent.
        pub name: Option<String>,
        pub virtual_network: String,
        pub registration_enabled: bool,
        /// `Default` where absent, or `NxDomainRedirect`.
        pub resolution_policy: Option<String>,
        /// `Completed` where absent.
        pub state: Option<String>,
        pub properties: Option<Value>,
        pub unchecked: Option<Value>,
    }
}

part! {
    /// One name, with one record set a given type.
    pub struct RecordSet {
        pub name: String,
        #[serde(rename = "A")]
        pub a: Texts,
        #[serde(rename = "AAAA")]
        pub aaaa: Texts,
        #[serde(rename = "CNAME")]
        pub cname: Option<String>,
        #[serde(rename = "TXT")]
        pub txt: Texts,
        pub ttl: Option<u32>,
        pub auto_registered: bool,
    }
}

described! {
    pub struct DnsResolver {
        pub virtual_network: String,
        pub inbound_endpoints: Vec<InboundEndpoint>,
        pub outbound_endpoints: Vec<OutboundEndpoint>,
    }
}

part! {
    pub struct InboundEndpoint {
        pub name: String,
        pub subnet: String,
        pub address: Option<String>,
    }
}

part! {
    pub struct OutboundEndpoint {
        pub name: String,
        pub subnet: String,
    }
}

described! {
    pub struct DnsForwardingRuleset {
        /// `<resolver>/<endpoint>`.
        pub outbound_endpoints: Vec<String>,
        pub links: Vec<RulesetLink>,
        pub rules: Vec<ForwardingRule>,
    }
}

part! {
    pub struct RulesetLink {
        pub name: Option<String>,
        pub virtual_network: String,
    }
}

part! {
    pub struct ForwardingRule {
        pub name: String,
        /// With the final dot, as ARM writes it; added where missing.
        pub domain: String,
        /// `address` or `address:port`.
        pub targets: Texts,
        /// `Enabled` where absent.
        pub state: Option<String>,
    }
}
