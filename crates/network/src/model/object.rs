//! Any object, by its number.

use pullproof_snapshot::{ArmId, Place};

use super::index::*;
use crate::network::Objects;

/// A number of one type of object.
pub trait Kind: Ix {
    /// The number, where the object is of this type.
    fn of(object: Object) -> Option<Self>;
}

macro_rules! objects {
    ($($name:ident($ix:ident) = $table:ident,)*) => {
        /// Any object that was read.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Object {
            $($name($ix),)*
        }

        $(impl Kind for $ix {
            fn of(object: Object) -> Option<Self> {
                match object {
                    Object::$name(ix) => Some(ix),
                    _ => None,
                }
            }
        })*

        impl Objects {
            /// Calls `f` with every object, table by table.
            pub fn each(&self, mut f: impl FnMut(Object, &ArmId, Place)) {
                $(for (ix, object) in self.$table.iter() {
                    f(Object::$name(ix), &object.id, object.place);
                })*
            }

            pub fn id(&self, object: Object) -> &ArmId {
                match object {
                    $(Object::$name(ix) => &self.$table[ix].id,)*
                }
            }

            pub(crate) fn append(&mut self, part: &mut Self) {
                $(self.$table.append(&mut part.$table);)*
            }
        }
    };
}

objects! {
    Vnet(VnetIx) = vnets,
    Subnet(SubnetIx) = subnets,
    Peering(PeeringIx) = peerings,
    Nsg(NsgIx) = nsgs,
    Asg(AsgIx) = asgs,
    RouteTable(RouteTableIx) = route_tables,
    Nic(NicIx) = nics,
    PublicIp(PublicIpIx) = public_ips,
    PublicIpPrefix(PublicIpPrefixIx) = public_ip_prefixes,
    NatGateway(NatGatewayIx) = nat_gateways,
    LoadBalancer(LoadBalancerIx) = load_balancers,
    ServiceEndpointPolicy(ServiceEndpointPolicyIx) = service_endpoint_policies,
    PrivateEndpoint(PrivateEndpointIx) = private_endpoints,
    ZoneGroup(ZoneGroupIx) = zone_groups,
    PrivateLinkService(PrivateLinkServiceIx) = private_link_services,
    Gateway(GatewayIx) = gateways,
    Connection(ConnectionIx) = connections,
    LocalGateway(LocalGatewayIx) = local_gateways,
    Circuit(CircuitIx) = circuits,
    Hub(HubIx) = hubs,
    HubConnection(HubConnectionIx) = hub_connections,
    HubRouteTable(HubRouteTableIx) = hub_route_tables,
    RoutingIntent(RoutingIntentIx) = routing_intents,
    HubGateway(HubGatewayIx) = hub_gateways,
    Firewall(FirewallIx) = firewalls,
    Policy(PolicyIx) = policies,
    RuleCollectionGroup(RuleCollectionGroupIx) = rule_collection_groups,
    IpGroup(IpGroupIx) = ip_groups,
    NetworkManager(NetworkManagerIx) = network_managers,
    Zone(ZoneIx) = zones,
    ZoneLink(ZoneLinkIx) = zone_links,
    RecordSet(RecordSetIx) = record_sets,
    Resolver(ResolverIx) = resolvers,
    InboundEndpoint(InboundEndpointIx) = inbound_endpoints,
    OutboundEndpoint(OutboundEndpointIx) = outbound_endpoints,
    Ruleset(RulesetIx) = rulesets,
    ForwardingRule(ForwardingRuleIx) = forwarding_rules,
    RulesetLink(RulesetLinkIx) = ruleset_links,
    DnsPolicy(DnsPolicyIx) = dns_policies,
    DnsPolicyLink(DnsPolicyLinkIx) = dns_policy_links,
    DnsSecurityRule(DnsSecurityRuleIx) = dns_security_rules,
    DomainList(DomainListIx) = domain_lists,
    Registry(RegistryIx) = registries,
    Replication(ReplicationIx) = replications,
    Cluster(ClusterIx) = clusters,
    Pool(PoolIx) = pools,
    ScaleSet(ScaleSetIx) = scale_sets,
    VirtualMachine(VirtualMachineIx) = virtual_machines,
    UserIdentity(UserIdentityIx) = user_identities,
    RoleAssignment(RoleAssignmentIx) = role_assignments,
    RoleDefinition(RoleDefinitionIx) = role_definitions,
    DenyAssignment(DenyAssignmentIx) = deny_assignments,
    Subscription(SubscriptionIx) = subscriptions,
}
