//! Which objects belong to which: every index is built once, after reading.

use std::collections::HashMap;
use std::net::IpAddr;

use pullproof_snapshot::{Layered, ResourceIx};

use crate::link::{Linker, link};
use crate::model::index::*;
use crate::model::object::Object;
use crate::model::owner::{AsgMember, Owner, UnknownOwner};
use crate::model::private_endpoint::PrivateLinkTarget;
use crate::model::val::Val;
use crate::network::{Network, Objects};

/// The numbers of some objects for each object of one type.
#[derive(Clone, Debug)]
struct Groups<K, V> {
    by_key: Vec<Vec<V>>,
    /// Those whose key is not known.
    open: Vec<V>,
    key: std::marker::PhantomData<K>,
}

impl<K: Ix, V: Copy + Ord> Groups<K, V> {
    fn new(keys: usize) -> Self {
        Self { by_key: vec![Vec::new(); keys], open: Vec::new(), key: std::marker::PhantomData }
    }

    fn add(&mut self, key: K, value: V) {
        if let Some(values) = self.by_key.get_mut(key.number() as usize)
            && !values.contains(&value)
        {
            values.push(value);
        }
    }

    fn add_ref(&mut self, key: &Val<Option<Ref<K>>>, value: V) {
        match key {
            Val::Known(Some(Ref::Here(key))) => self.add(*key, value),
            Val::Known(_) => {}
            Val::Sym(_) => self.open.push(value),
        }
    }

    /// As [`Self::add_ref`] for links, which always lead to a network: one that names none may lead anywhere.
    fn add_link(&mut self, key: &Val<Option<Ref<K>>>, value: V) {
        match key {
            Val::Known(None) => self.open.push(value),
            key => self.add_ref(key, value),
        }
    }

    fn of(&self, key: K) -> &[V] {
        self.by_key.get(key.number() as usize).map_or(&[], Vec::as_slice)
    }
}

/// All indexes. Use them through the methods of [`Network`].
#[derive(Clone, Debug)]
pub struct Indexes {
    by_id: HashMap<Box<str>, Object>,
    by_resource: HashMap<ResourceIx, Object>,
    owners: HashMap<IpAddr, Vec<Owner>>,
    unknown_owners: Vec<UnknownOwner>,
    zone_links: Groups<VnetIx, ZoneLinkIx>,
    peerings_to: Groups<VnetIx, PeeringIx>,
    gateways: Groups<VnetIx, GatewayIx>,
    route_servers: Groups<VnetIx, HubIx>,
    firewalls: Groups<VnetIx, FirewallIx>,
    resolvers: Groups<VnetIx, ResolverIx>,
    rulesets: Groups<VnetIx, RulesetLinkIx>,
    dns_policies: Groups<VnetIx, DnsPolicyLinkIx>,
    hub_connections: Groups<VnetIx, HubConnectionIx>,
    pools: Groups<SubnetIx, PoolIx>,
    nics: Groups<SubnetIx, (NicIx, u16)>,
    scale_sets: Groups<SubnetIx, ScaleSetIx>,
    private_endpoints: Groups<RegistryIx, PrivateEndpointIx>,
    private_endpoints_in: Groups<SubnetIx, PrivateEndpointIx>,
    connections: Groups<GatewayIx, ConnectionIx>,
    circuit_connections: Groups<CircuitIx, ConnectionIx>,
    asg_members: Groups<AsgIx, AsgMember>,
    pool_scale_sets: Groups<PoolIx, ScaleSetIx>,
    assignments: HashMap<Box<str>, Vec<RoleAssignmentIx>>,
    assignments_open: Vec<RoleAssignmentIx>,
}

impl Indexes {
    /// Links all references and builds the indexes.
    pub(crate) fn link(layered: &Layered, objects: &mut Objects) -> Self {
        let (by_id, by_resource) = ids(layered, objects);
        link(objects, &Linker { by_id: &by_id });
        let (vnets, subnets) = (objects.vnets.len(), objects.subnets.len());
        let mut out = Self {
            by_id,
            by_resource,
            owners: HashMap::new(),
            unknown_owners: Vec::new(),
            zone_links: Groups::new(vnets),
            peerings_to: Groups::new(vnets),
            gateways: Groups::new(vnets),
            route_servers: Groups::new(vnets),
            firewalls: Groups::new(vnets),
            resolvers: Groups::new(vnets),
            rulesets: Groups::new(vnets),
            dns_policies: Groups::new(vnets),
            hub_connections: Groups::new(vnets),
            pools: Groups::new(subnets),
            nics: Groups::new(subnets),
            scale_sets: Groups::new(subnets),
            private_endpoints: Groups::new(objects.registries.len()),
            private_endpoints_in: Groups::new(subnets),
            connections: Groups::new(objects.gateways.len()),
            circuit_connections: Groups::new(objects.circuits.len()),
            asg_members: Groups::new(objects.asgs.len()),
            pool_scale_sets: Groups::new(objects.pools.len()),
            assignments: HashMap::new(),
            assignments_open: Vec::new(),
        };
        out.networks(objects);
        out.dns(objects);
        out.registries(objects);
        out.nodes(objects);
        out.members(objects);
        out.assignments(objects);
        let (owners, unknown) = crate::owners::owners(objects);
        out.owners = owners;
        out.unknown_owners = unknown;
        out
    }

