//! Which path of a proof is told, how far, and which of its steps decides: the same in every format.

use pullproof_audit::model::{ProofBranch, ProofPath, StepDecision, StepOut};

/// One step of the path that is told.
pub(crate) struct Told<'r> {
    pub step: &'r StepOut,
    pub decides: bool,
}

/// The steps of the branch that decides, up to the one that stops the packet. What stops it decides; on a path that
/// works, the last of its turns does. `None` where the proof has no steps.
pub(crate) fn told(proof: &ProofPath) -> Option<Vec<Told<'_>>> {
    let decided = |b: &&ProofBranch| b.path.iter().any(|s| s.deciding);
    let branch = proof.branches.iter().find(decided).or(proof.branches.first())?;
    let stops = |s: &StepOut| s.deciding && matches!(s.decision, StepDecision::Drop | StepDecision::Deny);
    let decides = branch.path.iter().position(stops);
    let end = decides.map_or(branch.path.len(), |i| i + 1);
    let decides = decides.or_else(|| branch.path.iter().rposition(|s| s.deciding));
    let steps: Vec<Told<'_>> = branch
        .path
        .iter()
        .take(end)
        .enumerate()
        .map(|(i, step)| Told { step, decides: decides == Some(i) })
        .collect();
    (!steps.is_empty()).then_some(steps)
}
