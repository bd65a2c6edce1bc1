//! Arrays of resources: bare, `{"value":[…]}`, and Resource Graph's `{"data":[…]}`.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::element::{self, Item, Origin};
use super::form::Reading;
use super::scan::{self, Parts};
use super::{ReadOptions, parallel};
use crate::completeness::Statement;
use crate::gap::Gap;
use crate::id::ArmId;
use crate::snapshot::ResourceEntry;

/// A bare array that starts at `start`.
pub(super) fn array(
    text: &Arc<Vec<u8>>,
    start: usize,
    file: &str,
    options: ReadOptions,
) -> Result<Reading, String> {
    read(text, start, Origin::Arm, None, file, options, None)
}

/// An answer whose list starts at `start`; `answer` is the object around it.
pub(super) fn page(
    text: &Arc<Vec<u8>>,
    start: usize,
    origin: Origin,
    answer: &Parts<String>,
    file: &str,
    options: ReadOptions,
) -> Result<Reading, String> {
    let whole = answer.cut.is_none() && scan::skip_space(text, answer.end) >= text.len();
    read(text, start, origin, truncated(text, answer), file, options, Some(whole))
}

/// Why an answer is only a part of what was asked for, if it says so.
fn truncated(text: &[u8], answer: &Parts<String>) -> Option<String> {
    let value = |keys: &[&str]| -> Option<Value> {
        let (_, range) =
            answer.parts.iter().find(|(k, _)| keys.iter().any(|key| key.eq_ignore_ascii_case(k)))?;
        serde_json::from_slice(text.get(range.clone())?).ok()
    };
    let given = |v: &Value| !v.is_null() && v.as_str() != Some("");
    if value(&["nextLink", "odata.nextLink", "@odata.nextLink"]).as_ref().is_some_and(given) {
        return Some("it has a nextLink: there are more pages".into());
    }
    if value(&["skip_token", "skipToken", "$skipToken"]).as_ref().is_some_and(given) {
        return Some("it has a skip token: there are more pages".into());
    }
    let count = value(&["count"]).and_then(|v| v.as_u64());
    let total = value(&["total_records", "totalRecords"]).and_then(|v| v.as_u64());
    if let (Some(count), Some(total)) = (count, total)
        && count < total
    {
        return Some(format!("it holds {count} of {total} records"));
    }
    let truncated = value(&["resultTruncated", "result_truncated"]);
    match truncated {
        Some(Value::Bool(true)) => Some("Resource Graph cut the answer short".into()),
        Some(Value::String(s)) if s.eq_ignore_ascii_case("true") => {
            Some("Resource Graph cut the answer short".into())
        }
        _ => None,
    }
}

/// `whole`: whether the text around the list is what it should be; `None` where nothing may stand around it.
fn read(
    text: &Arc<Vec<u8>>,
    start: usize,
    origin: Origin,
    truncated: Option<String>,
    file: &str,
    options: ReadOptions,
    whole: Option<bool>,
) -> Result<Reading, String> {
    let elements = scan::elements(text, start);
    let ranges: Vec<Range<usize>> = elements.parts.into_iter().map(|((), range)| range).collect();
    let whole = whole.unwrap_or(elements.cut.is_some() || scan::skip_space(text, elements.end) >= text.len());
    let items = parallel::map(&ranges, text.len().saturating_sub(start), |range| {
        element::read(text, range.clone(), origin, file)
    });
    let mut out = Reading { complete: true, ..Reading::default() };
    let mut seen = Seen::default();
    let mut anything = items.is_empty() && elements.cut.is_none();
    for (range, item) in ranges.iter().zip(items) {
        match item {
            Item::Resource { id, resource_type, body } => {
                anything = true;
                seen.add(&id, &resource_type);
                out.entries.push(ResourceEntry {
                    id,
                    resource_type: resource_type.into(),
                    captured: None,
                    body,
                });
            }
            Item::Tags { list, trouble } => {
                anything = true;
                out.tag_lists.push(*list);
                out.gaps.extend(trouble.into_iter().map(|gap| (Some(range.start), gap)));
            }
            Item::Control { .. } => out.gap(
                range.start,
                Gap { reason: Some("a line of the native form inside an array".into()), ..Gap::default() },
            ),
            Item::Trouble(gap) => {
                match (gap.resource.as_deref(), gap.types.first()) {
                    (Some(id), Some(kind)) => {
                        anything = true;
                        seen.add(&ArmId::new(id), kind);
                    }
                    _ => seen.anything_may_be_missing = true,
                }
                out.gap(range.start, *gap);
            }
        }
    }
    let mut partial = truncated;
    if let Some((at, reason)) = elements.cut {
        partial = Some(format!("the list breaks off: {reason}"));
        let gap =
            element::broken(text.get(at..).unwrap_or_default(), format!("the list breaks off: {reason}"));
        anything |= gap.resource.is_some();
        out.gap(at, gap);
    }
    if !anything {
        return Err("an array without a single ARM resource".into());
    }
    if partial.is_none() && !whole {
        partial = Some("the text after the list cannot be read".into());
    }
    match partial {
        Some(reason) => {
            out.notes.push(format!("partial: {reason}"));
            out.lose_completeness();
        }
        None if seen.anything_may_be_missing => out.lose_completeness(),
        None => out.statements = seen.statements(origin, options),
    }
    Ok(out)
}

/// Which types and subscriptions a list is about.
#[derive(Default)]
struct Seen {
    types: BTreeSet<String>,
    subscriptions: BTreeSet<String>,
    parents: BTreeSet<String>,
    anything_may_be_missing: bool,
}

impl Seen {
    fn add(&mut self, id: &ArmId, resource_type: &str) {
        if !self.types.contains(resource_type) {
            self.types.insert(resource_type.to_owned());
        }
        if let Some(subscription) = id.subscription()
            && !self.subscriptions.contains(subscription)
        {
            self.subscriptions.insert(subscription.to_owned());
        }
        // Needed only while the list is of one type: keep it small.
        if self.types.len() == 1
            && let Some(parent) = id.parent()
        {
            self.parents.insert(parent.folded().to_owned());
        }
    }

    /// What absence from the list says (CONTRACT §1). A list of one type is complete for the type in its
    /// subscriptions; of a child type ARM lists one parent at a time, so for the parents in it, unless it comes from
    /// Resource Graph, which lists whole subscriptions.
    fn statements(&self, origin: Origin, options: ReadOptions) -> Vec<Statement> {
        let mut out = Vec::new();
        let mut types = self.types.iter();
        match (types.next(), types.next()) {
            (Some(only), None) => {
                let by_parent = origin == Origin::Arm && !self.parents.is_empty();
                let subscriptions = self.subscriptions.iter().map(|s| format!("/subscriptions/{s}"));
                let scopes: Vec<String> =
                    if by_parent { self.parents.iter().cloned().collect() } else { subscriptions.collect() };
                for scope in scopes {
                    out.push(Statement::one_type(&scope, only));
                }
            }
            (Some(_), Some(_)) if !options.partial => {
                for subscription in &self.subscriptions {
                    let scope = format!("/subscriptions/{subscription}");
                    out.push(match origin {
                        Origin::Arm => Statement::assumed(&scope),
                        Origin::ResourceGraph => Statement::assumed_of_graph(&scope, &self.types),
                    });
                }
            }
            _ => {}
        }
        out
    }
}
