//! Every way in which a pull can be blocked: one row a kind, the only place where a kind, its layer, its owner and
//! its symptoms stand. Each has a rule under `rules/` (CI fails where one has not).

use schemars::JsonSchema;
use serde::Serialize;

/// The layers of the report, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    Routing,
    Filtering,
    Resolution,
    Endpoints,
    Trust,
    Identity,
}

impl Layer {
    /// What the node's events mostly say where a pull fails in this layer.
    fn usual_symptoms(self) -> &'static [&'static str] {
        match self {
            Self::Routing | Self::Filtering | Self::Endpoints => &["network.timeout"],
            Self::Resolution => &["dns.nxdomain"],
            Self::Trust => &["tls.unknown_ca"],
            Self::Identity => &["identity.rejected", "identity.no_credential"],
        }
    }
}

/// Who can change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    Network,
    Dns,
    Firewall,
    Registry,
    Identity,
    OnPremises,
}

macro_rules! blockers {
    ($( $name:ident = $text:literal, $layer:ident, $owner:ident $(, [$($symptom:literal),*])?; )*) => {
        /// The kind of a blocker; `as_str` is its `kind` in reports.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum BlockerKind { $( #[doc = $text] $name, )* }

        impl BlockerKind {
            pub const ALL: &[BlockerKind] = &[ $( BlockerKind::$name, )* ];

            pub fn as_str(self) -> &'static str {
                match self { $( Self::$name => $text, )* }
            }

            /// The layer that the kind belongs to when it is found on the login host (V9 may move a claim).
            pub fn layer(self) -> Layer {
                match self { $( Self::$name => Layer::$layer, )* }
            }

            pub fn owner(self) -> Owner {
                match self { $( Self::$name => Owner::$owner, )* }
            }

            /// Codes of what the node's events say (registry-and-aks.md A217): the kind's own, or the usual ones of its
            /// layer.
            pub fn symptoms(self) -> &'static [&'static str] {
                let own: &'static [&'static str] = match self { $( Self::$name => &[$($($symptom),*)?], )* };
                if own.is_empty() { self.layer().usual_symptoms() } else { own }
            }
        }
    };
}