    fn networks(&mut self, objects: &Objects) {
        let vnet_of = |subnet: &Val<Option<Ref<SubnetIx>>>| -> Option<VnetIx> {
            subnet.present().and_then(Ref::here).map(|subnet| objects.subnets[subnet].vnet)
        };
        for (ix, peering) in objects.peerings.iter() {
            self.peerings_to.add_ref(&peering.remote, ix);
        }
        for (ix, gateway) in objects.gateways.iter() {
            for config in &gateway.ip_configs {
                match &config.subnet {
                    Val::Sym(_) => self.gateways.open.push(ix),
                    known => {
                        if let Some(vnet) = vnet_of(known) {
                            self.gateways.add(vnet, ix);
                        }
                    }
                }
            }
            if gateway.ip_configs.open.is_some() {
                self.gateways.open.push(ix);
            }
        }
        for (ix, hub) in objects.hubs.iter() {
            for subnet in hub.route_server_subnets.iter().filter_map(Ref::here) {
                self.route_servers.add(objects.subnets[subnet].vnet, ix);
            }
        }
        for (ix, firewall) in objects.firewalls.iter() {
            for vnet in firewall.ip_configs.iter().filter_map(|config| vnet_of(&config.subnet)) {
                self.firewalls.add(vnet, ix);
            }
        }
        for (ix, connection) in objects.hub_connections.iter() {
            self.hub_connections.add_ref(&connection.remote, ix);
        }
        for (ix, connection) in objects.connections.iter() {
            self.connections.add_ref(&connection.gateway, ix);
            self.connections.add_ref(&connection.gateway2, ix);
            self.circuit_connections.add_ref(&connection.circuit, ix);
        }
    }

    fn dns(&mut self, objects: &Objects) {
        for (ix, link) in objects.zone_links.iter() {
            self.zone_links.add_link(&link.vnet, ix);
        }
        for (ix, resolver) in objects.resolvers.iter() {
            self.resolvers.add_ref(&resolver.vnet, ix);
        }
        for (ix, link) in objects.ruleset_links.iter() {
            self.rulesets.add_link(&link.vnet, ix);
        }
        for (ix, link) in objects.dns_policy_links.iter() {
            self.dns_policies.add_link(&link.vnet, ix);
        }
    }

    fn registries(&mut self, objects: &Objects) {
        for (ix, endpoint) in objects.private_endpoints.iter() {
            self.private_endpoints_in.add_ref(&endpoint.subnet, ix);
            for connection in &endpoint.connections {
                match &connection.target {
                    Val::Known(Some(PrivateLinkTarget::Registry(Ref::Here(registry)))) => {
                        self.private_endpoints.add(*registry, ix);
                    }
                    Val::Known(_) => {}
                    Val::Sym(_) => self.private_endpoints.open.push(ix),
                }
            }
            if endpoint.connections.open.is_some() {
                self.private_endpoints.open.push(ix);
            }
        }
        // The registry's own list names endpoints whose target could not be read, too.
        for (ix, registry) in objects.registries.iter() {
            for connection in &registry.private_endpoint_connections {
                if let Some(Ref::Here(endpoint)) = connection.private_endpoint.present() {
                    self.private_endpoints.add(ix, *endpoint);
                }
            }
        }
        for group in &mut self.private_endpoints.by_key {
            group.sort_unstable();
        }
    }

