//! Whether a private endpoint carries traffic (R88, F95, A75).

use pullproof_network::Val;
use pullproof_network::model::index::{PrivateEndpointIx, Ref};
use pullproof_network::model::private_endpoint::{
    ConnectionStatus, PrivateLinkTarget, private_link_connection,
};

use crate::BlockerKind;
use crate::missing::{evidence, not_modelled};
use crate::outcome::{Blocker, Outcome};
use crate::prover::Prover;

impl Prover<'_> {
    /// Holds exactly when every connection of the endpoint is Approved. The registry's copy of the state counts where it was read (A75).
    pub(crate) fn approved(&self, ix: PrivateEndpointIx) -> Outcome {
        let network = self.network;
        let endpoint = &network.private_endpoints[ix];
        let mut outcome = Outcome::Holds;
        for connection in &endpoint.connections {
            let of_registry = match connection.target.present() {
                Some(PrivateLinkTarget::Registry(Ref::Here(registry))) => network.registries[*registry]
                    .private_endpoint_connections
                    .iter()
                    .find(|c| c.private_endpoint.present() == Some(&Ref::Here(ix)))
                    .map(|c| &c.status),
                Some(
                    PrivateLinkTarget::Registry(Ref::NotRead(_))
                    | PrivateLinkTarget::Other(_)
                    | PrivateLinkTarget::Alias(_),
                )
                | None => None,
            };
            if let Some(PrivateLinkTarget::Other(_) | PrivateLinkTarget::Alias(_)) =
                connection.target.present()
            {
                outcome = outcome.and(Outcome::open(not_modelled(
                    format!("what private endpoint {} leads to", endpoint.id.name()),
                    "it is the endpoint of another service than a registry",
                )));
            }
            let status = of_registry.unwrap_or(&connection.status);
            let name = endpoint.id.name();
            outcome = outcome.and(match status {
                Val::Known(Some(ConnectionStatus::Approved)) => Outcome::Holds,
                Val::Known(Some(state)) => Outcome::fails(Blocker {
                    kind: BlockerKind::EndpointNotApproved,
                    message: format!(
                        "the connection of private endpoint {name} is {}: it carries no traffic",
                        state.as_str()
                    ),
                    remedy: "approve the connection at the registry".into(),
                    facts: vec!["R88", "F95", "A75"],
                    evidence: vec![connection.place.at(private_link_connection::STATUS)],
                }),
                Val::Known(None) => Outcome::open(evidence(
                    format!("the state of the connection of private endpoint {name}"),
                    "it is not in the input",
                    "collect the private endpoint and the registry in full",
                )),
                Val::Sym(symbol) => Outcome::open(
                    self.unknown(*symbol, format!("the state of the connection of private endpoint {name}")),
                ),
            });
        }
        outcome
    }
}
