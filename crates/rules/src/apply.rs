//! Evaluates the rules over a report's causes, with the severities of `pullproof.toml` (V14).

use std::collections::BTreeMap;

use pullproof_audit::model::{Cause, CauseType, Finding, Location, Reached, Report, Severity};
use pullproof_snapshot::Declared;
use regorus::Value;

use crate::given::{self, Given};
use crate::metadata::{Rule, Word};
use crate::rules::{RuleError, Rules};
use crate::suppress::{self, Stale};

/// A finding on its way into the report.
pub(crate) struct Made {
    pub finding: Finding,
    /// Of a built-in rule: its suppression covers the cause.
    pub built_in: bool,
    /// Switched off: it is not shown, and suppressions go on covering its cause.
    pub hidden: bool,
}

impl Rules {
    /// Fills the report's findings and marks suppressed audits. Verdicts are not touched. Severities and `off` change
    /// nothing but findings; suppressions also mark audits.
    ///
    /// # Errors
    /// `[rules]` names a rule that there is not, or a severity that there is not; a rule fails on its input.
    pub fn apply(&self, report: &mut Report, declared: &Declared) -> Result<(), RuleError> {
        let severities = self.severities(declared)?;
        let mut engine = self.engine.clone();
        let mut made = Vec::with_capacity(report.causes.len());
        for cause in &report.causes {
            self.of_cause(&mut engine, cause, &severities, &mut made)?;
        }
        for Stale { cause, line } in suppress::suppress(self, report, &mut made, declared) {
            let before = made.len();
            self.of_cause(&mut engine, &cause, &severities, &mut made)?;
            for one in made.iter_mut().skip(before) {
                let place = Location { file: declared.file.clone(), line, ..Location::default() };
                one.finding.locations = vec![place];
            }
            report.causes.push(cause);
        }
        report.findings = made.into_iter().filter(|m| !m.hidden).map(|m| m.finding).collect();
        report.findings.sort();
        Ok(())
    }

    fn severities(&self, declared: &Declared) -> Result<BTreeMap<&str, Word>, RuleError> {
        let mut out = BTreeMap::new();
        for (name, severity) in &declared.rules {
            let configured = |message: String| RuleError::Configured { message };
            let rule = self.find(name).ok_or_else(|| configured(format!("there is no rule `{name}`")))?;
            let word = Word::parse(severity).ok_or_else(|| {
                configured(format!("`{severity}` of {name} is none of error, warning, note, off"))
            })?;
            out.insert(rule.id.as_str(), word);
        }
        Ok(out)
    }

    fn of_cause(
        &self,
        engine: &mut regorus::Engine,
        cause: &Cause,
        severities: &BTreeMap<&str, Word>,
        made: &mut Vec<Made>,
    ) -> Result<(), RuleError> {
        let asked = self.of_kind(&cause.kind);
        if asked.is_empty() {
            return Ok(());
        }
        let input = Value::from(serde_json::to_value(cause).unwrap_or_default());
        for rule in asked {
            let failed = |e: String| RuleError::Invalid { file: rule.file.clone(), message: e };
            let Some(query) = self.queries.get(&rule.id) else { continue };
            engine.set_input(input.clone());
            let value = engine.eval_rule(query.clone()).map_err(|e| failed(format!("{e:#}")))?;
            for given in given::read(&value).map_err(failed)? {
                made.push(finding(rule, cause, given, severities.get(rule.id.as_str()).copied()));
            }
        }
        Ok(())
    }
}

fn finding(rule: &Rule, cause: &Cause, given: Given, configured: Option<Word>) -> Made {
    let own = given.severity.map_or_else(|| Some(default_severity(rule, cause)), Word::severity);
    let severity = configured.map_or(own, Word::severity);
    let first = cause.evidence.first();
    Made {
        built_in: rule.built_in,
        hidden: severity.is_none(),
        finding: Finding {
            rule: rule.id.clone(),
            name: rule.name.clone(),
            severity: severity.unwrap_or(rule.severity),
            message: given.message,
            resource: given.resource.or_else(|| first.map(|e| e.resource.clone())),
            pointer: given.pointer.or_else(|| first.map(|e| e.pointer.clone())),
            address: None,
            locations: Vec::new(),
            related: Vec::new(),
            audits: cause.audits.iter().map(|a| a.id.clone()).collect(),
            suppressed: None,
            baseline: None,
            causes: vec![cause.id.clone()],
        },
    }
}

/// What stands behind the first obstacle is told as a warning: it does not fail today.
fn default_severity(rule: &Rule, cause: &Cause) -> Severity {
    if cause.of == CauseType::Blocker
        && cause.reach == Some(Reached::Behind)
        && rule.severity == Severity::Error
    {
        return Severity::Warning;
    }
    rule.severity
}
