//! Who asks: a node of a pool, or a machine, in one subnet.

use pullproof_network::model::index::{NicIx, PoolIx, SubnetIx};
use pullproof_network::set::{Addresses, Ports};

/// Everything about the asker that an answer can depend on. Never the bare subnet: two clusters in one subnet differ
/// (NIC-level NSG, ASGs, egress, resolver, ports).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceContext {
    pub subnet: SubnetIx,
    /// The node pool whose new node asks.
    pub pool: Option<PoolIx>,
    /// The NIC, where an existing machine asks.
    pub nic: Option<NicIx>,
    /// The addresses that the asker may have: for a node all assignable ones of the subnet (V2, R25).
    pub sources: Addresses,
    /// The client's ephemeral ports (V2: 32768–60999 on Linux, 49152–65535 on Windows).
    pub sports: Ports,
}

/// The transport of a flow that is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Proto {
    Tcp,
    Udp,
}
