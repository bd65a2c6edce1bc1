//! What an earlier run found already: it does not fail the run again.
//!
//! A baseline is `pullproof/baseline/v1` (written by `--write-baseline`) or an earlier report, `pullproof/report/v1`. It
//! fails closed: what cannot be read whole, or is of another version, is refused; what it does not name, fails.

use std::collections::{BTreeMap, BTreeSet};

use pullproof_snapshot::id::fold;
use pullproof_snapshot::question::VerdictWord;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::{self, Audit, BaselineState, Reached, Report};

pub const SCHEMA: &str = "pullproof/baseline/v1";

/// What is not proven, and by what.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// `pullproof/baseline/v1`.
    schema: String,
    /// Audits that are not proven, by cluster, pool, subnet and registry.
    audits: Vec<KnownAudit>,
    /// By rule and resource.
    findings: Vec<KnownFinding>,
    /// Clusters without a registry, by ARM id.
    unpaired: Vec<String>,
    /// Images of registries that are not audited.
    unknown_images: Vec<String>,
}

/// One audit that is not proven.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownAudit {
    cluster: String,
    node_pool: String,
    subnet: String,
    registry: String,
    id: String,
    /// The ids of its actual blockers, and of what is missing in its undetermined claims.
    causes: BTreeSet<String>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownFinding {
    rule: String,
    resource: Option<String>,
    causes: BTreeSet<String>,
    /// The ids of its audits.
    audits: BTreeSet<String>,
}

/// Why a baseline cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    #[error("it is no JSON: {0}")]
    Syntax(serde_json::Error),
    #[error(
        "its schema is {found}, neither {SCHEMA} nor {}; write it again with --write-baseline",
        model::SCHEMA
    )]
    Schema { found: String },
    #[error("it is not a whole {schema}: {error}; write it again with --write-baseline")]
    Incomplete { schema: &'static str, error: serde_json::Error },
}

/// An earlier report, as far as a baseline is made of it.
#[derive(Deserialize)]
struct Earlier {
    audits: Vec<EarlierAudit>,
    findings: Vec<EarlierFinding>,
    unpaired: Vec<String>,
    #[serde(default)]
    unknown_images: Vec<String>,
}

#[derive(Deserialize)]
struct EarlierAudit {
    id: String,
    cluster: String,
    node_pool: String,
    subnet: String,
    registry: String,
    claims: Vec<EarlierClaim>,
}

#[derive(Deserialize)]
struct EarlierClaim {
    verdict: String,
    blockers: Vec<EarlierBlocker>,
    missing: Vec<EarlierMissing>,
}

#[derive(Deserialize)]
struct EarlierBlocker {
    id: String,
    reach: String,
}

#[derive(Deserialize)]
struct EarlierMissing {
    id: String,
}

#[derive(Deserialize)]
struct EarlierFinding {
    rule: String,
    resource: Option<String>,
    causes: BTreeSet<String>,
    audits: BTreeSet<String>,
}

impl EarlierAudit {
    fn known(self) -> KnownAudit {
        let mut causes = BTreeSet::new();
        for claim in self.claims {
            match claim.verdict.as_str() {
                "disproven" => {
                    causes.extend(claim.blockers.into_iter().filter(|b| b.reach == "actual").map(|b| b.id));
                }
                "undetermined" => causes.extend(claim.missing.into_iter().map(|m| m.id)),
                _ => {}
            }
        }
        KnownAudit {
            cluster: self.cluster,
            node_pool: self.node_pool,
            subnet: self.subnet,
            registry: self.registry,
            id: self.id,
            causes,
        }
    }
}

impl Baseline {
    /// Reads a baseline, or an earlier report as one.
    ///
    /// # Errors
    /// It is no JSON, of another schema or version, or lacks a field.
    pub fn read(text: &str) -> Result<Self, BaselineError> {
        #[derive(Deserialize)]
        struct Head {
            schema: Option<String>,
        }
        let head: Head = serde_json::from_str(text).map_err(BaselineError::Syntax)?;
        match head.schema.as_deref() {
            Some(SCHEMA) => serde_json::from_str(text)
                .map_err(|error| BaselineError::Incomplete { schema: SCHEMA, error }),
            Some(model::SCHEMA) => {
                let earlier: Earlier = serde_json::from_str(text)
                    .map_err(|error| BaselineError::Incomplete { schema: model::SCHEMA, error })?;
                let findings = earlier.findings.into_iter().map(|f| KnownFinding {
                    rule: f.rule,
                    resource: f.resource,
                    causes: f.causes,
                    audits: f.audits,
                });
                let audits = earlier.audits.into_iter().map(EarlierAudit::known);
                Ok(Self::sorted(
                    audits.filter(|a| !a.causes.is_empty()).collect(),
                    findings.collect(),
                    earlier.unpaired,
                    earlier.unknown_images,
                ))
            }
            found => Err(BaselineError::Schema {
                found: found.map_or_else(|| "not said".to_owned(), |s| format!("{s:?}")),
            }),
        }
    }

