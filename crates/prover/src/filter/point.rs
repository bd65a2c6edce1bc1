//! Where a packet is filtered: at one network interface, as it leaves or enters.

use pullproof_network::model::index::{NicIx, PoolIx, PrivateEndpointIx, SubnetIx};
use pullproof_snapshot::question::Direction;

use crate::context::SourceContext;

/// One pass of a packet through the filters of a network interface: security admin rules, then the two NSG levels in
/// the order of the direction (F2, F3, F100). A path has one point for each interface that it leaves or enters (F6):
/// the node out, each appliance in and out, the receiver in. Replies have none (F16), save at an interface that the
/// forward leg did not cross (F18).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilterPoint {
    /// The subnet that the interface is in: its NSG, and its expansion of `VirtualNetwork` (F62).
    pub subnet: SubnetIx,
    pub holder: Holder,
    pub direction: Direction,
    /// The sources are the node's own addresses, of a new node of this pool: decides membership in application
    /// security groups (F35). `None` after source translation, and for other senders.
    pub sender: Option<PoolIx>,
    /// A device without source translation forwarded the packet to this interface, over a peering of the interface's
    /// network (F65, F179).
    pub forwarded: bool,
}

/// Whose interface it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holder {
    /// A new node of the pool: the NSG of its scale set's NIC configuration (F48, F54).
    Pool(PoolIx),
    Nic(NicIx),
    /// Filtered only on entry, only by its subnet, only where the subnet's policy says so (F88–F93, F99).
    PrivateEndpoint(PrivateEndpointIx),
    /// A device without a customer's NIC (firewall, resolver endpoint, gateway, load balancer front end), or an
    /// address that nothing read owns.
    Other,
}

impl FilterPoint {
    /// The asker's own interface, as its packet leaves.
    pub fn leaving(from: &SourceContext) -> Self {
        let holder = match (from.pool, from.nic) {
            (Some(pool), _) => Holder::Pool(pool),
            (None, Some(nic)) => Holder::Nic(nic),
            (None, None) => Holder::Other,
        };
        Self {
            subnet: from.subnet,
            holder,
            direction: Direction::Outbound,
            sender: from.pool,
            forwarded: false,
        }
    }

    /// An interface that a packet enters.
    pub fn entering(subnet: SubnetIx, holder: Holder) -> Self {
        Self { subnet, holder, direction: Direction::Inbound, sender: None, forwarded: false }
    }
}
