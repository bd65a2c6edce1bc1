//! The files of one module, read.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;

use hcl_edit::Span;
use hcl_edit::structure::{Block, Body};

use super::place::{Lines, Place};

pub(super) struct Module {
    /// Where it is; empty in a saved plan.
    pub(super) folder: PathBuf,
    /// Override files stand last, so that what they say comes after what they override.
    files: Vec<SourceFile>,
}

pub(super) struct SourceFile {
    name: String,
    text: String,
    lines: Lines,
    body: Body,
}

impl Module {
    pub(super) fn new(folder: PathBuf, mut files: Vec<SourceFile>) -> Self {
        files.sort_by_key(|file| (is_override(&file.name), file.name.clone()));
        Self { folder, files }
    }

    /// The blocks of a kind with exactly these labels, with their files.
    pub(super) fn blocks(&self, kind: &str, labels: &[&str]) -> Vec<(&SourceFile, &Block)> {
        self.files
            .iter()
            .flat_map(|file| file.body.blocks().map(move |block| (file, block)))
            .filter(|(_, block)| block.has_ident(kind))
            .filter(|(_, block)| block.labels.iter().map(|label| label.as_str()).eq(labels.iter().copied()))
            .collect()
    }

    /// The `source` of a module call, where it is written as a plain text.
    pub(super) fn source(&self, name: &str) -> Option<String> {
        let calls = self.blocks("module", &[name]);
        let mut sources = calls.iter().rev().filter_map(|(_, call)| call.body.get_attribute("source"));
        sources.find_map(|attribute| attribute.value.as_str().map(str::to_owned))
    }
}

impl SourceFile {
    /// A file of configuration; `None`, with a note, where it is none that can be read.
    pub(super) fn read(name: String, bytes: Vec<u8>, notes: &mut BTreeSet<String>) -> Option<Self> {
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                notes.insert(format!("{name}: not UTF-8 from byte {at}; findings have no lines in it"));
                return None;
            }
        };
        // Editors do not count a byte order mark.
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        match hcl_edit::parser::parse_body(&text) {
            Ok(body) => Some(Self { lines: Lines::of(&text), name, text, body }),
            Err(error) => {
                let at = error.location();
                notes.insert(format!(
                    "{name}:{}:{}: {}; findings have no lines in it",
                    at.line(),
                    at.column(),
                    error.message()
                ));
                None
            }
        }
    }

    pub(super) fn place(&self, span: &Range<usize>) -> Place {
        self.lines.place(&self.name, &self.text, span)
    }
}

/// The bytes that a part of the syntax takes, without the space and comments before it.
pub(super) fn span_of(part: &impl Span) -> Option<Range<usize>> {
    part.span()
}

/// `override.tf`, `override.tofu`, and files that end so.
fn is_override(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    let stem = name.split('.').next().unwrap_or(name);
    stem == "override" || stem.ends_with("_override")
}
