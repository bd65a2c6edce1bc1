//! The way to one address, whom a client meets there, and the registry's own door.

use std::net::IpAddr;
use std::sync::Arc;

use pullproof_prover::path::{Branch, Delivery, PathAnswer, SeenAs, Target};
use pullproof_prover::registry_answer::{Arrival, Endpoint, RegistryKey, Serving};
use pullproof_prover::{Basis, BlockerKind, Outcome, Proto, Prover, SourceContext};

/// One address (or public host) with the way there and the registry's own admission, branch by branch.
pub(super) struct Way {
    pub path: Arc<PathAnswer>,
    /// For each branch the parts that the registry's door treats differently; never empty.
    pub admission: Vec<Vec<Admitted>>,
}

/// What the registry's door says to clients that it sees as some of the possible addresses.
#[derive(Clone, Debug)]
pub(super) struct Admitted {
    pub seen_as: Option<SeenAs>,
    /// Which addresses these are, where the others fare otherwise.
    pub choices: Vec<String>,
    pub outcome: Outcome,
    pub basis: Basis,
}

/// Which address a translation takes varies flow by flow (V2): parts whose addresses the door treats alike.
pub(super) fn by_source(
    seen_as: Option<&SeenAs>,
    door: impl Fn(Option<&SeenAs>) -> (Outcome, Basis),
) -> Vec<Admitted> {
    let part = |seen_as: Option<SeenAs>, choices: Vec<String>| {
        let (outcome, basis) = door(seen_as.as_ref());
        Admitted { seen_as, choices, outcome, basis }
    };
    let whole = part(seen_as.cloned(), Vec::new());
    let Some(SeenAs::Addresses { addresses, by }) = seen_as else { return vec![whole] };
    if whole.outcome.holds() || addresses.len() < 2 {
        return vec![whole];
    }
    let (mut admitted, mut refused, mut open) = (Vec::new(), Vec::new(), Vec::new());
    for address in addresses {
        let alone = SeenAs::Addresses { addresses: vec![*address], by: by.clone() };
        match door(Some(&alone)).0 {
            Outcome::Holds => admitted.push(*address),
            Outcome::Fails(..) => refused.push(*address),
            Outcome::Open(..) => open.push(*address),
        }
    }
    let groups: Vec<Vec<IpAddr>> =
        [refused, open, admitted].into_iter().filter(|group| !group.is_empty()).collect();
    if groups.len() < 2 {
        return vec![whole];
    }
    let parts = groups.into_iter().map(|addresses| {
        let choices = addresses.iter().map(|address| format!("egress={address}")).collect();
        part(Some(SeenAs::Addresses { addresses, by: by.clone() }), choices)
    });
    parts.collect()
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

    /// The registry's door turns away whatever comes this way.
    pub(super) fn refused(&self) -> bool {
        !self.admission.is_empty() && self.admission.iter().flatten().all(|part| fails(&part.outcome))
    }

    /// It turns away some of what may come this way.
    pub(super) fn partly_refused(&self) -> bool {
        self.admission.iter().flatten().any(|part| fails(&part.outcome))
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
const NOT_KNOWN: &str = "the address that the registry sees is not known";

/// The way to a target. Where a firewall's own lookup leads away from an address that serves, that is the name's fault
/// and a claim of its own (V5, D177): the way is the one that the flow would take with the right answer.
pub(super) fn path(
    prover: &Prover<'_>,
    from: &SourceContext,
    endpoint: &Endpoint,
    serving: &Serving,
    target: &Target,
) -> Arc<PathAnswer> {
    let (port, host) = (endpoint.port, Some(endpoint.host.as_str()));
    let found = prover.path(from, target, Proto::Tcp, port, host);
    let serves = |t: &Target| serving.private.iter().any(|s| Target::Address(s.address) == *t);
    let led_away = |b: &Branch| b.proxied_by.is_some() && b.ends_at.as_ref().is_some_and(|end| !serves(end));
    if serves(target) && found.branches.iter().any(led_away) {
        return prover.path_as_asked(from, target, Proto::Tcp, port, host);
    }
    found
}

/// The registry's own admission of what one branch brings to its door.
pub(super) fn admission(
    prover: &Prover<'_>,
    registry: RegistryKey,
    endpoint: &Endpoint,
    serving: &Serving,
    target: &Target,
    branch: &Branch,
) -> Vec<Admitted> {
    let mut parts = at_one_end(prover, registry, endpoint, serving, target, branch);
    for other in &branch.other_ends {
        let end = Branch {
            delivery: other.delivery.clone(),
            seen_as: other.seen_as.clone(),
            other_ends: Vec::new(),
            ..branch.clone()
        };
        let there = at_one_end(prover, registry, endpoint, serving, target, &end);
        let outcome = there.iter().map(|part| part.outcome.clone()).reduce(Outcome::and);
        for part in &mut parts {
            if let Some(outcome) = &outcome {
                part.outcome = part.outcome.clone().readings(outcome.clone(), other.missing.clone());
            }
            for part_there in &there {
                part.basis.merge(&part_there.basis);
            }
        }
    }
    parts
}

fn at_one_end(
    prover: &Prover<'_>,
    registry: RegistryKey,
    endpoint: &Endpoint,
    serving: &Serving,
    target: &Target,
    branch: &Branch,
) -> Vec<Admitted> {
    let always = |outcome: Outcome, basis: Basis| {
        vec![Admitted { seen_as: branch.seen_as.clone(), choices: Vec::new(), outcome, basis }]
    };
    let no_door = || always(Outcome::Holds, Basis::default());
    let ends_at = branch.ends_at.as_ref().unwrap_or(target);
    let serves = |t: &Target| serving.private.iter().any(|s| Target::Address(s.address) == *t);
    if branch.proxied_by.is_some() && !serving.private.is_empty() && !serves(ends_at) {
        // The firewall's own lookup leads elsewhere: that is the name's fault, and a claim of its own (V5).
        return no_door();
    }
    match &branch.delivery {
        Delivery::PrivateEndpoint(_) => {
            let served = serving.private.iter().chain(&serving.not_serving);
            match served.into_iter().find(|s| Target::Address(s.address) == *ends_at) {
                Some(served) => {
                    let (outcome, basis) =
                        prover.admission(registry, endpoint, Arrival::PrivateEndpoint(served));
                    always(outcome, basis)
                }
                None => no_door(),
            }
        }
        Delivery::Site(_) if branch.seen_as.is_none() => no_door(),
        Delivery::Internet | Delivery::Site(_) => by_source(branch.seen_as.as_ref(), |seen_as| {
            public_admission(prover, registry, endpoint, seen_as)
        }),
        Delivery::ServiceEndpoint(subnet) => {
            let (outcome, basis) = prover.admission(registry, endpoint, Arrival::ServiceEndpoint(subnet));
            always(outcome, basis)
        }
        Delivery::Device(_) | Delivery::Subnet(_) | Delivery::Platform => no_door(),
        // Which door it is depends on where the packets end.
        Delivery::Nowhere if matches!(branch.forward, Outcome::Open(..)) => {
            let open = Outcome::open(super::reasons::depends(&endpoint.host, "the forward route"));
            always(open, Basis::default())
        }
        Delivery::Nowhere => no_door(),
    }
}

/// What the registry's public door says to a client that it sees so.
pub(super) fn public_admission(
    prover: &Prover<'_>,
    registry: RegistryKey,
    endpoint: &Endpoint,
    seen_as: Option<&SeenAs>,
) -> (Outcome, Basis) {
    let arrival = match seen_as {
        Some(SeenAs::Addresses { addresses, .. }) => Arrival::Public { seen_as: addresses, unknown: None },
        Some(SeenAs::Unknown(why)) => Arrival::Public { seen_as: &[], unknown: Some(why) },
        None => Arrival::Public { seen_as: &[], unknown: Some(NOT_KNOWN) },
    };
    prover.admission(registry, endpoint, arrival)
}
