//! Whose address a flow has after the firewall (F135, R167–R169, R173).

use std::net::IpAddr;

use pullproof_network::model::address::AddressTerm;
use pullproof_network::model::firewall::firewall::{HUB_PUBLIC_ADDRESSES, IP_CONFIGS};
use pullproof_network::model::firewall::{Firewall, Policy, SnatRange, Switch, firewall_ip_config};
use pullproof_network::model::index::{FirewallIx, PublicIpIx, SubnetIx};
use pullproof_network::model::route_table::NextHopType;
use pullproof_network::set::{Addresses, assignable};
use pullproof_network::{List, Ref, Val};
use pullproof_snapshot::At;
use serde_json::Value;

use super::decision::Translation;
use crate::first_match::public_space::{iana_private, public_space};
use crate::outcome::{Basis, Missing, MissingKind, Read};
use crate::path::{SeenAs, Target};
use crate::prover::Prover;

impl Prover<'_> {
    /// The source that a flow to `to` has after the firewall (F135, R167–R169). `by_application`: an application rule
    /// carries it, so it is always translated.
    pub fn firewall_translation(
        &self,
        ix: FirewallIx,
        to: &Target,
        by_application: bool,
    ) -> (Translation, Basis) {
        let mut basis = Basis::default();
        let Some(firewall) = self.network.firewalls.get(ix) else {
            return (Translation::Open(evidence("the firewall", "it was not read")), basis);
        };
        basis.reads.insert(Read::Resource(firewall.id.clone()));
        if !by_application {
            match self.keeps_source(firewall, to, &mut basis) {
                Ok(true) => return (Translation::Keeps, basis),
                Ok(false) => {}
                Err(missing) => return (Translation::Open(*missing), basis),
            }
        }
        let private = match to {
            Target::Address(address) => !public_space().contains(*address),
            Target::PublicHost { .. } => false,
        };
        if private {
            return (self.own_private(firewall), basis);
        }
        match self.is_forced(firewall) {
            Some(true) => (self.own_private(firewall), basis),
            Some(false) => (self.own_public(firewall, &mut basis), basis),
            None => (
                Translation::Open(evidence(
                    &format!("whether {} sends Internet traffic through a forced tunnel", firewall.id.name()),
                    "then it uses a private address instead of its public ones (R169)",
                )),
                basis,
            ),
        }
    }

    /// R167, R168: the private ranges, or `Err` where they are not known and decide.
    fn keeps_source(
        &self,
        firewall: &Firewall,
        to: &Target,
        basis: &mut Basis,
    ) -> Result<bool, Box<Missing>> {
        let unknown = |why: &str| {
            Box::new(evidence(
                &format!("the private ranges for source translation of {}", firewall.id.name()),
                why,
            ))
        };
        let (ranges, learns) = match &firewall.policy {
            Val::Known(None) => (firewall.classic.snat_private_ranges.as_ref(), false),
            Val::Known(Some(Ref::Here(ix))) => {
                let Some(policy) = self.network.policies.get(*ix) else {
                    return Err(unknown("it was not read"));
                };
                basis.reads.insert(Read::Resource(policy.id.clone()));
                let learns =
                    !matches!(policy.auto_learn_private_ranges, Val::Known(None | Some(Switch::Disabled)));
                (self.ranges_of(policy, &unknown)?, learns)
            }
            Val::Known(Some(Ref::NotRead(_))) => {
                return Err(unknown("the firewall's policy could not be read"));
            }
            Val::Sym(_) => return Err(unknown("the firewall's policy is not known")),
        };
        let set = match ranges {
            None => iana_private().clone(),
            Some(list) if list.open.is_some() => return Err(unknown("the list is not completely known")),
            Some(list) => private_set(list).ok_or_else(|| unknown("an entry is not understood"))?,
        };
        let inside = match to {
            Target::Address(address) => Some(set.contains(*address)),
            Target::PublicHost { .. } if public_space().is_subset(&set) => Some(true),
            Target::PublicHost { .. } if !set.overlaps(public_space()) => Some(false),
            Target::PublicHost { .. } => None,
        };
        match inside {
            Some(true) => Ok(true),
            Some(false) if learns => Err(unknown("learned ranges count too (autoLearnPrivateRanges)")),
            Some(false) => Ok(false),
            None => Err(unknown("they name some public addresses, and the host's address is not known")),
        }
    }

    /// A policy's own ranges. Whether a child takes its base's is not documented: equal ones stand.
    fn ranges_of<'a>(
        &'a self,
        policy: &'a Policy,
        unknown: &impl Fn(&str) -> Box<Missing>,
    ) -> Result<Option<&'a List<SnatRange>>, Box<Missing>> {
        if policy.snat_private_ranges.is_some() {
            return Ok(policy.snat_private_ranges.as_ref());
        }
        let base = match &policy.base {
            Val::Known(None) => return Ok(None),
            Val::Known(Some(Ref::Here(ix))) => self.network.policies.get(*ix),
            Val::Known(Some(Ref::NotRead(_))) | Val::Sym(_) => {
                return Err(unknown("the base policy was not read"));
            }
        };
        match base.and_then(|base| base.snat_private_ranges.as_ref()) {
            None => Ok(None),
            Some(_) => Err(unknown("the base policy sets them and the policy does not")),
        }
    }

    /// An instance's private address: any of the subnet's (F135), for a secured hub any of the hub's.
    fn own_private(&self, firewall: &Firewall) -> Translation {
        let subnet = firewall_subnet(firewall).and_then(|ix| self.network.subnets.get(ix));
        if let Some(prefixes) = subnet.and_then(|subnet| subnet.prefixes.closed()) {
            let set = prefixes.iter().fold(Addresses::empty(), |set, prefix| set.union(&assignable(*prefix)));
            return Translation::Private(set);
        }
        let hub = firewall.hub.present().and_then(Ref::here).and_then(|ix| self.network.hubs.get(ix));
        match hub.and_then(|hub| hub.address_prefix.present()) {
            Some(prefix) => Translation::Private(Addresses::prefix(*prefix)),
            None => Translation::Open(evidence(
                &format!("the private addresses of {}", firewall.id.name()),
                "its subnet was not read",
            )),
        }
    }

    /// R169. Without a management configuration the firewall must reach the Internet directly (R170).
    fn is_forced(&self, firewall: &Firewall) -> Option<bool> {
        if firewall.hub.present().is_some() || firewall.management_ip_config.is_none() {
            return Some(false);
        }
        let subnet = self.network.subnets.get(firewall_subnet(firewall)?)?;
        match &subnet.route_table {
            Val::Known(None) => {}
            Val::Known(Some(Ref::Here(ix))) => {
                let table = self.network.route_tables.get(*ix)?;
                for route in &table.routes {
                    if let Val::Known(AddressTerm::Prefix(prefix)) = &route.prefix
                        && prefix.prefix_len() == 0
                    {
                        return route.next_hop_type.known().map(|hop| *hop != NextHopType::Internet);
                    }
                }
                if table.routes.open.is_some() {
                    return None;
                }
            }
            Val::Known(Some(Ref::NotRead(_))) | Val::Sym(_) => return None,
        }
        let learned = self.learned_prefixes(firewall_subnet(firewall)?);
        let anywhere = |set: &Addresses| public_space().is_subset(set);
        match (anywhere(&learned.sure), learned.parts.iter().any(|part| anywhere(&part.set))) {
            (true, _) => Some(true),
            (false, true) => None,
            (false, false) => Some(false),
        }
    }

    /// Any of the public addresses; those of a NAT gateway on the subnet come first (R173).
    fn own_public(&self, firewall: &Firewall, basis: &mut Basis) -> Translation {
        let mut by = Vec::new();
        let mut addresses: Option<Vec<IpAddr>> = Some(Vec::new());
        let mut add = |address: Option<IpAddr>, at: At| {
            by.push(at);
            match (address, addresses.as_mut()) {
                (Some(address), Some(list)) => list.push(address),
                _ => addresses = None,
            }
        };
        let gateway = firewall_subnet(firewall)
            .and_then(|ix| self.network.subnets.get(ix))
            .map(|subnet| (&subnet.nat_gateway, subnet.place));
        let hub = &firewall.hub_public_addresses;
        match gateway {
            Some((Val::Known(Some(Ref::Here(ix))), place)) => {
                let at = place.at(pullproof_network::model::vnet::subnet::NAT_GATEWAY);
                if let Some(gateway) = self.network.nat_gateways.get(*ix) {
                    let (ips, prefixes) = (&gateway.public_ips, &gateway.public_ip_prefixes);
                    if ips.items.is_empty()
                        && prefixes.items.is_empty()
                        && (ips.open.is_some() || prefixes.open.is_some())
                    {
                        return perhaps_none(gateway.id.name());
                    }
                    basis.reads.insert(Read::Resource(gateway.id.clone()));
                    for ip in &gateway.public_ips {
                        add(self.public_address(ip), at);
                    }
                    for prefix in &gateway.public_ip_prefixes {
                        let known = prefix.here().and_then(|ix| self.network.public_ip_prefixes.get(ix));
                        match known.and_then(|known| known.prefix.present()) {
                            Some(prefix) => prefix.hosts().for_each(|host| add(Some(host), at)),
                            None => add(None, at),
                        }
                    }
                    if gateway.public_ips.open.is_some() || gateway.public_ip_prefixes.open.is_some() {
                        add(None, at);
                    }
                } else {
                    add(None, at);
                }
            }
            Some((Val::Known(Some(Ref::NotRead(_))) | Val::Sym(_), place)) => {
                add(None, place.at(pullproof_network::model::vnet::subnet::NAT_GATEWAY));
            }
            _ if !hub.is_empty() || !firewall.hub.is_absent() => {
                let at = firewall.place.at(HUB_PUBLIC_ADDRESSES);
                if hub.items.is_empty() && hub.open.is_some() {
                    return perhaps_none(firewall.id.name());
                }
                // A list that is left out says nothing; one that is there and empty does.
                let json = self.network.layered.json(firewall.place.resource);
                if hub.is_empty() && !json.pointer(HUB_PUBLIC_ADDRESSES).is_some_and(Value::is_array) {
                    add(None, at);
                }
                for address in hub {
                    add(address.known().copied(), at);
                }
                if hub.open.is_some() {
                    add(None, at);
                }
            }
            _ => {
                for config in &firewall.ip_configs {
                    let at = config.place.at(firewall_ip_config::PUBLIC_IP);
                    match &config.public_ip {
                        Val::Known(None) => {}
                        Val::Known(Some(ip)) => add(self.public_address(ip), at),
                        Val::Sym(_) => add(None, at),
                    }
                }
                // Without a configuration that was read nothing says that it has no address.
                if firewall.ip_configs.open.is_some() || firewall.ip_configs.is_empty() {
                    add(None, firewall.place.at(IP_CONFIGS));
                }
            }
        }
        let unknown =
            || SeenAs::Unknown(format!("the public addresses of {} were not all read", firewall.id.name()));
        Translation::Public(match addresses {
            // None at all is an answer too: then nothing leaves (R238).
            Some(mut addresses) => {
                addresses.sort_unstable();
                addresses.dedup();
                SeenAs::Addresses { addresses, by }
            }
            None => unknown(),
        })
    }

    fn public_address(&self, ip: &Ref<PublicIpIx>) -> Option<IpAddr> {
        ip.here().and_then(|ix| self.network.public_ips.get(ix)).and_then(|ip| ip.address.present().copied())
    }
}

