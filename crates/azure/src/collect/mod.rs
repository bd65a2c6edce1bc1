//! A run: what is read in which order, and what becomes of what cannot be read.
//!
//! What lives here: scopes ([`scope`]), what may be read ([`permitted`]), the lists
//! ([`listing`]), what only references lead to ([`referenced`]),
//! changes in mid-run ([`changes`]), computed answers ([`effective`]), going on from a partial snapshot ([`resume`]),
//! and what a run keeps in mind ([`state`]). What may not: how a call is made.

mod changes;
mod effective;
mod listing;
mod permitted;
mod referenced;
mod resume;
mod scope;
mod state;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pullproof_snapshot::{ArmId, Gap};
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::cloud::Endpoints;
use crate::credential::{Auth, Principal};
use crate::error::{Error, Failure};
use crate::progress::{Cancel, Event, Progress, Source};
use crate::transport::{Client, Limits};
use crate::types;
pub use scope::Scope;
use state::State;

/// `--source`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sources {
    /// Resource Graph for whole subscriptions, ARM for resource groups and what Resource Graph lacks.
    #[default]
    Auto,
    Arm,
    Graph,
}

/// How a run is made.
#[derive(Clone)]
pub struct Options {
    pub auth: Auth,
    /// For [`Auth::ClientSecret`]; `None`: from the environment.
    pub principal: Option<Principal>,
    pub endpoints: Endpoints,
    pub limits: Limits,
    pub sources: Sources,
    /// Ask Azure to compute effective routes and rules; takes action permissions.
    pub effective: bool,
    /// A partial snapshot to go on from.
    pub resume: Option<PathBuf>,
    pub progress: Progress,
    pub cancel: Cancel,
}

/// What was counted for one source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub calls: u64,
    pub retries: u64,
    pub resources: u64,
}

/// What a run did.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub arm: Counts,
    pub graph: Counts,
    /// Resources in the snapshot.
    pub resources: u64,
    pub gaps: Vec<Gap>,
    pub notes: Vec<String>,
    pub captured_from: String,
    pub captured_to: String,
    /// The run was ended before everything was asked for.
    pub partial: bool,
}

/// Reads Azure.
pub struct Collector {
    client: Client,
    options: Options,
    counts: Arc<Counters>,
}

#[derive(Default)]
struct Counters {
    arm: [AtomicU64; 3],
    graph: [AtomicU64; 3],
    notes: Mutex<Vec<String>>,
}

impl Counters {
    fn count(&self, event: &Event<'_>) {
        let of = |source: &Source| if *source == Source::Arm { &self.arm } else { &self.graph };
        let [calls, retries, resources] = match event {
            Event::Call { source, .. } | Event::Retry { source, .. } | Event::Resources { source, .. } => {
                of(source)
            }
            Event::Note(text) => {
                self.notes.lock().unwrap_or_else(PoisonError::into_inner).push((*text).to_owned());
                return;
            }
            Event::Credential(_) | Event::Gap(_) => return,
        };
        match event {
            Event::Retry { .. } => {
                // Every try is a call.
                retries.fetch_add(1, Ordering::Relaxed);
                calls.fetch_add(1, Ordering::Relaxed)
            }
            Event::Resources { count, .. } => resources.fetch_add(*count, Ordering::Relaxed),
            _ => calls.fetch_add(1, Ordering::Relaxed),
        };
    }

    fn read(counts: &[AtomicU64; 3]) -> Counts {
        let [calls, retries, resources] = counts.each_ref().map(|count| count.load(Ordering::Relaxed));
        Counts { calls, retries, resources }
    }
}

impl Collector {
    /// Makes the client and the credential; asks nothing yet.
    pub fn new(options: Options) -> Result<Self, Error> {
        let counts = Arc::new(Counters::default());
        let (outer, inner) = (Arc::clone(&options.progress), Arc::clone(&counts));
        let progress: Progress = Arc::new(move |event| {
            inner.count(event);
            outer(event);
        });
        let client = Client::new(
            options.endpoints.clone(),
            (options.auth, options.principal.clone()),
            options.limits,
            progress,
            options.cancel.clone(),
        )?;
        Ok(Self { client, options, counts })
    }

