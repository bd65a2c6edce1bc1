//! Every recorded environment of the shared corpus is read: almost all consumed resources without a gap.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pullproof_network::{Network, consumed_types};
use pullproof_snapshot::builder::Builder;
use pullproof_snapshot::{ArmId, Declared, Layered};
use serde_json::Value;

fn environments() -> Option<Vec<PathBuf>> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = manifest.ancestors().map(|dir| dir.join("shared/corpus/environments"));
    let root = shared.into_iter().find(|dir| dir.is_dir())?;
    let mut out: Vec<PathBuf> = std::fs::read_dir(root).ok()?.flatten().map(|entry| entry.path()).collect();
    out.sort();
    Some(out)
}

fn resources(dir: &Path) -> Vec<Value> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.ends_with(".json") || name.starts_with('_') {
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
        match serde_json::from_str(&text) {
            Ok(Value::Array(items)) => out.extend(items),
            Ok(Value::Object(mut object)) => match object.remove("value") {
                Some(Value::Array(items)) => out.extend(items),
                _ => out.push(Value::Object(object)),
            },
            _ => {}
        }
    }
    out
}

#[test]
fn the_corpus_is_read_almost_without_gaps() {
    let Some(environments) = environments() else {
        eprintln!("skipped: the shared corpus is not here");
        return;
    };
    let consumed = consumed_types();
    let (mut read, mut with_gap) = (0_usize, 0_usize);
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for dir in environments {
        let mut builder = Builder::default();
        let mut here = 0;
        for json in resources(&dir) {
            let Some(id) = json.get("id").and_then(Value::as_str).map(ArmId::new) else { continue };
            let Some(kind) = id.resource_type() else { continue };
            if consumed.contains(&kind) && json.get("properties").is_some() {
                here += 1;
            }
            builder.resource(id, &kind, None, json);
        }
        let network = Network::read(Layered::new(Arc::new(builder.finish())), Declared::default());
        let mut resources: Vec<&String> =
            network.gaps.iter().filter_map(|gap| gap.resource.as_ref()).collect();
        resources.sort();
        resources.dedup();
        read += here;
        with_gap += resources.len();
        for gap in &network.gaps {
            let pointer = gap.pointer.as_deref().unwrap_or_default();
            let reason = gap.reason.as_deref().unwrap_or_default();
            *reasons.entry(format!("{} {pointer} {reason}", gap.types.join(","))).or_default() += 1;
        }
    }
    for (reason, count) in &reasons {
        println!("{count:5} {reason}");
    }
    println!("{read} resources of consumed types, {with_gap} with a gap");
    assert!(read > 500, "the corpus has shrunk: {read}");
    assert!(with_gap * 20 <= read, "{with_gap} of {read} resources have a gap");
}
