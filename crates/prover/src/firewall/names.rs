//! What a firewall makes of names in network rules (F123, F124, D118–D121).

use pullproof_network::model::index::{FirewallIx, VnetIx};
use pullproof_network::set::Addresses;
use pullproof_network::{Ref, Val};
use pullproof_snapshot::question::LookupResult;

use super::scan::own_addresses;
use crate::lookup_answer::Scope;
use crate::prover::Prover;

/// What a firewall's own lookup of a name can give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Resolved {
    /// Always exactly these addresses.
    Addresses(Addresses),
    /// A public address that is not known.
    Public,
    /// No address.
    Nothing,
    Unknown,
}

impl Prover<'_> {
    pub(crate) fn resolved_by(&self, firewall: FirewallIx, name: &str) -> Resolved {
        let answers = self.firewall_lookup(firewall, name);
        let mut out: Option<Resolved> = None;
        for end in &answers.ends {
            let one = match end.result {
                LookupResult::Answer if end.addresses.is_empty() && end.scope == Some(Scope::Public) => {
                    Resolved::Public
                }
                LookupResult::Answer if !end.addresses.is_empty() => Resolved::Addresses(
                    end.addresses
                        .iter()
                        .fold(Addresses::empty(), |set, a| set.union(&Addresses::address(*a))),
                ),
                LookupResult::Nxdomain | LookupResult::Nodata => Resolved::Nothing,
                _ => Resolved::Unknown,
            };
            out = Some(match out {
                None => one,
                Some(known) if known == one => known,
                Some(_) => Resolved::Unknown,
            });
        }
        out.unwrap_or(Resolved::Unknown)
    }

    /// True exactly when the firewall's DNS proxy is on and every network that holds one of these sources has this
    /// firewall as its only resolver: then client and firewall get the same answers (F124, F140). Sources that no
    /// network holds are taken to ask as the firewall's own network does.
    pub(crate) fn asks_this_firewall(&self, ix: FirewallIx, sources: &Addresses) -> bool {
        if self.dns_proxy(ix) != Some(true) {
            return false;
        }
        let own = own_addresses(self, ix);
        let holding = self
            .network
            .subnets
            .values()
            .filter(|subnet| Addresses::of(subnet.prefixes.iter().copied()).overlaps(sources));
        let mut networks: Vec<VnetIx> = holding.map(|subnet| subnet.vnet).collect();
        if networks.is_empty() {
            let subnets =
                self.network.firewalls.get(ix).into_iter().flat_map(|firewall| firewall.ip_configs.iter());
            let subnets = subnets.filter_map(|config| config.subnet.present().and_then(Ref::here));
            networks.extend(subnets.filter_map(|ix| self.network.subnets.get(ix)).map(|subnet| subnet.vnet));
        }
        !networks.is_empty()
            && networks.iter().all(|vnet| {
                let Some(vnet) = self.network.vnets.get(*vnet) else { return false };
                let servers = vnet.dns_servers.closed().unwrap_or_default();
                !servers.is_empty()
                    && servers.iter().all(|server| server.known().is_some_and(|server| own.contains(server)))
            })
    }

    /// Whether the firewall listens on port 53 (D118, D119). `None`: not known.
    pub(crate) fn dns_proxy(&self, ix: FirewallIx) -> Option<bool> {
        let firewall = self.network.firewalls.get(ix)?;
        let mut next = match &firewall.policy {
            Val::Known(None) => {
                return firewall.classic.dns_proxy.known().map(|proxy| proxy.unwrap_or(false));
            }
            Val::Known(Some(policy)) => Some(policy.clone()),
            Val::Sym(_) => return None,
        };
        // A policy without settings of its own has its base policy's.
        for _ in 0..16 {
            let Some(reference) = next else { return Some(false) };
            let Ref::Here(ix) = reference else { return None };
            let policy = self.network.policies.get(ix)?;
            if let Some(dns) = &policy.dns {
                return dns.proxy.known().copied();
            }
            next = policy.base.known()?.clone();
        }
        None
    }
}
