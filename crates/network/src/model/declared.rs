//! Declared facts with their names resolved (CONTRACT §2).

use super::index::{ConnectionIx, NicIx, Ref, SiteIx, VirtualMachineIx, VnetIx};

/// `[[site]]`: the `table`-th of `declared.sites`.
#[derive(Clone, Debug)]
pub struct Site {
    pub table: usize,
    pub name: Box<str>,
    /// `connections = […]`. A name that is not found or ambiguous is a problem, and is not in here.
    pub connections: Vec<ConnectionIx>,
    /// Ids of hub connections (`vpnGateways/vpnConnections`, `expressRouteGateways/expressRouteConnections`) among
    /// `connections`.
    pub hub_connections: Vec<pullproof_snapshot::ArmId>,
    pub preferred: Option<ConnectionIx>,
}

/// `[[dns_server]]`: the `table`-th of `declared.dns_servers`.
#[derive(Clone, Debug)]
pub struct DnsServer {
    pub table: usize,
    pub vnet: Option<Ref<VnetIx>>,
    pub site: Option<SiteIx>,
}

/// `[[appliance]]`: the `table`-th of `declared.appliances`.
#[derive(Clone, Debug)]
pub struct Appliance {
    pub table: usize,
    pub vnet: Option<Ref<VnetIx>>,
    pub members: Vec<Member>,
}

/// A member of an appliance: a machine, or a NIC of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Member {
    VirtualMachine(VirtualMachineIx),
    Nic(NicIx),
}

/// A name in `pullproof.toml` that names nothing, or too much. The table is then read without it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeclaredProblem {
    /// Key of `declared.lines`, such as `site.0`.
    pub table: String,
    /// The key inside the table, such as `connections`.
    pub key: &'static str,
    pub name: String,
    pub message: String,
}
