//! What a walk from one machine to one address finds: routing and filtering of both directions, apart.

use std::net::IpAddr;

use ipnet::IpNet;
use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::Missing;
use serde_json::Value;

use crate::tri::Tri;

/// The answer of [`crate::path::reach`]. The four parts are independent: a packet that no route delivers is no reason
/// for a filter's denial, and what lies behind a failed hop is unknown (`depends_on`), never allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// Every hop delivers the packet (R1…R257).
    pub forward_routing: Tri,
    /// No security admin rule, NSG, firewall, appliance or site filter drops it (F1…F179).
    pub forward_filter: Tri,
    /// The reply comes back, through the same stateful devices (R2, R86, R87, R160, R164, R255).
    pub return_routing: Tri,
    /// Nothing drops the reply; stateful filters let it pass with the connection (F16, F18, F133).
    pub return_filter: Tri,
    /// Steps of the forward walk, then of the return walk, in the shape of the items of `proofs[].path` (CONTRACT §3).
    pub trace: Vec<Value>,
    /// Where the packet ends; `None` where it ends nowhere or that is not known.
    pub delivery: Option<Delivery>,
    /// The address that it is delivered to: another one than asked for where a firewall resolved the host anew (F121).
    pub destination: IpAddr,
    /// The addresses under which the Internet sees the packet; of a range each is possible. Empty where it does not
    /// get there, or where they are not known (then `egress_missing` says why).
    pub egress: Vec<IpNet>,
    pub egress_missing: Vec<Missing>,
    /// Devices that the packet passes, in order.
    pub devices: Vec<Passed>,
    /// Assumptions that were read, such as `site:dc/unfiltered` (V12).
    pub assumptions: Vec<String>,
    /// Remarks that change no verdict, such as `pe-no-snat-same-vnet` or `implicit-egress`.
    pub findings: Vec<String>,
}

/// Where a packet ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    PrivateEndpoint(ArmId),
    NetworkInterface(ArmId),
    LoadBalancer(ArmId),
    AzureFirewall(ArmId),
    /// An inbound endpoint of a DNS private resolver.
    ResolverEndpoint(ArmId),
    /// An address of this virtual network whose owner the snapshot does not show.
    VirtualNetwork(ArmId),
    /// A declared site, by name.
    Site(String),
    /// Public address space, from the egress addresses.
    Internet,
    /// A public service, from the private address, with the identity of this subnet (R96, F146).
    ServiceEndpoint {
        subnet: ArmId,
        service: String,
    },
    /// The host's own service addresses, 168.63.129.16 and 169.254.169.254 (R24).
    Platform,
}

/// A device that forwarded the packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// ARM id, or `appliance:<address>` for one that only the declared facts know.
    pub id: String,
    /// The address that routes name as next hop.
    pub address: IpAddr,
    /// It keeps state: replies pass only through it.
    pub stateful: bool,
    /// It sent the packet on under an address of its own.
    pub source_nat: bool,
    /// The packet was allowed by an application rule: the device opened the connection anew (F121).
    pub proxied: bool,
    /// It presents a certificate of its own for this host (TLS inspection, F137).
    pub intercepts_tls: bool,
}

impl Reach {
    /// Routing and filtering of the forward direction.
    pub fn forward(&self) -> Tri {
        self.forward_routing.clone().and(self.forward_filter.clone())
    }

    /// Routing and filtering of the reply.
    pub fn back(&self) -> Tri {
        self.return_routing.clone().and(self.return_filter.clone())
    }
}