    fn nodes(&mut self, objects: &Objects) {
        for (ix, pool) in objects.pools.iter() {
            self.pools.add_ref(&pool.vnet_subnet, ix);
        }
        for (ix, nic) in objects.nics.iter() {
            for (n, config) in (0..).zip(&nic.ip_configs) {
                self.nics.add_ref(&config.subnet, (ix, n));
            }
        }
        let mut by_group: HashMap<(&str, &str), Vec<ScaleSetIx>> = HashMap::new();
        for (ix, set) in objects.scale_sets.iter() {
            for config in set.nic_configs.iter().flat_map(|config| &config.ip_configs) {
                self.scale_sets.add_ref(&config.subnet, ix);
            }
            if let (Some(subscription), Some(group)) = (set.id.subscription(), set.id.resource_group()) {
                by_group.entry((subscription, group)).or_default().push(ix);
            }
        }
        for (ix, pool) in objects.pools.iter() {
            let cluster = &objects.clusters[pool.cluster];
            let group = cluster.node_resource_group.present().map(|group| group.to_ascii_lowercase());
            let (Some(subscription), Some(group)) = (cluster.id.subscription(), group) else { continue };
            for set in by_group.get(&(subscription, group.as_str())).into_iter().flatten() {
                let name = objects.scale_sets[*set].pool_name.present();
                if name.is_some_and(|name| name.eq_ignore_ascii_case(&pool.name)) {
                    self.pool_scale_sets.add(ix, *set);
                }
            }
        }
    }

    fn members(&mut self, objects: &Objects) {
        let mut add = |asgs: &crate::model::val::List<Ref<AsgIx>>, member: AsgMember| {
            for asg in asgs.iter().filter_map(Ref::here) {
                self.asg_members.add(asg, member);
            }
            if asgs.open.is_some() {
                self.asg_members.open.push(member);
            }
        };
        for (ix, nic) in objects.nics.iter() {
            for (n, config) in (0..).zip(&nic.ip_configs) {
                add(&config.asgs, AsgMember::Nic(ix, n));
            }
        }
        for (ix, endpoint) in objects.private_endpoints.iter() {
            add(&endpoint.asgs, AsgMember::PrivateEndpoint(ix));
        }
        for (ix, pool) in objects.pools.iter() {
            add(&pool.asgs, AsgMember::Pool(ix));
        }
        for (ix, set) in objects.scale_sets.iter() {
            for config in set.nic_configs.iter().flat_map(|config| &config.ip_configs) {
                add(&config.asgs, AsgMember::ScaleSet(ix));
            }
        }
    }

    fn assignments(&mut self, objects: &Objects) {
        for (ix, assignment) in objects.role_assignments.iter() {
            match &assignment.principal {
                Val::Known(Some(principal)) => {
                    self.assignments.entry(principal.clone()).or_default().push(ix);
                }
                Val::Known(None) | Val::Sym(_) => self.assignments_open.push(ix),
            }
        }
    }
}

/// Ids of everything that may be referred to; whole resources by number.
fn ids(layered: &Layered, objects: &Objects) -> (HashMap<Box<str>, Object>, HashMap<ResourceIx, Object>) {
    let mut by_id = HashMap::new();
    let mut by_resource = HashMap::with_capacity(layered.resources().len());
    objects.each(|object, id, place| {
        // Nothing refers to record sets, assignments or default rules by id, and there are many.
        if !matches!(object, Object::RecordSet(_) | Object::RoleAssignment(_)) {
            by_id.insert(id.folded().into(), object);
        }
        if place.base.is_empty() {
            by_resource.insert(place.resource, object);
        }
    });
    (by_id, by_resource)
}

/// What belongs to what. Slices are in order of number. Where an index has a method that ends in `_open`, that one
/// lists the objects whose owner is not known (a hole stands there): they may belong to anything.
impl Network {
    /// The object with this id, letter case aside. Record sets and role assignments are not found by id.
    pub fn find(&self, id: &str) -> Option<Object> {
        self.indexes.by_id.get(pullproof_snapshot::id::fold(id).as_str()).copied()
    }

    /// The object that a whole resource is.
    pub fn object(&self, resource: ResourceIx) -> Option<Object> {
        self.indexes.by_resource.get(&resource).copied()
    }

    /// Every holder of an address that is known; one a network at most, unless Azure would refuse it too.
    pub fn owners_of(&self, address: IpAddr) -> &[Owner] {
        self.indexes.owners.get(&address).map_or(&[], Vec::as_slice)
    }

    /// Holders of addresses that are not known yet.
    pub fn unknown_owners(&self) -> &[UnknownOwner] {
        &self.indexes.unknown_owners
    }

    /// Links of private zones to a network, of every subscription that was read (D44).
    pub fn links_of(&self, vnet: VnetIx) -> &[ZoneLinkIx] {
        self.indexes.zone_links.of(vnet)
    }

    pub fn links_open(&self) -> &[ZoneLinkIx] {
        &self.indexes.zone_links.open
    }

    /// The network's own links (R6); the reverse links are [`Network::peerings_to`].
    pub fn peerings_of(&self, vnet: VnetIx) -> &[PeeringIx] {
        self.vnets.get(vnet).map_or(&[], |vnet| vnet.peerings.items.as_slice())
    }

