//! The report for a person at 3 a.m.: the verdict first, then the layer, the path with the deciding element marked,
//! the counterexample, what to change and who owns it. Many audits with one cause are one block.

mod block;
mod paint;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use pullproof_audit::model::{Audit, Report, Severity};
use pullproof_snapshot::question::VerdictWord;

use block::{Block, written_at};
pub use paint::Style;
use paint::{Paint, wrapped};

use crate::groups::{actual, causes_told, groups};
use crate::words::{owner, short, subject};

/// Writes the report as text.
pub fn write(report: &Report, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let paint = Paint::new(style);
    summary(report, &paint, out)?;
    overview(report, &paint, out)?;
    writeln!(out)?;
    for (title, verdict) in
        [("DISPROVEN", VerdictWord::Disproven), ("UNDETERMINED", VerdictWord::Undetermined)]
    {
        for group in groups(report, verdict) {
            Block { report, audits: &group.audits, elsewhere: &group.elsewhere, title, paint: &paint }
                .write(out)?;
            writeln!(out)?;
        }
    }
    proven(report, &paint, out)?;
    unpaired(report, &paint, out)?;
    findings(report, &paint, out)?;
    footnotes(report, &paint, out)?;
    summary(report, &paint, out)
}

/// One line a rule whose causes disprove something: who, what, how often. Only where there is more than one block.
fn overview(report: &Report, paint: &Paint, out: &mut dyn Write) -> io::Result<()> {
    let mut by_rule: BTreeMap<&str, (&str, &str, BTreeSet<&str>, usize)> = BTreeMap::new();
    for audit in report.audits.iter().filter(|a| a.verdict == VerdictWord::Disproven) {
        for blocker in actual(audit) {
            let Some(finding) = report.findings.iter().find(|f| f.causes.contains(&blocker.id)) else {
                continue;
            };
            let entry = by_rule.entry(&finding.rule).or_insert((
                &finding.name,
                owner(blocker.owner),
                BTreeSet::new(),
                0,
            ));
            if entry.2.insert(&audit.id) {
                entry.3 += 1;
            }
        }
    }
    if by_rule.len() < 2 {
        return Ok(());
    }
    let mut rows: Vec<_> = by_rule.into_iter().collect();
    rows.sort_by_key(|(rule, (_, _, _, audits))| (std::cmp::Reverse(*audits), *rule));
    for (rule, (name, owner, _, audits)) in rows {
        writeln!(out, "  {audits:>5} disproven by {rule} {}  {}", paint.bold(name), paint.faint(owner))?;
    }
    Ok(())
}

/// So many proven audits are listed one by one.
const PROVEN_SHOWN: usize = 40;

fn proven(report: &Report, paint: &Paint, out: &mut dyn Write) -> io::Result<()> {
    let audits: Vec<&Audit> = report.audits.iter().filter(|a| a.verdict == VerdictWord::Proven).collect();
    if audits.is_empty() {
        return Ok(());
    }
    writeln!(out, "{}", paint.good("PROVEN"))?;
    for audit in audits.iter().take(PROVEN_SHOWN) {
        let mut line = format!("  {}", subject(audit));
        let assumptions: BTreeSet<&String> = audit.claims.iter().flat_map(|c| &c.assumptions).collect();
        if !assumptions.is_empty() {
            let names: Vec<&str> = assumptions.iter().map(|s| s.as_str()).collect();
            line.push_str(&format!("   assuming {}", names.join(", ")));
        }
        writeln!(out, "{}", wrapped(&line, "      ", paint.width()))?;
        let degraded: BTreeSet<&String> = audit.claims.iter().flat_map(|c| &c.degraded).collect();
        for text in degraded {
            writeln!(out, "{}", wrapped(&format!("      degraded: {text}"), "        ", paint.width()))?;
        }
        if !audit.valid_until.is_empty() {
            let events: Vec<&str> = audit.valid_until.iter().map(String::as_str).collect();
            writeln!(out, "      until {}", events.join(", "))?;
        }
    }
    if audits.len() > PROVEN_SHOWN {
        writeln!(out, "  … and {} more (--format json lists all)", audits.len() - PROVEN_SHOWN)?;
    }
    writeln!(out)
}

fn unpaired(report: &Report, paint: &Paint, out: &mut dyn Write) -> io::Result<()> {
    if !report.unpaired.is_empty() {
        writeln!(out, "{}", paint.doubt("NO REGISTRY FOUND FOR"))?;
        for id in &report.unpaired {
            writeln!(out, "  {}", short(id))?;
        }
        let text = "  no role assignment at a registry, no approved private endpoint near and no declaration names one: \
                    read those, or name it with [audit] pairs in pullproof.toml or --registry";
        writeln!(out, "{}\n", wrapped(text, "  ", paint.width()))?;
    }
    if !report.unknown_images.is_empty() {
        writeln!(out, "{}", paint.doubt("IMAGES FROM REGISTRIES THAT ARE NOT AUDITED"))?;
        for image in report.unknown_images.iter().take(GAPS_SHOWN) {
            writeln!(out, "  {image}")?;
        }
        if report.unknown_images.len() > GAPS_SHOWN {
            writeln!(out, "  … and {} more", report.unknown_images.len() - GAPS_SHOWN)?;
        }
        writeln!(out, "  declare them: [[registry]] in pullproof.toml, with hosts or a preset\n")?;
    }
    Ok(())
}

