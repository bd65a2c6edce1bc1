//! The typed network.

use pullproof_snapshot::{Declared, Gap, Layered};

use crate::indexes::Indexes;
use crate::model::cluster::Cluster;
use crate::model::compute::{ScaleSet, VirtualMachine};
use crate::model::declared::{Appliance, DeclaredProblem, DnsServer, Site};
use crate::model::dns_resolver::{
    DnsPolicy, DnsPolicyLink, DnsSecurityRule, DomainList, ForwardingRule, InboundEndpoint, OutboundEndpoint,
    Resolver, Ruleset, RulesetLink,
};
use crate::model::dns_zone::{RecordSet, Zone, ZoneLink};
use crate::model::firewall::{Firewall, IpGroup, Policy, RuleCollectionGroup};
use crate::model::gateway::{Circuit, Connection, Gateway, LocalGateway};
use crate::model::hub::{Hub, HubConnection, HubGateway, HubRouteTable, RoutingIntent};
use crate::model::identity::{DenyAssignment, RoleAssignment, RoleDefinition, Subscription, UserIdentity};
use crate::model::index::*;
use crate::model::load_balancer::{LoadBalancer, NatGateway, PublicIp, PublicIpPrefix};
use crate::model::network_manager::NetworkManager;
use crate::model::nic::Nic;
use crate::model::nsg::{Asg, Nsg};
use crate::model::pool::Pool;
use crate::model::private_endpoint::{PrivateEndpoint, PrivateLinkService, ZoneGroup};
use crate::model::registry::{Registry, Replication};
use crate::model::route_table::RouteTable;
use crate::model::service_endpoint_policy::ServiceEndpointPolicy;
use crate::model::symbol::Symbols;
use crate::model::vnet::{Peering, Subnet, Vnet};

/// The objects that were read, in tables.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    pub vnets: Table<VnetIx, Vnet>,
    pub subnets: Table<SubnetIx, Subnet>,
    pub peerings: Table<PeeringIx, Peering>,
    pub nsgs: Table<NsgIx, Nsg>,
    pub asgs: Table<AsgIx, Asg>,
    pub route_tables: Table<RouteTableIx, RouteTable>,
    pub nics: Table<NicIx, Nic>,
    pub public_ips: Table<PublicIpIx, PublicIp>,
    pub public_ip_prefixes: Table<PublicIpPrefixIx, PublicIpPrefix>,
    pub nat_gateways: Table<NatGatewayIx, NatGateway>,
    pub load_balancers: Table<LoadBalancerIx, LoadBalancer>,
    pub service_endpoint_policies: Table<ServiceEndpointPolicyIx, ServiceEndpointPolicy>,
    pub private_endpoints: Table<PrivateEndpointIx, PrivateEndpoint>,
    pub zone_groups: Table<ZoneGroupIx, ZoneGroup>,
    pub private_link_services: Table<PrivateLinkServiceIx, PrivateLinkService>,
    pub gateways: Table<GatewayIx, Gateway>,
    pub connections: Table<ConnectionIx, Connection>,
    pub local_gateways: Table<LocalGatewayIx, LocalGateway>,
    pub circuits: Table<CircuitIx, Circuit>,
    pub hubs: Table<HubIx, Hub>,
    pub hub_connections: Table<HubConnectionIx, HubConnection>,
    pub hub_route_tables: Table<HubRouteTableIx, HubRouteTable>,
    pub routing_intents: Table<RoutingIntentIx, RoutingIntent>,
    pub hub_gateways: Table<HubGatewayIx, HubGateway>,
    pub firewalls: Table<FirewallIx, Firewall>,
    pub policies: Table<PolicyIx, Policy>,
    pub rule_collection_groups: Table<RuleCollectionGroupIx, RuleCollectionGroup>,
    pub ip_groups: Table<IpGroupIx, IpGroup>,
    pub network_managers: Table<NetworkManagerIx, NetworkManager>,
    pub zones: Table<ZoneIx, Zone>,
    pub zone_links: Table<ZoneLinkIx, ZoneLink>,
    pub record_sets: Table<RecordSetIx, RecordSet>,
    pub resolvers: Table<ResolverIx, Resolver>,
    pub inbound_endpoints: Table<InboundEndpointIx, InboundEndpoint>,
    pub outbound_endpoints: Table<OutboundEndpointIx, OutboundEndpoint>,
    pub rulesets: Table<RulesetIx, Ruleset>,
    pub forwarding_rules: Table<ForwardingRuleIx, ForwardingRule>,
    pub ruleset_links: Table<RulesetLinkIx, RulesetLink>,
    pub dns_policies: Table<DnsPolicyIx, DnsPolicy>,
    pub dns_policy_links: Table<DnsPolicyLinkIx, DnsPolicyLink>,
    pub dns_security_rules: Table<DnsSecurityRuleIx, DnsSecurityRule>,
    pub domain_lists: Table<DomainListIx, DomainList>,
    pub registries: Table<RegistryIx, Registry>,
    pub replications: Table<ReplicationIx, Replication>,
    pub clusters: Table<ClusterIx, Cluster>,
    pub pools: Table<PoolIx, Pool>,
    pub scale_sets: Table<ScaleSetIx, ScaleSet>,
    pub virtual_machines: Table<VirtualMachineIx, VirtualMachine>,
    pub user_identities: Table<UserIdentityIx, UserIdentity>,
    pub role_assignments: Table<RoleAssignmentIx, RoleAssignment>,
    pub role_definitions: Table<RoleDefinitionIx, RoleDefinition>,
    pub deny_assignments: Table<DenyAssignmentIx, DenyAssignment>,
    pub subscriptions: Table<SubscriptionIx, Subscription>,
}