    /// Everything in a report that is not proven.
    pub fn of(report: &Report) -> Self {
        let audits = report.audits.iter().map(|a| KnownAudit {
            cluster: a.cluster.clone(),
            node_pool: a.node_pool.clone(),
            subnet: a.subnet.clone(),
            registry: a.registry.clone(),
            id: a.id.clone(),
            causes: actual_blockers(a).into_iter().chain(missing(a)).collect(),
        });
        let findings = report.findings.iter().map(|f| KnownFinding {
            rule: f.rule.clone(),
            resource: f.resource.clone(),
            causes: f.causes.iter().cloned().collect(),
            audits: f.audits.iter().cloned().collect(),
        });
        Self::sorted(
            audits.filter(|a| !a.causes.is_empty()).collect(),
            findings.collect(),
            report.unpaired.clone(),
            report.unknown_images.clone(),
        )
    }

    fn sorted(
        mut audits: Vec<KnownAudit>,
        mut findings: Vec<KnownFinding>,
        mut unpaired: Vec<String>,
        mut unknown_images: Vec<String>,
    ) -> Self {
        audits.sort();
        findings.sort();
        unpaired.sort();
        unknown_images.sort();
        Self { schema: SCHEMA.to_owned(), audits, findings, unpaired, unknown_images }
    }

    /// As it is written: indented JSON with a final newline, the same bytes for the same report.
    pub fn text(&self) -> String {
        // Texts and lists of texts cannot fail to be written.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Marks what stands in the baseline, and notes what fits nothing any more (`file` names the baseline there).
    ///
    /// An audit is suppressed exactly when everything that stands against it stands in the baseline for it: the actual
    /// blockers of a disproven one, what is missing of an undetermined one. A finding is unchanged exactly when its
    /// causes stand there under its rule for all of its audits, and updated when only for some.
    pub fn apply(&self, report: &mut Report, file: &str) {
        let known: BTreeMap<&str, &KnownAudit> = self.audits.iter().map(|a| (a.id.as_str(), a)).collect();
        let mut met: BTreeSet<&str> = BTreeSet::new();
        for audit in &mut report.audits {
            let Some(known) = known.get(audit.id.as_str()) else { continue };
            let against = match audit.verdict {
                VerdictWord::Proven => continue,
                VerdictWord::Disproven => actual_blockers(audit),
                VerdictWord::Undetermined => missing(audit),
            };
            if against.iter().any(|id| known.causes.contains(id)) {
                met.insert(&known.id);
            }
            if !against.is_empty() && against.is_subset(&known.causes) {
                audit.suppressed = true;
            }
        }
        self.findings(report);
        let names = |list: &[String]| list.iter().map(|n| fold(n)).collect::<BTreeSet<String>>();
        let (unpaired, images) = (names(&self.unpaired), names(&self.unknown_images));
        let accepted = report.unpaired.iter().filter(|n| unpaired.contains(&fold(n)));
        let accepted = accepted.chain(report.unknown_images.iter().filter(|n| images.contains(&fold(n))));
        report.accepted = accepted.cloned().collect();
        let left: Vec<String> = self
            .audits
            .iter()
            .filter(|a| !met.contains(a.id.as_str()))
            .map(|a| format!("{}/{} from {}", last(&a.cluster), a.node_pool, last(&a.registry)))
            .collect();
        if !left.is_empty() {
            let told: Vec<&str> = left.iter().take(TOLD).map(String::as_str).collect();
            let more = if left.len() > TOLD { ", …" } else { "" };
            report.notes.push(format!(
                "{file}: {} of {} audits in the baseline fit nothing any more ({}{more}); write it again with \
                 --write-baseline",
                left.len(),
                self.audits.len(),
                told.join(", ")
            ));
        }
    }

    fn findings(&self, report: &mut Report) {
        // Rule and cause → the audits for which they are known.
        let mut known: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
        for finding in &self.findings {
            for cause in &finding.causes {
                let audits = known.entry((&finding.rule, cause)).or_default();
                audits.extend(finding.audits.iter().map(String::as_str));
            }
        }
        for finding in &mut report.findings {
            let of_causes: Option<Vec<&BTreeSet<&str>>> =
                finding.causes.iter().map(|c| known.get(&(finding.rule.as_str(), c.as_str()))).collect();
            let state = match of_causes {
                None => BaselineState::New,
                Some(sets) if sets.is_empty() => BaselineState::New,
                Some(sets) => {
                    let all = |a: &String| sets.iter().all(|set| set.contains(a.as_str()));
                    if finding.audits.iter().all(all) {
                        BaselineState::Unchanged
                    } else {
                        BaselineState::Updated
                    }
                }
            };
            finding.baseline = Some(state);
        }
    }
}

/// So many entries that fit nothing are named.
const TOLD: usize = 5;

fn last(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or(id)
}

/// The ids of the actual blockers of an audit's disproven claims.
pub fn actual_blockers(audit: &Audit) -> BTreeSet<String> {
    audit
        .claims
        .iter()
        .filter(|c| c.verdict == VerdictWord::Disproven)
        .flat_map(|c| &c.blockers)
        .filter(|b| b.reach == Reached::Actual)
        .map(|b| b.id.clone())
        .collect()
}

/// The ids of what is missing in an audit's undetermined claims.
fn missing(audit: &Audit) -> BTreeSet<String> {
    let open = audit.claims.iter().filter(|c| c.verdict == VerdictWord::Undetermined);
    open.flat_map(|c| &c.missing).map(|m| m.id.clone()).collect()
}
