//! The claims about one host: resolution, routing forward and return, filtering, trust (V5, V8).
//!
//! Words as in V5: **A** what the node's lookups can return, **S** where the registry serves the host and admits this
//! client, **S*** those of S that routing and filtering do not disprove.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use pullproof_prover::lookup_answer::{LookupAnswers, LookupEnd, Scope, When};
use pullproof_prover::path::{Choice, Interceptor, PathAnswer, Target};
use pullproof_prover::registry_answer::{Endpoint, RegistryKey, Serving};
use pullproof_prover::{Basis, Blocker, Missing, MissingKind, Outcome, Prover, RecordType, SourceContext};
use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::{LookupResult, Reach};

use crate::decide::Piece;

mod firewall;
mod reasons;
mod resolution;
mod way;

pub use reasons::depends;
use way::{Way, admission, fails};

/// Everything found out about one host for one asker; `claims` reads it.
pub struct HostAnswer {
    pub endpoint: Endpoint,
    pub resolution: Vec<Piece>,
    pub resolution_basis: Basis,
    /// The lookup, for counterexamples; one entry a resolution piece.
    pub ends: Vec<LookupEnd>,
    /// Addresses that would have been right, for counterexamples.
    pub accepted: Vec<IpAddr>,
    /// Lookups that firewalls on the path make for themselves (F121): claims of their own.
    pub by_firewall: BTreeMap<ArmId, (Vec<Piece>, Vec<LookupEnd>, Basis)>,
    /// What the path claims are about, with the way there.
    pub paths: Vec<(Target, Arc<PathAnswer>)>,
    pub forward: Vec<Piece>,
    pub back: Vec<Piece>,
    pub filters: Vec<Piece>,
    pub path_basis: Basis,
    pub filter_basis: Basis,
    pub behind: Vec<Blocker>,
    pub interceptors: Vec<Interceptor>,
}

impl HostAnswer {
    /// A source and a destination address of the paths, for the handshake.
    pub fn way(&self) -> Option<(IpAddr, IpAddr)> {
        let (target, path) = self.paths.first()?;
        let source = path.branches.first()?.sources.first()?;
        Some((source, address_of(target)?))
    }

    /// Some way leads past everything that may present a certificate of its own.
    pub fn straight(&self) -> bool {
        let mut branches = self.paths.iter().flat_map(|(_, path)| &path.branches);
        branches.any(|branch| branch.interceptors.is_empty() && !fails(&branch.forward))
    }
}

/// The question about one host.
pub struct HostQuestion<'a, 'n> {
    pub prover: &'a Prover<'n>,
    pub from: &'a SourceContext,
    pub registry: RegistryKey,
    pub endpoint: Endpoint,
}

pub fn ask(question: HostQuestion<'_, '_>) -> HostAnswer {
    let HostQuestion { prover, from, registry, endpoint } = question;
    let lookup = prover.lookup(from, &endpoint.host, RecordType::A);
    let serving = prover.serving(registry, &endpoint);
    let mut work = Work {
        prover,
        from,
        registry,
        endpoint: &endpoint,
        serving: &serving,
        ways: BTreeMap::new(),
        answered: answered(&lookup, || prover.public_targets(&endpoint)),
        admitted: Vec::new(),
        reachable: Vec::new(),
        serves_what_answers: false,
        public_ends: lookup.ends.iter().any(|e| e.scope == Some(Scope::Public)),
    };
    work.find_serving();
    let about = work.about();
    let resolution = work.resolution(&lookup);
    let mut answer = HostAnswer {
        resolution: resolution.iter().map(|(piece, _, _)| piece.clone()).collect(),
        ends: resolution.iter().map(|(_, end, _)| end.clone()).collect(),
        resolution_basis: lookup.basis.clone(),
        accepted: work.good().iter().filter_map(address_of).collect(),
        by_firewall: BTreeMap::new(),
        paths: Vec::new(),
        forward: Vec::new(),
        back: Vec::new(),
        filters: Vec::new(),
        path_basis: Basis::default(),
        filter_basis: Basis::default(),
        behind: Vec::new(),
        interceptors: Vec::new(),
        endpoint: endpoint.clone(),
    };
    for (_, _, basis) in &resolution {
        answer.resolution_basis.merge(basis);
    }
    answer.resolution_basis.merge(&serving.basis);
    for target in about {
        work.path_claims(&target, &mut answer);
    }
    work.nobody_admitted(&mut answer);
    work.firewall_lookups(&mut answer);
    answer
}

