//! Devices that a packet has passed, as the reply needs to know them (R163–R166).

use std::net::IpAddr;

use pullproof_snapshot::ArmId;

use crate::reach::Passed;

/// Where a packet is looked up next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    Subnet(ArmId),
    Hub(ArmId),
}

/// One device, by the identity that symmetry is about: a front end and its pool count as one (R164).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossed {
    pub id: String,
    /// The address that routes name as next hop.
    pub address: IpAddr,
    /// Where the device receives, and sends replies from.
    pub at: Position,
    /// NICs that are the device: its own, or the pool's.
    pub members: Vec<ArmId>,
    pub azure_firewall: bool,
    pub source_nat: bool,
    pub proxied: bool,
    pub intercepts_tls: bool,
}

impl Crossed {
    pub fn passed(self) -> Passed {
        Passed {
            id: self.id,
            address: self.address,
            stateful: true,
            source_nat: self.source_nat,
            proxied: self.proxied,
            intercepts_tls: self.intercepts_tls,
        }
    }
}
