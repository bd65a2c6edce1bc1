//! The table of verdicts, before and after where two states are compared.

use std::collections::BTreeMap;

use pullproof_audit::compare::Fate;
use pullproof_audit::model::{Audit, Change, Report};
use pullproof_snapshot::question::VerdictWord;

use super::escape::text;
use super::page::Page;
use crate::words::{layer, short};

/// One row an audit, what fails first. The table takes at most a third of the page.
pub(super) fn write(report: &Report, page: &mut Page) {
    let changes: BTreeMap<&str, &Change> = report.changes.iter().map(|c| (c.audit.as_str(), c)).collect();
    let compared = !changes.is_empty();
    let mut audits: Vec<&Audit> = report.audits.iter().collect();
    audits.sort_by_key(|a| order(a.verdict));
    let mut rows: Vec<String> =
        audits.iter().map(|a| row(a, changes.get(a.id.as_str()).copied(), compared)).collect();
    rows.extend(report.changes.iter().filter(|c| c.fate == Fate::Gone).map(gone));
    if rows.is_empty() {
        return;
    }
    page.add(if compared {
        "| cluster / pool | subnet | registry | before | after | |\n| --- | --- | --- | --- | --- | --- |\n"
    } else {
        "| cluster / pool | subnet | registry | verdict | |\n| --- | --- | --- | --- | --- |\n"
    });
    let missed = page.rows(&rows, 3);
    page.add("\n");
    if missed > 0 {
        page.add(&format!("… and {missed} more of {}; `--format json` lists all.\n\n", rows.len()));
    }
}

fn row(audit: &Audit, change: Option<&Change>, compared: bool) -> String {
    let mut remark = match (audit.first_failing_layer, change.map(|c| c.fate)) {
        (_, Some(Fate::NewlyDisproven)) => "newly disproven".to_owned(),
        (_, Some(Fate::NewlyUndetermined)) => "newly undetermined".to_owned(),
        (_, Some(Fate::Fixed)) => "fixed".to_owned(),
        (first, _) => first.map(|l| layer(l).to_owned()).unwrap_or_default(),
    };
    if audit.suppressed {
        remark.push_str(" (accepted)");
    }
    let mut cells = vec![
        text(&format!("{} / {}", short(&audit.cluster), audit.node_pool)),
        text(&short(&audit.subnet)),
        text(&short(&audit.registry)),
    ];
    if compared {
        cells.push(word(change.and_then(|c| c.before)).to_owned());
    }
    cells.extend([word(Some(audit.verdict)).to_owned(), remark]);
    format!("| {} |\n", cells.join(" | "))
}

fn gone(change: &Change) -> String {
    let cells = [
        text(&format!("{} / {}", short(&change.cluster), change.node_pool)),
        text(&short(&change.subnet)),
        text(&short(&change.registry)),
        word(change.before).to_owned(),
        word(None).to_owned(),
        "gone".to_owned(),
    ];
    format!("| {} |\n", cells.join(" | "))
}

fn order(verdict: VerdictWord) -> u8 {
    match verdict {
        VerdictWord::Disproven => 0,
        VerdictWord::Undetermined => 1,
        VerdictWord::Proven => 2,
    }
}

fn word(verdict: Option<VerdictWord>) -> &'static str {
    match verdict {
        Some(VerdictWord::Proven) => "✅ proven",
        Some(VerdictWord::Disproven) => "❌ disproven",
        Some(VerdictWord::Undetermined) => "⚠️ undetermined",
        None => "—",
    }
}
