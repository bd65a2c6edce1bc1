//! The native form: a header, one ARM resource a line, gaps and evidence anywhere, an end line (CONTRACT §1).

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::element::{self, Item, Origin};
use super::form::Reading;
use super::parallel;
use crate::completeness::Statement;
use crate::evidence::Evidence;
use crate::gap::Gap;
use crate::id::ArmId;
use crate::snapshot::ResourceEntry;

const FORMAT: &str = "snapshot/v1";

/// Reads the lines from `start` on. `named`: the file was named itself.
pub(super) fn read(text: &Arc<Vec<u8>>, start: usize, file: &str, named: bool) -> Result<Reading, String> {
    let lines = lines(text, start);
    let items = parallel::map(&lines, text.len().saturating_sub(start), |range| {
        element::read(text, range.clone(), Origin::Arm, file)
    });
    let mut out = Reading::default();
    let mut state = State::default();
    for (range, item) in lines.iter().zip(items) {
        match item {
            Item::Resource { id, resource_type, body } => {
                state.resources = state.resources.saturating_add(1);
                state.known = true;
                let captured = out.captured_to.clone();
                out.entries.push(ResourceEntry { id, resource_type: resource_type.into(), captured, body });
            }
            Item::Tags { list, trouble } => {
                state.resources = state.resources.saturating_add(1);
                state.known = true;
                out.tag_lists.push(*list);
                out.gaps.extend(trouble.into_iter().map(|gap| (Some(range.start), gap)));
            }
            Item::Control { kind, json } => control(&mut out, &mut state, &kind, &json, range.start)?,
            Item::Trouble(gap) => {
                state.resources = state.resources.saturating_add(1);
                match (gap.resource.is_some(), gap.types.is_empty()) {
                    (true, false) => state.known = true,
                    _ => state.lost = true,
                }
                out.gap(range.start, *gap);
            }
        }
    }
    if !state.known && !named {
        return Err("lines of JSON, but neither a header nor an ARM resource".into());
    }
    finish(&mut out, state);
    Ok(out)
}

#[derive(Default)]
struct State {
    /// The file is ours, or ARM's, by at least one line.
    known: bool,
    /// A line could not be read, and nobody knows which resource it was.
    lost: bool,
    resources: u64,
    header: bool,
    end: Option<End>,
}

struct End {
    statements: Vec<Statement>,
    resources: Option<u64>,
    /// Lines of resources when it was read.
    seen: u64,
}

fn lines(text: &[u8], start: usize) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut from = start;
    let rest = text.get(start..).unwrap_or_default();
    let ends = memchr::memchr_iter(b'\n', rest).map(|i| i.saturating_add(start)).chain([text.len()]);
    for end in ends {
        let line = text.get(from..end).unwrap_or_default();
        if !line.trim_ascii().is_empty() {
            out.push(from..end);
        }
        from = end.saturating_add(1);
    }
    out
}

fn control(out: &mut Reading, state: &mut State, kind: &str, json: &Value, at: usize) -> Result<(), String> {
    state.known = true;
    let text = |key: &str| json.get(key).and_then(Value::as_str).map(str::to_owned);
    match kind {
        FORMAT => {
            state.header = true;
            // Snapshots put one after the other: each has its own header and end.
            out.captured_to = text("captured_to").map(Arc::from);
        }
        "gap" => match gap(json) {
            Ok(gap) => out.gap(at, gap),
            Err(error) => {
                state.lost = true;
                out.gap(at, reason(format!("a gap line that cannot be read: {error}")));
            }
        },
        "evidence" => match (text("resource"), text("operation"), json.get("answer")) {
            (Some(resource), Some(operation), Some(answer)) => out.evidence.push(Evidence {
                resource: ArmId::new(&resource),
                operation,
                captured: text("captured"),
                answer: answer.clone(),
            }),
            _ => out.gap(at, reason("an evidence line without resource, operation or answer".into())),
        },
        "end" => {
            let before = state.end.take();
            let mut statements = before.map(|end| end.statements).unwrap_or_default();
            for row in json.get("complete").and_then(Value::as_array).into_iter().flatten() {
                match statement(row) {
                    Some(statement) => statements.push(statement),
                    None => out.gap(at, reason("an entry of `complete` without scope or types".into())),
                }
            }
            let resources = json.get("resources").and_then(Value::as_u64);
            state.end = Some(End { statements, resources, seen: state.resources });
        }
        other if other.starts_with("snapshot/") => {
            return Err(format!("a snapshot of format {other}; this version reads {FORMAT}"));
        }
        other => out.notes.push(format!("a line of kind {other:?} was passed over")),
    }
    Ok(())
}

/// A gap line; `"types": "*"` is every type, like no types at all.
fn gap(json: &Value) -> Result<Gap, serde_json::Error> {
    let mut json = json.clone();
    if let Some(types) = json.get_mut("types") {
        match types {
            Value::String(all) if all == "*" => *types = Value::Array(Vec::new()),
            Value::String(_) => *types = Value::Array(vec![types.take()]),
            Value::Array(list) if list.iter().any(|t| t == "*") => list.clear(),
            _ => {}
        }
    }
    serde_json::from_value(json)
}

fn statement(row: &Value) -> Option<Statement> {
    let scope = row.get("scope")?.as_str()?;
    match row.get("types")? {
        Value::String(all) if all == "*" => Some(Statement::stated(scope, ["*"])),
        Value::Array(types) => {
            let types: Option<Vec<&str>> = types.iter().map(Value::as_str).collect();
            Some(Statement::stated(scope, types?))
        }
        _ => None,
    }
}

fn reason(text: String) -> Gap {
    Gap { reason: Some(text), ..Gap::default() }
}

fn finish(out: &mut Reading, state: State) {
    if !state.header {
        out.notes.push("no header line: capture time unknown".into());
    }
    match state.end {
        None => out.notes.push("partial: no end line".into()),
        Some(End { resources: Some(said), seen, .. }) if said > seen => {
            out.notes.push(format!("partial: the end line says {said} resources, there are {seen}"));
        }
        Some(_) if state.resources_after_end() => {
            out.notes.push("partial: there are resources after the end line".into());
        }
        Some(_) if state.lost => out.notes.push("partial: a line could not be read".into()),
        Some(end) => {
            out.statements = end.statements;
            out.complete = true;
        }
    }
}

impl State {
    fn resources_after_end(&self) -> bool {
        self.end.as_ref().is_some_and(|end| end.seen < self.resources)
    }
}
