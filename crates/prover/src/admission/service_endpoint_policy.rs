//! Service endpoint policies: which accounts a subnet reaches over its storage service endpoint (A93, R100).

use pullproof_network::model::index::{ServiceEndpointPolicyIx, SubnetIx};
use pullproof_network::model::service_endpoint_policy::{
    ServiceEndpointPolicy, service_endpoint_policy as pointer,
};
use pullproof_network::model::vnet::subnet as subnet_pointer;
use pullproof_network::{Ref, Val};
use pullproof_snapshot::ArmId;

use crate::blocker::BlockerKind;
use crate::outcome::{Basis, Blocker, Missing, MissingKind, Outcome, Read};
use crate::prover::Prover;

const STORAGE: &str = "Microsoft.Storage";

/// What the policies of a subnet say about accounts that belong to the registry service.
enum Says {
    /// Only customers' accounts, groups or subscriptions are listed.
    Refuses(ServiceEndpointPolicyIx),
    Unknown(Missing),
}

impl Prover<'_> {
    /// Does a flow from `subnet` to `host` pass the service endpoint policies of the subnet, given that it leaves over
    /// the subnet's service endpoint for `service` (such as `Microsoft.Storage`)? Policies speak of storage only. The
    /// accounts behind a registry belong to the registry service, so that a policy that lists only customers' own
    /// accounts refuses them (A93); one with a service alias, or one that was not read, is not known to (R100). Layer
    /// filtering.
    pub fn service_endpoint_policy(&self, subnet: SubnetIx, service: &str, host: &str) -> (Outcome, Basis) {
        let mut basis = Basis::default();
        let Some(here) = self.network.subnets.get(subnet) else { return (Outcome::Holds, basis) };
        if !service.get(..STORAGE.len()).is_some_and(|start| start.eq_ignore_ascii_case(STORAGE)) {
            return (Outcome::Holds, basis);
        }
        let list = &here.service_endpoint_policies;
        if list.is_empty() {
            return (Outcome::Holds, basis);
        }
        basis.reads.insert(Read::Resource(here.id.clone()));
        let open = |what: String, why: String, remedy: String, kind| Missing {
            kind,
            what,
            why,
            remedy,
            holds_if: Some("a policy admits the registry's storage accounts".into()),
            breaks_if: Some("they list customers' own accounts only".into()),
        };
        let mut refusing = None;
        let mut unknown: Option<Missing> = list.open.map(|symbol| {
            open(
                format!("the service endpoint policies of subnet {}", here.name),
                self.network.symbols.name(symbol).to_owned(),
                "complete the subnet in the input".into(),
                MissingKind::Evidence,
            )
        });
        for reference in list {
            let says = match reference {
                Ref::NotRead(id) => Says::Unknown(open(
                    format!("the definitions of service endpoint policy {}", id.name()),
                    "it was not read".into(),
                    format!("read {}", id.as_written()),
                    MissingKind::Permission,
                )),
                Ref::Here(ix) => {
                    let Some(policy) = self.network.service_endpoint_policies.get(*ix) else { continue };
                    basis.reads.insert(Read::Resource(policy.id.clone()));
                    basis.in_force(policy.id.name(), &policy.provisioning_state, policy.place);
                    match alias(policy) {
                        Some(why) => Says::Unknown(open(
                            format!("what service endpoint policy {} admits", policy.id.name()),
                            why,
                            "switch the registry's dedicated data endpoints on, or take the policy off the subnet".into(),
                            MissingKind::NotModelled,
                        )),
                        None => Says::Refuses(*ix),
                    }
                }
            };
            match says {
                Says::Refuses(ix) => refusing = refusing.or(Some(ix)),
                Says::Unknown(missing) => unknown = unknown.or(Some(missing)),
            }
        }
        // Several policies admit what any of them does.
        let outcome = match (unknown, refusing.and_then(|ix| self.network.service_endpoint_policies.get(ix)))
        {
            (Some(missing), _) => Outcome::open(missing),
            (None, None) => Outcome::Holds,
            (None, Some(policy)) => Outcome::fails(Blocker {
                kind: BlockerKind::ServiceEndpointPolicy,
                message: format!(
                    "service endpoint policy {} of subnet {} does not admit {host}: its accounts belong to the registry service",
                    policy.id.name(),
                    here.name
                ),
                remedy:
                    "switch the registry's dedicated data endpoints on, or take the policy off the subnet"
                        .into(),
                facts: vec!["A93", "R100"],
                evidence: vec![
                    policy.place.at(pointer::DEFINITIONS),
                    here.place.at(subnet_pointer::SERVICE_ENDPOINT_POLICIES),
                ],
            }),
        };
        (outcome, basis)
    }
}

/// Why a policy may admit more than customers' own accounts; `None`: it does not.
fn alias(policy: &ServiceEndpointPolicy) -> Option<String> {
    if !matches!(policy.service_alias, Val::Known(None)) {
        return Some("it carries a service alias".into());
    }
    if policy.definitions.open.is_some() {
        return Some("its definitions are not completely known".into());
    }
    for definition in &policy.definitions {
        let storage = match &definition.service {
            Val::Known(Some(service)) => service.eq_ignore_ascii_case(STORAGE),
            Val::Known(None) | Val::Sym(_) => false,
        };
        let own = definition.service_resources.open.is_none()
            && definition
                .service_resources
                .iter()
                .all(|resource| ArmId::new(resource).subscription().is_some());
        if !storage || !own {
            return Some(format!(
                "definition {} names something else than customers' resources",
                definition.name
            ));
        }
    }
    None
}