struct Work<'a, 'n> {
    prover: &'a Prover<'n>,
    from: &'a SourceContext,
    registry: RegistryKey,
    endpoint: &'a Endpoint,
    serving: &'a Serving,
    ways: BTreeMap<Target, Way>,
    /// A.
    answered: Vec<Target>,
    /// S.
    admitted: Vec<Target>,
    /// S*.
    reachable: Vec<Target>,
    /// A declared registry without addresses: S = A.
    serves_what_answers: bool,
    /// Some way of the lookup ends at a public address.
    public_ends: bool,
}

/// A: the targets that the lookups can return, in order of first appearance. A public answer whose address is not
/// known stands for the public front end.
fn answered(lookup: &LookupAnswers, public: impl Fn() -> Vec<Target>) -> Vec<Target> {
    let mut out: Vec<Target> = Vec::new();
    let first = lookup.ends.iter().filter(|e| e.when != When::EarlierSilent);
    for end in first.filter(|e| e.result == LookupResult::Answer) {
        if end.addresses.is_empty() {
            for target in public() {
                push(&mut out, target);
            }
        }
        for address in &end.addresses {
            let target = Target::Address(*address);
            if !out.contains(&target) {
                out.push(target);
            }
        }
    }
    out
}

fn address_of(target: &Target) -> Option<IpAddr> {
    match target {
        Target::Address(address) => Some(*address),
        Target::PublicHost { .. } => None,
    }
}

impl Work<'_, '_> {
    fn way(&mut self, target: &Target) -> &Way {
        let (prover, from, registry, endpoint, serving) =
            (self.prover, self.from, self.registry, self.endpoint, self.serving);
        self.ways.entry(target.clone()).or_insert_with(|| {
            let path = way::path(prover, from, endpoint, serving, target);
            let admission = path
                .branches
                .iter()
                .map(|branch| admission(prover, registry, endpoint, serving, target, branch))
                .collect();
            Way { path, admission }
        })
    }

    /// Fills S and S*. The public front end is looked at only where a private answer does not settle the claim.
    fn find_serving(&mut self) {
        let declared = matches!(self.registry, RegistryKey::Declared(_));
        let private: Vec<Target> = self.serving.private.iter().map(|s| Target::Address(s.address)).collect();
        let public = self.public_front_end();
        if declared && private.is_empty() {
            self.serves_what_answers = true;
            for target in public {
                if self.answered.is_empty() || self.endpoint.wildcard {
                    push(&mut self.answered, target);
                }
            }
            self.admitted = self.answered.clone();
        } else {
            for target in private {
                if !self.way(&target).refused() {
                    push(&mut self.admitted, target);
                }
            }
        }
        // A flow that a firewall's application rule takes over counts as served: the firewall's own lookup, a claim of its
        // own, decides where it ends (F121, D177).
        for target in self.answered.clone() {
            if self.way(&target).proxied() {
                push(&mut self.admitted, target);
            }
        }
        self.star();
        let settled = !self.public_ends
            && !self.answered.is_empty()
            && self.answered.iter().all(|t| self.reachable.contains(t));
        if !self.serves_what_answers && !settled && !declared {
            // Where a private address serves, a front end that turns some of the flows away is none to rely on.
            let elsewhere = !self.reachable.is_empty();
            for target in self.public_targets() {
                let way = self.way(&target);
                if !(way.refused() || elsewhere && way.partly_refused()) {
                    push(&mut self.admitted, target);
                }
            }
            self.star();
        }
    }

    fn star(&mut self) {
        let admitted = self.admitted.clone();
        self.reachable = admitted.into_iter().filter(|t| !self.way(t).path_disproven()).collect();
    }

    fn public_front_end(&self) -> Vec<Target> {
        if self.endpoint.reach == Reach::Public || self.endpoint.wildcard {
            return self.public_targets();
        }
        Vec::new()
    }

    fn public_targets(&self) -> Vec<Target> {
        self.prover.public_targets(self.endpoint)
    }

    /// The members of S that an answer has to end at: S*, or S where S* is empty.
    fn good(&self) -> &[Target] {
        if self.reachable.is_empty() { &self.admitted } else { &self.reachable }
    }

    /// What the path claims are about: A∩S* if not empty, else S*, else A∩S, else S, else A. Where no lookup is known
    /// either, the addresses at which the registry turns everybody away: if none serves, admission is at fault (V5).
    fn about(&self) -> Vec<Target> {
        let both = |s: &[Target]| -> Vec<Target> {
            self.answered.iter().filter(|t| s.contains(t)).cloned().collect()
        };
        let choices = [
            both(&self.reachable),
            self.reachable.clone(),
            both(&self.admitted),
            self.admitted.clone(),
            self.answered.clone(),
            self.serving.private.iter().map(|s| Target::Address(s.address)).collect(),
        ];
        choices.into_iter().find(|c| !c.is_empty()).unwrap_or_default()
    }

