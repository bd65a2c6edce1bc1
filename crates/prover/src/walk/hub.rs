//! Packets that a Virtual WAN hub carries (R177–R200).

use pullproof_network::Ref;
use pullproof_network::model::index::{HubConnectionIx, HubIx};
use pullproof_network::model::owner::OwnerKind;

use super::Walk;
use super::packet::Packet;
use crate::BlockerKind;
use crate::device::Place;
use crate::missing::{evidence, not_modelled};
use crate::outcome::{Blocker, Missing};
use crate::path::{Branch, StepDecision, StepKind, Target};
use crate::routes::hub::{HubEntry, HubHop, HubTable};
use crate::routes::select::is_public;

impl Walk<'_, '_> {
    /// By the table that the connection is associated with (R178).
    pub(super) fn through_hub(&self, packet: Packet, c: HubConnectionIx) -> Vec<Branch> {
        let hub = self.prover.network.hub_connections[c].hub;
        self.by_hub_table(packet, &self.prover.hub_table(c), hub)
    }

    /// On from the hub's firewall.
    pub(super) fn beyond_firewall(&self, packet: Packet, hub: HubIx) -> Vec<Branch> {
        let public = match &packet.to {
            Target::Address(address) => is_public(*address),
            Target::PublicHost { .. } => true,
        };
        let table = self.prover.hub_behind_firewall(hub);
        if public && !covers(&table, &packet.to) {
            return self.hub_leaves(packet);
        }
        self.by_hub_table(packet, &table, hub)
    }

    fn by_hub_table(&self, mut packet: Packet, table: &HubTable, hub: HubIx) -> Vec<Branch> {
        let network = self.prover.network;
        let name = network.hubs[hub].id.name();
        let entry = match &packet.to {
            Target::Address(address) => table.select(*address),
            Target::PublicHost { host, .. } => select_public(table, host),
        };
        let entry = match entry {
            Err(missing) => return vec![packet.lost(missing)],
            Ok(entry) => entry,
        };
        let Some(entry) = entry else {
            let blocker = Blocker {
                kind: BlockerKind::HubNoRoute,
                message: format!("hub {name} has no route to the destination"),
                remedy: "let the destination's connection propagate to the table, or add a static route"
                    .into(),
                facts: vec!["R178", "R180"],
                evidence: vec![network.hubs[hub].place.at("/id")],
            };
            return self.fail(packet, blocker);
        };
        packet.step(
            StepKind::Route,
            network.hubs[hub].id.as_written(),
            StepDecision::Forward,
            format!("hub route {}", entry.prefix),
            entry.by.clone(),
            &["R178", "R180", "R185"],
        );
        packet.over = None;
        if packet.leaves_azure() {
            let missing = evidence(
                format!("how hub {name} sends on what its firewall gives a public source"),
                "its route does not lead to the Internet (R169)",
                "check the hub's routes by hand",
            );
            return vec![packet.lost(missing)];
        }
        match entry.hop {
            HubHop::Network(c) => {
                let remote = network.hub_connections[c].remote.present();
                match (remote, &packet.to) {
                    (Some(Ref::Here(vnet)), Target::Address(address)) => {
                        let (vnet, address) = (*vnet, *address);
                        self.arrive(packet, vnet, address)
                    }
                    (other, _) => {
                        let missing = evidence(
                            format!("what is in {}", self.vnet_name(other)),
                            "the network behind the hub was not read",
                            "add it to the input",
                        );
                        vec![packet.lost(missing)]
                    }
                }
            }
            HubHop::Firewall(firewall) => {
                let Some(at) = self.prover.firewall_hub(firewall) else {
                    let missing = not_modelled(
                        format!(
                            "firewall {} as next hop of hub {name}",
                            network.firewalls[firewall].id.name()
                        ),
                        "it does not stand in a hub",
                    );
                    return vec![packet.lost(missing)];
                };
                let Some(address) = network.firewalls[firewall].hub_address.present() else {
                    let missing = evidence(
                        format!("the private address of firewall {}", network.firewalls[firewall].id.name()),
                        "hubIPAddresses is not in the input",
                        "collect the firewall in full",
                    );
                    return vec![packet.lost(missing)];
                };
                let forwarder = self.prover.firewall_forwarder(firewall, *address, Place::Hub(at));
                self.at_firewall(packet, firewall, &forwarder.passed)
            }
        }
    }

    /// To an address of the hub itself: its firewall, which may serve DNS there (D120).
    pub(super) fn at_hub_address(&self, packet: Packet, c: HubConnectionIx) -> Vec<Branch> {
        let network = self.prover.network;
        let hub = network.hub_connections[c].hub;
        let firewall = super::appliance::only_address(&packet.to).and_then(|address| {
            network.owners_of(address).iter().find_map(|o| match o.kind {
                OwnerKind::HubFirewall(firewall) if self.prover.firewall_hub(firewall) == Some(hub) => {
                    Some(firewall)
                }
                _ => None,
            })
        });
        let Some(firewall) = firewall else {
            let missing = evidence(
                format!("what is at the address in hub {}", network.hubs[hub].id.name()),
                "only the hub's firewall is known to have an address there",
                "check the address",
            );
            return vec![packet.lost(missing)];
        };
        self.ends_at_firewall(packet, firewall, Place::Hub(hub))
    }
}

fn covers(table: &HubTable, to: &Target) -> bool {
    match to {
        Target::Address(address) => table.entries.iter().any(|e| e.prefix.contains(address)),
        Target::PublicHost { .. } => false,
    }
}

/// A public address that is not known: the default entry, where no other entry is about public space.
fn select_public<'t>(table: &'t HubTable, host: &str) -> Result<Option<&'t HubEntry>, Missing> {
    if let Some((_, missing)) = table.open.iter().find(|(within, _)| within.is_none()) {
        return Err(missing.clone());
    }
    let public = table.entries.iter().any(|e| e.prefix.prefix_len() > 0 && is_public(e.prefix.network()));
    if public {
        return Err(evidence(
            format!("which public address {host} has"),
            "the hub has routes to parts of public space",
            format!("declare [[public_name]] host = \"{host}\" with its addresses"),
        ));
    }
    Ok(table.entries.iter().find(|e| e.prefix.prefix_len() == 0))
}
