//! The result of an expansion, and the ways to hand it on.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use pullproof_snapshot::builder::Builder;
use pullproof_snapshot::{ArmId, Evidence, Gap, Snapshot, TagList};
use serde_json::{Value, json};

/// The names of the files in a folder written by [`Expanded::write_dir`].
const SNAPSHOT_FILE: &str = "snapshot.ndjson";
const CONFIG_FILE: &str = "pullproof.toml";
const TAG_FILE: &str = "ServiceTags_Public_20260803.json";

/// An expanded scenario.
#[derive(Clone, Debug, Default)]
pub struct Expanded {
    /// ARM resources, as ARM GET returns them, in the order of their ids.
    pub resources: Vec<Value>,
    /// A service tag file in Microsoft's published form.
    pub tag_list: Option<Value>,
    pub gaps: Vec<Gap>,
    /// Evidence lines, as they stand in an NDJSON snapshot.
    pub evidence: Vec<Value>,
    /// `pullproof.toml`.
    pub config_toml: Option<String>,
    pub captured_from: String,
    pub captured_to: String,
    /// The subscriptions, as scopes.
    pub scopes: Vec<String>,
    /// The types that are complete in every scope; `None`: all. Empty: nothing is, and there is no end line.
    pub complete: Option<Vec<String>>,
}

impl Expanded {
    /// Writes the native snapshot form: header, resources, evidence, gaps, end line.
    pub fn write_ndjson(&self, out: &mut impl Write) -> io::Result<()> {
        let header = json!({
            "pullproof": "snapshot/v1",
            "captured_from": self.captured_from,
            "captured_to": self.captured_to,
            "scopes": self.scopes,
        });
        line(out, &header)?;
        for resource in &self.resources {
            line(out, resource)?;
        }
        for evidence in &self.evidence {
            line(out, &marked(evidence, "evidence"))?;
        }
        for gap in &self.gaps {
            line(out, &marked(&serde_json::to_value(gap)?, "gap"))?;
        }
        if self.complete.as_ref().is_some_and(Vec::is_empty) {
            return Ok(());
        }
        let types = self.complete.as_ref().map_or(json!("*"), |types| json!(types));
        let complete: Vec<Value> =
            self.scopes.iter().map(|scope| json!({"scope": scope, "types": types})).collect();
        line(out, &json!({"pullproof": "end", "complete": complete, "resources": self.resources.len()}))
    }

    /// The files of [`Expanded::write_dir`], by name.
    pub fn files(&self) -> io::Result<BTreeMap<&'static str, Vec<u8>>> {
        let mut files = BTreeMap::new();
        let mut snapshot = Vec::new();
        self.write_ndjson(&mut snapshot)?;
        files.insert(SNAPSHOT_FILE, snapshot);
        if let Some(tags) = &self.tag_list {
            let mut text = serde_json::to_vec_pretty(tags)?;
            text.push(b'\n');
            files.insert(TAG_FILE, text);
        }
        if let Some(config) = &self.config_toml {
            files.insert(CONFIG_FILE, config.clone().into_bytes());
        }
        Ok(files)
    }

    /// Writes `snapshot.ndjson` and, where the scenario has them, the service tag file and `pullproof.toml`.
    pub fn write_dir(&self, dir: &Path) -> io::Result<()> {
        std::fs::create_dir_all(dir)?;
        for (name, text) in self.files()? {
            std::fs::write(dir.join(name), text)?;
        }
        Ok(())
    }

    /// The same as a snapshot in memory. The text of `pullproof.toml` is not part of it.
    pub fn into_snapshot(self) -> Snapshot {
        let mut builder = Builder::default();
        for scope in &self.scopes {
            match &self.complete {
                None => builder.complete.state(scope, "*", true),
                Some(types) => types.iter().for_each(|t| builder.complete.state(scope, t, true)),
            }
        }
        for gap in self.gaps {
            let scope = gap.scope.as_deref().or(gap.resource.as_deref()).unwrap_or_default();
            let own_type = gap.resource.as_deref().and_then(|id| ArmId::new(id).resource_type());
            match (gap.types.as_slice(), own_type) {
                ([], Some(own)) => builder.complete.gap(scope, &own),
                ([], None) => builder.complete.gap(scope, "*"),
                (types, _) => types.iter().for_each(|t| builder.complete.gap(scope, t)),
            }
            builder.gaps.push(gap);
        }
        if let Some(tags) = &self.tag_list {
            builder.tag_lists.push(tag_list(tags));
        }
        for evidence in &self.evidence {
            let text = |key: &str| evidence.get(key).and_then(Value::as_str).map(str::to_owned);
            builder.evidence.push(Evidence {
                resource: ArmId::new(&text("resource").unwrap_or_default()),
                operation: text("operation").unwrap_or_default(),
                captured: text("captured"),
                answer: evidence.get("answer").cloned().unwrap_or_default(),
            });
        }
        let captured: Arc<str> = self.captured_to.into();
        for resource in self.resources {
            let text = |key: &str| resource.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let (id, kind) = (ArmId::new(&text("id")), text("type"));
            builder.resource(id, &kind, Some(Arc::clone(&captured)), resource);
        }
        builder.finish()
    }
}

/// One line of NDJSON.
pub(crate) fn line(out: &mut impl Write, value: &Value) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

fn marked(value: &Value, kind: &str) -> Value {
    let mut out = value.clone();
    if let Some(object) = out.as_object_mut() {
        object.insert("pullproof".into(), json!(kind));
    }
    out
}

fn tag_list(file: &Value) -> TagList {
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let tags = file.pointer("/values").and_then(Value::as_array).into_iter().flatten().map(|value| {
        let name = value.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        (name, value.pointer("/properties/addressPrefixes").map(texts).unwrap_or_default())
    });
    TagList {
        file: TAG_FILE.into(),
        cloud: file.get("cloud").and_then(Value::as_str).unwrap_or_default().to_owned(),
        change_number: file.get("changeNumber").map(ToString::to_string).unwrap_or_default(),
        tags: tags.collect(),
    }
}
