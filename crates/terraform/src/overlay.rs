//! A plan as edits on a snapshot, with everything that has to be said about it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pullproof_snapshot::builder::Builder;
use pullproof_snapshot::{ArmId, Edit, Gap, Layered, Snapshot};
use serde_json::Value;

use crate::derive;
use crate::estate::Estate;
use crate::piece::{Piece, pieces, remove};
use crate::plan::{Action, Form, Instance, Plan, Provider};
use crate::settle::{References, lay_over};
use crate::subscription::{Subscriptions, UNKNOWN_SUBSCRIPTION};
use crate::unmapped::{self, Touches};
use crate::world::World;
use crate::{Options, interchangeable, table, value};

/// Claims that the plan leaves open, whatever the rest says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cap {
    /// Terraform address, or `plan` where all of it is meant.
    pub address: String,
    /// Empty: every claim.
    pub touches: Vec<Touches>,
    pub why: String,
    pub remedy: String,
}

/// An instance that was mapped, ignored or not mapped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    pub address: String,
    pub resource_type: String,
    /// The ARM id that it became or changed.
    pub id: Option<String>,
}

/// A contradiction between plan and base about one resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Drift {
    pub address: String,
    /// ARM id.
    pub id: String,
    pub text: String,
}

impl Drift {
    fn new(instance: &Instance, id: &ArmId, text: String) -> Self {
        Self { address: instance.address.clone(), id: id.as_written().to_owned(), text }
    }
}

/// A plan on a base.
#[derive(Debug, Default)]
pub struct Overlay {
    /// What exists afterwards, as ARM JSON.
    pub puts: BTreeMap<ArmId, Box<str>>,
    /// What does not exist afterwards.
    pub deletes: BTreeSet<ArmId>,
    /// What exists and nobody describes.
    pub gaps: Vec<Gap>,
    pub mapped: Vec<Listed>,
    /// Types that cannot matter.
    pub ignored: Vec<Listed>,
    /// What can matter and did not become ARM.
    pub unmapped: Vec<Listed>,
    /// Where the plan and the base contradict each other about what exists.
    pub drift: Vec<Drift>,
    /// Objects that are destroyed before they are made again: while that lasts they are missing.
    pub gap_during_apply: Vec<Listed>,
    pub caps: Vec<Cap>,
    /// Remarks for people.
    pub notes: Vec<String>,
    pub references: References,
    /// ARM id → the Terraform addresses that it comes from.
    pub origins: BTreeMap<ArmId, BTreeSet<String>>,
    scopes: BTreeSet<String>,
}

/// Resource types whose absence breaks a pull while they are made again.
const ON_THE_PATH: &[&str] = &[
    "virtualnetworklinks",
    "routes",
    "routetables",
    "virtualnetworkpeerings",
    "a",
    "cname",
    "privateendpoints",
    "roleassignments",
    "forwardingrules",
    "hubvirtualnetworkconnections",
    "azurefirewalls",
    "rulecollectiongroups",
    "inboundendpoints",
];

/// Lays a plan over a base; without one, over nothing.
pub(crate) fn lay(plan: &Plan, base: Option<&Layered>, options: &Options) -> Overlay {
    let world = World::new(plan, subscriptions(plan, base, options));
    let mut lay =
        Lay { world: &world, estate: Estate::new(base), out: Overlay::default(), resized: BTreeSet::new() };
    lay.caps();
    lay.removals();
    let mut parts: Vec<(usize, Piece)> = Vec::new();
    for (i, instance) in plan.instances.iter().enumerate() {
        lay.instance(i, instance, &mut parts);
    }
    lay.parts(parts);
    lay.finish(base, options)
}

/// The subscriptions of a plan's resources, on a base.
pub(crate) fn subscriptions(plan: &Plan, base: Option<&Layered>, options: &Options) -> Subscriptions {
    let only_base = base.and_then(only_subscription);
    Subscriptions::find(plan, options.subscription.as_deref(), only_base.as_deref())
}

/// The subscription of a base that has only one.
fn only_subscription(base: &Layered) -> Option<String> {
    let mut found: BTreeSet<String> = BTreeSet::new();
    for ix in base.resources() {
        found.extend(base.id(ix).subscription().map(str::to_owned));
        if found.len() > 1 {
            return None;
        }
    }
    found.into_iter().next()
}

