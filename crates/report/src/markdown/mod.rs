//! The report as a job summary or a comment on a pull request: the verdict first, the table of verdicts, then what stands
//! in the way, with its path drawn. GitHub's Markdown.
//!
//! Read in this order: this file (the page), `verdicts`, `causes`, `mermaid`, `page` (what fits), `escape`.

mod causes;
mod escape;
mod mermaid;
mod page;
mod verdicts;

use std::io::{self, Write};

use pullproof_audit::model::{Finding, Report, Severity};
use pullproof_snapshot::question::VerdictWord;

use crate::groups::{causes_told, groups};
use crate::sarif::Places;
use escape::text;
use page::Page;

/// Writes the report as Markdown that fits a pull-request comment; what does not fit is counted. Files are named
/// relative to the checkout.
pub fn write(report: &Report, places: &Places, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::default();
    page.add(&headline(report));
    verdicts::write(report, &mut page);
    let mut left_out = Vec::new();
    for (verdict, what) in
        [(VerdictWord::Disproven, "disproven"), (VerdictWord::Undetermined, "undetermined")]
    {
        let groups = groups(report, verdict);
        let parts = groups.iter().map(|group| causes::part(report, group, places));
        let missed = parts.filter(|part| !page.add(part)).count();
        if missed > 0 {
            left_out.push(format!("{missed} of {} causes of what is {what}", groups.len()));
        }
    }
    let rest = rest(report);
    if !rest.is_empty() && page.add("### Also seen\n\n") {
        let missed = page.rows(&rest, 4);
        page.add("\n");
        if missed > 0 {
            left_out.push(format!("{missed} of {} further findings", rest.len()));
        }
    }
    page.add(&footnotes(report));
    let words = match left_out.is_empty() {
        true => String::new(),
        false => format!(
            "**Left out, since the page is full:** {}. `--format json` lists all.\n",
            left_out.join("; ")
        ),
    };
    out.write_all(page.end(&words).as_bytes())
}

fn headline(report: &Report) -> String {
    let s = report.summary;
    let names = report.unpaired.len() + report.unknown_images.len();
    let open = s.disproven + s.undetermined + names;
    let title = match (open, s.proven) {
        (0, 0) => "## ⚠️ pullproof: nothing to audit".to_owned(),
        (0, _) => "## ✅ pullproof: every pull is proven".to_owned(),
        _ if s.disproven > 0 => format!("## ❌ pullproof: NOT PROVEN: {open} of {}", open + s.proven),
        _ => format!("## ⚠️ pullproof: NOT PROVEN: {open} of {}", open + s.proven),
    };
    let accepted = report.audits.iter().filter(|a| a.suppressed).count();
    let mut line =
        format!("**{} disproven**, {} undetermined, {} proven", s.disproven, s.undetermined, s.proven);
    if accepted > 0 {
        line.push_str(&format!("; {accepted} of them suppressed or in the baseline"));
    }
    if names > 0 {
        line.push_str(&format!(
            "; {} clusters without a registry, {} images of registries that are not audited",
            report.unpaired.len(),
            report.unknown_images.len()
        ));
    }
    format!("{title}\n\n{line}.\n\n")
}

/// Findings that are not already told as the cause of a part.
fn rest(report: &Report) -> Vec<String> {
    let told = causes_told(report);
    let more = report.findings.iter().filter(|f| !f.causes.iter().any(|c| told.contains(c.as_str())));
    more.map(row).collect()
}

fn row(finding: &Finding) -> String {
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let accepted = if finding.is_accepted() { " (accepted)" } else { "" };
    format!("- {} {severity}{accepted}: {}\n", text(&finding.rule), text(&finding.message))
}

fn footnotes(report: &Report) -> String {
    let mut out = String::new();
    for (count, what) in [
        (report.assumptions.len(), "assumptions that proofs rest on"),
        (report.gaps.len(), "gaps in the input"),
    ] {
        if count > 0 {
            out.push_str(&format!("- {count} {what}\n"));
        }
    }
    for note in report.notes.iter().take(NOTES) {
        out.push_str(&format!("- {}\n", text(note)));
    }
    if report.notes.len() > NOTES {
        out.push_str(&format!("- … and {} more notes\n", report.notes.len() - NOTES));
    }
    if !out.is_empty() {
        out = format!("### Notes\n\n{out}\n");
    }
    out
}

/// Notes that are told one by one.
const NOTES: usize = 10;