blockers! {
    // Routing: walks
    NoRoute = "no_route", Routing, Network, ["network.timeout", "network.no_route"];
    UserRouteDrops = "user_route_drops", Routing, Network;
    NextHopNotReachable = "next_hop_not_reachable", Routing, Network;
    NextHopNobody = "next_hop_nobody", Routing, Network;
    IpForwardingOff = "ip_forwarding_off", Routing, Network;
    ApplianceStopped = "appliance_stopped", Routing, Network;
    LoadBalancerNoRule = "load_balancer_no_rule", Routing, Network;
    LoadBalancerNoBackend = "load_balancer_no_backend", Routing, Network;
    LoadBalancerBasicGlobal = "load_balancer_basic_global", Routing, Network;
    PeeringNotConnected = "peering_not_connected", Routing, Network;
    PeeringNotSynced = "peering_not_synced", Routing, Network;
    PeeringAccessOff = "peering_access_off", Routing, Network;
    PeeringOneWay = "peering_one_way", Routing, Network;
    NotTransitive = "not_transitive", Routing, Network;
    NoGatewayTransit = "no_gateway_transit", Routing, Network;
    PropagationDisabled = "propagation_disabled", Routing, Network;
    GatewayCannotCarry = "gateway_cannot_carry", Routing, Network;
    ConnectionDown = "connection_down", Routing, Network;
    SiteNoReturnRoute = "site_no_return_route", Routing, OnPremises, ["network.timeout", "tls.handshake_timeout"];
    NoReturnRoute = "no_return_route", Routing, Network, ["network.timeout", "tls.handshake_timeout"];
    Asymmetric = "asymmetric_path", Routing, Network, ["network.timeout", "tls.handshake_timeout"];
    RoutingLoop = "routing_loop", Routing, Network, ["network.timeout", "network.no_route"];
    NoEgress = "no_egress", Routing, Network;
    HubNoRoute = "hub_no_route", Routing, Network;
    NobodyListens = "nobody_listens", Routing, Network, ["network.timeout", "network.refused"];
    // Filtering: packets and admission
    NsgDenies = "nsg_denies", Filtering, Network;
    AdminRuleDenies = "admin_rule_denies", Filtering, Network;
    FirewallDenies = "firewall_denies", Filtering, Firewall, ["network.timeout", "network.eof", "network.reset"];
    FirewallCannotResolve = "firewall_cannot_resolve", Filtering, Firewall, ["network.eof", "network.reset"];
    ApplianceDenies = "appliance_denies", Filtering, Firewall;
    SiteFirewallDenies = "site_firewall_denies", Filtering, OnPremises;
    PublicAccessOff = "public_access_off", Filtering, Registry, ["registry_access.firewall", "registry_access.token_forbidden"];
    SourceNotAllowed = "source_not_allowed", Filtering, Registry, ["registry_access.firewall", "registry_access.token_forbidden"];
    EndpointNotApproved = "endpoint_not_approved", Filtering, Registry;
    EndpointNoMember = "endpoint_no_member", Filtering, Registry, ["tls.name_mismatch", "registry_access.forbidden"];
    ServiceEndpointPolicy = "service_endpoint_policy", Filtering, Network, ["registry_access.blob_forbidden"];
    SkuTooLow = "sku_too_low", Filtering, Registry;
    // Resolution
    NameDoesNotExist = "name_does_not_exist", Resolution, Dns, ["dns.nxdomain"];
    NameHasNoAddress = "name_has_no_address", Resolution, Dns, ["dns.nxdomain"];
    ResolverUnreachable = "resolver_unreachable", Resolution, Dns, ["dns.timeout"];
    ResolverFails = "resolver_fails", Resolution, Dns, ["dns.servfail", "dns.refused"];
    ResolverNotUsable = "resolver_not_usable", Resolution, Dns, ["dns.timeout"];
    ResolverLoop = "resolver_loop", Resolution, Dns, ["dns.servfail", "dns.timeout"];
    LookupBlocked = "lookup_blocked", Resolution, Dns, ["dns.servfail"];
    PublicAnswer = "public_answer", Resolution, Dns, ["registry_access.firewall", "network.timeout"];
    StaleRecord = "stale_record", Resolution, Dns, ["network.timeout", "network.refused"];
    ForeignRecord = "foreign_record", Resolution, Dns, ["network.timeout", "tls.name_mismatch"];
    SwappedRecord = "swapped_record", Resolution, Dns, ["tls.name_mismatch"];
    // Endpoints: the set of hosts
    RegionalEndpointOff = "regional_endpoint_off", Endpoints, Registry, ["dns.nxdomain"];
    HostMissing = "host_missing", Endpoints, Registry, ["network.timeout"];
    // Trust
    UntrustedIssuer = "untrusted_issuer", Trust, Registry, ["tls.unknown_ca"];
    NameMismatch = "name_mismatch", Trust, Registry, ["tls.name_mismatch"];
    Intercepted = "intercepted", Trust, Firewall, ["tls.unknown_ca"];
    // Identity
    NoRole = "no_role", Identity, Identity;
    WrongRoleMode = "wrong_role_mode", Identity, Identity;
    WrongIdentity = "wrong_identity", Identity, Identity;
    ConditionExcludes = "condition_excludes", Identity, Identity, ["identity.rejected", "identity.scope"];
    DenyAssignment = "deny_assignment", Identity, Identity, ["identity.rejected"];
    CrossTenant = "cross_tenant", Identity, Identity, ["identity.no_credential"];
    SecretInvalid = "secret_invalid", Identity, Identity, ["identity.unauthorized"];
    IdentityDetached = "identity_detached", Identity, Identity, ["identity.imds"];
    NodeImageTooOld = "node_image_too_old", Identity, Identity, ["identity.no_credential", "identity.unauthorized"];
}
