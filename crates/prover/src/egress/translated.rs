//! The public addresses that a list of public IP resources stands for.

use std::net::IpAddr;

use pullproof_network::List;
use pullproof_network::model::index::{PublicIpIx, PublicIpPrefixIx, Ref};
use pullproof_network::model::load_balancer::{public_ip, public_ip_prefix};
use pullproof_snapshot::At;

use crate::path::SeenAs;
use crate::prover::Prover;

/// A prefix with more addresses than this is not written out.
const WRITTEN_OUT: usize = 256;

impl Prover<'_> {
    /// Every address that the resources give, or what is not known about them. `what` names the whole for people.
    pub(crate) fn public_addresses(
        &self,
        ips: &List<Ref<PublicIpIx>>,
        prefixes: &List<Ref<PublicIpPrefixIx>>,
        what: &str,
    ) -> SeenAs {
        let mut addresses: Vec<IpAddr> = Vec::new();
        let mut by: Vec<At> = Vec::new();
        if ips.open.is_some() || prefixes.open.is_some() {
            return SeenAs::Unknown(format!("the public addresses of {what} are not all known"));
        }
        for ip in ips {
            let Ref::Here(ip) = ip else {
                return SeenAs::Unknown(format!("a public address of {what} was not read"));
            };
            let ip = &self.network.public_ips[*ip];
            let Some(address) = ip.address.present() else {
                return SeenAs::Unknown(format!("public address {} of {what} is not known", ip.id.name()));
            };
            addresses.push(*address);
            by.push(ip.place.at(public_ip::ADDRESS));
        }
        for prefix in prefixes {
            let Ref::Here(prefix) = prefix else {
                return SeenAs::Unknown(format!("a public prefix of {what} was not read"));
            };
            let prefix = &self.network.public_ip_prefixes[*prefix];
            let Some(net) = prefix.prefix.present() else {
                return SeenAs::Unknown(format!("public prefix {} of {what} is not known", prefix.id.name()));
            };
            let all: Vec<IpAddr> = every_address(*net);
            if all.len() > WRITTEN_OUT {
                return SeenAs::Unknown(format!("any address of {net}, by {what}"));
            }
            addresses.extend(all);
            by.push(prefix.place.at(public_ip_prefix::PREFIX));
        }
        addresses.retain(IpAddr::is_ipv4);
        addresses.sort_unstable();
        addresses.dedup();
        SeenAs::Addresses { addresses, by }
    }
}

/// At most one more than [`WRITTEN_OUT`]: network and broadcast address are as good as any in a public prefix.
fn every_address(net: ipnet::IpNet) -> Vec<IpAddr> {
    match net {
        ipnet::IpNet::V4(v4) => {
            let (first, last) = (u32::from(v4.network()), u32::from(v4.broadcast()));
            (first..=last).take(WRITTEN_OUT + 1).map(|a| IpAddr::V4(a.into())).collect()
        }
        ipnet::IpNet::V6(_) => Vec::new(),
    }
}
