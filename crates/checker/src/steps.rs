//! The trace of a walk, in the shape of the items of `proofs[].path` (CONTRACT §3).

use pullproof_snapshot::ArmId;
use serde_json::{Value, json};

use crate::firewall::Outcome;
use crate::nsg::{Flow, Verdict};
use crate::routes::Route;
use crate::tri::Tri;

/// What a decision was read from.
#[derive(Clone, Debug)]
pub struct By {
    resource: String,
    pointer: &'static str,
    value: Value,
}

impl By {
    /// The user route, or nothing for a system route.
    pub fn route(route: &Route) -> Option<Self> {
        let table = route.table.as_ref()?;
        let value = json!({
            "name": route.name,
            "addressPrefix": route.prefix.to_string(),
            "nextHopType": route.hop.name(),
            "nextHopIpAddress": route.address.map(|a| a.to_string()),
        });
        Some(Self { resource: table.as_written().to_owned(), pointer: "/properties/routes", value })
    }

    fn rule(id: &ArmId, name: Option<&String>) -> Self {
        Self { resource: id.as_written().to_owned(), pointer: "", value: json!(name) }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Steps(Vec<Value>);

impl Steps {
    pub fn add(
        &mut self,
        kind: &'static str,
        device: &str,
        decision: &'static str,
        flow: &Flow,
        by: Option<By>,
        facts: &[&'static str],
    ) {
        self.push(kind, device, decision, flow, by, facts, false);
    }

    /// The step that ends the walk.
    pub fn deciding(
        &mut self,
        kind: &'static str,
        device: &str,
        decision: &'static str,
        flow: &Flow,
        by: Option<By>,
        facts: &[&'static str],
    ) {
        self.push(kind, device, decision, flow, by, facts, true);
    }

    /// What an NSG or an admin rule said.
    pub fn filter(&mut self, subnet: &ArmId, verdict: &Verdict, flow: &Flow) {
        let (decision, deciding) = said(&verdict.allow);
        let by = verdict.by.as_ref().map(|id| By::rule(id, verdict.rule.as_ref()));
        self.push("rule", subnet.as_written(), decision, flow, by, verdict.facts, deciding);
    }

    pub fn firewall(&mut self, id: &ArmId, outcome: &Outcome, flow: &Flow) {
        let (decision, deciding) = said(&outcome.allow);
        let by = outcome.by.as_ref().map(|by| By::rule(by, outcome.rule.as_ref()));
        self.push("firewall", id.as_written(), decision, flow, by, &["F113", "F139"], deciding);
    }

    #[allow(clippy::too_many_arguments)]
    fn push(
        &mut self,
        kind: &'static str,
        device: &str,
        decision: &'static str,
        flow: &Flow,
        by: Option<By>,
        facts: &[&'static str],
        deciding: bool,
    ) {
        let by: Vec<Value> = by
            .into_iter()
            .map(|by| json!({"resource": by.resource, "pointer": by.pointer, "value": by.value}))
            .collect();
        self.0.push(json!({
            "kind": kind, "device": device, "decision": decision, "packet": packet(flow),
            "by": by, "facts": facts, "deciding": deciding,
        }));
    }

    pub fn into_values(self) -> Vec<Value> {
        self.0
    }
}

/// A filter's decision in a word, and whether it ends the walk.
fn said(allow: &Tri) -> (&'static str, bool) {
    match allow {
        Tri::Yes => ("allow", false),
        Tri::No => ("deny", true),
        Tri::Unknown(_) => ("forward", false),
    }
}

fn packet(flow: &Flow) -> Value {
    json!({
        "protocol": flow.protocol,
        "source": flow.source.to_string(),
        "source_port": flow.source_port,
        "destination": flow.destination.to_string(),
        "destination_port": flow.destination_port,
    })
}