struct Lay<'w, 'b> {
    world: &'w World<'w>,
    estate: Estate<'b>,
    out: Overlay,
    resized: BTreeSet<ArmId>,
}

impl Lay<'_, '_> {
    /// What makes the whole plan no ground for a verdict (§1.2).
    fn caps(&mut self) {
        let plan = self.world.plan;
        let mut whole = |why: String, remedy: &str| {
            self.out.caps.push(Cap {
                address: "plan".into(),
                touches: Vec::new(),
                why,
                remedy: remedy.into(),
            });
        };
        if plan.errored {
            whole(
                "planning ended with errors, so resources are missing from it".into(),
                "mend the errors and plan again",
            );
        }
        if plan.complete == Some(false) {
            whole(
                "the plan is not complete (-target, or deferred changes): after it, the configuration asks for more".into(),
                "plan without -target, or give the state after this apply",
            );
        }
        for deferred in &plan.deferred {
            self.out.caps.push(Cap {
                address: deferred.address.clone(),
                touches: Vec::new(),
                why: format!("its planning is deferred ({})", deferred.reason),
                remedy: "apply what it waits for, then plan again".into(),
            });
        }
        for instance in plan.instances.iter().filter(|instance| instance.tainted) {
            let touches = unmapped::of_instance(instance);
            if !touches.is_empty() {
                self.out.caps.push(Cap {
                    address: instance.address.clone(),
                    touches: touches.to_vec(),
                    why: "it is tainted: making it failed halfway, and what of it exists is not known".into(),
                    remedy: "apply again, or audit a snapshot".into(),
                });
            }
        }
    }

    /// What the plan takes away, before anything is put.
    fn removals(&mut self) {
        for instance in &self.world.plan.instances {
            if !matches!(instance.action, Action::Delete | Action::Replace { .. })
                || instance.provider == Provider::Other
            {
                continue;
            }
            let before = value::before(instance);
            if let Some(id) = remove(&mut self.estate, instance, &before) {
                if self.estate.has_base() && self.estate.in_base(&id).is_none() && is_whole(instance) {
                    let word = if instance.action == Action::Delete { "destroys" } else { "replaces" };
                    let text = format!("{} {word} {id}, which the base does not have", instance.address);
                    self.out.drift.push(Drift::new(instance, &id, text));
                }
                if let Action::Replace { gap: true } = instance.action
                    && let Some(kind) = id.resource_type()
                    && ON_THE_PATH.contains(&kind.rsplit('/').next().unwrap_or_default())
                {
                    self.out.gap_during_apply.push(listed(instance, Some(&id)));
                }
                if instance.action == Action::Delete {
                    self.out.mapped.push(listed(instance, Some(&id)));
                }
            }
        }
    }

    fn instance(&mut self, i: usize, instance: &Instance, parts: &mut Vec<(usize, Piece)>) {
        if instance.action == Action::Delete {
            return;
        }
        match pieces(self.world, i, &mut self.out.references) {
            Some(made) if !made.is_empty() => {
                let first = made.first().map(|piece| piece.id.clone());
                self.out.mapped.push(listed(instance, first.as_ref()));
                for piece in made {
                    let origins = self.out.origins.entry(piece.id.clone()).or_default();
                    origins.insert(instance.address.clone());
                    if piece.is_whole() {
                        self.put(instance, piece);
                    } else {
                        parts.push((i, piece));
                    }
                }
            }
            Some(_) => self.out.ignored.push(listed(instance, None)),
            None => self.not_mapped(instance),
        }
    }

    fn not_mapped(&mut self, instance: &Instance) {
        let touches = unmapped::of_instance(instance);
        if touches.is_empty() {
            self.out.ignored.push(listed(instance, None));
            return;
        }
        self.out.unmapped.push(listed(instance, None));
        // What a base shows already is read there.
        if instance.action == Action::NoOp && self.estate.has_base() {
            return;
        }
        let known = table::row(&instance.resource_type).is_some() || instance.provider == Provider::Azapi;
        let why = if known {
            "which resource it changes is known only after apply, and its references do not settle it"
                .to_owned()
        } else {
            format!("{} is not modelled", instance.resource_type)
        };
        self.out.caps.push(Cap {
            address: instance.address.clone(),
            touches: touches.to_vec(),
            why,
            remedy: "audit the state after apply, or a snapshot".into(),
        });
    }