    /// Reads everything in `scope` into the snapshot `target`.
    ///
    /// What cannot be read is a gap in it. A run that is ended, from outside or by its deadline, leaves a valid
    /// partial snapshot: what was wholly read is complete, the rest a gap.
    ///
    /// # Errors
    /// Where no token can be had, nothing of the scope can be found, or the file cannot be written; then there is no
    /// file.
    pub async fn collect(&self, scope: &Scope, target: &Path) -> Result<Summary, Error> {
        let before = self.options.resume.as_deref().map(resume::read).transpose()?;
        let from = before.as_ref().and_then(|b| b.captured_from.clone()).unwrap_or_else(now);
        let scopes = self.resolve(scope).await?;
        self.admitted(&scopes).await?;
        let run = Run {
            client: &self.client,
            sources: self.options.sources,
            concurrency: self.options.limits.concurrency,
            state: RefCell::new(State::new(target, &from, &scopes)?),
        };
        if let Some(before) = before {
            run.take_over(before)?;
        }
        match scope {
            Scope::Clusters { ids } => run.closure(ids, scopes).await,
            _ => run.read_scopes(&scopes).await,
        }
        if self.options.effective {
            run.effective().await;
        }
        run.changes(&from).await;
        self.finish(run, from)
    }

    fn finish(&self, run: Run<'_>, from: String) -> Result<Summary, Error> {
        let state = run.state.into_inner();
        if let Some(error) = state.broken {
            return Err(error.into());
        }
        let mut writer = state.writer;
        let mut gaps = state.gaps;
        gaps.sort();
        gaps.dedup();
        for gap in &gaps {
            writer.gap(gap)?;
        }
        let partial = gaps.iter().any(|g| matches!(g.code.as_deref(), Some("Cancelled" | "Deadline")));
        let to = now();
        let resources = writer.resources() as u64;
        let complete = spoken(state.complete, &state.scopes, &gaps);
        writer.finish(&to, &state.scopes, &complete)?;
        Ok(Summary {
            arm: Counters::read(&self.counts.arm),
            graph: Counters::read(&self.counts.graph),
            resources,
            gaps,
            notes: std::mem::take(&mut *self.counts.notes.lock().unwrap_or_else(PoisonError::into_inner)),
            captured_from: from,
            captured_to: to,
            partial,
        })
    }

    /// Reads resources again, one by one, through ARM: what a verdict hangs on (`--confirm`). `None`: it is gone.
    /// In the order of `ids`; ids of types that are not read are passed over.
    pub async fn confirm(&self, ids: &[ArmId]) -> Vec<(ArmId, Result<Option<Value>, Failure>)> {
        use futures::StreamExt;
        let each = ids.iter().filter_map(|id| Some((id, types::of(&id.resource_type()?)?)));
        let calls = each.map(|(id, row)| async move {
            let url = self.client.url(id.as_written(), &[("api-version", row.api_version)]);
            let answer = match url {
                Ok(url) => self.client.get(url).await,
                Err(failure) => Err(failure),
            };
            let fresh = match answer {
                Ok(answer) => state::fresh(&answer.body, row).map(Some),
                Err(failure) if failure.status == Some(404) => Ok(None),
                Err(failure) => Err(failure),
            };
            (id.clone(), fresh)
        });
        futures::stream::iter(calls).buffered(self.options.limits.concurrency.max(1)).collect().await
    }
}

/// What the end line says: lists below single parents only where they are not part of a scope that is wholly read,
/// or where a run that goes on from here has to know which of them are left.
fn spoken(
    complete: BTreeMap<String, BTreeSet<String>>,
    scopes: &[String],
    gaps: &[Gap],
) -> BTreeMap<String, Vec<String>> {
    let open: BTreeSet<&String> = gaps.iter().flat_map(|gap| &gap.types).collect();
    let mut out = BTreeMap::new();
    for (scope, types) in &complete {
        let outer = scopes.iter().filter(|outer| *outer != scope && ArmId::new(scope).is_within(outer));
        let outer: Vec<&BTreeSet<String>> = outer.filter_map(|outer| complete.get(outer)).collect();
        let own = |t: &&String| open.contains(t) || !outer.iter().any(|types| types.contains(*t));
        let own: Vec<String> = types.iter().filter(own).cloned().collect();
        if !own.is_empty() {
            out.insert(scope.clone(), own);
        }
    }
    out
}

/// One run.
struct Run<'a> {
    client: &'a Client,
    sources: Sources,
    concurrency: usize,
    state: RefCell<State>,
}

/// Now, as snapshots write it.
fn now() -> String {
    let now = OffsetDateTime::now_utc().replace_nanosecond(0).unwrap_or_else(|_| OffsetDateTime::now_utc());
    now.format(&Rfc3339).unwrap_or_default()
}
