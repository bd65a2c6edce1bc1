//! A snapshot file, redacted into another.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use pullproof_snapshot::write::Writer;
use pullproof_snapshot::{ArmId, Evidence, Gap};
use serde_json::Value;

use super::{DeclaredError, Redactor, Secret, Survey, survey};

/// Why a snapshot file cannot be redacted.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("the snapshot cannot be redacted: {0}")]
    Io(#[from] io::Error),
    #[error("line {line} of the snapshot is not JSON: {why}")]
    Line { line: usize, why: serde_json::Error },
    #[error(transparent)]
    Declared(#[from] DeclaredError),
}

/// Redacts the snapshot `from`, of the native form, into `to`, which appears whole and is readable by its owner only;
/// returns the redacted text of the declared facts that belong to it.
///
/// # Errors
/// A line that is not JSON, declared facts that are not TOML, a file that cannot be read or written: then there is no
/// file `to`.
pub fn file(
    from: &Path,
    to: &Path,
    declared: Option<&str>,
    secret: Secret,
) -> Result<Option<String>, FileError> {
    let mut survey = Survey::new();
    let (mut header, mut end) = (Value::Null, Value::Null);
    lines(from, |line| {
        survey.see(&line);
        match kind(&line) {
            Some("end") => end = line,
            Some(kind) if kind.starts_with("snapshot/") => header = line,
            _ => {}
        }
        Ok(())
    })?;
    if let Some(text) = declared {
        survey.declared(text)?;
    }
    let redactor = survey.redactor(secret);
    let text = |json: &Value, key: &str| json.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let scopes: Vec<String> = redactor.texts(header.get("scopes"));
    let mut writer = Writer::create(to, &text(&header, "captured_from"), &scopes)?;
    lines(from, |line| Ok(write(&mut writer, &redactor, &line)?))?;
    let mut complete: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in end.get("complete").and_then(Value::as_array).into_iter().flatten() {
        let types = match row.get("types") {
            Some(Value::String(all)) => vec![all.clone()],
            types => redactor.texts(types),
        };
        complete.entry(redactor.word(&text(row, "scope"))).or_default().extend(types);
    }
    writer.finish(&text(&header, "captured_to"), &scopes, &complete)?;
    Ok(declared.map(|text| redactor.declared(text)).transpose()?)
}

fn write(writer: &mut Writer, redactor: &Redactor, line: &Value) -> io::Result<()> {
    let out = redactor.line(line);
    let text = |key: &str| out.get(key).and_then(Value::as_str).map(str::to_owned);
    match kind(line) {
        Some("gap") => writer.gap(&serde_json::from_value::<Gap>(out)?),
        Some("evidence") => writer.evidence(&Evidence {
            resource: ArmId::new(&text("resource").unwrap_or_default()),
            operation: text("operation").unwrap_or_default(),
            captured: text("captured"),
            answer: out.get("answer").cloned().unwrap_or_default(),
        }),
        // Header and end line are written for themselves; what else there may be is passed over by readers too.
        Some(_) => Ok(()),
        None if survey::is_tag_list(line) => writer.tags(&serde_json::to_vec(&out)?),
        None => {
            let id = ArmId::new(&text("id").unwrap_or_default());
            writer.resource(&id, &serde_json::to_vec(&out)?).map(|_| ())
        }
    }
}

fn kind(line: &Value) -> Option<&str> {
    line.get("pullproof").and_then(Value::as_str)
}

fn lines(path: &Path, mut each: impl FnMut(Value) -> Result<(), FileError>) -> Result<(), FileError> {
    for (i, line) in BufReader::with_capacity(1 << 18, File::open(path)?).lines().enumerate() {
        let line = line?;
        if !line.trim().is_empty() {
            each(
                serde_json::from_str(&line)
                    .map_err(|why| FileError::Line { line: i.saturating_add(1), why })?,
            )?;
        }
    }
    Ok(())
}

impl Redactor {
    fn texts(&self, list: Option<&Value>) -> Vec<String> {
        let items = list.and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(|text| self.word(text)).collect()
    }
}