    fn put(&mut self, instance: &Instance, piece: Piece) {
        let Piece { id, json, .. } = piece;
        let makes = instance.action.makes_object();
        if makes {
            self.estate.new.insert(id.clone());
        }
        let there = self.estate.in_base(&id).filter(|_| !self.estate.gone().contains(&id));
        if self.estate.has_base() {
            if instance.action == Action::Create && !instance.importing && there.is_some() {
                let text = format!(
                    "{} creates {id}, which the base has already: the apply will fail unless it is imported",
                    instance.address
                );
                self.out.drift.push(Drift::new(instance, &id, text));
            }
            if matches!(instance.action, Action::NoOp | Action::Update) && there.is_none() {
                let text =
                    format!("{} expects {id} to exist, and the base does not have it", instance.address);
                self.out.drift.push(Drift::new(instance, &id, text));
            }
        }
        if id.resource_type().as_deref() == Some("microsoft.network/virtualnetworks") && !makes {
            let space = |json: &Value| json.pointer("/properties/addressSpace/addressPrefixes").cloned();
            let before = value::before(instance).get("address_space").cloned();
            if let (Some(before), Some(after)) = (before, space(&json))
                && !same_elements(&before, &after)
            {
                self.resized.insert(id.clone());
            }
        }
        let json = match there.filter(|_| !makes) {
            Some(mut there) => {
                let kept = keep_lists(&json, &there);
                lay_over(&mut there, kept);
                there
            }
            None => json,
        };
        self.estate.put(id, json);
    }

    /// Parts of resources, once all resources are there.
    fn parts(&mut self, parts: Vec<(usize, Piece)>) {
        for (i, piece) in parts {
            let id = piece.id.clone();
            if !piece.apply(&mut self.estate) {
                let Some(instance) = self.world.instance(i) else { continue };
                self.out.notes.push(format!(
                    "{} changes {id}, which neither the plan nor the base has: a base snapshot with it would settle what depends on it",
                    instance.address
                ));
            }
        }
    }

    fn finish(self, base: Option<&Layered>, options: &Options) -> Overlay {
        let plan = self.world.plan;
        let mut out = self.out;
        out.take(self.estate, base, options, &self.resized);
        if out.scopes.contains(&format!("/subscriptions/{UNKNOWN_SUBSCRIPTION}")) {
            out.notes.push(format!(
                "the plan names no subscription: {UNKNOWN_SUBSCRIPTION} stands for it; give --provider-subscription where ids matter"
            ));
        }
        if base.is_none()
            && plan.form == Form::Plan
            && plan.instances.iter().any(|i| !i.action.makes_object())
        {
            out.notes.push("without --base, resources that the plan does not hold are taken as absent (assumption input-complete)".into());
        }
        for changed in &plan.drift {
            out.notes.push(format!("{} was changed outside Terraform", changed.address));
        }
        out.mapped.sort();
        out.ignored.sort();
        out.unmapped.sort();
        out.caps.sort();
        out.caps.dedup();
        out
    }
}

impl Overlay {
    /// What Azure makes of what the plan puts, as edits.
    pub(crate) fn take(
        &mut self,
        mut estate: Estate<'_>,
        base: Option<&Layered>,
        options: &Options,
        resized: &BTreeSet<ArmId>,
    ) {
        let first =
            |(id, addresses): (&ArmId, &BTreeSet<String>)| Some((id.clone(), addresses.first()?.clone()));
        let why: BTreeMap<ArmId, String> = self.origins.iter().filter_map(first).collect();
        derive::registry::derive(&mut estate);
        derive::endpoint::derive(&mut estate, &why);
        derive::hub::derive(&mut estate);
        derive::peering::derive(&mut estate, resized);
        estate.once_each();
        for (name, address) in interchangeable::settle(&mut estate, base, &options.also) {
            self.notes
                .push(format!("{name} is any free address of its subnet; {address} stands for each of them"));
        }
        let (puts, gone) = estate.into_parts();
        for id in puts.keys() {
            self.scopes
                .extend(id.subscription().map(|subscription| format!("/subscriptions/{subscription}")));
        }
        self.puts = puts;
        self.deletes = gone;
    }

