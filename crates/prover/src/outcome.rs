//! What a question about a set of flows came to: it holds, it fails, or it is open; with the reasons.

use std::collections::BTreeSet;

use pullproof_network::Val;
use pullproof_network::model::word::ProvisioningState;
pub use pullproof_snapshot::question::{Missing, MissingKind};
use pullproof_snapshot::{At, Place};

use crate::blocker::BlockerKind;
pub use crate::reads::{Read, Reads};

/// Something that makes a claim fail.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Blocker {
    pub kind: BlockerKind,
    /// One sentence: what is wrong, naming the element.
    pub message: String,
    /// What to change, in one sentence; empty where the kind's rule text says it all.
    pub remedy: String,
    /// Fact numbers, such as `R104`.
    pub facts: Vec<&'static str>,
    /// The deciding element first.
    pub evidence: Vec<At>,
}

/// A named premise of an answer that ARM does not show; the text of CONTRACT's `assumptions` keys:
/// `site:dc`, `site:dc/unfiltered`, `dns_server:10.18.1.4`, `appliance:10.0.1.4`, `registry:harbor`,
/// `public_name:<host>`, `trust:<address>`, `service_principal:<name>`, `input-complete`, `preview:<feature>`,
/// `automation:<what>`, `in-force:<resource name>`, `settled:<open point>` (the code follows one reading of it),
/// `login-server:<host>` (a plan that does not know it yet, A118).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Assumption(pub String);

/// Something worth a finding that does not decide: an unset flag, a stale sync, a deprecated construct.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remark {
    /// Kebab-case, such as `implicit-egress`, `peering-not-in-sync`, `asg-…`.
    pub kind: &'static str,
    pub message: String,
    pub facts: Vec<&'static str>,
    pub evidence: Vec<At>,
}

/// Three-valued, never without reasons: `Fails` has a blocker, `Open` a missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Holds,
    /// Fails whatever the unknowns are.
    Fails(Blocker, Vec<Blocker>),
    /// Depends on something that was not read, not declared, contested, or not modelled.
    Open(Missing, Vec<Missing>),
}

impl Outcome {
    pub fn fails(blocker: Blocker) -> Self {
        Self::Fails(blocker, Vec::new())
    }

    pub fn open(missing: Missing) -> Self {
        Self::Open(missing, Vec::new())
    }

    pub fn holds(&self) -> bool {
        matches!(self, Self::Holds)
    }

    pub fn blockers(&self) -> Vec<&Blocker> {
        match self {
            Self::Fails(first, rest) => std::iter::once(first).chain(rest).collect(),
            Self::Holds | Self::Open(..) => Vec::new(),
        }
    }

    pub fn missing(&self) -> Vec<&Missing> {
        match self {
            Self::Open(first, rest) => std::iter::once(first).chain(rest).collect(),
            Self::Holds | Self::Fails(..) => Vec::new(),
        }
    }

    /// Both must hold. A failure outweighs an open part, since it fails whatever the unknowns are.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Fails(a, mut more), Self::Fails(b, rest)) => {
                for blocker in std::iter::once(b).chain(rest) {
                    if blocker != a && !more.contains(&blocker) {
                        more.push(blocker);
                    }
                }
                Self::Fails(a, more)
            }
            (fails @ Self::Fails(..), _) | (_, fails @ Self::Fails(..)) => fails,
            (Self::Open(a, mut more), Self::Open(b, rest)) => {
                for missing in std::iter::once(b).chain(rest) {
                    if missing != a && !more.contains(&missing) {
                        more.push(missing);
                    }
                }
                Self::Open(a, more)
            }
            (open @ Self::Open(..), Self::Holds) | (Self::Holds, open @ Self::Open(..)) => open,
            (Self::Holds, Self::Holds) => Self::Holds,
        }
    }

    /// The contested-fact rule (DESIGN §2): equal verdicts of both readings stand, else open on `contested`.
    pub fn readings(self, other: Self, contested: Missing) -> Self {
        match (self, other) {
            (Self::Holds, Self::Holds) => Self::Holds,
            (fails @ Self::Fails(..), Self::Fails(..)) => fails,
            (open @ Self::Open(..), Self::Open(..)) => open.and(Self::open(contested)),
            _ => Self::open(contested),
        }
    }
}

/// What an answer rests on beyond its outcome; merged upwards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Basis {
    pub assumptions: BTreeSet<Assumption>,
    pub remarks: BTreeSet<Remark>,
    pub reads: Reads,
    /// Holds only after the client's own retry (V3); says what happens, such as "first resolver is silent: about 5 s
    /// a lookup".
    pub degraded: BTreeSet<String>,
    /// Configuration events that end a proof, such as `kubernetes>=1.36`.
    pub valid_until: BTreeSet<String>,
}

impl Basis {
    pub fn merge(&mut self, other: &Self) {
        self.assumptions.extend(other.assumptions.iter().cloned());
        self.remarks.extend(other.remarks.iter().cloned());
        self.reads.join(&other.reads);
        self.degraded.extend(other.degraded.iter().cloned());
        self.valid_until.extend(other.valid_until.iter().cloned());
    }

    pub fn assume(&mut self, text: impl Into<String>) {
        self.assumptions.insert(Assumption(text.into()));
    }

    /// V12: what a deciding resource's provisioning state adds: an assumption while Azure still works on it or where the
    /// state is not known, a remark after a failure. Absent counts as done: child objects and plans do not show it.
    pub fn in_force(&mut self, name: &str, state: &Val<Option<ProvisioningState>>, place: Place) {
        match state {
            Val::Known(None | Some(ProvisioningState::Succeeded)) => {}
            Val::Known(Some(ProvisioningState::Failed | ProvisioningState::Canceled)) => {
                self.remarks.insert(Remark {
                    kind: "provisioning-failed",
                    message: format!("the last change of {name} failed: it may not be in force as it reads"),
                    facts: Vec::new(),
                    evidence: vec![place.at("/properties/provisioningState")],
                });
            }
            Val::Known(Some(_)) | Val::Sym(_) => self.assume(format!("in-force:{name}")),
        }
    }
}
