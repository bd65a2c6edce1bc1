//! Lists: whole subscriptions through Resource Graph, the rest through ARM.

use std::collections::{BTreeMap, BTreeSet};

use futures::StreamExt;
use pullproof_snapshot::{ArmId, Gap};
use serde_json::value::RawValue;

use super::{Run, Sources};
use crate::error::Failure;
use crate::graph;
use crate::progress::{Event, Source};
use crate::shape::{self, Members, RECORDS};
use crate::types::{Listing, READS, ReadType, TYPES, Table};

/// Types with many or large resources: each is a query of its own, so that queries run beside each other.
const LARGE: &[&str] = &[
    "Microsoft.Network/virtualNetworks",
    "Microsoft.Network/networkSecurityGroups",
    "Microsoft.Network/routeTables",
    "Microsoft.Network/networkInterfaces",
    "Microsoft.Network/privateEndpoints",
    "Microsoft.Compute/virtualMachineScaleSets",
];

/// The table's columns that are asked for.
const PROJECT: &str = "project id, name, type, tenantId, kind, location, managedBy, sku, plan, properties, tags, identity, zones";

/// An RP that was never registered in a subscription has nothing in it.
const NOT_REGISTERED: &str = "MissingSubscriptionRegistration";

impl Run<'_> {
    /// Reads everything in these scopes.
    pub(super) async fn read_scopes(&self, scopes: &[String]) {
        let groups = scopes.iter().any(|scope| scope.to_ascii_lowercase().contains("/resourcegroups/"));
        let by_graph = match self.sources {
            Sources::Auto => !groups,
            Sources::Arm => false,
            Sources::Graph => true,
        };
        let (graph, mut arm): (Vec<_>, Vec<_>) = TYPES
            .iter()
            .partition(|row| by_graph && row.table.is_some() && row.listing != Listing::Hierarchy);
        let (graph, unsure) =
            if by_graph { self.permitted(graph, scopes).await } else { (graph, Vec::new()) };
        arm.extend(unsure);
        let refused = futures::join!(
            self.by_graph(&graph, scopes),
            self.lists(&arm, scopes),
            self.hierarchy(scopes, by_graph),
        )
        .0;
        // Resource Graph cannot be asked, or lacks the table: one list at a time.
        self.lists(&refused, scopes).await;
        let mut below: Vec<&'static ReadType> = arm;
        below.extend(&refused);
        below.retain(|row| matches!(row.listing, Listing::Parent { .. }));
        // Parents before their children.
        below.sort_by_key(|row| row.name.matches('/').count());
        let mut level: Vec<&'static ReadType> = Vec::new();
        let mut depth = 0;
        for row in below {
            if row.name.matches('/').count() != depth {
                self.children(&level, scopes).await;
                level.clear();
                depth = row.name.matches('/').count();
            }
            level.push(row);
        }
        self.children(&level, scopes).await;
        self.service_tags(scopes).await;
        self.definitions().await;
    }

    /// Queries the tables; the rows that Resource Graph does not answer for at all.
    async fn by_graph(&self, rows: &[&'static ReadType], scopes: &[String]) -> Vec<&'static ReadType> {
        let mut queries: BTreeMap<(Table, &str), Vec<&'static ReadType>> = BTreeMap::new();
        for row in rows {
            let Some(table) = row.table else { continue };
            let own = LARGE.iter().find(|name| **name == row.name).copied().unwrap_or_default();
            queries.entry((table, own)).or_default().push(row);
        }
        let mut work = Vec::new();
        for scopes in scopes.chunks(graph::SUBSCRIPTIONS) {
            work.extend(queries.iter().map(|((table, _), rows)| self.table(*table, rows.clone(), scopes)));
        }
        let lacking: Vec<Vec<&'static ReadType>> =
            futures::stream::iter(work).buffer_unordered(self.concurrency.max(1)).collect().await;
        let mut lacking: Vec<_> = lacking.into_iter().flatten().collect();
        lacking.sort_by_key(|row| row.name);
        lacking.dedup_by_key(|row| row.name);
        lacking
    }

    async fn table(
        &self,
        table: Table,
        mut rows: Vec<&'static ReadType>,
        scopes: &[String],
    ) -> Vec<&'static ReadType> {
        rows.retain(|row| {
            let state = self.state.borrow();
            !scopes.iter().all(|scope| state.is_complete(scope, row))
        });
        if rows.is_empty() {
            return Vec::new();
        }
        let types: Vec<String> = rows
            .iter()
            .flat_map(|row| super::state::types_of(row))
            .map(|t| format!("'{}'", t.to_lowercase()))
            .collect();
        let query =
            format!("{} | where type in~ ({}) | {PROJECT} | order by id asc", table.name(), types.join(", "));
        let mut subscriptions: Vec<String> =
            scopes.iter().filter_map(|scope| ArmId::new(scope).subscription().map(str::to_owned)).collect();
        subscriptions.sort();
        subscriptions.dedup();
        let mut unread: Vec<(&'static ReadType, Gap)> = Vec::new();
        let outcome = self
            .client
            .query(&query, &subscriptions, |page| {
                for raw in page {
                    let Some((id, kind)) = shape::identify(raw) else {
                        return Err(Failure::new("InvalidAnswer", "a row without an id"));
                    };
                    let inherited = kind.starts_with("microsoft.authorization/");
                    if !inherited && !scopes.iter().any(|scope| id.is_within(scope)) {
                        continue;
                    }
                    let Some(row) = rows.iter().find(|row| is_of(row, &kind)) else { continue };
                    if let Err(failure) = self.take(row, &[raw], Source::Graph) {
                        if failure.code == "Write" {
                            return Err(failure);
                        }
                        let gap = Gap {
                            resource: Some(id.as_written().to_owned()),
                            types: vec![kind],
                            operation: Some(table.name().to_owned()),
                            ..Gap::default()
                        };
                        unread.push((row, gap));
                    }
                }
                Ok(())
            })
            .await;
        for (row, gap) in unread {
            self.gap(gap, &Failure::new("InvalidAnswer", "the row cannot be read"), &row.action());
        }
        match outcome {
            Ok(()) => {
                let mut state = self.state.borrow_mut();
                for scope in scopes {
                    rows.iter().for_each(|row| state.complete(scope, row));
                }
                Vec::new()
            }
            Err(failure) if failure.is_end() => {
                for scope in scopes {
                    rows.iter().for_each(|row| self.type_gap(scope, row, table.name(), &failure));
                }
                Vec::new()
            }
            Err(failure) => {
                let text = format!(
                    "Resource Graph does not answer for {} ({}): ARM is asked instead",
                    table.name(),
                    failure.code
                );
                (self.client.progress)(&Event::Note(&text));
                rows
            }
        }
    }

    /// Lists of whole scopes through ARM.
    async fn lists(&self, rows: &[&'static ReadType], scopes: &[String]) {
        let mut groups = BTreeMap::new();
        for scope in scopes {
            let wanted = rows.iter().filter(|row| row.listing == Listing::Group);
            let wanted = wanted.filter(|row| !self.state.borrow().is_complete(scope, row)).count() > 0;
            if wanted && ArmId::new(scope).resource_group().is_none() {
                groups.insert(scope.clone(), self.groups(scope).await);
            }
        }
        let mut work = Vec::new();
        for scope in scopes {
            for row in rows {
                let by_scope = matches!(row.listing, Listing::Scope | Listing::Group | Listing::Inherited);
                if by_scope && !self.state.borrow().is_complete(scope, row) {
                    work.push(self.scope_list(scope, row, groups.get(scope)));
                }
            }
        }
        futures::stream::iter(work).buffer_unordered(self.concurrency.max(1)).collect::<Vec<()>>().await;
    }

    /// The ids of a subscription's resource groups.
    async fn groups(&self, scope: &str) -> Result<Vec<String>, Failure> {
        let operation = READS.iter().find(|operation| operation.path == "resourcegroups");
        let (path, version) = operation.map_or(("", ""), |o| (o.path, o.api_version));
        let url = self.client.url(&format!("{scope}/{path}"), &[("api-version", version)])?;
        let mut groups = Vec::new();
        let each = |page: &[&RawValue]| {
            groups.extend(
                page.iter().filter_map(|raw| shape::identify(raw)).map(|(id, _)| id.as_written().to_owned()),
            );
            Ok(())
        };
        self.client.list(url, each).await?;
        Ok(groups)
    }

    async fn scope_list(
        &self,
        scope: &str,
        row: &'static ReadType,
        groups: Option<&Result<Vec<String>, Failure>>,
    ) {
        let path = format!("{scope}/providers/{}", row.name);
        let outcome = match (row.listing, groups) {
            (Listing::Group, Some(Err(failure))) => Err(failure.clone()),
            (Listing::Group, Some(Ok(groups))) => {
                let lists = groups.iter().map(|group| async move {
                    self.one_list(&format!("{group}/providers/{}", row.name), row).await
                });
                let outcomes: Vec<_> =
                    futures::stream::iter(lists).buffer_unordered(self.concurrency.max(1)).collect().await;
                outcomes.into_iter().collect::<Result<(), Failure>>()
            }
            _ => self.one_list(&path, row).await,
        };
        match outcome {
            Ok(()) => self.state.borrow_mut().complete(scope, row),
            Err(failure) if failure.code == NOT_REGISTERED => self.state.borrow_mut().complete(scope, row),
            Err(failure) => self.type_gap(scope, row, &format!("GET {path}"), &failure),
        }
    }

    async fn one_list(&self, path: &str, row: &'static ReadType) -> Result<(), Failure> {
        let url = self.client.url(path, &[("api-version", row.api_version)])?;
        self.client.list(url, |page| self.take(row, page, Source::Arm)).await
    }

    /// Lists below every parent that was read.
    async fn children(&self, rows: &[&'static ReadType], scopes: &[String]) {
        let mut work = Vec::new();
        for row in rows {
            let Listing::Parent { parent, collection } = row.listing else { continue };
            for scope in scopes {
                let parents = self.state.borrow().within(parent, scope);
                work.extend(parents.into_iter().map(|parent| self.child_list(parent, collection, row)));
            }
        }
        futures::stream::iter(work).buffer_unordered(self.concurrency.max(1)).collect::<Vec<()>>().await;
        for row in rows {
            let Listing::Parent { parent, .. } = row.listing else { continue };
            for scope in scopes {
                let mut state = self.state.borrow_mut();
                let parents_complete = crate::types::of(parent).is_some_and(|p| state.is_complete(scope, p));
                if parents_complete {
                    state.complete(scope, row);
                }
            }
        }
    }

    /// One list below a parent. What fails is a gap of that parent only.
    pub(super) async fn child_list(&self, parent: ArmId, collection: &str, row: &'static ReadType) {
        if self.state.borrow().is_complete(parent.folded(), row) {
            return;
        }
        let path = format!("{}/{collection}", parent.as_written());
        match self.one_list(&path, row).await {
            Ok(()) => self.state.borrow_mut().complete(parent.folded(), row),
            Err(failure) => self.type_gap(parent.as_written(), row, &format!("GET {path}"), &failure),
        }
    }

    /// Subscriptions with their tenants, and the management groups above them (A305).
    async fn hierarchy(&self, scopes: &[String], by_graph: bool) {
        let mut rows = TYPES.iter().filter(|row| row.listing == Listing::Hierarchy);
        let (Some(subscriptions), Some(groups), Some(members)) = (rows.next(), rows.next(), rows.next())
        else {
            return;
        };
        let own: BTreeSet<String> = scopes
            .iter()
            .filter_map(|scope| Some(format!("/subscriptions/{}", ArmId::new(scope).subscription()?)))
            .collect();
        let own: Vec<String> = own.into_iter().collect();
        let mut asked = Vec::new();
        if by_graph {
            // The chain of management groups stands in these rows.
            asked = self.table(Table::ResourceContainers, vec![subscriptions], &own).await;
        }
        for id in &own {
            let id = ArmId::new(id);
            if self.state.borrow().writer.holds(&id) {
                continue;
            }
            match self.one(&id, subscriptions).await {
                Ok(Some(text)) => {
                    let _ = self.state.borrow_mut().keep(subscriptions, id, &text);
                }
                Ok(None) => {}
                Err(failure) => {
                    let operation = format!("GET {}", id.as_written());
                    self.type_gap(id.as_written(), subscriptions, &operation, &failure);
                }
            }
        }
        if by_graph && asked.is_empty() {
            return;
        }
        let root = format!("/providers/{}", groups.name);
        if let Err(failure) = self.one_list(&root, groups).await {
            self.type_gap(&root, groups, &format!("GET {root}"), &failure);
            return;
        }
        let found = self.state.borrow().within(groups.name, "/");
        for group in found {
            // The list says nothing of parents: one by one.
            if let Ok(Some(text)) = self.one(&group, groups).await {
                let _ = self.state.borrow_mut().keep(groups, group.clone(), &text);
            }
            self.child_list(group, "subscriptions", members).await;
        }
    }

    /// The cloud's list of service tags, once.
    async fn service_tags(&self, scopes: &[String]) {
        let location = {
            let mut state = self.state.borrow_mut();
            state.location.clone().filter(|_| !std::mem::replace(&mut state.tags, true))
        };
        let operation = READS.iter().find(|operation| operation.path.ends_with("/serviceTags"));
        let (Some(location), Some(scope), Some(operation)) = (location, scopes.first(), operation) else {
            return;
        };
        let Some(subscription) = ArmId::new(scope).subscription().map(str::to_owned) else { return };
        let path =
            format!("/subscriptions/{subscription}/{}", operation.path.replace("{location}", &location));
        let answer = match self.client.url(&path, &[("api-version", operation.api_version)]) {
            Ok(url) => self.client.get(url).await,
            Err(failure) => Err(failure),
        };
        // A line that is neither a resource nor a list of tags would cost the file its completeness.
        let answer = answer.and_then(|answer| match serde_json::from_slice::<Members<'_>>(&answer.body) {
            Ok(members) if members.get("values").is_some_and(|v| v.get().starts_with('[')) => Ok(answer),
            _ => Err(Failure::new("InvalidAnswer", "an answer without `values` is no list of service tags")),
        });
        match answer {
            Ok(answer) => {
                let written = self.state.borrow_mut().writer.tags(&answer.body);
                if let Err(error) = written {
                    self.state.borrow_mut().broken.get_or_insert(error);
                }
            }
            Err(failure) => {
                let gap = Gap {
                    scope: Some(format!("/subscriptions/{subscription}")),
                    types: vec!["Microsoft.Network/locations/serviceTags".into()],
                    operation: Some(format!("GET {path}")),
                    ..Gap::default()
                };
                self.gap(gap, &failure, operation.action);
            }
        }
    }
}

/// Whether a folded type is read by a row.
pub(super) fn is_of(row: &ReadType, folded_type: &str) -> bool {
    if row.name == RECORDS {
        return super::state::types_of(row).iter().any(|t| t.eq_ignore_ascii_case(folded_type));
    }
    row.name.eq_ignore_ascii_case(folded_type)
}

/// The row that reads a folded type.
pub(super) fn row_of(folded_type: &str) -> Option<&'static ReadType> {
    TYPES.iter().find(|row| is_of(row, folded_type))
}