/// Everything that answers are made from, made by [`Network::read`]. Dereferences to [`Objects`]: `network.vnets`,
/// `network.nsgs` … Indexes are in [`Indexes`]. Whether the absence of an object is evidence is asked of
/// `layered.absence`.
#[derive(Clone)]
pub struct Network {
    pub layered: Layered,
    pub declared: Declared,
    pub objects: Objects,
    pub symbols: Symbols,
    pub indexes: Indexes,
    pub tags: crate::Tags,
    pub sites: Table<SiteIx, Site>,
    pub dns_servers: Table<DnsServerIx, DnsServer>,
    pub appliances: Table<ApplianceIx, Appliance>,
    /// Names in `pullproof.toml` that could not be resolved.
    pub declared_problems: Vec<DeclaredProblem>,
    /// What was there and not understood, by resource and pointer. `layered.gaps()` has what could not be read.
    pub gaps: Vec<Gap>,
    /// Ids and pointers at which the inline and the standalone form of a child differ (`conflicting-input`).
    pub conflicts: Vec<Gap>,
}

impl std::ops::Deref for Network {
    type Target = Objects;

    fn deref(&self) -> &Objects {
        &self.objects
    }
}

impl Network {
    /// Reads everything that is consumed ([`crate::consumed_types`]). Never fails: what is odd is a symbol where it
    /// stands, and a gap.
    pub fn read(layered: Layered, declared: Declared) -> Self {
        let mut read = crate::read::read(&layered);
        let indexes = Indexes::link(&layered, &mut read.objects);
        let tags = crate::Tags::new(layered.tag_lists(), crate::tags::documented);
        let mut network = Self {
            tags,
            layered,
            declared,
            objects: read.objects,
            symbols: read.symbols,
            indexes,
            sites: Table::default(),
            dns_servers: Table::default(),
            appliances: Table::default(),
            declared_problems: Vec::new(),
            gaps: read.gaps,
            conflicts: read.conflicts,
        };
        crate::resolve::resolve(&mut network);
        network
    }
}

impl crate::set::TagMatch for Network {
    fn tag_covers(&self, tag: &str, what: &crate::set::TagTarget<'_>) -> crate::set::Tri {
        self.tags.tag_covers(tag, what)
    }

    fn tag_addresses(&self, tag: &str) -> Option<&crate::set::Addresses> {
        self.tags.tag_addresses(tag)
    }
}
