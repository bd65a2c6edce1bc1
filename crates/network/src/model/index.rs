//! Numbers of objects, tables of objects, and references between them.

use std::marker::PhantomData;
use std::ops::Index;

use pullproof_snapshot::ArmId;

/// A number that names one object of one table. Only the network that holds the table makes it.
pub trait Ix: Copy + Ord {
    fn new(number: u32) -> Self;
    fn number(self) -> u32;
    /// The number after appending a table to one of `by` objects.
    fn shifted(self, by: u32) -> Self {
        Self::new(self.number().saturating_add(by))
    }
}

macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl Ix for $name {
            fn new(number: u32) -> Self {
                Self(number)
            }
            fn number(self) -> u32 {
                self.0
            }
        }
    )*};
}

indices! {
    VnetIx, SubnetIx, PeeringIx, NsgIx, AsgIx, RouteTableIx, NicIx, PublicIpIx, PublicIpPrefixIx, NatGatewayIx,
    LoadBalancerIx, ServiceEndpointPolicyIx, PrivateEndpointIx, ZoneGroupIx, PrivateLinkServiceIx,
    GatewayIx, ConnectionIx, LocalGatewayIx, CircuitIx, HubIx, HubConnectionIx, HubRouteTableIx, RoutingIntentIx,
    HubGatewayIx, FirewallIx, PolicyIx, RuleCollectionGroupIx, IpGroupIx, NetworkManagerIx,
    ZoneIx, ZoneLinkIx, RecordSetIx, ResolverIx, InboundEndpointIx, OutboundEndpointIx, RulesetIx,
    ForwardingRuleIx, RulesetLinkIx, DnsPolicyIx, DnsPolicyLinkIx, DnsSecurityRuleIx, DomainListIx,
    RegistryIx, ReplicationIx, ClusterIx, PoolIx, ScaleSetIx, VirtualMachineIx,
    UserIdentityIx, RoleAssignmentIx, RoleDefinitionIx, DenyAssignmentIx, SubscriptionIx,
    SiteIx, DnsServerIx, ApplianceIx,
}

/// The objects of one type, in order of folded id; children follow the order of their parents, parents that were not
/// read themselves (only a child of them was) stand last.
#[derive(Clone, Debug)]
pub struct Table<I, T> {
    items: Vec<T>,
    ix: PhantomData<I>,
}

impl<I: Ix, T> Table<I, T> {
    pub(crate) fn push(&mut self, item: T) -> I {
        let ix = I::new(self.next());
        self.items.push(item);
        ix
    }

    /// The number that the next object gets.
    pub(crate) fn next(&self) -> u32 {
        u32::try_from(self.items.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn append(&mut self, other: &mut Self) {
        self.items.append(&mut other.items);
    }

    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    pub fn get(&self, ix: I) -> Option<&T> {
        self.items.get(ix.number() as usize)
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> + '_ {
        (0..).map(I::new).zip(self.items.iter())
    }
}

impl<I, T> Default for Table<I, T> {
    fn default() -> Self {
        Self { items: Vec::new(), ix: PhantomData }
    }
}

/// Numbers are made by the network that holds the table and cannot be made elsewhere, so this finds its object.
impl<I: Ix, T> Index<I> for Table<I, T> {
    type Output = T;

    fn index(&self, ix: I) -> &T {
        &self.items[ix.number() as usize]
    }
}

/// A reference to another object: read, or only known by its id.
///
/// `NotRead` says nothing about existence: ask `layered.absence` with the id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ref<I> {
    Here(I),
    NotRead(ArmId),
}

impl<I: Copy> Ref<I> {
    pub fn here(&self) -> Option<I> {
        match self {
            Self::Here(ix) => Some(*ix),
            Self::NotRead(_) => None,
        }
    }
}
