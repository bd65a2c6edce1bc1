//! What is wrong with a broken cluster. One row a cause.

/// Why the pools of a cluster cannot pull.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Both halves of the spoke's peering exist, the hub's is Disconnected.
    PeeringDisconnected,
    /// The hub's half does not exist.
    PeeringHalfMissing,
    /// An outbound rule denies the private endpoint's subnet.
    SecurityGroupDeniesEndpoint,
    /// The same, for half of every node subnet.
    SecurityGroupDeniesHalf,
    /// The NSG at the nodes' NICs denies it.
    NodeSecurityGroupDenies,
    /// A route for the hub's network leads to an address that nobody has.
    RouteToNobody,
    /// The zone is not linked to the spoke, which uses Azure-provided DNS.
    ZoneNotLinked,
    /// The spoke has a zone of its own, in which the login server has an old address.
    RecordStale,
    /// The same, without the data endpoint's record.
    DataRecordMissing,
    /// No role at the registry.
    RoleMissing,
    /// A role that does not let pull.
    RoleDoesNotPull,
    /// A deny assignment at the registry.
    PullDenied,
}

impl Fault {
    pub(crate) const ALL: [Self; 12] = [
        Self::PeeringDisconnected,
        Self::SecurityGroupDeniesEndpoint,
        Self::ZoneNotLinked,
        Self::RoleMissing,
        Self::RouteToNobody,
        Self::DataRecordMissing,
        Self::SecurityGroupDeniesHalf,
        Self::RecordStale,
        Self::RoleDoesNotPull,
        Self::PeeringHalfMissing,
        Self::NodeSecurityGroupDenies,
        Self::PullDenied,
    ];

    /// The spoke then uses Azure-provided DNS, and the hub's zone is not linked to it.
    pub(crate) fn has_own_names(self) -> bool {
        matches!(self, Self::ZoneNotLinked | Self::RecordStale | Self::DataRecordMissing)
    }
}
