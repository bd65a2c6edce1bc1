//! One effective route, and what may hold more of them. Data only.

use std::net::IpAddr;

use ipnet::IpNet;
use pullproof_network::model::index::{
    ConnectionIx, GatewayIx, HubConnectionIx, PeeringIx, PrivateEndpointIx, RouteTableIx, VnetIx,
};
use pullproof_network::set::Addresses;
use pullproof_snapshot::At;

use crate::outcome::Missing;

/// One row of an effective route table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    pub prefix: IpNet,
    pub hop: Hop,
    pub source: RouteSource,
    /// Of identical prefixes in one table, the lower rank is taken (R54).
    pub rank: TagRank,
    /// The user route's name.
    pub name: Option<Box<str>>,
    pub table: Option<RouteTableIx>,
    /// The service tag that the prefix comes from (R53).
    pub tag: Option<Box<str>>,
    /// Where it was read; the deciding element first.
    pub by: Vec<At>,
    pub facts: &'static [&'static str],
    /// The route rests on this declared table, such as `site:dc`.
    pub assumption: Option<String>,
}

/// In the order of preference among identical prefixes, weakest first (R60).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RouteSource {
    Default,
    VirtualNetworkGateway,
    User,
}

impl RouteSource {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "Default",
            Self::VirtualNetworkGateway => "VirtualNetworkGateway",
            Self::User => "User",
        }
    }
}

/// R54: an explicit prefix beats a regional tag, that a top-level tag, that regional `AzureCloud`, that `AzureCloud`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TagRank {
    Explicit,
    RegionalTag,
    Tag,
    RegionalAzureCloud,
    AzureCloud,
}

impl TagRank {
    pub fn of(tag: &str) -> Self {
        let (name, regional) = tag.split_once('.').map_or((tag, false), |(name, _)| (name, true));
        match (name.eq_ignore_ascii_case("AzureCloud"), regional) {
            (true, true) => Self::RegionalAzureCloud,
            (true, false) => Self::AzureCloud,
            (false, true) => Self::RegionalTag,
            (false, false) => Self::Tag,
        }
    }
}

/// Where a route sends its packets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hop {
    /// Into the subnet's own network (R13); authored by a user: for a narrower prefix (R51).
    VnetLocal,
    /// To a directly peered network (R27).
    Peering(PeeringIx),
    /// To the address space of the Virtual WAN hub itself, over the network's connection to it (R182).
    HubItself(HubConnectionIx),
    Internet,
    /// Dropped (R21, R50).
    Drop,
    /// The service's public prefixes (R29); the text is the service, such as `Microsoft.Storage`.
    ServiceEndpoint(Box<str>),
    /// A private endpoint's own address (R30).
    PrivateEndpoint(PrivateEndpointIx),
    /// The address of a NIC, internal front end or firewall (R37).
    Appliance(IpAddr),
    /// Through these connections of a virtual network gateway: its own network's, or one of a peered network by gateway
    /// transit (R28, R133). All carry the prefix.
    Gateway(GatewayIx, Vec<ConnectionIx>),
    /// A user route to "the VPN gateway" (R47, R48): what the gateway does with the packet is its own matter.
    VpnGateway,
    /// What the connection's associated hub route table holds (R180, R182).
    Hub(HubConnectionIx),
}

impl Hop {
    /// Of the kind that is preferred over gateway-sourced routes whatever their length (R62).
    pub fn is_local(&self) -> bool {
        matches!(self, Self::VnetLocal | Self::Peering(_) | Self::HubItself(_))
    }
}

/// Something that may hold routes that were not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenSource {
    pub kind: OpenKind,
    /// What the routes can be about; `None`: anything.
    pub within: Option<Addresses>,
    pub missing: Missing,
}

/// What kind of route may be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenKind {
    /// A user route of any prefix.
    User,
    /// A user route of this prefix whose next hop is not known.
    UserHop(IpNet),
    /// A user route for the addresses of its tag, whose prefixes are not known: `prefix` stands for them.
    UserTag(Box<Route>),
    /// Gateway-sourced: weaker than system routes to networks, whatever its length (R62).
    Gateway,
    /// System routes to networks: a peering or connected group.
    Network(Option<VnetIx>),
    /// A service endpoint's routes for the addresses of its tag, whose prefixes are not known: `prefix` stands for them.
    ServiceEndpoint(Box<Route>),
}
