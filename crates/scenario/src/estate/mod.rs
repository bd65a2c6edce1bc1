//! Large estates for benchmarks: hubs with their spokes, clusters and registries, some of them broken on purpose.
//!
//! What lives here: how large an estate is, where everything in it stands, what is broken. What may not: ARM JSON; an
//! estate is a row of scenarios, one a hub, that the same expansion turns into resources as any other (without the
//! check against Microsoft's models, which a test does on a sample).
//!
//! Read in this order: [`size`], [`layout`], [`fault`], [`hub`], [`spoke`], [`registries`], [`rules`].

mod fault;
mod hub;
mod layout;
mod random;
mod registries;
mod rules;
mod size;
mod spoke;

use std::collections::VecDeque;
use std::io::{self, Write};

use serde_json::{Value, json};

use crate::expand;
use crate::output;
use crate::yaml::Document;
use layout::Layout;

/// The capture time of every estate.
const CAPTURED: &str = "2026-11-30T00:00:00Z";

/// The ARM resources of a generated estate, made hub by hub.
pub struct Estate {
    layout: Layout,
    /// The next scenario: 0 is the registries, then the hubs.
    next: usize,
    made: VecDeque<Value>,
}

/// An estate of `scale` (1 to 60; 16 is 2,000 virtual networks, 500 clusters and 50 registries). The same scale and
/// seed give the same resources in the same order.
///
/// Pairs of cluster and registry follow from role assignments at the registry and from private endpoints in the
/// directly peered hub: no `pullproof.toml` is needed.
pub fn estate(scale: u32, seed: u64) -> Estate {
    Estate { layout: Layout::new(scale, seed), next: 0, made: VecDeque::new() }
}

impl Estate {
    /// The subscriptions, as the header of a snapshot lists them.
    pub fn scopes(&self) -> Vec<String> {
        (0..=self.layout.hubs.len())
            .map(|i| format!("/subscriptions/{}", self.layout.subscription(i)))
            .collect()
    }

    /// Writes the estate as a snapshot: header, resources, end line.
    pub fn write_ndjson(self, out: &mut impl Write) -> io::Result<()> {
        let scopes = self.scopes();
        let header = json!({
            "pullproof": "snapshot/v1",
            "captured_from": CAPTURED,
            "captured_to": CAPTURED,
            "scopes": scopes,
        });
        output::line(out, &header)?;
        let mut resources: u64 = 0;
        for resource in self {
            output::line(out, &resource)?;
            resources += 1;
        }
        let complete: Vec<Value> = scopes.iter().map(|scope| json!({"scope": scope, "types": "*"})).collect();
        output::line(out, &json!({"pullproof": "end", "complete": complete, "resources": resources}))
    }

    fn document(&self, i: usize) -> Option<Document> {
        match i.checked_sub(1) {
            None => Some(registries::document(&self.layout)),
            Some(hub) => (hub < self.layout.hubs.len()).then(|| hub::document(&self.layout, hub)),
        }
    }
}

impl Iterator for Estate {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        while self.made.is_empty() {
            let document = self.document(self.next)?;
            self.next += 1;
            // The documents are ours: an error in one is a fault of this module, which a test would show.
            self.made = expand::expand_unchecked(&document).ok()?.into();
        }
        self.made.pop_front()
    }
}