    /// Links of other networks that lead to this one.
    pub fn peerings_to(&self, vnet: VnetIx) -> &[PeeringIx] {
        self.indexes.peerings_to.of(vnet)
    }

    pub fn peerings_to_open(&self) -> &[PeeringIx] {
        &self.indexes.peerings_to.open
    }

    /// VPN and ExpressRoute gateways in a network; both may be there.
    pub fn gateways_of(&self, vnet: VnetIx) -> &[GatewayIx] {
        self.indexes.gateways.of(vnet)
    }

    pub fn gateways_open(&self) -> &[GatewayIx] {
        &self.indexes.gateways.open
    }

    /// Route Servers in a network (R248).
    pub fn route_servers_of(&self, vnet: VnetIx) -> &[HubIx] {
        self.indexes.route_servers.of(vnet)
    }

    pub fn firewalls_in(&self, vnet: VnetIx) -> &[FirewallIx] {
        self.indexes.firewalls.of(vnet)
    }

    pub fn hub_connections_of(&self, vnet: VnetIx) -> &[HubConnectionIx] {
        self.indexes.hub_connections.of(vnet)
    }

    pub fn hub_connections_open(&self) -> &[HubConnectionIx] {
        &self.indexes.hub_connections.open
    }

    /// Connections with this gateway at either end.
    pub fn connections_of(&self, gateway: GatewayIx) -> &[ConnectionIx] {
        self.indexes.connections.of(gateway)
    }

    pub fn connections_of_circuit(&self, circuit: CircuitIx) -> &[ConnectionIx] {
        self.indexes.circuit_connections.of(circuit)
    }

    pub fn resolvers_of(&self, vnet: VnetIx) -> &[ResolverIx] {
        self.indexes.resolvers.of(vnet)
    }

    /// Links of forwarding rulesets to a network (D85).
    pub fn rulesets_of(&self, vnet: VnetIx) -> &[RulesetLinkIx] {
        self.indexes.rulesets.of(vnet)
    }

    pub fn rulesets_open(&self) -> &[RulesetLinkIx] {
        &self.indexes.rulesets.open
    }

    /// Links of DNS security policies to a network (D129).
    pub fn dns_policies_of(&self, vnet: VnetIx) -> &[DnsPolicyLinkIx] {
        self.indexes.dns_policies.of(vnet)
    }

    pub fn dns_policies_open(&self) -> &[DnsPolicyLinkIx] {
        &self.indexes.dns_policies.open
    }

    /// Pools whose `vnetSubnetID` is this subnet.
    pub fn pools_of(&self, subnet: SubnetIx) -> &[PoolIx] {
        self.indexes.pools.of(subnet)
    }

    pub fn pools_open(&self) -> &[PoolIx] {
        &self.indexes.pools.open
    }

    /// NICs in a subnet, each with the position of the IP configuration.
    pub fn nics_of(&self, subnet: SubnetIx) -> &[(NicIx, u16)] {
        self.indexes.nics.of(subnet)
    }

    /// Scale sets with a NIC configuration in a subnet.
    pub fn scale_sets_of(&self, subnet: SubnetIx) -> &[ScaleSetIx] {
        self.indexes.scale_sets.of(subnet)
    }

    /// The scale sets of a pool: in the cluster's node resource group, with the pool's name in a tag (A175).
    pub fn scale_sets_of_pool(&self, pool: PoolIx) -> &[ScaleSetIx] {
        self.indexes.pool_scale_sets.of(pool)
    }

    /// Private endpoints that lead to a registry, by their own word or by the registry's, whatever their state.
    pub fn private_endpoints_of(&self, registry: RegistryIx) -> &[PrivateEndpointIx] {
        self.indexes.private_endpoints.of(registry)
    }

    pub fn private_endpoints_open(&self) -> &[PrivateEndpointIx] {
        &self.indexes.private_endpoints.open
    }

    pub fn private_endpoints_in(&self, subnet: SubnetIx) -> &[PrivateEndpointIx] {
        self.indexes.private_endpoints_in.of(subnet)
    }

    /// Members of an application security group (F31, F35, F36).
    pub fn members_of(&self, asg: AsgIx) -> &[AsgMember] {
        self.indexes.asg_members.of(asg)
    }

    pub fn members_open(&self) -> &[AsgMember] {
        &self.indexes.asg_members.open
    }

    /// Role assignments to a principal (object id, letter case aside).
    pub fn assignments_of(&self, principal: &str) -> &[RoleAssignmentIx] {
        let principal = principal.to_ascii_lowercase();
        self.indexes.assignments.get(principal.as_str()).map_or(&[], Vec::as_slice)
    }

    pub fn assignments_open(&self) -> &[RoleAssignmentIx] {
        &self.indexes.assignments_open
    }
}