/// R204, R238: without an address nothing leaves.
fn perhaps_none(name: &str) -> Translation {
    Translation::Open(Missing {
        holds_if: Some("it has one".into()),
        breaks_if: Some("it has none, so nothing leaves by it".into()),
        ..evidence(&format!("the public addresses of {name}"), "the list is not known")
    })
}

fn firewall_subnet(firewall: &Firewall) -> Option<SubnetIx> {
    firewall.ip_configs.iter().find_map(|config| config.subnet.present().and_then(Ref::here))
}

/// `0.0.0.0/0` holds every destination, `255.255.255.255/32` none: never and always follow by themselves (R168).
fn private_set(list: &List<SnatRange>) -> Option<Addresses> {
    let mut set = Addresses::empty();
    for range in list {
        set = set.union(&match range {
            SnatRange::IanaPrivateRanges => iana_private().clone(),
            SnatRange::Addresses(AddressTerm::Any) => Addresses::all(),
            SnatRange::Addresses(AddressTerm::Prefix(prefix)) => Addresses::prefix(*prefix),
            SnatRange::Addresses(AddressTerm::Range(from, to)) => Addresses::range(*from, *to),
            SnatRange::Addresses(AddressTerm::Tag(_)) => return None,
        });
    }
    Some(set)
}

fn evidence(what: &str, why: &str) -> Missing {
    Missing {
        kind: MissingKind::Evidence,
        what: what.into(),
        why: why.into(),
        remedy: "read the firewall, its policy and its subnet completely".into(),
        holds_if: None,
        breaks_if: None,
    }
}
