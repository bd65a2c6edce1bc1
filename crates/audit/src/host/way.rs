//! The way to one address, whom a client meets there, and the registry's own door.

use std::sync::Arc;

use pullproof_prover::path::{Branch, Delivery, PathAnswer, SeenAs, Target};
use pullproof_prover::registry_answer::{Arrival, Endpoint, RegistryKey, Serving};
use pullproof_prover::{Basis, BlockerKind, Outcome, Prover};

/// One address (or public host) with the way there and the registry's own admission, branch by branch.
pub(super) struct Way {
    pub path: Arc<PathAnswer>,
    pub admission: Vec<(Outcome, Basis)>,
}

impl Way {
    /// Some packet is not delivered or is filtered, whatever the unknowns are: not in S* (V5).
    pub(super) fn path_disproven(&self) -> bool {
        self.path.branches.iter().any(|b| fails(&b.forward) || fails(&b.back) || fails(&b.filters))
    }

    /// Who a client meets that tries this address instead of a right one (V3): it goes on to the next address only
    /// where nobody answers. `public`: the address is the registry's own public front end.
    pub(super) fn meets(&self, public: bool) -> Meets {
        let branches = &self.path.branches;
        let nobody = |b: &Branch| fails(&b.forward) || fails(&b.back) || silent(&b.filters);
        if !branches.is_empty() && branches.iter().all(nobody) {
            return Meets::Nobody;
        }
        let somebody = |b: &Branch| {
            let through = b.forward.holds() && b.back.holds() && b.filters.holds();
            let there = matches!(b.delivery, Delivery::PrivateEndpoint(_)) || (public && self.refused());
            through && there
        };
        if branches.iter().any(somebody) { Meets::Somebody } else { Meets::Unknown }
    }

    /// A firewall's application rule takes every packet over.
    pub(super) fn proxied(&self) -> bool {
        !self.path.branches.is_empty() && self.path.branches.iter().all(|b| b.proxied_by.is_some())
    }

    pub(super) fn refused(&self) -> bool {
        !self.admission.is_empty() && self.admission.iter().all(|(o, _)| fails(o))
    }
}

/// Whether a client that connects there gets an answer.
pub(super) enum Meets {
    Nobody,
    Somebody,
    Unknown,
}

/// Packets are dropped without a word. A firewall that denies by application rules has already taken the connection
/// (F120), so its clients do not go on.
pub(super) fn silent(filters: &Outcome) -> bool {
    match filters {
        Outcome::Fails(first, _) => {
            !matches!(first.kind, BlockerKind::FirewallDenies | BlockerKind::FirewallCannotResolve)
        }
        Outcome::Holds | Outcome::Open(..) => false,
    }
}

pub(super) fn fails(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Fails(..))
}

/// Why an egress address is not known where the walk does not say.
pub(super) const NOT_KNOWN: &str = "the address that the registry sees is not known";

/// The registry's own admission of what one branch brings to its door.
pub(super) fn admission(
    prover: &Prover<'_>,
    registry: RegistryKey,
    endpoint: &Endpoint,
    serving: &Serving,
    target: &Target,
    branch: &Branch,
) -> (Outcome, Basis) {
    let ends_at = branch.ends_at.as_ref().unwrap_or(target);
    let serves = |t: &Target| serving.private.iter().any(|s| Target::Address(s.address) == *t);
    if branch.proxied_by.is_some() && !serving.private.is_empty() && !serves(ends_at) {
        // The firewall's own lookup leads elsewhere: that is the name's fault, and a claim of its own (V5).
        return (Outcome::Holds, Basis::default());
    }
    match &branch.delivery {
        Delivery::PrivateEndpoint(_) => {
            let served = serving.private.iter().chain(&serving.not_serving);
            match served.into_iter().find(|s| Target::Address(s.address) == *ends_at) {
                Some(served) => prover.admission(registry, endpoint, Arrival::PrivateEndpoint(served)),
                None => (Outcome::Holds, Basis::default()),
            }
        }
        Delivery::Site(_) if branch.seen_as.is_none() => (Outcome::Holds, Basis::default()),
        Delivery::Internet | Delivery::Site(_) => match &branch.seen_as {
            Some(SeenAs::Addresses { addresses, .. }) => {
                prover.admission(registry, endpoint, Arrival::Public { seen_as: addresses, unknown: None })
            }
            Some(SeenAs::Unknown(why)) => {
                prover.admission(registry, endpoint, Arrival::Public { seen_as: &[], unknown: Some(why) })
            }
            None => prover.admission(
                registry,
                endpoint,
                Arrival::Public {
                    seen_as: &[],
                    unknown: Some("the address that the registry sees is not known"),
                },
            ),
        },
        Delivery::ServiceEndpoint(subnet) => {
            prover.admission(registry, endpoint, Arrival::ServiceEndpoint(subnet))
        }
        Delivery::Device(_) | Delivery::Subnet(_) | Delivery::Platform | Delivery::Nowhere => {
            (Outcome::Holds, Basis::default())
        }
    }
}
