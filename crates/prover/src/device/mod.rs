//! What stands at an address: the devices that packets are sent to as next hops and as destinations (R36–R46, R165).
//!
//! What lives here: where an address is, who holds it, whether the holder forwards, and declared filters. What may
//! not: routes (`routes/`), and the order in which a packet meets devices (`walk/`).
//!
//! Read in this order: [`locate`], [`next_hop`], [`load_balancer`], [`declared_filter`], [`machine`],
//! `private_endpoint`.

pub mod declared_filter;
pub mod load_balancer;
pub mod locate;
pub mod machine;
pub mod next_hop;
mod private_endpoint;

use std::net::IpAddr;

use pullproof_network::model::index::{ApplianceIx, FirewallIx, HubIx, LoadBalancerIx, NicIx, SubnetIx};

/// A device that packets pass, by what makes two passes meet the same state (R164).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeviceId {
    Firewall(FirewallIx),
    /// A declared appliance: all of its members are one device.
    Appliance(ApplianceIx),
    Nic(NicIx),
    /// `frontends[n]` of a load balancer, with its pool.
    Frontend(LoadBalancerIx, u16),
}

/// One pass through a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    pub id: DeviceId,
    /// For people: the device's short name.
    pub name: String,
    /// The address that the packet was sent to.
    pub entry: IpAddr,
    /// Where the device sends replies towards the asker from: its subnet, or the hub that it stands in.
    pub near: Place,
    /// Tag `disableSnatOnPL` is `true` on its NIC or scale set (R92).
    pub returns_endpoint_traffic: bool,
    /// Several machines behind one front end (R165, R166).
    pub pooled: bool,
}

/// Where a device routes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    Subnet(SubnetIx),
    Hub(HubIx),
}
