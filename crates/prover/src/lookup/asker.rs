//! Who sends a question to a resolver, and whether it gets there and back (D133–D139).

use std::net::{IpAddr, Ipv4Addr};

use pullproof_network::model::index::{FirewallIx, SiteIx, SubnetIx};
use pullproof_network::set::{Addresses, Ports};
use pullproof_snapshot::declared::{Filter, FilterAction};
use pullproof_snapshot::question::Direction;

use super::device::Device;
use crate::blocker::BlockerKind;
use crate::context::{Proto, SourceContext};
use crate::filter::{FilterPoint, Holder};
use crate::missing::{declare, not_modelled};
use crate::outcome::{Basis, Blocker, Outcome};
use crate::path::{Delivery, StepKind, Target};
use crate::prover::Prover;

/// Azure-provided DNS (D24).
pub(crate) const AZURE_DNS: IpAddr = IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16));

/// A sender of lookups.
#[derive(Clone, Debug)]
pub(crate) enum Asker {
    /// A node or machine, an outbound endpoint, a firewall: something in a subnet.
    Machine(SourceContext),
    /// A declared server in a site.
    Site(SiteIx, IpAddr),
    /// The firewall of a secured hub, with its private address.
    HubFirewall(FirewallIx, IpAddr),
}

/// Where an asker outside virtual networks is.
#[derive(Clone, Copy)]
enum Afar {
    Site(SiteIx),
    Firewall(FirewallIx),
}

/// One way in which a question fares on its way to a resolver.
#[derive(Clone, Debug)]
pub(crate) struct Reached {
    pub outcome: Outcome,
    pub delivery: Delivery,
    pub basis: Basis,
}