    /// Everything as edits on a base.
    pub fn edits(&self) -> Vec<Edit> {
        let puts = self.puts.iter().map(|(id, text)| {
            let json = serde_json::from_str(text).unwrap_or_default();
            Edit::Put { id: id.clone(), json }
        });
        let deletes = self.deletes.iter().map(|id| Edit::Delete { id: id.clone() });
        puts.chain(deletes).chain(self.gaps.iter().cloned().map(Edit::Gap)).collect()
    }

    /// What an audit reads: the base with the edits, or the plan alone.
    ///
    /// Without a base the plan counts as all that there is in its subscriptions, under the assumption `input-complete`,
    /// as a list of mixed types does (CONTRACT §1); `partial` takes that back.
    pub fn layered(&self, base: Option<&Layered>, partial: bool) -> Layered {
        if let Some(base) = base {
            return Layered::with_edits(Arc::clone(base.base()), self.edits());
        }
        let mut builder = Builder::default();
        for (id, text) in &self.puts {
            builder.text(id.clone(), text.as_bytes().to_vec());
        }
        builder.gaps.clone_from(&self.gaps);
        if !partial {
            for scope in &self.scopes {
                builder.complete.state(scope, "*", false);
            }
        }
        let snapshot: Snapshot = builder.finish();
        Layered::new(Arc::new(snapshot))
    }
}

fn listed(instance: &Instance, id: Option<&ArmId>) -> Listed {
    Listed {
        address: instance.address.clone(),
        resource_type: instance.resource_type.clone(),
        id: id.map(|id| id.as_written().to_owned()),
    }
}

fn is_whole(instance: &Instance) -> bool {
    table::row(&instance.resource_type).is_some_and(|row| row.place == table::Place::Whole)
}

fn same_elements(a: &Value, b: &Value) -> bool {
    let sorted = |v: &Value| {
        let mut items: Vec<String> = v.as_array().into_iter().flatten().map(ToString::to_string).collect();
        items.sort();
        items
    };
    sorted(a) == sorted(b)
}

/// Lists that other resources fill: an empty one in the plan leaves the base's as it is; pools are told by name.
fn keep_lists(json: &Value, there: &Value) -> Value {
    const FILLED: &[&str] = &[
        "/properties/subnets",
        "/properties/virtualNetworkPeerings",
        "/properties/routes",
        "/properties/securityRules",
        "/properties/applicationSecurityGroups",
        "/properties/customDnsConfigs",
        "/properties/networkRuleCollections",
        "/properties/applicationRuleCollections",
        "/properties/natRuleCollections",
        "/properties/backendAddressPools",
        "/properties/probes",
        "/properties/loadBalancingRules",
        "/properties/outboundRules",
        "/properties/publicIpAddresses",
        "/properties/publicIpPrefixes",
        "/properties/peerings",
    ];
    let mut out = json.clone();
    for pointer in FILLED {
        let empty = out.pointer(pointer).and_then(Value::as_array).is_some_and(Vec::is_empty);
        if empty && let Some(kept) = there.pointer(pointer) {
            let kept = kept.clone();
            if let Some(place) = out.pointer_mut(pointer) {
                *place = kept;
            }
        }
    }
    const POOLS: &str = "/properties/agentPoolProfiles";
    if let (Some(Value::Array(new)), Some(Value::Array(old))) =
        (out.pointer(POOLS).cloned(), there.pointer(POOLS))
    {
        let name = |pool: &Value| pool.get("name").and_then(Value::as_str).map(str::to_lowercase);
        let mut pools = old.clone();
        for pool in new {
            match pools.iter_mut().find(|other| name(other) == name(&pool)) {
                Some(other) => lay_over(other, pool),
                None => pools.push(pool),
            }
        }
        if let Some(place) = out.pointer_mut(POOLS) {
            *place = Value::Array(pools);
        }
    }
    out
}
