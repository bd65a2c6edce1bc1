//! Through Azure Firewall: its rules, its own lookup, its translation (F121, F139, R167).

use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::LookupResult;

use super::{Walk, intercepts};
use crate::crossed::{Crossed, Position};
use crate::egress::Sender;
use crate::firewall;
use crate::gateway::{self};
use crate::hub;
use crate::index::{Home, Owner};
use crate::merge::{all, contested};
use crate::missing;
use crate::reach::{Delivery, Reach};
use crate::reply::Place;
use crate::sources;
use crate::tags;
use crate::tri::Tri;

impl Walk<'_> {
    /// The packet is for the firewall's own address in a hub.
    pub(super) fn at_firewall(mut self, owner: &Owner) -> Reach {
        let outcome =
            firewall::decide(self.plain, &owner.id, &self.flow, self.host, self.origin_network().as_ref());
        self.steps.firewall(&owner.id, &outcome, &self.flow);
        self.filter = self.filter.and(outcome.allow);
        let place = match &owner.home {
            Home::Hub(hub) => Place::Hub { hub: hub.clone() },
            Home::Subnet(subnet) => Place::Machine { subnet: subnet.clone() },
        };
        self.finish(Delivery::AzureFirewall(owner.id.clone()), place)
    }

    pub(super) fn origin_network(&self) -> Option<ArmId> {
        match &self.origin {
            Position::Subnet(subnet) => subnet.parent(),
            Position::Hub(_) => None,
        }
    }

    /// F139: the rules decide; then the packet goes on, as it was or as the firewall's own (F121, R167).
    pub(super) fn through_firewall(mut self, owner: &Owner) -> Reach {
        let plain = self.plain;
        let outcome =
            firewall::decide(plain, &owner.id, &self.flow, self.host, self.origin_network().as_ref());
        self.steps.firewall(&owner.id, &outcome, &self.flow);
        for text in &outcome.assumptions {
            self.assume(text.clone());
        }
        let undecided = matches!(outcome.allow, Tri::Unknown(_)) || !outcome.certain;
        self.filter = self.filter.and(outcome.allow.clone());
        let crossed = Crossed {
            id: owner.id.as_written().to_owned(),
            address: owner.address,
            at: match &owner.home {
                Home::Subnet(subnet) => Position::Subnet(subnet.clone()),
                Home::Hub(hub) => Position::Hub(hub.clone()),
            },
            members: Vec::new(),
            azure_firewall: true,
            source_nat: false,
            proxied: false,
            intercepts_tls: outcome.terminates_tls || intercepts(plain, owner.address, self.host),
        };
        if undecided && self.host.is_some() {
            // By a network rule or by an application rule: the walk differs.
            let open = match outcome.allow {
                Tri::Unknown(why) => gateway::first(why),
                _ => missing::evidence(
                    format!("which rule of {} decides", owner.id.name()),
                    "a rule above the deciding one is not known",
                ),
            };
            let readings =
                vec![self.clone().onward(owner, crossed.clone(), false), self.onward(owner, crossed, true)];
            return contested(readings, &open);
        }
        let application = outcome.application && outcome.allow == Tri::Yes;
        self.onward(owner, crossed, application)
    }

    pub(super) fn onward(self, owner: &Owner, mut crossed: Crossed, application: bool) -> Reach {
        let plain = self.plain;
        if application {
            crossed.source_nat = true;
            crossed.proxied = true;
            return self.proxied(owner, &crossed);
        }
        match firewall::translates(plain, &owner.id, false, self.flow.destination) {
            Tri::No => self.leave_firewall(owner, crossed),
            Tri::Yes => {
                crossed.source_nat = true;
                self.leave_firewall(owner, crossed)
            }
            Tri::Unknown(why) => {
                let translated = Crossed { source_nat: true, ..crossed.clone() };
                let readings =
                    vec![self.clone().leave_firewall(owner, crossed), self.leave_firewall(owner, translated)];
                contested(readings, &gateway::first(why))
            }
        }
    }

    /// F121: the firewall resolves the host itself and connects to what it finds, each answer being possible.
    pub(super) fn proxied(self, owner: &Owner, crossed: &Crossed) -> Reach {
        let plain = self.plain;
        let host = self.host.unwrap_or_default();
        let answer = firewall::resolve(self.plain, &owner.id, host);
        match answer.result {
            LookupResult::Unknown => {
                let mut missing = answer.missing;
                if missing.is_empty() {
                    missing.push(missing::evidence(
                        format!("what {} resolves {host} to", owner.id.name()),
                        "F121",
                    ));
                }
                self.stop(Tri::Unknown(missing))
            }
            LookupResult::Answer => {
                let known: Vec<IpAddr> = answer.addresses.iter().filter_map(|a| a.parse().ok()).collect();
                // A public answer whose address is not known.
                let addresses = if known.is_empty() { tags::samples(plain, host) } else { known };
                let mut walk = self;
                if !walk.fork(addresses.len()) {
                    return walk.too_many_ways();
                }
                let outcomes: Vec<Reach> = addresses
                    .into_iter()
                    .map(|to| {
                        let mut walk = walk.clone();
                        walk.flow.destination = to;
                        walk.leave_firewall(owner, crossed.clone())
                    })
                    .collect();
                all(outcomes)
            }
            // A name that the firewall cannot resolve is denied.
            _ => {
                let mut walk = self;
                walk.filter = walk.filter.and(Tri::No);
                walk.steps.deciding("firewall", owner.id.as_written(), "deny", &walk.flow, None, &["F121"]);
                walk.leave_firewall(owner, crossed.clone())
            }
        }
    }

    /// A translated packet may have the address of any instance, and these may be anywhere in the firewall's subnet or
    /// hub (V2, F135).
    pub(super) fn leave_firewall(mut self, owner: &Owner, crossed: Crossed) -> Reach {
        let plain = self.plain;
        let translated = crossed.source_nat;
        let again = self.crossed.iter().any(|c| c.source_nat && c.id == crossed.id);
        self.crossed.push(crossed);
        if !translated {
            return self.leave_as(owner, None);
        }
        // A public destination sees a public address, whichever instance it was.
        if again || tags::is_public(self.flow.destination) {
            return self.leave_as(owner, Some(owner.address));
        }
        let sources = match &owner.home {
            Home::Subnet(id) => plain.index().subnets.get(id).and_then(|s| sources::addresses(plain, s)),
            Home::Hub(hub) => match hub::hub_prefix(plain, hub) {
                Ok(prefix) => sources::within(plain, prefix.into_iter().collect()),
                Err(missing) => return self.stop(Tri::unknown(missing)),
            },
        };
        let Some(mut sources) = sources else {
            return self.stop(Tri::unknown(missing::too_complex("the addresses that the firewall may use")));
        };
        if !sources.contains(&owner.address) {
            sources.push(owner.address);
        }
        if !self.fork(sources.len()) {
            return self.too_many_ways();
        }
        all(sources.into_iter().map(|source| self.clone().leave_as(owner, Some(source))).collect())
    }

    fn leave_as(mut self, owner: &Owner, source: Option<IpAddr>) -> Reach {
        let plain = self.plain;
        if let Some(source) = source {
            self.flow.source = source;
        }
        match &owner.home {
            Home::Subnet(id) => match plain.index().subnets.get(id) {
                Some(subnet) => self.send(subnet, &Sender::AzureFirewall(owner.id.clone())), // R171
                None => self.stop(Tri::unknown(missing::resource(id))),
            },
            Home::Hub(hub) => self.leave_hub_firewall(&hub.clone(), &owner.id),
        }
    }
}
