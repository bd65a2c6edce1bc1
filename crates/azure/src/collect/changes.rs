//! Changes in mid-run: half of a peering read before a change and half after is a state that never was.

use std::collections::{BTreeMap, BTreeSet};

use futures::StreamExt;
use pullproof_snapshot::{ArmId, Gap};
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::Run;
use super::listing::row_of;
use super::state::types_of;
use crate::graph;
use crate::progress::Event;
use crate::types::{Listing, ReadType, TYPES};

/// Clocks differ, and changes come into the table late: what changed a little earlier is read again too.
const MARGIN: time::Duration = time::Duration::minutes(2);
/// Rounds of asking what changed while changes were read.
const ROUNDS: usize = 3;

impl Run<'_> {
    /// Reads again what changed since `from` (RFC 3339).
    pub(super) async fn changes(&self, from: &str) {
        let mut since = from.to_owned();
        let mut done: BTreeSet<(String, String)> = BTreeSet::new();
        for _ in 0..ROUNDS {
            if self.client.cancel.is_cancelled() {
                return;
            }
            let asked = super::now();
            let changed = match self.changed(&since).await {
                Ok(changed) => changed,
                Err(code) => {
                    let text = format!(
                        "what changed during the capture could not be asked for ({code}): resources that were read at \
                         different times may not fit together"
                    );
                    (self.client.progress)(&Event::Note(&text));
                    return;
                }
            };
            let fresh: BTreeMap<String, String> = changed
                .into_iter()
                .filter(|change| !done.contains(&(change.0.clone(), change.1.clone())))
                .collect();
            if fresh.is_empty() {
                return;
            }
            self.again(fresh.keys()).await;
            done.extend(fresh);
            since = asked;
        }
    }

    /// Folded ids of what changed, with the time of the change.
    async fn changed(&self, since: &str) -> Result<Vec<(String, String)>, String> {
        let start = OffsetDateTime::parse(since, &Rfc3339).ok().map(|since| since - MARGIN);
        let since = start.and_then(|start| start.format(&Rfc3339).ok()).unwrap_or_else(|| since.to_owned());
        let query = format!(
            "resourcechanges | where todatetime(properties.changeAttributes.timestamp) >= datetime({since}) \
             | project id, properties | order by id asc"
        );
        let scopes = self.state.borrow().scopes.clone();
        let mut subscriptions: Vec<String> =
            scopes.iter().filter_map(|scope| ArmId::new(scope).subscription().map(str::to_owned)).collect();
        subscriptions.dedup();
        let mut out = Vec::new();
        for chunk in subscriptions.chunks(graph::SUBSCRIPTIONS) {
            let outcome = self
                .client
                .query(&query, chunk, |page| {
                    for raw in page {
                        let json: Value = serde_json::from_str(raw.get()).unwrap_or_default();
                        let text = |pointer: &str| json.pointer(pointer).and_then(Value::as_str);
                        let at = text("/properties/changeAttributes/timestamp").unwrap_or_default();
                        let when = OffsetDateTime::parse(at, &Rfc3339).ok();
                        let earlier = matches!((when, start), (Some(when), Some(start)) if when < start);
                        if let Some(target) = text("/properties/targetResourceId").filter(|_| !earlier) {
                            out.push((ArmId::new(target).folded().to_owned(), at.to_owned()));
                        }
                    }
                    Ok(())
                })
                .await;
            outcome.map_err(|failure| failure.code)?;
        }
        Ok(out)
    }

    async fn again<'i>(&self, ids: impl Iterator<Item = &'i String>) {
        let calls = ids.filter_map(|id| {
            let id = ArmId::new(id);
            let row = row_of(&id.resource_type()?)?;
            Some(async move { (self.one(&id, row).await, id, row) })
        });
        let answers: Vec<_> = futures::stream::iter(calls).buffered(self.concurrency.max(1)).collect().await;
        for (answer, id, row) in answers {
            match answer {
                Ok(Some(text)) => {
                    let _ = self.state.borrow_mut().keep(row, id.clone(), &text);
                    self.below(&id, row).await;
                }
                Ok(None) => {
                    let mut state = self.state.borrow_mut();
                    state.writer.forget(&id);
                    let below: Vec<String> = state
                        .writer
                        .ids()
                        .filter(|other| ArmId::new(other).is_within(id.folded()))
                        .map(str::to_owned)
                        .collect();
                    for other in below {
                        state.writer.forget(&ArmId::new(&other));
                    }
                }
                Err(failure) => {
                    let gap = Gap {
                        resource: Some(id.as_written().to_owned()),
                        types: types_of(row),
                        operation: Some(format!("GET {}", id.as_written())),
                        ..Gap::default()
                    };
                    self.gap(gap, &failure, &row.action());
                }
            }
        }
    }

    /// What a resource that came or changed holds below it.
    async fn below(&self, parent: &ArmId, row: &ReadType) {
        for child in TYPES {
            if let Listing::Parent { parent: kind, collection } = child.listing
                && kind == row.name
                && child.table.is_none()
            {
                self.state.borrow_mut().complete.remove(parent.folded());
                self.child_list(parent.clone(), collection, child).await;
            }
        }
    }
}