impl Prover<'_> {
    /// The way from the asker to `port` of `to`, over TCP or UDP; one entry a distinguishable way.
    pub(crate) fn reach_resolver(&self, asker: &Asker, to: IpAddr, port: u16, proto: Proto) -> Vec<Reached> {
        match asker {
            Asker::Machine(context) => self.reach_from(context, to, port, proto),
            Asker::Site(site, from) => self.reach_from_afar(*from, to, port, proto, Afar::Site(*site)),
            Asker::HubFirewall(firewall, from) => {
                self.reach_from_afar(*from, to, port, proto, Afar::Firewall(*firewall))
            }
        }
    }

    fn reach_from(&self, from: &SourceContext, to: IpAddr, port: u16, proto: Proto) -> Vec<Reached> {
        let answer = self.path(from, &Target::Address(to), proto, port, None);
        let mut out: Vec<Reached> = Vec::new();
        for branch in &answer.branches {
            let outcome = branch.forward.clone().and(branch.back.clone()).and(branch.filters.clone());
            match out.iter_mut().find(|r| r.outcome == outcome && r.delivery == branch.delivery) {
                Some(known) => known.basis.merge(&branch.basis),
                None => out.push(Reached {
                    outcome,
                    delivery: branch.delivery.clone(),
                    basis: branch.basis.clone(),
                }),
            }
        }
        out
    }

    /// From a place that paths cannot start at, to something in a virtual network: the same hops the other way round,
    /// with the filters of the real direction at the receiver. Devices on the way are not followed.
    fn reach_from_afar(&self, from: IpAddr, to: IpAddr, port: u16, proto: Proto, afar: Afar) -> Vec<Reached> {
        let holders = self.holders(to);
        // The asker itself is no device on the way.
        let own = |device: &str| match afar {
            Afar::Firewall(ix) => self.network.firewalls[ix].id == pullproof_snapshot::ArmId::new(device),
            Afar::Site(_) => false,
        };
        let mut out = Vec::new();
        for (device, subnet) in &holders {
            let context = SourceContext {
                subnet: *subnet,
                pool: None,
                nic: match device {
                    Device::Nic(nic) => Some(*nic),
                    _ => None,
                },
                sources: Addresses::address(to),
                sports: Ports::one(port),
            };
            let back = self.path(&context, &Target::Address(from), proto, port, None);
            for branch in &back.branches {
                let through_device = branch
                    .forward_steps
                    .iter()
                    .chain(&branch.back_steps)
                    .any(|s| is_device(s.kind) && !own(&s.device));
                let mut outcome = branch.forward.clone().and(branch.back.clone());
                if through_device {
                    outcome = outcome.and(Outcome::open(not_modelled(
                        format!("devices between {from} and {to}"),
                        "lookups that start outside virtual networks are not followed through firewalls and appliances",
                    )));
                }
                let mut basis = branch.basis.clone();
                outcome = outcome.and(self.enters(from, to, *device, *subnet, port, proto, &mut basis));
                if let Afar::Site(site) = afar {
                    outcome = outcome.and(self.leaves_site(site, from, to, port, proto, &mut basis));
                }
                out.push(Reached {
                    outcome,
                    delivery: Delivery::Device(self.device_id(*device).clone()),
                    basis,
                });
            }
        }
        if out.is_empty() {
            out.push(Reached {
                outcome: Outcome::open(not_modelled(
                    format!("the way from {from} to {to}"),
                    "a forwarder outside virtual networks asks an address that nothing read holds",
                )),
                delivery: Delivery::Nowhere,
                basis: Basis::default(),
            });
        }
        // The address is in use in several networks: any of them may be meant, but those that are known not to be reached.
        if out.iter().any(|r| r.outcome.holds()) {
            out.retain(|r| !matches!(r.outcome, Outcome::Fails(..)));
        }
        out
    }

    #[expect(clippy::too_many_arguments, reason = "a packet and the place where it is filtered")]
    fn enters(
        &self,
        from: IpAddr,
        to: IpAddr,
        device: Device,
        subnet: SubnetIx,
        port: u16,
        proto: Proto,
        basis: &mut Basis,
    ) -> Outcome {
        let holder = match device {
            Device::Nic(nic) => Holder::Nic(nic),
            Device::LoadBalancer(_) | Device::Firewall(_) | Device::Inbound(_) => Holder::Other,
        };
        let point =
            FilterPoint { subnet, holder, direction: Direction::Inbound, sender: None, forwarded: false };
        let parts = self.nsg(
            &point,
            &Addresses::address(from),
            &Ports::range(1024, u16::MAX),
            &Target::Address(to),
            proto,
            port,
        );
        let mut outcome = Outcome::Holds;
        for part in parts {
            basis.merge(&part.basis);
            outcome = outcome.and(part.outcome);
        }
        outcome
    }

    /// The site's own filter, from the inside out. First match decides; no match: allowed if all entries deny
    /// (CONTRACT §2).
    fn leaves_site(
        &self,
        site: SiteIx,
        from: IpAddr,
        to: IpAddr,
        port: u16,
        proto: Proto,
        basis: &mut Basis,
    ) -> Outcome {
        let Some(table) = self.network.sites.get(site).and_then(|s| self.network.declared.sites.get(s.table))
        else {
            return Outcome::Holds;
        };
        basis.assume(format!("site:{}", table.name));
        if table.firewall.is_empty() {
            if table.filter.is_none() {
                basis.assume(format!("site:{}/unfiltered", table.name));
            }
            return Outcome::Holds;
        }
        let first = table.firewall.iter().find(|f| covers(f, from, to, port, proto));
        let allowed = match first {
            Some(entry) => entry.action == FilterAction::Allow,
            None => table.firewall.iter().all(|f| f.action == FilterAction::Deny),
        };
        if allowed {
            return Outcome::Holds;
        }
        Outcome::fails(Blocker {
            kind: BlockerKind::SiteFirewallDenies,
            message: format!("the firewall of site {} does not let {from} reach {to}:{port}", table.name),
            remedy: format!("allow {from} to {to}, port {port}, on the site's firewall"),
            facts: vec!["D139"],
            evidence: Vec::new(),
        })
    }

    /// The subnet that an existing machine or service asks from.
    pub(crate) fn asking_machine(
        &self,
        subnet: SubnetIx,
        device: Option<Device>,
        address: IpAddr,
    ) -> SourceContext {
        SourceContext {
            subnet,
            pool: None,
            nic: match device {
                Some(Device::Nic(nic)) => Some(nic),
                _ => None,
            },
            sources: Addresses::address(address),
            sports: Ports::range(1024, u16::MAX),
        }
    }

    /// What to say about a resolver whose behaviour nobody declared (D103).
    pub(crate) fn opaque(&self, address: IpAddr, name: &str) -> crate::outcome::Missing {
        declare(
            format!("what DNS server {address} answers for {name}"),
            "Azure shows its address, not its forwarders and zones (D103)",
            format!(
                "declare it: [[dns_server]] address = \"{address}\", forwards = [ {{ domain = \".\", to = [\"…\"] }} ], zones = [ … ], default = \"…\""
            ),
        )
    }
}

/// Something on the way that decides by itself.
fn is_device(kind: StepKind) -> bool {
    matches!(kind, StepKind::Appliance | StepKind::Firewall | StepKind::LoadBalancer)
}

fn covers(entry: &Filter, from: IpAddr, to: IpAddr, port: u16, proto: Proto) -> bool {
    let holds = |terms: &[String], address: IpAddr| {
        terms.is_empty()
            || terms
                .iter()
                .any(|term| term == "*" || term.parse::<Addresses>().is_ok_and(|set| set.contains(address)))
    };
    let word = match proto {
        Proto::Tcp => "tcp",
        Proto::Udp => "udp",
    };
    let ports = match &entry.ports {
        pullproof_snapshot::declared::Ports::Number(n) => Ports::one(*n),
        pullproof_snapshot::declared::Ports::Text(text) => text.parse().unwrap_or_default(),
    };
    holds(&entry.from, from)
        && holds(&entry.to, to)
        && (entry.protocol == "*" || entry.protocol.eq_ignore_ascii_case(word))
        && ports.contains(port)
}
