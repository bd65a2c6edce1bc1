//! Packets whose route says `Internet`: by which method they leave, and as whom (routing.md L).

use pullproof_network::Ref;
use pullproof_network::model::index::{FirewallIx, NicIx, SubnetIx};
use pullproof_network::model::owner::OwnerKind;

use super::Walk;
use super::back::Start;
use super::packet::{Packet, Source};
use crate::BlockerKind;
use crate::device::{DeviceId, Passed};
use crate::egress::Sender;
use crate::missing::evidence;
use crate::outcome::{Blocker, Outcome};
use crate::path::{Branch, Delivery, SeenAs, StepDecision, StepKind, Target};
use crate::routes::select::is_public;

impl Walk<'_, '_> {
    pub(super) fn leave(&self, packet: Packet, subnet: SubnetIx) -> Vec<Branch> {
        let network = self.prover.network;
        if let Target::Address(address) = packet.to
            && !is_public(address)
        {
            let mut blocker = self.prover.why_no_route(subnet, address, None);
            if blocker.kind == BlockerKind::NoRoute {
                blocker.message = format!(
                    "subnet {} sends {address} to the Internet edge, where a private address is dropped",
                    network.subnets[subnet].name
                );
            }
            return self.fail(packet, blocker);
        }
        let by = packet.leg().and_then(|leg| leg.by.clone());
        if packet.was_forwarded() {
            return self.forwarded_out(packet, subnet);
        }
        match by.map(|device| (device.id, device)) {
            None => {
                let sender = match (self.from.pool, self.from.nic) {
                    (Some(pool), _) => Sender::Pool(pool),
                    (None, Some(nic)) => Sender::Nic(nic),
                    (None, None) => Sender::Machine,
                };
                self.by_method(packet, subnet, sender)
            }
            Some((DeviceId::Firewall(firewall), device)) => {
                self.firewall_leaves(packet, subnet, firewall, &device)
            }
            Some((_, device)) => {
                let sender = self.interface(&packet, subnet, &device).map_or(Sender::Machine, Sender::Nic);
                self.by_method(packet, subnet, sender)
            }
        }
    }

    /// R46: a private source that is not the device's own is not translated at the edge.
    fn forwarded_out(&self, packet: Packet, subnet: SubnetIx) -> Vec<Branch> {
        let network = self.prover.network;
        let device = packet.leg().and_then(|l| l.devices.last()).map(|d| d.name.clone()).unwrap_or_default();
        let blocker = Blocker {
            kind: BlockerKind::NoEgress,
            message: format!(
                "{device} sends to the Internet with the node's own address, which Azure does not translate"
            ),
            remedy: format!("let {device} translate the source to an address of its own"),
            facts: vec!["R46"],
            evidence: vec![network.subnets[subnet].place.at("/properties/addressPrefix")],
        };
        self.fail(packet, blocker)
    }

    fn by_method(&self, mut packet: Packet, subnet: SubnetIx, sender: Sender) -> Vec<Branch> {
        let leaving = self.prover.leave(subnet, sender, &packet.to);
        packet.branch.basis.merge(&leaving.basis);
        packet.branch.forward_steps.extend(leaving.steps);
        match leaving.outcome {
            Outcome::Holds => self.outside(packet, leaving.seen_as),
            Outcome::Fails(blocker, _) => self.fail(packet, blocker),
            Outcome::Open(missing, _) => {
                // Whatever the method, the flow comes back by it: only whether there is one is open.
                packet.forward(Outcome::open(missing.clone()));
                self.outside(packet, Some(SeenAs::Unknown(missing.what)))
            }
        }
    }

    fn outside(&self, mut packet: Packet, seen_as: Option<SeenAs>) -> Vec<Branch> {
        if !packet.is_hypothetical() {
            packet.branch.delivery = Delivery::Internet;
            packet.branch.seen_as = seen_as;
        }
        packet.step(
            StepKind::Internet,
            "Internet",
            StepDecision::Deliver,
            "delivered over the Internet edge",
            Vec::new(),
            &["R22"],
        );
        self.reply(packet, Start::Outside)
    }

    /// R167–R173: a firewall's own addresses, or the NAT gateway of its subnet.
    fn firewall_leaves(
        &self,
        packet: Packet,
        subnet: SubnetIx,
        ix: FirewallIx,
        device: &Passed,
    ) -> Vec<Branch> {
        let network = self.prover.network;
        let nat = !network.subnets[subnet].nat_gateway.is_absent();
        if nat {
            return self.by_method(packet, subnet, Sender::Machine);
        }
        let private = matches!(packet.leg().map(|l| &l.source), Some(Source::Device(a)) if !a.is_empty());
        if private || network.firewalls[ix].management_ip_config.is_some() && packet.branch.seen_as.is_none()
        {
            let missing = evidence(
                format!("how firewall {} leaves to the Internet", device.name),
                "it is set up for forced tunnelling, and its subnet routes to the Internet (R169, R170)",
                "check the firewall's route to the Internet by hand",
            );
            return vec![packet.lost(missing)];
        }
        let seen = packet.branch.seen_as.clone();
        self.outside(packet, seen)
    }

    /// A hub's firewall has the hub's own edge (D120).
    pub(super) fn hub_leaves(&self, packet: Packet) -> Vec<Branch> {
        let seen = packet.branch.seen_as.clone();
        match seen {
            Some(seen) => self.outside(packet, Some(seen)),
            None => {
                let missing = evidence(
                    "the public address that the hub's firewall leaves by",
                    "its translation is not known",
                    "collect the firewall with its public addresses",
                );
                vec![packet.lost(missing)]
            }
        }
    }

    /// The interface that holds the device's translated source.
    fn interface(&self, packet: &Packet, subnet: SubnetIx, device: &Passed) -> Option<NicIx> {
        if let DeviceId::Nic(nic) = device.id {
            return Some(nic);
        }
        let first = packet.sources().first()?;
        let network = self.prover.network;
        let vnet = network.subnets[subnet].vnet;
        network.owners_of(first).iter().filter(|o| o.vnet == Some(vnet)).find_map(|o| match o.kind {
            OwnerKind::Nic(nic, _) => Some(nic),
            _ => None,
        })
    }

    /// For messages: the name of a network.
    pub(super) fn vnet_name(
        &self,
        reference: Option<&Ref<pullproof_network::model::index::VnetIx>>,
    ) -> String {
        match reference {
            Some(Ref::Here(vnet)) => self.prover.network.vnets[*vnet].id.name().to_owned(),
            Some(Ref::NotRead(id)) => id.name().to_owned(),
            None => "an unknown network".to_owned(),
        }
    }
}
