//! What a run keeps in mind: the file, what is complete, what could not be read, what others refer to.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use pullproof_snapshot::write::Writer;
use pullproof_snapshot::{ArmId, Gap};
use serde_json::Value;
use serde_json::value::RawValue;

use super::Run;
use crate::error::Failure;
use crate::progress::{Event, Source};
use crate::shape::{self, RECORD_TYPES, RECORDS};
use crate::types::ReadType;

pub(super) struct State {
    pub writer: Writer,
    pub gaps: Vec<Gap>,
    pub scopes: Vec<String>,
    /// Scope → types that were wholly read in it.
    pub complete: BTreeMap<String, BTreeSet<String>>,
    /// Table row → the resources of it that were read, by folded id.
    pub read: BTreeMap<&'static str, BTreeMap<String, ArmId>>,
    /// Folded id → the folded ids of resources that it names; only while references are followed.
    pub names: Option<BTreeMap<String, BTreeSet<String>>>,
    /// Folded ids of policies and role definitions that assignments name.
    pub definitions: BTreeSet<String>,
    /// A place in which networks are, for the list of service tags.
    pub location: Option<String>,
    /// The list of service tags was asked for.
    pub tags: bool,
    /// The file cannot be written any more.
    pub broken: Option<io::Error>,
}

impl State {
    pub(super) fn new(target: &Path, from: &str, scopes: &[String]) -> io::Result<Self> {
        Ok(Self {
            writer: Writer::create(target, from, scopes)?,
            gaps: Vec::new(),
            scopes: scopes.to_vec(),
            complete: BTreeMap::new(),
            read: BTreeMap::new(),
            names: None,
            definitions: BTreeSet::new(),
            location: None,
            tags: false,
            broken: None,
        })
    }

    /// Writes a resource and keeps in mind what the rest of the run needs of it.
    pub(super) fn keep(&mut self, row: &'static ReadType, id: ArmId, text: &[u8]) -> Result<(), Failure> {
        if let Err(error) = self.writer.resource(&id, text) {
            let failure = Failure::new("Write", error.to_string());
            self.broken.get_or_insert(error);
            return Err(failure);
        }
        if let Some(names) = &mut self.names
            && !row.name.starts_with("Microsoft.Authorization/")
        {
            let found = shape::references(text);
            let found = found.filter_map(|id| shape::standalone(&id).map(str::to_owned)).collect();
            names.insert(id.folded().to_owned(), found);
        }
        let field = match row.name {
            "Microsoft.Authorization/policyAssignments" => Some("/properties/policyDefinitionId"),
            "Microsoft.Authorization/roleAssignments" => Some("/properties/roleDefinitionId"),
            _ => None,
        };
        if let Some(field) = field
            && let Ok(json) = serde_json::from_slice::<Value>(text)
            && let Some(named) = json.pointer(field).and_then(Value::as_str)
        {
            self.definitions.insert(named.to_owned());
        }
        if self.location.is_none() && row.name == "Microsoft.Network/virtualNetworks" {
            let json: Option<Value> = serde_json::from_slice(text).ok();
            self.location = json.and_then(|json| Some(json.get("location")?.as_str()?.to_owned()));
        }
        self.read.entry(row.name).or_default().insert(id.folded().to_owned(), id);
        Ok(())
    }

    pub(super) fn is_complete(&self, scope: &str, row: &ReadType) -> bool {
        let types = self.complete.get(scope);
        types_of(row).iter().all(|t| types.is_some_and(|types| types.contains(t)))
    }

    pub(super) fn complete(&mut self, scope: &str, row: &ReadType) {
        self.complete.entry(scope.to_owned()).or_default().extend(types_of(row));
    }

    /// The resources of a row that lie in a scope.
    pub(super) fn within(&self, name: &str, scope: &str) -> Vec<ArmId> {
        let all = self.read.get(name).into_iter().flatten();
        all.map(|(_, id)| id).filter(|id| id.is_within(scope)).cloned().collect()
    }
}

/// The resource types that a row reads.
pub(super) fn types_of(row: &ReadType) -> Vec<String> {
    match row.name {
        RECORDS => {
            let zones = row.name.trim_end_matches("/ALL");
            RECORD_TYPES.iter().map(|kind| format!("{zones}/{kind}")).collect()
        }
        name => vec![name.to_owned()],
    }
}

/// One resource as ARM's GET answered it, without secrets.
pub(super) fn fresh(body: &[u8], row: &ReadType) -> Result<Value, Failure> {
    let wrong = |why: String| Failure::new("InvalidAnswer", why);
    let raw: &RawValue = serde_json::from_slice(body).map_err(|error| wrong(error.to_string()))?;
    let shaped = shape::shape(raw, row, false).map_err(wrong)?;
    serde_json::from_slice(&shaped.text).map_err(|error| wrong(error.to_string()))
}

impl Run<'_> {
    /// Takes elements of an answer that are of the type of `row`.
    pub(super) fn take(
        &self,
        row: &'static ReadType,
        elements: &[&RawValue],
        source: Source,
    ) -> Result<(), Failure> {
        let mut state = self.state.borrow_mut();
        for raw in elements {
            match shape::shape(raw, row, source == Source::Graph) {
                Ok(shaped) => state.keep(row, shaped.id, &shaped.text)?,
                Err(why) => {
                    // Nobody knows which resource it was: the list is not whole.
                    return Err(Failure::new("InvalidAnswer", why));
                }
            }
        }
        drop(state);
        let count = elements.len() as u64;
        (self.client.progress)(&Event::Resources { source, count });
        Ok(())
    }

    /// Notes down what could not be read, with the permission that would help.
    pub(super) fn gap(&self, mut gap: Gap, failure: &Failure, action: &str) {
        gap.status = failure.status;
        gap.code = Some(failure.code.clone());
        let denied = matches!(failure.status, Some(401 | 403));
        let message = failure.message.lines().next().unwrap_or_default();
        gap.reason = Some(match (denied, message.is_empty()) {
            (true, _) => format!("takes the permission {action}"),
            (false, false) => message.to_owned(),
            (false, true) => failure.code.clone(),
        });
        (self.client.progress)(&Event::Gap(&gap));
        self.state.borrow_mut().gaps.push(gap);
    }

    /// A type that could not be wholly read in a scope.
    pub(super) fn type_gap(&self, scope: &str, row: &ReadType, operation: &str, failure: &Failure) {
        let gap = Gap {
            scope: Some(scope.to_owned()),
            types: types_of(row),
            operation: Some(operation.to_owned()),
            ..Gap::default()
        };
        self.gap(gap, failure, &row.action());
    }

    /// Reads one resource through ARM. `Ok(None)`: it is not there.
    pub(super) async fn one(&self, id: &ArmId, row: &'static ReadType) -> Result<Option<Vec<u8>>, Failure> {
        let url = self.client.url(id.as_written(), &[("api-version", row.api_version)])?;
        match self.client.get(url).await {
            Ok(answer) => {
                let raw: &RawValue = serde_json::from_slice(&answer.body)
                    .map_err(|error| Failure::new("InvalidAnswer", error.to_string()))?;
                let shaped =
                    shape::shape(raw, row, false).map_err(|why| Failure::new("InvalidAnswer", why))?;
                Ok(Some(shaped.text))
            }
            Err(failure) if failure.status == Some(404) => Ok(None),
            Err(failure) => Err(failure),
        }
    }
}
