//! Findings of a plan, put where the configuration that decides them is written.

use std::collections::BTreeMap;
use std::path::{Component, Path};

use pullproof_audit::model::{Cause, CauseType, Finding, Location, Report};
use pullproof_snapshot::ArmId;
use pullproof_terraform::source::{Place, Sources};
use pullproof_terraform::trace::{Decided, Trace};

/// Where the places of a plan's findings come from.
pub struct Places<'p> {
    /// None for inputs that know no Terraform addresses.
    pub trace: Option<Trace<'p>>,
    pub sources: Option<Sources>,
    /// The plan itself, for what has no better place; none on standard input.
    pub plan: Option<String>,
}

impl Places<'_> {
    /// Fills address, locations and related places of every finding, and tells which sources could not be read.
    pub fn fill(&self, report: &mut Report) {
        let unknowns: BTreeMap<String, [String; 2]> = report
            .audits
            .iter()
            .flat_map(|audit| &audit.claims)
            .flat_map(|claim| &claim.missing)
            .map(|missing| (missing.id.clone(), [missing.why.clone(), missing.what.clone()]))
            .collect();
        for finding in &mut report.findings {
            let causes = report.causes.iter().filter(|cause| finding.causes.contains(&cause.id));
            let decided = self.trace.as_ref().and_then(|trace| {
                let mut causes = causes.clone();
                causes.find_map(|cause| decided(trace, finding, cause, &unknowns))
            });
            if let Some(decided) = decided {
                self.place(finding, &decided);
            }
            if finding.locations.is_empty() {
                let plan = self.plan.iter().map(|file| Location {
                    file: file.clone(),
                    line: 1,
                    ..Location::default()
                });
                finding.locations.extend(plan);
            }
        }
        report.notes.extend(self.sources.iter().flat_map(Sources::notes));
    }

    fn place(&self, finding: &mut Finding, decided: &Decided) {
        finding.address = Some(decided.address.clone());
        let Some(sources) = &self.sources else { return };
        let Some(located) = sources.locate(&decided.address, &decided.argument, &decided.value) else {
            return;
        };
        finding.locations.push(location(located.argument.unwrap_or(located.block), None));
        finding.related.extend(
            located
                .calls
                .into_iter()
                .map(|call| location(call.place, Some(format!("module {:?} is called here", call.name)))),
        );
    }
}

/// What decides a finding: the unknown value that it waits for, else the element that it names.
fn decided(
    trace: &Trace<'_>,
    finding: &Finding,
    cause: &Cause,
    unknowns: &BTreeMap<String, [String; 2]>,
) -> Option<Decided> {
    if cause.of == CauseType::Missing
        && let Some(names) = unknowns.get(&cause.id)
        && let Some(found) = names.iter().find_map(|name| trace.unknown(name))
    {
        return Some(found);
    }
    let mut elements: Vec<(&str, &str)> = Vec::new();
    if let (Some(resource), Some(pointer)) = (&finding.resource, &finding.pointer) {
        let own = cause.evidence.iter().find(|e| e.resource == *resource && e.pointer == *pointer);
        let holder = cause.evidence.iter().find(|e| matches!(e.pointer.as_str(), "" | "/id" | "/name"));
        // What an element lacks is added to that element, not where a default stands that only explains it.
        if let (Some(own), Some(holder)) = (own, holder)
            && own.value.is_null()
        {
            elements.push((&holder.resource, &holder.pointer));
        }
        elements.push((resource, pointer));
    }
    elements.extend(cause.evidence.iter().map(|e| (e.resource.as_str(), e.pointer.as_str())));
    elements.into_iter().find_map(|(resource, pointer)| trace.element(&ArmId::new(resource), pointer))
}

fn location(place: Place, message: Option<String>) -> Location {
    Location {
        file: place.file,
        line: place.line,
        column: Some(place.column),
        end_line: Some(place.end_line),
        end_column: Some(place.end_column),
        text: Some(place.text),
        message,
    }
}

/// A path from the working directory, with `/`, where it leads down from there; as it was given otherwise.
pub fn from_working(path: &Path, working: &Path) -> String {
    let inside = path.strip_prefix(working).unwrap_or(path);
    let parts = inside.components().filter(|part| *part != Component::CurDir);
    if inside.is_absolute() {
        return inside.to_string_lossy().replace('\\', "/");
    }
    parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>().join("/")
}