/// Findings that are not already told as the cause of a block.
fn findings(report: &Report, paint: &Paint, out: &mut dyn Write) -> io::Result<()> {
    let told = causes_told(report);
    let rest: Vec<_> =
        report.findings.iter().filter(|f| !f.causes.iter().any(|c| told.contains(c.as_str()))).collect();
    if rest.is_empty() {
        return Ok(());
    }
    writeln!(out, "ALSO SEEN")?;
    for finding in rest {
        let severity = match finding.severity {
            Severity::Error => paint.bad("error"),
            Severity::Warning => paint.doubt("warning"),
            Severity::Note => "note".to_owned(),
        };
        let line = format!("  {} {severity}  {}", finding.rule, finding.message);
        writeln!(out, "{}", wrapped(&line, "      ", paint.width()))?;
        if let Some(at) = written_at(finding) {
            writeln!(out, "{}", wrapped(&format!("      at {at}"), "         ", paint.width()))?;
        }
    }
    writeln!(out)
}

fn footnotes(report: &Report, paint: &Paint, out: &mut dyn Write) -> io::Result<()> {
    if !report.assumptions.is_empty() {
        writeln!(out, "ASSUMPTIONS")?;
        for (name, text) in &report.assumptions {
            let place = match (&text.file, text.line) {
                (Some(file), Some(line)) => format!(" ({file}:{line})"),
                (Some(file), None) => format!(" ({file})"),
                _ => String::new(),
            };
            writeln!(
                out,
                "{}",
                wrapped(&format!("  {name}: {}{place}", text.text), "      ", paint.width())
            )?;
        }
        writeln!(out)?;
    }
    if !report.preconditions.is_empty() {
        writeln!(out, "{}", paint.faint("ALSO NEEDED BY THE NODES, NOT PART OF THE VERDICT"))?;
        for precondition in &report.preconditions {
            let clusters: Vec<String> = precondition.clusters.iter().map(|c| short(c)).collect();
            let line = format!("  {}: {}", clusters.join(", "), precondition.text);
            writeln!(out, "{}", wrapped(&line, "      ", paint.width()))?;
        }
        writeln!(out)?;
    }
    if !report.gaps.is_empty() {
        writeln!(out, "{}", paint.doubt(&format!("{} GAPS IN THE INPUT", report.gaps.len())))?;
        for gap in report.gaps.iter().take(GAPS_SHOWN) {
            let what = gap.resource.as_deref().or(gap.scope.as_deref()).unwrap_or("input");
            let mut line = format!("  {}", short(what));
            for part in
                [gap.pointer.as_deref(), gap.code.as_deref(), gap.reason.as_deref()].into_iter().flatten()
            {
                line.push_str("  ");
                line.push_str(part);
            }
            writeln!(out, "{}", wrapped(&line, "      ", paint.width()))?;
        }
        if report.gaps.len() > GAPS_SHOWN {
            writeln!(out, "  … and {} more (--format json lists all)", report.gaps.len() - GAPS_SHOWN)?;
        }
        writeln!(out)?;
    }
    for note in &report.notes {
        writeln!(out, "{}", wrapped(&format!("note: {note}"), "      ", paint.width()))?;
    }
    Ok(())
}

const GAPS_SHOWN: usize = 8;

/// The totals, first and last: logs are read from both ends.
fn summary(report: &Report, paint: &Paint, out: &mut dyn Write) -> io::Result<()> {
    let s = report.summary;
    let count = |n: usize, word: &str, painted: String| if n == 0 { format!("0 {word}") } else { painted };
    let all = s.proven + s.disproven + s.undetermined;
    let mut line = format!(
        "{all} {}: {}, {}, {}",
        if all == 1 { "audit" } else { "audits" },
        count(s.disproven, "disproven", paint.bad(&format!("{} disproven", s.disproven))),
        count(s.undetermined, "undetermined", paint.doubt(&format!("{} undetermined", s.undetermined))),
        count(s.proven, "proven", paint.good(&format!("{} proven", s.proven))),
    );
    for (n, what) in [
        (report.unpaired.len(), "without a registry (clusters)"),
        (report.unknown_images.len(), "images of registries that are not audited"),
    ] {
        if n > 0 {
            line.push_str(&format!("; {n} {what}"));
        }
    }
    writeln!(out, "{line}")
}
