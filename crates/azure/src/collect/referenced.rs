//! What only references lead to: policy and role definitions, and the subscriptions that a cluster's paths lead to.

use std::collections::{BTreeMap, BTreeSet};

use futures::StreamExt;
use pullproof_snapshot::facts::roles;
use pullproof_snapshot::{ArmId, Gap};
use serde_json::Value;

use super::Run;
use super::listing::row_of;
use crate::error::Failure;
use crate::shape;
use crate::types;

const POLICY_SETS: &str = "microsoft.authorization/policysetdefinitions";
const POLICIES: &str = "microsoft.authorization/policydefinitions";
const ROLES: &str = "Microsoft.Authorization/roleDefinitions";
/// What a policy that matters here writes.
const ZONE_GROUPS: &str = "privatednszonegroups";
/// Rounds in which a reference may lead to a further subscription.
const ROUNDS: usize = 64;
/// Links and assignments point at networks and registries, not the other way: they are looked for everywhere.
const POINTERS: &[&str] = &[
    "resources | where type in~ ('microsoft.network/privatednszones/virtualnetworklinks', \
     'microsoft.network/dnsresolverpolicies/virtualnetworklinks') | project id, properties | order by id asc",
    "authorizationresources | where type in~ ('microsoft.authorization/roleassignments') | project id, properties \
     | order by id asc",
];

