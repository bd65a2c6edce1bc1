//! The path behind a claim, as the report prints it; equal proofs are kept once.

use std::collections::{BTreeMap, HashMap};

use pullproof_network::set::{Addresses, Ports};
use pullproof_prover::lookup_answer::LookupEnd;
use pullproof_prover::path::{Branch, Step};

use crate::host::{HostAnswer, choice, show};
use crate::model::{FlowOut, ProofBranch, ProofPath};
use crate::print::Printer;
use crate::stable;

pub fn forward(answer: &HostAnswer, printer: &Printer<'_>) -> Option<ProofPath> {
    of_paths(answer, printer, |branch| &branch.forward_steps)
}

pub fn back(answer: &HostAnswer, printer: &Printer<'_>) -> Option<ProofPath> {
    of_paths(answer, printer, |branch| &branch.back_steps)
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

pub fn lookup(ends: &[LookupEnd], answer: &HostAnswer, printer: &Printer<'_>) -> Option<ProofPath> {
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

/// Gives proofs their names, one for equal ones, in order of first appearance.
#[derive(Default)]
pub struct Pool {
    names: HashMap<String, String>,
    pub proofs: BTreeMap<String, ProofPath>,
}

impl Pool {
    pub fn name(&mut self, proof: ProofPath) -> String {
        let text = serde_json::to_string(&proof).unwrap_or_default();
        let key = stable::id("", &[&text]) + &text.len().to_string();
        let next = self.proofs.len() + 1;
        let name = self.names.entry(key).or_insert_with(|| format!("p{next}")).clone();
        self.proofs.entry(name.clone()).or_insert(proof);
        name
    }
}
