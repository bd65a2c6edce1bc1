//! One block: the audits that share a cause, and that cause.

use std::collections::BTreeSet;
use std::io::{self, Write};

use pullproof_audit::model::{Audit, BlockerOut, Claim, Extent, Finding, MissingOut, Reached, Report};
use pullproof_snapshot::question::VerdictWord;

use super::paint::{Paint, wrapped};
use crate::deciding::{Told, told};
use crate::groups::{actual, worst};
use crate::words::{counterexample, layer_words, owner, short, subject};

pub(super) struct Block<'a> {
    pub report: &'a Report,
    pub audits: &'a [&'a Audit],
    /// Audits with causes of the same kinds at other elements.
    pub elsewhere: &'a [&'a Audit],
    pub title: &'a str,
    pub paint: &'a Paint,
}

/// So many audits are listed in a block.
const LISTED: usize = 12;

impl Block<'_> {
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(first) = self.audits.first() else { return Ok(()) };
        let claims = worst(first);
        let Some(main) = claims.first() else { return Ok(()) };
        let title = match first.verdict {
            VerdictWord::Disproven => self.paint.bad(self.title),
            _ => self.paint.doubt(self.title),
        };
        let suppressed = if first.suppressed { "  (suppressed)" } else { "" };
        let extent = match first.extent {
            Some(Extent::Some) => ", for some of the node addresses or choices",
            Some(Extent::All) | None => "",
        };
        writeln!(out, "{title}  {}{extent}{suppressed}", self.paint.bold(&layer_words(main)))?;
        for audit in self.audits.iter().take(LISTED) {
            let line = format!("  {}   (subnet {})", subject(audit), short(&audit.subnet));
            writeln!(out, "{}", wrapped(&line, "      ", self.paint.width()))?;
        }
        if self.audits.len() > LISTED {
            writeln!(out, "  … and {} more (--format json lists all)", self.audits.len() - LISTED)?;
        }
        writeln!(out)?;
        if let Some(found) = claims.iter().find_map(|c| c.counterexample.as_ref().map(|x| (c, x))) {
            self.line("fails", &counterexample(found.0, found.1), out)?;
        }
        self.path(main, out)?;
        let mut told: BTreeSet<&str> = BTreeSet::new();
        for claim in &claims {
            for blocker in claim.blockers.iter().filter(|b| b.reach == Reached::Actual) {
                if !told.contains(blocker.id.as_str()) && !told.is_empty() {
                    writeln!(out, "  {}", self.paint.bold("and, beside that:"))?;
                }
                if told.insert(&blocker.id) {
                    self.blocker(claim, blocker, out)?;
                }
            }
        }
        self.undetermined(&claims, out)?;
        self.others(out)?;
        let behind: Vec<(&Claim, &BlockerOut)> = first
            .claims
            .iter()
            .flat_map(|c| c.blockers.iter().map(move |b| (c, b)))
            .filter(|(_, b)| b.reach == Reached::Behind)
            .collect();
        for (i, (claim, blocker)) in behind.iter().enumerate() {
            if i == 0 {
                writeln!(out, "  {}", self.paint.bold("once that is lifted, this stands in the way too:"))?;
            }
            if told.insert(&blocker.id) {
                self.blocker(claim, blocker, out)?;
            }
        }
        Ok(())
    }

    /// The audits with the same kind of cause elsewhere, one line each.
    fn others(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.elsewhere.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "  {}",
            self.paint.bold(&format!("the same at other elements, {} more:", self.elsewhere.len()))
        )?;
        for audit in self.elsewhere.iter().take(LISTED) {
            let why = actual(audit).next().map(|b| format!(": {}", b.message)).unwrap_or_default();
            writeln!(
                out,
                "{}",
                wrapped(&format!("    {}{why}", subject(audit)), "      ", self.paint.width())
            )?;
        }
        if self.elsewhere.len() > LISTED {
            writeln!(out, "    … and {} more (--format json lists all)", self.elsewhere.len() - LISTED)?;
        }
        Ok(())
    }

    fn line(&self, label: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
        let line = format!("  {label:<10}{text}");
        writeln!(out, "{}", wrapped(&line, "            ", self.paint.width()))
    }

    /// The path of the main claim, the deciding step marked.
    fn path(&self, claim: &Claim, out: &mut dyn Write) -> io::Result<()> {
        let Some(proof) = claim.proof.as_ref().and_then(|p| self.report.proofs.get(p)) else { return Ok(()) };
        for (i, Told { step, decides }) in told(proof).into_iter().flatten().enumerate() {
            let label = if i == 0 { "path" } else { "" };
            let text = if step.text.is_empty() { short(&step.device) } else { step.text.clone() };
            let mark = if decides { self.paint.bold("  ◄ decides") } else { String::new() };
            self.line(label, &format!("{text}{mark}"), out)?;
        }
        Ok(())
    }

    fn blocker(&self, claim: &Claim, blocker: &BlockerOut, out: &mut dyn Write) -> io::Result<()> {
        let facts = if blocker.facts.is_empty() {
            String::new()
        } else {
            format!("  [{}]", blocker.facts.join(", "))
        };
        self.line("why", &format!("{}{facts}", blocker.message), out)?;
        for evidence in &blocker.evidence {
            let line = format!(
                "{} {} = {}",
                short(&evidence.resource),
                evidence.pointer,
                self.paint.faint(&evidence.value.to_string())
            );
            self.line("", &line, out)?;
        }
        let finding = self.report.findings.iter().find(|f| f.causes.contains(&blocker.id));
        if let Some(at) = finding.and_then(written_at) {
            self.line("at", &at, out)?;
        }
        if !blocker.remedy.is_empty() {
            self.line("change", &blocker.remedy, out)?;
        }
        let rule = finding.map(|f| format!("   {} {}", f.rule, f.name)).unwrap_or_default();
        self.line("owner", &format!("{}{rule}", owner(blocker.owner)), out)?;
        if let (Some(part), Some(Extent::Some)) = (&claim.fails_for, claim.extent) {
            let mut text = part.sources.join(", ");
            if !part.choices.is_empty() {
                text.push_str(&format!("  {}", part.choices.join(", ")));
            }
            self.line("for", &text, out)?;
        }
        Ok(())
    }

    fn undetermined(&self, claims: &[&Claim], out: &mut dyn Write) -> io::Result<()> {
        let mut told: BTreeSet<&str> = BTreeSet::new();
        let missing: Vec<&MissingOut> = claims
            .iter()
            .filter(|c| c.verdict == VerdictWord::Undetermined)
            .flat_map(|c| &c.missing)
            .filter(|m| told.insert(&m.id))
            .collect();
        for missing in missing {
            self.line("missing", &missing.what, out)?;
            let finding = self.report.findings.iter().find(|f| f.causes.contains(&missing.id));
            if let Some(at) = finding.and_then(written_at) {
                self.line("at", &at, out)?;
            }
            for (label, text) in [("why", &missing.why), ("to settle", &missing.remedy)] {
                if !text.is_empty() {
                    self.line(label, text, out)?;
                }
            }
            for (label, text) in [("holds if", &missing.holds_if), ("breaks if", &missing.breaks_if)] {
                if let Some(text) = text {
                    self.line(label, text, out)?;
                }
            }
        }
        Ok(())
    }
}

/// Where the configuration that decides a finding is written: `network.tf:12:3 azurerm_subnet.nodes`. `None` without a
/// Terraform address.
pub(super) fn written_at(finding: &Finding) -> Option<String> {
    let address = finding.address.as_deref()?;
    let place = finding.locations.first().map(|location| match location.column {
        Some(column) => format!("{}:{}:{column} ", location.file, location.line),
        None => format!("{}:{} ", location.file, location.line),
    });
    Some(format!("{}{address}", place.unwrap_or_default()))
}
