//! `query`'s `admission` (CONTRACT §4): at the login host.

use std::net::IpAddr;

use pullproof_network::Ref;
use pullproof_network::Val;
use pullproof_network::model::index::RegistryIx;
use pullproof_network::set::Addresses;
use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::{AdmissionFrom, Decision, DecisionAnswer, Reach, Role};

use crate::filter::one;
use crate::outcome::{Missing, MissingKind, Outcome};
use crate::prover::Prover;
use crate::registry_answer::{Arrival, Endpoint, RegistryKey, ServedAt};

impl Prover<'_> {
    /// `query`'s `admission` (CONTRACT §4), at the login host. `registry` is an ARM id or an unambiguous name. The error
    /// says what in the question cannot be used.
    pub fn admission_answer(
        &self,
        registry: &str,
        from: AdmissionFrom,
        address: Option<&str>,
    ) -> Result<DecisionAnswer, String> {
        let (ix, read) = one(registry, self.network.registries.iter().map(|(ix, r)| (ix, &r.id, r)))?;
        let key = RegistryKey::Acr(ix);
        let login = Endpoint {
            host: read.login_server.present().map_or_else(String::new, ToString::to_string),
            wildcard: false,
            port: 443,
            roles: vec![Role::Login, Role::Token],
            region: None,
            reach: Reach::Public,
            tag: None,
            facts: Vec::new(),
            missing: Vec::new(),
        };
        let outcome = match from {
            AdmissionFrom::Public => {
                let seen: Vec<IpAddr> = match address {
                    Some(text) => vec![text.parse().map_err(|_| format!("`{text}` is no address"))?],
                    None => Vec::new(),
                };
                let unknown = address.is_none().then_some("the question gives no address");
                self.admission(key, &login, Arrival::Public { seen_as: &seen, unknown }).0
            }
            AdmissionFrom::ServiceEndpoint => {
                let subnet =
                    self.asked_subnet(address.ok_or("`address` is needed: a subnet, or an address in one")?)?;
                self.admission(key, &login, Arrival::ServiceEndpoint(&subnet)).0
            }
            AdmissionFrom::PrivateEndpoint => self.by_any_private_endpoint(ix, key, &login, address),
        };
        let decision = match &outcome {
            Outcome::Holds => Decision::Allow,
            Outcome::Fails(..) => Decision::Deny,
            Outcome::Open(..) => Decision::Unknown,
        };
        let missing = outcome.missing().into_iter().cloned().collect();
        let rule = outcome.blockers().first().map(|blocker| blocker.kind.as_str().to_owned());
        let by = rule.as_ref().map(|_| read.id.as_written().to_owned());
        Ok(DecisionAnswer { decision, rule, by, missing })
    }

    /// Through the endpoint that has the address; else through any: admitted where one of them is Approved.
    fn by_any_private_endpoint(
        &self,
        ix: RegistryIx,
        key: RegistryKey,
        login: &Endpoint,
        address: Option<&str>,
    ) -> Outcome {
        let address: Option<IpAddr> = address.and_then(|text| text.parse().ok());
        let of_registry = self.network.private_endpoints_of(ix);
        let holds = |endpoint| {
            let owners = address.map(|address| self.network.owners_of(address)).unwrap_or_default();
            owners.iter().any(|owner| {
                matches!(owner.kind, pullproof_network::model::owner::OwnerKind::PrivateEndpoint(o) if o == endpoint)
            })
        };
        let named: Vec<_> = of_registry.iter().copied().filter(|endpoint| holds(*endpoint)).collect();
        let asked = if named.is_empty() { of_registry.to_vec() } else { named };
        let mut best: Option<Outcome> = None;
        for endpoint in asked {
            let served = ServedAt {
                address: address.unwrap_or(IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED)),
                endpoint: Some(endpoint),
                by: String::new(),
            };
            let outcome = self.admission(key, login, Arrival::PrivateEndpoint(&served)).0;
            let better = match (&best, &outcome) {
                (None, _) | (_, Outcome::Holds) | (Some(Outcome::Fails(..)), Outcome::Open(..)) => true,
                (Some(_), _) => false,
            };
            if better {
                best = Some(outcome);
            }
        }
        // An endpoint in a subscription that was not read shows on the registry's side only.
        let approved = self.network.registries.get(ix).is_some_and(|registry| {
            registry.private_endpoint_connections.iter().any(|connection| {
                matches!(&connection.private_endpoint, Val::Known(Some(Ref::NotRead(_))))
                    && connection.status.present()
                        == Some(&pullproof_network::model::private_endpoint::ConnectionStatus::Approved)
            })
        });
        match best {
            Some(Outcome::Fails(..)) | None if approved => Outcome::Holds,
            Some(outcome) => outcome,
            None => self.no_endpoint(ix),
        }
    }

    fn no_endpoint(&self, ix: RegistryIx) -> Outcome {
        let name = self.network.registries.get(ix).map_or("", |registry| registry.id.name());
        let listed = self.network.registries.get(ix).is_some_and(|registry| {
            let json = self.network.layered.json(registry.place.resource);
            registry.private_endpoint_connections.closed().is_some()
                && json.pointer("/properties/privateEndpointConnections").is_some()
        });
        if listed && let Some(registry) = self.network.registries.get(ix) {
            return Outcome::fails(crate::outcome::Blocker {
                kind: crate::blocker::BlockerKind::EndpointNotApproved,
                message: format!("registry {name} has no Approved private endpoint connection"),
                remedy: "create a private endpoint for the registry".into(),
                facts: vec!["A75"],
                evidence: vec![registry.place.at("/properties/privateEndpointConnections")],
            });
        }
        Outcome::open(Missing {
            kind: MissingKind::Evidence,
            what: format!("the private endpoint connections of registry {name}"),
            why: "the input does not show them".into(),
            remedy: "read the registry completely".into(),
            holds_if: Some("one of them is Approved".into()),
            breaks_if: Some("none is".into()),
        })
    }

    /// The subnet with this id, or the only one that holds this address.
    fn asked_subnet(&self, text: &str) -> Result<ArmId, String> {
        if text.starts_with('/') {
            return Ok(ArmId::new(text));
        }
        let address: IpAddr = text.parse().map_err(|_| format!("`{text}` is no subnet and no address"))?;
        let holding: Vec<&ArmId> = self
            .network
            .subnets
            .values()
            .filter(|subnet| Addresses::of(subnet.prefixes.iter().copied()).contains(address))
            .map(|subnet| &subnet.id)
            .collect();
        match holding.as_slice() {
            [one] => Ok((*one).clone()),
            [] => Err(format!("no subnet holds {address}")),
            _ => Err(format!("several subnets hold {address}: give the subnet's id")),
        }
    }
}
