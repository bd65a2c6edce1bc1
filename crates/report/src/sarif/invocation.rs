//! What became of the run, and what it has to say beside its findings.

use pullproof_audit::model::Report;
use pullproof_snapshot::gap::Gap;
use serde_json::{Value, json};

use super::limit::{self, Kept};
use super::location::{logical, plain};
use super::{Context, Profile};

const GAP: &str = "gap";
const NOTE: &str = "note";
const LIMIT: &str = "limit";
const PIPELINE: &str = "pipeline";

/// What the notifications are, with the texts that GitHub and the name that Azure DevOps ask for of every descriptor.
pub(super) fn descriptors() -> Value {
    let one = |id: &str, name: &str, text: &str, help: &str| {
        json!({
            "id": id,
            "name": name,
            "shortDescription": { "text": text },
            "fullDescription": { "text": text },
            "help": { "text": help },
        })
    };
    json!([
        one(
            GAP,
            "InputGap",
            "Something was asked for and not obtained, or obtained and not understood.",
            "Where it matters the audit is undetermined and says so; read it, or grant the right to.",
        ),
        one(NOTE, "InputNote", "A remark on the input.", "Nothing has to be done."),
        one(
            LIMIT,
            "ConsumerLimit",
            "Something is left out to keep to the consumer's limits.",
            "Write the report as JSON, which lists all.",
        ),
        one(
            PIPELINE,
            "PipelineUnnamed",
            "The pipeline does not say who it is.",
            "Hand the pipeline's predefined variables on to the step that runs pullproof.",
        ),
    ])
}

pub(super) fn invocation(report: &Report, context: &Context, kept: &Kept<'_>) -> Value {
    let inputs: Vec<Value> = report
        .inputs
        .iter()
        .map(|i| json!({ "file": context.places.uri(&i.file), "sha256": i.sha256, "complete": i.complete }))
        .collect();
    json!({
        // An unusable input and a disagreement of the evaluators are no audit; a disproof is one that did its work.
        "executionSuccessful": !matches!(context.exit_code, 2 | 5),
        "exitCode": context.exit_code,
        "toolExecutionNotifications": notifications(report, context, kept),
        "properties": { "asOf": report.as_of, "inputs": inputs },
    })
}

fn notifications(report: &Report, context: &Context, kept: &Kept<'_>) -> Vec<Value> {
    let mut out = Vec::new();
    if kept.left_out > 0 {
        let text = format!(
            "{} findings are left out, the least severe first: GitHub shows no more. --format json lists all",
            kept.left_out
        );
        out.push(notification(LIMIT, "warning", &text));
    }
    if context.profile == Profile::Azdo && context.build.is_none() {
        let text = "the variables of Azure Pipelines that name this run are not all set, so Advanced Security cannot \
                    place it";
        out.push(notification(PIPELINE, "warning", text));
    }
    let told = report.disagreements.iter().map(|text| notification(NOTE, "error", text));
    let told = told.chain(report.notes.iter().map(|text| notification(NOTE, "note", text)));
    out.extend(told.chain(report.gaps.iter().map(gap)).take(limit::NOTIFICATIONS));
    let all = report.disagreements.len() + report.notes.len() + report.gaps.len();
    if all > limit::NOTIFICATIONS {
        let text = format!("{} more notes and gaps; --format json lists all", all - limit::NOTIFICATIONS);
        out.push(notification(LIMIT, "note", &text));
    }
    out
}

fn notification(id: &str, level: &str, text: &str) -> Value {
    json!({ "descriptor": { "id": id }, "level": level, "message": { "text": plain(text) } })
}

fn gap(gap: &Gap) -> Value {
    let what = gap.resource.as_deref().or(gap.scope.as_deref()).unwrap_or("input");
    let parts = [gap.operation.as_deref(), gap.code.as_deref(), gap.reason.as_deref()];
    let why: Vec<&str> = parts.into_iter().flatten().collect();
    let mut out = notification(GAP, "warning", &format!("{what}: {}", why.join(", ")));
    if let Some(fields) = out.as_object_mut() {
        let place = json!([{ "logicalLocations": logical(Some(what), gap.pointer.as_deref(), None) }]);
        fields.insert("locations".into(), place);
    }
    out
}
