//! Which calls a fault strikes.

use std::sync::{Mutex, PoisonError};

use pullproof_snapshot::ArmId;
use sha2::{Digest, Sha256};

use super::plan::{Fault, FaultPlan, Part, Then};

/// A call, as faults see it.
pub(crate) struct Asked<'a> {
    pub part: Part,
    pub method: &'a str,
    pub path: &'a str,
    pub types: &'a [String],
    pub scope: Option<&'a str>,
}

/// A plan with the numbers of calls that fitted each fault so far.
pub(crate) struct Faults {
    plan: FaultPlan,
    fitted: Mutex<Vec<u64>>,
}

/// A type in a scope that the plan refuses to the caller on every call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Denied {
    pub resource_type: String,
    pub scope: Option<String>,
}

impl Denied {
    /// What a fault refuses to Resource Graph's callers without a word; `None` where it is another fault.
    pub fn of(fault: &Fault) -> Option<Self> {
        let resource_type = fault.resource_type.clone().filter(|_| fault.then == Then::Forbidden)?;
        Some(Self { resource_type, scope: fault.scope.clone() })
    }
}

impl Faults {
    pub fn new(plan: FaultPlan) -> Self {
        let fitted = Mutex::new(vec![0; plan.fault.len()]);
        Self { plan, fitted }
    }

    /// The faults that strike this call, in the plan's order, with their names.
    pub fn strike(&self, asked: &Asked<'_>) -> Vec<(String, &Fault)> {
        let mut fitted = self.fitted.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = Vec::new();
        for (i, (fault, count)) in self.plan.fault.iter().zip(fitted.iter_mut()).enumerate() {
            if !fits(fault, asked) {
                continue;
            }
            *count = count.saturating_add(1);
            if strikes(fault, *count, self.plan.seed, i) {
                let name = fault.name.clone().unwrap_or_else(|| format!("fault-{}", i.saturating_add(1)));
                out.push((name, fault));
            }
        }
        out
    }

    /// The types that the plan refuses always.
    pub fn denied(&self) -> Vec<Denied> {
        let always = |fault: &&Fault| {
            let limits = [fault.calls.is_some(), fault.first.is_some(), fault.every.is_some()];
            fault.probability.is_none() && !limits.contains(&true)
        };
        self.plan.fault.iter().filter(always).filter_map(Denied::of).collect()
    }
}

fn fits(fault: &Fault, asked: &Asked<'_>) -> bool {
    let part = match fault.part {
        Some(part) => part == asked.part,
        None => asked.part != Part::Token,
    };
    part && fault.method.as_deref().is_none_or(|method| method.eq_ignore_ascii_case(asked.method))
        && fault.path.as_deref().is_none_or(|pattern| glob(pattern, asked.path))
        && fault
            .resource_type
            .as_deref()
            .is_none_or(|pattern| asked.types.iter().any(|kind| is_type(pattern, kind)))
        // A call to Resource Graph names no scope that a fault could be sure of: it is struck, and rows are looked at.
        && fault.scope.as_deref().is_none_or(|scope| match asked.scope {
            Some(of) => ArmId::new(of).is_within(scope),
            None => asked.part == Part::Graph,
        })
}

/// True where `kind` is the type that `pattern` names, letter case aside.
pub(crate) fn is_type(pattern: &str, kind: &str) -> bool {
    let (pattern, kind) = (pattern.to_ascii_lowercase(), kind.to_ascii_lowercase());
    match pattern.strip_suffix('*') {
        Some(start) => kind.starts_with(start),
        None => kind == pattern,
    }
}

/// True where the whole of `path` fits `pattern`.
fn glob(pattern: &str, path: &str) -> bool {
    fn fits(pattern: &[u8], path: &[u8]) -> bool {
        match (pattern, path) {
            ([], []) => true,
            ([b'*', b'*', rest @ ..], _) => {
                (0..=path.len()).any(|i| path.get(i..).is_some_and(|path| fits(rest, path)))
            }
            ([b'*', rest @ ..], _) => {
                let segment = path.iter().position(|c| *c == b'/').unwrap_or(path.len());
                (0..=segment).any(|i| path.get(i..).is_some_and(|path| fits(rest, path)))
            }
            ([p, rest @ ..], [c, path @ ..]) if p.eq_ignore_ascii_case(c) => fits(rest, path),
            _ => false,
        }
    }
    fits(pattern.as_bytes(), path.trim_end_matches('/').as_bytes())
}

/// Whether the n-th call that fits is struck. By chance, but the same chance in every run.
fn strikes(fault: &Fault, n: u64, seed: u64, place: usize) -> bool {
    if let Some(calls) = &fault.calls {
        return calls.contains(&n);
    }
    if let Some(first) = fault.first {
        return n <= first;
    }
    if let Some(every) = fault.every {
        return n.checked_rem(every) == Some(0);
    }
    let Some(probability) = fault.probability else { return true };
    let hash = Sha256::digest(format!("{seed}/{place}/{n}").as_bytes());
    let four = hash.iter().take(4).fold(0_u32, |sum, byte| (sum << 8) | u32::from(*byte));
    f64::from(four) < probability * (f64::from(u32::MAX) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "/subscriptions/s/providers/Microsoft.Network/virtualNetworks";

    fn asked<'a>(path: &'a str, types: &'a [String]) -> Asked<'a> {
        Asked { part: Part::Arm, method: "GET", path, types, scope: Some("/subscriptions/s") }
    }

    fn struck(fault: Fault, calls: usize) -> Vec<usize> {
        let faults = Faults::new(FaultPlan { seed: 3, fault: vec![fault], change: Vec::new() });
        let types = ["Microsoft.Network/virtualNetworks".to_owned()];
        (1..=calls).filter(|_| !faults.strike(&asked(LIST, &types)).is_empty()).collect()
    }

    #[test]
    fn which_of_the_fitting_calls() {
        assert_eq!(struck(Fault { calls: Some(vec![2, 4]), ..Fault::default() }, 5), [2, 4]);
        assert_eq!(struck(Fault { first: Some(2), ..Fault::default() }, 5), [1, 2]);
        assert_eq!(struck(Fault { every: Some(2), ..Fault::default() }, 5), [2, 4]);
        assert_eq!(struck(Fault::default(), 3), [1, 2, 3]);
        let half = struck(Fault { probability: Some(0.5), ..Fault::default() }, 200);
        assert!((60..140).contains(&half.len()), "{}", half.len());
        assert_eq!(half, struck(Fault { probability: Some(0.5), ..Fault::default() }, 200));
    }

    #[test]
    fn conditions_all_have_to_hold() {
        let path = |path: &str| Fault { path: Some(path.into()), ..Fault::default() };
        assert_eq!(struck(path("/subscriptions/*/providers/microsoft.network/**"), 1), [1]);
        assert!(struck(path("/subscriptions/*"), 1).is_empty());
        let kind = |kind: &str| Fault { resource_type: Some(kind.into()), ..Fault::default() };
        assert_eq!(struck(kind("microsoft.network/VIRTUALNETWORKS"), 1), [1]);
        assert!(struck(kind("Microsoft.Network/virtualNetworks/subnets"), 1).is_empty());
        assert!(struck(Fault { part: Some(Part::Graph), ..Fault::default() }, 1).is_empty());
        assert!(struck(Fault { scope: Some("/subscriptions/t".into()), ..Fault::default() }, 1).is_empty());
    }
}
