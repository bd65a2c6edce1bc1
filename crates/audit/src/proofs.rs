//! The path behind a claim, as the report prints it; equal proofs are kept once.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use pullproof_network::set::{Addresses, Ports};
use pullproof_prover::lookup_answer::LookupEnd;
use pullproof_prover::path::{Branch, Step};
use pullproof_snapshot::ArmId;

use crate::host::{HostAnswer, choice, show};
use crate::model::{FlowOut, ProofBranch, ProofPath};
use crate::print::Printer;
use crate::stable;

/// The path behind a claim, before it is spelt out. Most are never looked at: printing them takes longer than finding
/// them.
#[derive(Clone)]
pub struct Unprinted {
    answer: Arc<HostAnswer>,
    part: PathPart,
}

/// Which path of a host it is.
#[derive(Clone)]
pub enum PathPart {
    Forward,
    Back,
    Lookup,
    /// The lookup of a firewall on the way (F121).
    LookupBy(ArmId),
}

impl Unprinted {
    pub fn new(answer: &Arc<HostAnswer>, part: PathPart) -> Self {
        Self { answer: Arc::clone(answer), part }
    }

    /// `None` where there is no path: nothing was found that the claim could be about.
    pub fn print(&self, printer: &Printer<'_>) -> Option<ProofPath> {
        let answer = &*self.answer;
        match &self.part {
            PathPart::Forward => of_paths(answer, printer, |branch| &branch.forward_steps),
            PathPart::Back => of_paths(answer, printer, |branch| &branch.back_steps),
            PathPart::Lookup => lookup(&answer.ends, answer, printer),
            PathPart::LookupBy(firewall) => lookup(&answer.by_firewall.get(firewall)?.1, answer, printer),
        }
    }
}

fn of_paths(
    answer: &HostAnswer,
    printer: &Printer<'_>,
    steps: impl Fn(&Branch) -> &Vec<Step>,
) -> Option<ProofPath> {
    let mut branches = Vec::new();
    for (target, path) in &answer.paths {
        for branch in &path.branches {
            branches.push(ProofBranch {
                flow: FlowOut {
                    sources: prefixes(&branch.sources),
                    source_ports: ports(&branch.sports),
                    destination: show(target),
                    protocol: "tcp",
                    port: answer.endpoint.port,
                    choices: branch.choices.iter().map(choice).collect(),
                },
                path: steps(branch).iter().map(|step| printer.step(step)).collect(),
            });
        }
    }
    (!branches.is_empty()).then_some(ProofPath { branches })
}

fn lookup(ends: &[LookupEnd], answer: &HostAnswer, printer: &Printer<'_>) -> Option<ProofPath> {
    let branches: Vec<ProofBranch> = ends
        .iter()
        .map(|end| ProofBranch {
            flow: FlowOut {
                sources: prefixes(&sources_of(answer)),
                source_ports: Vec::new(),
                destination: answer.endpoint.host.clone(),
                protocol: "dns",
                port: 53,
                choices: Vec::new(),
            },
            path: end.steps.iter().map(|step| printer.step(step)).collect(),
        })
        .collect();
    (!branches.is_empty()).then_some(ProofPath { branches })
}

fn sources_of(answer: &HostAnswer) -> Addresses {
    answer.resolution.first().map(|p| p.sources.clone()).unwrap_or_default()
}

fn prefixes(addresses: &Addresses) -> Vec<String> {
    addresses.prefixes().iter().map(ToString::to_string).collect()
}

fn ports(ports: &Ports) -> Vec<String> {
    ports
        .iter()
        .map(|(from, to)| if from == to { from.to_string() } else { format!("{from}-{to}") })
        .collect()
}

/// A path with what tells it from others.
pub struct Keyed {
    key: [u8; 32],
    path: ProofPath,
}

impl Keyed {
    pub fn new(path: ProofPath) -> Self {
        Self { key: stable::digest(&path), path }
    }
}

/// Gives proofs their names, one for equal ones, in order of first appearance.
#[derive(Default)]
pub struct Pool {
    names: HashMap<[u8; 32], String>,
    pub proofs: BTreeMap<String, ProofPath>,
}

impl Pool {
    pub fn name(&mut self, proof: Keyed) -> String {
        let next = self.proofs.len() + 1;
        let name = self.names.entry(proof.key).or_insert_with(|| format!("p{next}")).clone();
        self.proofs.entry(name.clone()).or_insert(proof.path);
        name
    }
}
