//! Where everything stands: hubs, spokes, clusters, registries, and their addresses.

use super::fault::Fault;
use super::random::Random;
use super::size::{BROKEN_ONE_IN, SPOKES, Size};
use crate::expand::filler;

/// Every virtual network is a /21 of 10.0.0.0/8, counted from the first.
const NETWORK_BITS: u32 = 21;

pub(crate) struct Layout {
    pub(crate) seed: u64,
    pub(crate) hubs: Vec<Hub>,
    pub(crate) registries: usize,
}

pub(crate) struct Hub {
    /// Where its own network and its spokes' stand among all networks.
    pub(crate) network: usize,
    pub(crate) spokes: Vec<Spoke>,
    /// Spokes ask the hub's resolver; else the zone is linked to each of them.
    pub(crate) has_resolver: bool,
    /// The registry whose private endpoint is in this hub.
    pub(crate) registry: usize,
}

pub(crate) struct Spoke {
    pub(crate) network: usize,
    pub(crate) cluster: Option<Cluster>,
}

pub(crate) struct Cluster {
    /// Its number among all clusters.
    pub(crate) number: usize,
    pub(crate) fault: Option<Fault>,
}

impl Layout {
    pub(crate) fn new(scale: u32, seed: u64) -> Self {
        let size = Size::new(scale);
        let mut random = Random::new(seed, 0);
        let mut hubs: Vec<Hub> = Vec::new();
        let mut network = 0;
        while network < size.virtual_networks {
            let left = size.virtual_networks - network - 1;
            let mut count = random.within(SPOKES.0, SPOKES.1) as usize;
            // What would be too few for another hub goes to this one, or is shared by two.
            if left <= SPOKES.1 as usize {
                count = left;
            } else if left < count + 1 + SPOKES.0 as usize {
                count = left / 2;
            }
            let spokes = (1..=count).map(|i| Spoke { network: network + i, cluster: None }).collect();
            let registry = hubs.len() % size.registries;
            hubs.push(Hub { network, spokes, has_resolver: random.once_in(2), registry });
            network += count + 1;
        }
        place_clusters(&mut hubs, size.clusters);
        Self { seed, hubs, registries: size.registries }
    }

    /// The GUID of a subscription: 0 is that of the registries, then one a hub.
    pub(crate) fn subscription(&self, i: usize) -> String {
        filler::guid(&format!("estate:{}:{i}", self.seed))
    }

    /// A prefix in a network: `offset` addresses from its first.
    pub(crate) fn prefix(network: usize, offset: u32, length: u32) -> String {
        format!("{}/{length}", Self::address(network, offset))
    }

    pub(crate) fn address(network: usize, offset: u32) -> String {
        let first = u32::from(std::net::Ipv4Addr::new(10, 0, 0, 0));
        let network = u32::try_from(network).unwrap_or_default() << (32 - NETWORK_BITS);
        std::net::Ipv4Addr::from(first + network + offset).to_string()
    }

    pub(crate) fn space(network: usize) -> String {
        Self::prefix(network, 0, NETWORK_BITS)
    }

    /// The hubs in which a registry has a private endpoint.
    pub(crate) fn hubs_of(&self, registry: usize) -> impl Iterator<Item = usize> + '_ {
        self.hubs.iter().enumerate().filter(move |(_, hub)| hub.registry == registry).map(|(i, _)| i)
    }
}

/// Spreads clusters evenly over the spokes; every tenth is broken, each in the next of the ways.
fn place_clusters(hubs: &mut [Hub], clusters: usize) {
    let spokes = hubs.iter().map(|hub| hub.spokes.len()).sum::<usize>().max(1);
    let all = hubs.iter_mut().flat_map(|hub| hub.spokes.iter_mut());
    let mut number = 0;
    for (i, spoke) in all.enumerate() {
        if (i + 1) * clusters / spokes > number {
            let broken = number % BROKEN_ONE_IN == BROKEN_ONE_IN - 1;
            let fault = broken.then(|| Fault::ALL.get(number / BROKEN_ONE_IN % Fault::ALL.len()).copied());
            spoke.cluster = Some(Cluster { number, fault: fault.flatten() });
            number += 1;
        }
    }
}
