//! The plan as it is written: TOML, or JSON of the same form.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

/// What goes wrong in a run of the emulator. The default is nothing.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultPlan {
    /// Of faults that strike by chance: the same seed strikes the same calls.
    #[serde(default)]
    pub seed: u64,
    #[serde(default)]
    pub fault: Vec<Fault>,
    #[serde(default)]
    pub change: Vec<Change>,
}

/// One fault: the calls that it strikes, and what happens to them. Every condition given has to hold.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// For the log; absent: `fault-` and its place in the file, from 1.
    #[serde(default)]
    pub name: Option<String>,
    /// Absent: ARM and Resource Graph, not the token endpoints.
    #[serde(default)]
    pub part: Option<Part>,
    #[serde(default)]
    pub method: Option<String>,
    /// A pattern of the whole path, letter case aside: `*` for part of a segment, `**` for anything.
    #[serde(default)]
    pub path: Option<String>,
    /// A resource type, letter case aside; a `*` at its end stands for anything.
    #[serde(default, rename = "type")]
    pub resource_type: Option<String>,
    /// The call's scope lies at or below this one.
    #[serde(default)]
    pub scope: Option<String>,
    /// Which of the calls that fit, from 1. At most one of `calls`, `first`, `every` and `probability`; none: all.
    #[serde(default)]
    pub calls: Option<Vec<u64>>,
    /// The first so many.
    #[serde(default)]
    pub first: Option<u64>,
    /// Each n-th.
    #[serde(default)]
    pub every: Option<u64>,
    /// Each with this probability, from 0 to 1.
    #[serde(default)]
    pub probability: Option<f64>,
    pub then: Then,
}

/// Which endpoints a fault is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    Arm,
    Graph,
    Token,
}

/// What happens to a call.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub enum Then {
    /// 429 with `Retry-After`, in seconds.
    Throttle {
        #[serde(default = "one")]
        retry_after: u32,
    },
    /// 500 and above, in ARM's envelope; with `Retry-After` where given.
    ServerError {
        #[serde(default = "unavailable")]
        status: u16,
        #[serde(default)]
        retry_after: Option<u32>,
    },
    /// The connection is reset before a byte is answered.
    #[default]
    Reset,
    /// The answer comes so many milliseconds later.
    Slow { milliseconds: u64 },
    /// The connection closes after so many bytes of the body.
    Truncate { bytes: usize },
    /// The body of another kind: HTML where none is given.
    ContentType {
        #[serde(default = "html")]
        value: String,
        #[serde(default)]
        body: Option<String>,
    },
    /// The link or token to the next page leads to the same page again.
    PagingLoop,
    /// Links (`nextLink`, `Location`, `Azure-AsyncOperation`) lead to another host.
    ForeignLink {
        #[serde(default = "foreign")]
        host: String,
    },
    /// 403. Resource Graph leaves the rows out instead, without a word (D44a).
    Forbidden,
    /// Every token issued so far has expired.
    ExpireTokens,
}

/// One change of the estate in mid-run: eventual consistency, or somebody at work.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The id of a resource that the snapshot holds as one of its own (not inside its parent).
    pub resource: String,
    /// Calls to ARM and Resource Graph that still see the state before.
    pub after: u64,
    /// The resource is not there before.
    #[serde(default)]
    pub appears: bool,
    /// The resource is not there afterwards.
    #[serde(default)]
    pub disappears: bool,
    /// Values by JSON pointer that the resource has afterwards; its etag changes too.
    #[serde(default)]
    pub set: BTreeMap<String, Value>,
}

fn one() -> u32 {
    1
}
fn unavailable() -> u16 {
    503
}
fn html() -> String {
    "text/html".to_owned()
}
fn foreign() -> String {
    "https://management.contoso.example".to_owned()
}

/// Why a plan cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("{}: cannot be read: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{}: not a fault plan: {message}", path.display())]
    Form { path: PathBuf, message: String },
    #[error("{}: {place}: {message}", path.display())]
    Value { path: PathBuf, place: String, message: String },
}

impl FaultPlan {
    /// Reads a plan; a file named `*.json` is JSON, any other TOML. Errors say the line.
    pub fn read(path: &Path) -> Result<Self, PlanError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| PlanError::Io { path: path.to_owned(), source })?;
        let json = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
        let plan = match json {
            true => serde_json::from_str(&text).map_err(|error| error.to_string()),
            false => toml::from_str(&text).map_err(|error| error.to_string()),
        };
        let plan: Self = plan.map_err(|message| PlanError::Form { path: path.to_owned(), message })?;
        match plan.mistake() {
            None => Ok(plan),
            Some((place, message)) => Err(PlanError::Value { path: path.to_owned(), place, message }),
        }
    }

    /// The first value that cannot be meant, with its place.
    fn mistake(&self) -> Option<(String, String)> {
        for (i, fault) in self.fault.iter().enumerate() {
            let choices = [
                fault.calls.is_some(),
                fault.first.is_some(),
                fault.every.is_some(),
                fault.probability.is_some(),
            ];
            let message = if choices.iter().filter(|given| **given).count() > 1 {
                "give at most one of calls, first, every and probability"
            } else if fault.every == Some(0) {
                "every = 0 strikes nothing; leave the fault out"
            } else if fault.probability.is_some_and(|p| !(0.0..=1.0).contains(&p)) {
                "probability goes from 0 to 1"
            } else {
                continue;
            };
            return Some((format!("fault {}", i.saturating_add(1)), message.to_owned()));
        }
        for (i, change) in self.change.iter().enumerate() {
            let kinds = [change.appears, change.disappears, !change.set.is_empty()];
            if kinds.iter().filter(|given| **given).count() != 1 {
                let message = "give one of appears = true, disappears = true and set".to_owned();
                return Some((format!("change {}", i.saturating_add(1)), message));
            }
        }
        None
    }
}