impl Run<'_> {
    /// Reads the definitions that assignments name: of policies those that write private DNS zone groups.
    pub(super) async fn definitions(&self) {
        let mut seen = BTreeSet::new();
        let mut sets: BTreeMap<String, (ArmId, Vec<u8>, Vec<String>)> = BTreeMap::new();
        let mut kept = BTreeSet::new();
        loop {
            let wanted: Vec<ArmId> = {
                let state = self.state.borrow();
                let wanted = state.definitions.iter().map(|id| ArmId::new(id));
                let known = state.read.get(ROLES);
                let defined = |id: &ArmId| {
                    roles::find(id.as_written()).is_some()
                        || known.is_some_and(|k| k.values().any(|r| r.name().eq_ignore_ascii_case(id.name())))
                };
                let unread =
                    |id: &ArmId| id.resource_type().is_some() && !seen.contains(id.folded()) && !defined(id);
                wanted.filter(unread).collect()
            };
            if wanted.is_empty() {
                break;
            }
            seen.extend(wanted.iter().map(|id| id.folded().to_owned()));
            let calls = wanted.into_iter().filter_map(|id| {
                let row = types::of(&id.resource_type()?)?;
                Some(async move { (self.one(&id, row).await, id, row) })
            });
            let answers: Vec<_> =
                futures::stream::iter(calls).buffered(self.concurrency.max(1)).collect().await;
            for (answer, id, row) in answers {
                let text = match answer {
                    Ok(Some(text)) => text,
                    Ok(None) => continue,
                    Err(failure) => {
                        let gap = Gap {
                            resource: Some(id.as_written().to_owned()),
                            types: vec![row.name.to_owned()],
                            operation: Some(format!("GET {}", id.as_written())),
                            ..Gap::default()
                        };
                        self.gap(gap, &failure, &row.action());
                        continue;
                    }
                };
                match id.resource_type().as_deref() {
                    Some(POLICY_SETS) => {
                        let members = members(&text);
                        self.state.borrow_mut().definitions.extend(members.iter().cloned());
                        sets.insert(id.folded().to_owned(), (id, text, members));
                    }
                    Some(POLICIES)
                        if !String::from_utf8_lossy(&text).to_ascii_lowercase().contains(ZONE_GROUPS) => {}
                    _ => {
                        kept.insert(id.folded().to_owned());
                        let _ = self.state.borrow_mut().keep(row, id, &text);
                    }
                }
            }
        }
        for (id, text, members) in sets.into_values() {
            if members.iter().any(|member| kept.contains(ArmId::new(member).folded()))
                && let Some(row) = row_of(POLICY_SETS)
            {
                let _ = self.state.borrow_mut().keep(row, id, &text);
            }
        }
    }

    /// Reads the subscriptions of these clusters, and every subscription that the resources on their paths name,
    /// until nothing new is named.
    pub(super) async fn closure(&self, clusters: &[String], first: Vec<String>) {
        self.state.borrow_mut().names = Some(BTreeMap::new());
        let mut read: BTreeSet<String> = BTreeSet::new();
        let mut next = first;
        for _ in 0..ROUNDS {
            self.read_scopes(&next).await;
            read.extend(next.iter().map(|scope| scope.to_ascii_lowercase()));
            let reached = self.reached(clusters);
            let mut named: BTreeMap<String, String> = BTreeMap::new();
            for id in &reached {
                if let Some(subscription) = ArmId::new(id).subscription() {
                    named.entry(format!("/subscriptions/{subscription}")).or_insert_with(|| id.clone());
                }
            }
            for (subscription, by) in self.pointing(&reached).await {
                named.entry(subscription).or_insert(by);
            }
            next = named.keys().filter(|scope| !read.contains(*scope)).cloned().collect();
            if next.is_empty() || self.client.cancel.is_cancelled() {
                break;
            }
            let mut state = self.state.borrow_mut();
            state.scopes.extend(next.iter().cloned());
        }
        for scope in next {
            let gap =
                Gap { scope: Some(scope), operation: Some("follow references".into()), ..Gap::default() };
            self.gap(gap, &Failure::new("NotFollowed", "named by a resource on a cluster's path"), "Reader");
        }
        self.state.borrow_mut().names = None;
    }

    /// The folded ids of resources that the clusters lead to, by the names in their JSON.
    fn reached(&self, clusters: &[String]) -> BTreeSet<String> {
        let state = self.state.borrow();
        let Some(names) = &state.names else { return BTreeSet::new() };
        // Children stand for their parents: a link or rule leads where it points.
        let mut of: BTreeMap<&str, Vec<&BTreeSet<String>>> = BTreeMap::new();
        for (id, named) in names {
            of.entry(shape::standalone(id).unwrap_or(id)).or_default().push(named);
        }
        let mut reached: BTreeSet<String> = BTreeSet::new();
        let mut open: Vec<String> = clusters.iter().map(|id| ArmId::new(id).folded().to_owned()).collect();
        open.extend(node_groups(names, clusters));
        while let Some(id) = open.pop() {
            if !reached.insert(id.clone()) {
                continue;
            }
            for named in of.get(id.as_str()).into_iter().flatten() {
                open.extend(named.iter().filter(|id| !reached.contains(*id)).cloned());
            }
        }
        reached
    }

    /// Subscriptions whose links or assignments point at what was reached, each with what points.
    async fn pointing(&self, reached: &BTreeSet<String>) -> Vec<(String, String)> {
        let mut out = Vec::new();
        for query in POINTERS {
            let outcome = self
                .client
                .query(query, &[], |page| {
                    for raw in page {
                        let Some((id, _)) = shape::identify(raw) else { continue };
                        let text = raw.get().as_bytes();
                        let points = shape::references(text).any(|named| {
                            shape::standalone(&named).is_some_and(|s| s != id.folded() && reached.contains(s))
                        });
                        if let Some(subscription) = id.subscription().filter(|_| points) {
                            out.push((format!("/subscriptions/{subscription}"), id.folded().to_owned()));
                        }
                    }
                    Ok(())
                })
                .await;
            if let Err(failure) = outcome {
                let text =
                    format!("links from other subscriptions could not be looked for: {}", failure.code);
                (self.client.progress)(&crate::progress::Event::Note(&text));
            }
        }
        out
    }
}

/// The resources in the clusters' node resource groups: scale sets, load balancers, identities.
fn node_groups(names: &BTreeMap<String, BTreeSet<String>>, clusters: &[String]) -> Vec<String> {
    let groups: BTreeSet<String> = clusters
        .iter()
        .map(|id| ArmId::new(id))
        .filter_map(|id| {
            // Azure's own name, where no other was given: MC_{group}_{cluster}_{region}.
            Some(format!("/resourcegroups/mc_{}_{}_", id.resource_group()?, id.name().to_ascii_lowercase()))
        })
        .collect();
    names.keys().filter(|id| groups.iter().any(|group| id.contains(group.as_str()))).cloned().collect()
}

/// The policies of a set.
fn members(text: &[u8]) -> Vec<String> {
    let json: Value = serde_json::from_slice(text).unwrap_or_default();
    let list = json.pointer("/properties/policyDefinitions").and_then(Value::as_array);
    let ids = list.into_iter().flatten().filter_map(|row| row.get("policyDefinitionId")?.as_str());
    ids.map(str::to_owned).collect()
}