    /// Where no address is known to serve, and some that may serve are not known, a way that fails is not known to be
    /// the one that matters (V5, V6).
    fn unless_served_elsewhere(&self, outcome: Outcome) -> Outcome {
        if !fails(&outcome) || !self.reachable.is_empty() {
            return outcome;
        }
        let missing = self.serving.missing.iter().cloned().map(Outcome::open);
        missing.reduce(Outcome::and).unwrap_or(outcome)
    }

    fn path_claims(&mut self, target: &Target, answer: &mut HostAnswer) {
        let endpoint_host = self.endpoint.host.clone();
        let way = self.way(target);
        let path = Arc::clone(&way.path);
        let admission = way.admission.clone();
        let destination = show(target);
        // V4: nothing is proven of the reply to a packet that never arrives, nor of filters that it never meets.
        let some_arrive = path.branches.iter().any(|branch| !fails(&branch.forward));
        for (branch, admission) in path.branches.iter().zip(&admission) {
            let piece = |outcome: Outcome| Piece {
                sources: branch.sources.clone(),
                sports: branch.sports.clone(),
                destination: destination.clone(),
                choices: branch.choices.iter().map(choice).collect(),
                outcome: self.unless_served_elsewhere(outcome),
            };
            let captured = self.captured(target).map_or(Outcome::Holds, Outcome::open);
            answer.forward.push(piece(branch.forward.clone().and(captured)));
            if fails(&branch.forward) {
                let nothing = || Outcome::open(depends(&endpoint_host, "the forward route"));
                for blocker in branch.back.blockers() {
                    push(&mut answer.behind, blocker.clone());
                }
                if !some_arrive {
                    answer.back.push(piece(nothing()));
                }
                if fails(&branch.filters) {
                    answer.filters.push(piece(branch.filters.clone()));
                } else if !some_arrive {
                    answer.filters.push(piece(nothing()));
                }
            } else {
                answer.back.push(piece(branch.back.clone()));
                for part in admission {
                    answer.filter_basis.merge(&part.basis);
                    let mut filters = piece(branch.filters.clone().and(part.outcome.clone()));
                    filters.choices.extend(part.choices.iter().cloned());
                    answer.filters.push(filters);
                }
            }
            answer.path_basis.merge(&branch.basis);
            answer.filter_basis.merge(&branch.basis);
            for blocker in &branch.behind {
                push(&mut answer.behind, blocker.clone());
            }
            for interceptor in &branch.interceptors {
                push(&mut answer.interceptors, interceptor.clone());
            }
        }
        answer.paths.push((target.clone(), path));
    }

    /// A node may keep packets to its cluster's service and pod ranges to itself, whatever routes say (A184).
    fn captured(&self, target: &Target) -> Option<Missing> {
        let address = address_of(target)?;
        let network = self.prover.network;
        let cluster = &network.clusters[network.pools[self.from.pool?].cluster];
        let ranges = cluster.network.service_cidrs.iter().chain(cluster.network.pod_cidrs.iter());
        let range = ranges.into_iter().find(|range| range.contains(&address))?;
        Some(Missing {
            kind: MissingKind::NotModelled,
            what: format!("whether nodes of {} keep {address} to themselves", cluster.id.name()),
            why: format!("it lies in the cluster's own range {range}, which node-local rules capture (A184)"),
            remedy: "give the endpoint an address outside the cluster's service and pod ranges".into(),
            holds_if: Some("the node sends the packet out".into()),
            breaks_if: Some("the node answers or drops it itself".into()),
        })
    }

    /// Where nothing serves and nothing answers that a path claim could be about, the registry's door still speaks: one
    /// that admits nobody fails whatever DNS says (A100).
    fn nobody_admitted(&self, answer: &mut HostAnswer) {
        if !answer.filters.is_empty() || !self.serving.private.is_empty() || !self.serving.missing.is_empty()
        {
            return;
        }
        let (outcome, basis) = self.public_admission(None);
        if fails(&outcome) {
            answer.filter_basis.merge(&basis);
            answer.filters.push(Piece {
                sources: self.from.sources.clone(),
                sports: self.from.sports.clone(),
                destination: self.endpoint.host.clone(),
                choices: Vec::new(),
                outcome,
            });
        }
    }
}

fn push<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

pub fn show(target: &Target) -> String {
    match target {
        Target::Address(address) => address.to_string(),
        Target::PublicHost { host, .. } => host.clone(),
    }
}

pub fn choice(choice: &Choice) -> String {
    format!("{}={}", choice.what, choice.value)
}
