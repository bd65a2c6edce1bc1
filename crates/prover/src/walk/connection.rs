//! Whether a gateway's connection carries packets (R132, R137–R139, R161).

use pullproof_network::Val;
use pullproof_network::model::gateway::{ConnectionType, TunnelStatus, circuit, connection};
use pullproof_network::model::index::{ConnectionIx, GatewayIx, Ref};
use pullproof_network::model::word::ProvisioningState;
use pullproof_network::set::Addresses;

use super::Walk;
use super::packet::Packet;
use crate::BlockerKind;
use crate::missing::{evidence, not_modelled};
use crate::outcome::{Blocker, Missing, Outcome};
use crate::prover::Prover;

impl Prover<'_> {
    /// R132.
    pub(crate) fn connection_up(&self, c: ConnectionIx) -> Outcome {
        let network = self.network;
        let model = &network.connections[c];
        let name = model.id.name();
        let down = |what: &str, at| {
            Outcome::fails(Blocker {
                kind: BlockerKind::ConnectionDown,
                message: format!("connection {name} is {what}"),
                remedy: "bring the connection up".into(),
                facts: vec!["R132"],
                evidence: vec![at],
            })
        };
        if model.provisioning_state.present() == Some(&ProvisioningState::Failed) {
            return down("in provisioning state Failed", model.place.at("/properties/provisioningState"));
        }
        let at = model.place.at(connection::STATUS);
        let express = model.connection_type.present() == Some(&ConnectionType::ExpressRoute);
        let status = match &model.status {
            Val::Known(Some(TunnelStatus::Connected)) => Outcome::Holds,
            Val::Known(Some(state @ (TunnelStatus::NotConnected | TunnelStatus::Connecting))) => {
                down(state.as_str(), at)
            }
            // An ExpressRoute connection shows its state at the circuit.
            Val::Known(None | Some(TunnelStatus::Unknown)) if express => Outcome::Holds,
            Val::Known(_) => Outcome::open(evidence(
                format!("whether connection {name} is up"),
                "connectionStatus is not in the input: lists of connections leave it out",
                "collect the connection by itself",
            )),
            Val::Sym(symbol) => {
                Outcome::open(self.unknown(*symbol, format!("the status of connection {name}")))
            }
        };
        if !express {
            return status;
        }
        status.and(self.circuit_up(c))
    }

    /// The circuit under an ExpressRoute connection, and its private peering.
    fn circuit_up(&self, c: ConnectionIx) -> Outcome {
        let network = self.network;
        let model = &network.connections[c];
        let name = model.id.name();
        let not_there = |what: String, why: &str| {
            Outcome::open(evidence(what, why, "collect the ExpressRoute circuit in full"))
        };
        let ix = match &model.circuit {
            Val::Known(Some(Ref::Here(ix))) => *ix,
            Val::Known(Some(Ref::NotRead(id))) => {
                let what = format!("the circuit of connection {name}");
                return Outcome::open(self.not_read(id, what));
            }
            Val::Known(None) => {
                return not_there(format!("the circuit of connection {name}"), "the connection names none");
            }
            Val::Sym(symbol) => {
                let what = format!("the circuit of connection {name}");
                return Outcome::open(self.unknown(*symbol, what));
            }
        };
        let line = &network.circuits[ix];
        let circuit_name = line.id.name();
        let down = |what: String, at| {
            Outcome::fails(Blocker {
                kind: BlockerKind::ConnectionDown,
                message: format!("connection {name} is on circuit {circuit_name}, whose {what}"),
                remedy: "bring the circuit and its private peering up".into(),
                facts: vec!["R132"],
                evidence: vec![at],
            })
        };
        let state_at = line.place.at(circuit::SERVICE_PROVIDER_STATE);
        let provider = match &line.service_provider_state {
            Val::Known(Some(state)) if state.eq_ignore_ascii_case("Provisioned") => Outcome::Holds,
            Val::Known(Some(state)) => down(format!("provider state is {state}"), state_at),
            Val::Known(None) => not_there(
                format!("the provider state of circuit {circuit_name}"),
                "serviceProviderProvisioningState is not in the input",
            ),
            Val::Sym(symbol) => {
                Outcome::open(self.unknown(*symbol, format!("the provider state of circuit {circuit_name}")))
            }
        };
        let is_private = |kind: &Val<Option<Box<str>>>| {
            kind.present().is_some_and(|k| k.eq_ignore_ascii_case("AzurePrivatePeering"))
        };
        let peering = match line.peerings.iter().find(|p| is_private(&p.peering_type)) {
            None => {
                not_there(format!("the private peering of circuit {circuit_name}"), "the circuit shows none")
            }
            Some(peering) => {
                match &peering.state {
                    Val::Known(Some(state)) if state.eq_ignore_ascii_case("Enabled") => Outcome::Holds,
                    Val::Known(Some(state)) if state.eq_ignore_ascii_case("Disabled") => {
                        down("private peering is Disabled".to_owned(), peering.place.at("/properties/state"))
                    }
                    Val::Known(_) => not_there(
                        format!("the state of the private peering of circuit {circuit_name}"),
                        "its state is not in the input, or not a known word",
                    ),
                    Val::Sym(symbol) => Outcome::open(self.unknown(
                        *symbol,
                        format!("the state of the private peering of circuit {circuit_name}"),
                    )),
                }
            }
        };
        provider.and(peering)
    }
}

impl Walk<'_, '_> {
    pub(super) fn connection_tripwire(
        &self,
        ix: GatewayIx,
        c: ConnectionIx,
        packet: &Packet,
    ) -> Option<Missing> {
        let network = self.prover.network;
        let model = &network.connections[c];
        let name = model.id.name();
        if !model.has_nat_rules.is(&false) {
            return Some(not_modelled(
                format!("the NAT rules of connection {name}"),
                "addresses change there (R139)",
            ));
        }
        let home =
            network.gateways[ix].ip_configs.iter().find_map(|g| g.subnet.present().and_then(Ref::here));
        let routed = home.is_some_and(|s| !network.subnets[s].route_table.is_absent());
        if routed && matches!(&model.express_route_gateway_bypass, Val::Known(Some(true)) | Val::Sym(_)) {
            return Some(not_modelled(
                format!("FastPath on connection {name} beside a route table on GatewaySubnet"),
                "which of the two decides is not documented (R161, RU12)",
            ));
        }
        let selectors = &model.traffic_selectors;
        if selectors.is_empty() {
            return None;
        }
        let sources = packet.sources();
        let covered = selectors.iter().any(|s| {
            let local = Addresses::of(s.local.items.iter().copied());
            let remote = Addresses::of(s.remote.items.iter().copied());
            let there = super::appliance::only_address(&packet.to).is_some_and(|a| remote.contains(a));
            sources.is_subset(&local) && there
        });
        (!covered).then(|| {
            evidence(
                format!("whether the traffic selectors of connection {name} let the flow in"),
                "the configured ones do not cover it, and the peer may propose others (R138)",
                "add the node subnet and the destination to the selectors",
            )
        })
    }
}
