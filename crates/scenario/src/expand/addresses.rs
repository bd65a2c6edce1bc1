//! Addresses that Azure would hand out: next free ones of a subnet, and documentation addresses for public IPs.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};

use ipnet::IpNet;

use crate::error::ScenarioError;

/// What is taken, by subnet id, and of the public documentation ranges.
#[derive(Default)]
pub(crate) struct Addresses {
    subnets: BTreeMap<String, (Vec<IpNet>, BTreeSet<Ipv4Addr>)>,
    public: BTreeSet<Ipv4Addr>,
}

/// RFC 5737, the ranges from which public addresses are made up.
const PUBLIC: [[u8; 3]; 2] = [[203, 0, 113], [198, 51, 100]];

impl Addresses {
    pub(crate) fn subnet(&mut self, id: &str, prefixes: &[String], place: &str) -> Result<(), ScenarioError> {
        let mut nets = Vec::new();
        for prefix in prefixes {
            nets.push(
                prefix.parse::<IpNet>().map_err(|_| {
                    ScenarioError::invalid(place, format!("{prefix} is not an address prefix"))
                })?,
            );
        }
        self.subnets.insert(id.to_owned(), (nets, BTreeSet::new()));
        Ok(())
    }

    /// Marks an address that the scenario states. It must lie in the subnet, and nothing else may have it.
    pub(crate) fn reserve(&mut self, subnet: &str, address: &str, place: &str) -> Result<(), ScenarioError> {
        let wrong = |message: String| ScenarioError::invalid(place, message);
        let ip: IpAddr = address.parse().map_err(|_| wrong(format!("{address} is not an address")))?;
        let Some((nets, taken)) = self.subnets.get_mut(subnet) else { return Ok(()) };
        if !nets.iter().any(|net| net.contains(&ip)) {
            return Err(wrong(format!("{address} is not in subnet {subnet}")));
        }
        match ip {
            IpAddr::V4(ip) if !taken.insert(ip) => Err(wrong(format!("{address} is already taken"))),
            _ => Ok(()),
        }
    }

    /// The next free address of a subnet; Azure keeps the first four and the last (R25).
    pub(crate) fn next(&mut self, subnet: &str, place: &str) -> Result<String, ScenarioError> {
        let full = || ScenarioError::invalid(place, format!("no free IPv4 address in subnet {subnet}"));
        let (nets, taken) = self.subnets.get_mut(subnet).ok_or_else(full)?;
        for net in nets.iter() {
            let IpNet::V4(net) = net else { continue };
            let (first, last) = (u32::from(net.network()) + 4, u32::from(net.broadcast()));
            if let Some(free) = (first..last).map(Ipv4Addr::from).find(|ip| !taken.contains(ip)) {
                taken.insert(free);
                return Ok(free.to_string());
            }
        }
        Err(full())
    }

    pub(crate) fn reserve_public(&mut self, address: &str) {
        if let Ok(ip) = address.parse() {
            self.public.insert(ip);
        }
    }

    /// The next free documentation address.
    pub(crate) fn next_public(&mut self, place: &str) -> Result<String, ScenarioError> {
        let all = PUBLIC.iter().flat_map(|[a, b, c]| (1..255).map(|d| Ipv4Addr::new(*a, *b, *c, d)));
        let free = all.into_iter().find(|ip| !self.public.contains(ip));
        let free = free.ok_or_else(|| ScenarioError::invalid(place, "no documentation address is left"))?;
        self.public.insert(free);
        Ok(free.to_string())
    }
}
