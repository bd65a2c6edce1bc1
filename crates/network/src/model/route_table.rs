//! Route tables and user routes (R4).

use std::net::IpAddr;

use pullproof_snapshot::{ArmId, Place};

use super::address::AddressTerm;
use super::val::{List, Val};
use super::word::{ProvisioningState, words};

/// `Microsoft.Network/routeTables`.
#[derive(Clone, Debug)]
pub struct RouteTable {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    /// Absent counts as false: propagation is on (R72, R243).
    pub disable_bgp_route_propagation: Val<bool>,
    pub routes: List<Route>,
}

pub mod route_table {
    pub const DISABLE_BGP_ROUTE_PROPAGATION: &str = "/properties/disableBgpRoutePropagation";
    pub const ROUTES: &str = "/properties/routes";
}

/// One user route.
#[derive(Clone, Debug)]
pub struct Route {
    pub id: ArmId,
    pub place: Place,
    pub name: Box<str>,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    /// A prefix or a service tag (R53).
    pub prefix: Val<AddressTerm>,
    pub next_hop_type: Val<NextHopType>,
    /// Only with `VirtualAppliance`.
    pub next_hop: Val<Option<IpAddr>>,
}

pub mod route {
    pub const PREFIX: &str = "/properties/addressPrefix";
    pub const NEXT_HOP_TYPE: &str = "/properties/nextHopType";
    pub const NEXT_HOP: &str = "/properties/nextHopIpAddress";
}

words! {
    NextHopType {
        VirtualNetworkGateway = "VirtualNetworkGateway", VnetLocal = "VnetLocal", Internet = "Internet",
        VirtualAppliance = "VirtualAppliance", None = "None",
    }
}
