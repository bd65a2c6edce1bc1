//! Yes-or-no unknowns, and evaluation under every combination of them.
//!
//! One unknown has one value everywhere (V2), so a rule set is evaluated once for each value of each unknown that it
//! really comes to read: equal decisions stand, different ones are open on that unknown.

use crate::outcome::{Missing, MissingKind};

/// A yes-or-no question that nothing read answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Doubt {
    /// Names the unknown: equal keys are one unknown.
    pub key: String,
    pub kind: MissingKind,
    pub what: String,
    pub why: String,
    pub remedy: String,
    /// What it means when the answer is yes, and when it is no.
    pub yes: String,
    pub no: String,
}

impl Doubt {
    /// The missing evidence, where the decision hangs on the answer. `holds`: which answer lets the flow pass.
    pub fn missing(&self, holds: Option<bool>) -> Missing {
        let (holds_if, breaks_if) = match holds {
            Some(true) => (Some(self.yes.clone()), Some(self.no.clone())),
            Some(false) => (Some(self.no.clone()), Some(self.yes.clone())),
            None => (None, None),
        };
        Missing {
            kind: self.kind,
            what: self.what.clone(),
            why: self.why.clone(),
            remedy: self.remedy.clone(),
            holds_if,
            breaks_if,
        }
    }
}

/// The values that unknowns are taken to have.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    values: Vec<(String, bool)>,
}

impl World {
    pub fn with(&self, doubt: &Doubt, value: bool) -> Self {
        let mut values = self.values.clone();
        values.push((doubt.key.clone(), value));
        Self { values }
    }

    /// How many unknowns have a value.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The answer in this world; `Err` where the world has none yet.
    pub fn ask(&self, key: &str, doubt: impl FnOnce() -> Doubt) -> Result<bool, Box<Doubt>> {
        match self.values.iter().find(|(known, _)| known == key) {
            Some((_, value)) => Ok(*value),
            None => Err(Box::new(doubt())),
        }
    }
}

/// An answer in a world, or the unknown that the world has no value for yet.
pub(crate) type Asked<T> = Result<T, Box<Doubt>>;
