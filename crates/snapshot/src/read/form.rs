//! Which form a text has, and what reading it gave.

use std::ops::Range;
use std::sync::Arc;

use super::element::{self, Item, Origin};
use super::files::File;
use super::{ReadOptions, list, native, scan, service_tags};
use crate::builder::Builder;
use crate::completeness::Statement;
use crate::evidence::Evidence;
use crate::gap::Gap;
use crate::snapshot::{Input, ResourceEntry, TagList};

/// What one file gave.
#[derive(Default)]
pub(super) struct Reading {
    pub entries: Vec<ResourceEntry>,
    pub statements: Vec<Statement>,
    /// With the place in the text, where there is one; lines are counted once, at the end.
    pub gaps: Vec<(Option<usize>, Gap)>,
    pub evidence: Vec<Evidence>,
    pub tag_lists: Vec<TagList>,
    pub notes: Vec<String>,
    pub captured_to: Option<Arc<str>>,
    /// The file ends where its writer meant it to end, and says so or is complete by its form.
    pub complete: bool,
}

impl Reading {
    /// Something in this file could have been any resource: nothing that is missing from it is absent.
    pub fn lose_completeness(&mut self) {
        self.statements.clear();
        self.complete = false;
    }

    pub fn gap(&mut self, offset: usize, gap: Gap) {
        self.gaps.push((Some(offset), gap));
    }

    pub fn into_builder(self, builder: &mut Builder, file: &File, text: &[u8], sha256: String) {
        let name = file.path.display().to_string();
        builder.entries.extend(self.entries);
        builder.evidence.extend(self.evidence);
        builder.tag_lists.extend(self.tag_lists);
        builder.notes.extend(self.notes.into_iter().map(|note| format!("{name}: {note}")));
        for statement in &self.statements {
            builder.complete.add(statement);
        }
        let mut gaps = self.gaps;
        gaps.sort_by_key(|(offset, _)| *offset);
        let (mut line, mut counted) = (1_u64, 0_usize);
        for (offset, mut gap) in gaps {
            if let Some(offset) = offset {
                let between = text.get(counted..offset).unwrap_or_default();
                line = line.saturating_add(memchr::memchr_iter(b'\n', between).count() as u64);
                counted = offset.max(counted);
                gap.line = Some(line);
            }
            gap.file = Some(name.clone());
            builder.gaps.push(gap);
        }
        builder.inputs.push(Input {
            file: name,
            sha256,
            captured_to: self.captured_to.as_deref().map(str::to_owned),
            complete: self.complete,
        });
    }
}

/// Reads `text` by its form. The error says why it has none.
pub(super) fn read(text: &Arc<Vec<u8>>, file: &File, options: ReadOptions) -> Result<Reading, String> {
    let name = file.path.display().to_string();
    let start = match text.as_slice() {
        [0xEF, 0xBB, 0xBF, ..] => 3,
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [0, b'{' | b'[', ..] | [b'{' | b'[', 0, ..] => {
            return Err("written in UTF-16; write it in UTF-8 (PowerShell: Out-File -Encoding utf8)".into());
        }
        _ => 0,
    };
    let start = scan::skip_space(text, start);
    let lines = file
        .path
        .extension()
        .and_then(|e| e.to_str())
        .is_some_and(|e| e.eq_ignore_ascii_case("ndjson") || e.eq_ignore_ascii_case("jsonl"));
    match text.get(start) {
        None => Err("empty".into()),
        Some(b'[') if !lines => list::array(text, start, &name, options),
        Some(b'{') if lines || is_lines(text, start) => native::read(text, start, &name, file.named),
        Some(b'{') => object(text, start, &name, options),
        Some(_) => Err("begins with neither { nor [".into()),
    }
}

/// True when the first line is a whole object, and either says that it is the native form or has more after it.
fn is_lines(text: &[u8], start: usize) -> bool {
    let rest = text.get(start..).unwrap_or_default();
    let line_end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    let line = rest.get(..line_end).unwrap_or_default();
    let whole = scan::value_end(line, 0).is_some_and(|end| scan::skip_space(line, end) == line.len());
    if !whole {
        return false;
    }
    let more = scan::skip_space(rest, line_end) < rest.len();
    more || scan::salvage(line, "pullproof").is_some()
}

fn object(text: &Arc<Vec<u8>>, start: usize, name: &str, options: ReadOptions) -> Result<Reading, String> {
    let members = scan::members(text, start);
    let find = |key: &str| members.parts.iter().find(|(k, _)| k == key).map(|(_, range)| range.clone());
    let is_list = |range: &Range<usize>| text.get(range.start) == Some(&b'[');
    if find("values").as_ref().is_some_and(is_list)
        && (find("changeNumber").is_some() || find("cloud").is_some())
    {
        return tag_file(text, start, name);
    }
    for (key, origin) in [("data", Origin::ResourceGraph), ("value", Origin::Arm)] {
        if let Some(range) = find(key).filter(is_list) {
            return list::page(text, range.start, origin, &members, name, options);
        }
    }
    if let Some((at, reason)) = members.cut {
        return Err(format!("byte {at}: {reason}"));
    }
    if scan::skip_space(text, members.end) < text.len() {
        return Err(format!("byte {}: there is more after the object", members.end));
    }
    if find("id").is_none() {
        return Err("an object without id, value, data or values".into());
    }
    single(text, start..members.end, name)
}

/// One resource (`az … show`): complete for itself only.
fn single(text: &Arc<Vec<u8>>, range: Range<usize>, name: &str) -> Result<Reading, String> {
    let mut out = Reading::default();
    let start = range.start;
    match element::read(text, range, Origin::Arm, name) {
        Item::Resource { id, resource_type, body } => {
            out.complete = true;
            out.statements.push(Statement::itself(&id, &resource_type));
            out.entries.push(ResourceEntry { id, resource_type: resource_type.into(), captured: None, body });
        }
        Item::Trouble(gap) if gap.resource.is_some() => out.gap(start, *gap),
        Item::Trouble(gap) => return Err(gap.reason.unwrap_or_default()),
        Item::Control { .. } | Item::Tags { .. } => return Err("a line of the native form, alone".into()),
    }
    Ok(out)
}

fn tag_file(text: &[u8], start: usize, name: &str) -> Result<Reading, String> {
    let rest = text.get(start..).unwrap_or_default();
    if scan::too_deep(rest) {
        return Err("nested too deep".into());
    }
    let json = serde_json::from_slice(rest).map_err(|e| format!("a service tag list, but {e}"))?;
    if !service_tags::is_list(&json) {
        return Err("a service tag list without values".into());
    }
    let (list, trouble) = service_tags::read(&json, name);
    let more = json.get("nextLink").and_then(serde_json::Value::as_str).is_some_and(|l| !l.is_empty());
    let mut out = Reading { complete: trouble.is_empty() && !more, ..Reading::default() };
    if more {
        out.notes.push("a page of a service tag list (nextLink): tags of other pages are unknown".into());
    }
    out.tag_lists.push(list);
    out.gaps.extend(trouble.into_iter().map(|gap| (None, gap)));
    Ok(out)
}
