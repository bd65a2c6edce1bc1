//! From files to a [`Snapshot`]: every input form of CONTRACT §1.
//!
//! What lives here: one file a form, and what forms share. What may not: the meaning of a field beyond identity, form,
//! capture time and completeness.
//!
//! Read in this order: `files` (from paths to texts), `form` (which form a text has), `scan` (where values end),
//! `element` (one resource), then the forms: `native`, `list`, `service_tags`; and what changes a resource on reading:
//! `flattened`, `graph`.

mod element;
mod files;
mod flattened;
mod form;
mod graph;
mod list;
mod native;
mod parallel;
mod scan;
mod service_tags;

pub use graph::record_set;

use std::path::PathBuf;

use crate::builder::Builder;
use crate::snapshot::Snapshot;

/// How inputs are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions {
    /// A header-less array of mixed types does not count as complete (`--partial`).
    pub partial: bool,
}

/// Why an input cannot be used at all. Everything less is a gap or a note.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("{}: cannot be read: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{}: not a snapshot, not ARM JSON and not a service tag file: {reason}", path.display())]
    Form { path: PathBuf, reason: String },
}

/// Reads files and folders into one snapshot.
///
/// A file named in `paths` must have one of the forms ([`ReadError::Form`] otherwise); in a folder, a file that has
/// none is skipped with a note. What a file holds beyond that is never an error: a line or element that cannot be
/// understood is a gap.
pub fn read(paths: &[PathBuf], options: ReadOptions) -> Result<Snapshot, ReadError> {
    let mut builder = Builder::default();
    for file in files::expand(paths)? {
        let text = files::load(&file)?;
        let (read, sha256) = files::hashed(&text, || form::read(&text, &file, options));
        match read {
            Ok(reading) => reading.into_builder(&mut builder, &file, &text, sha256),
            Err(reason) if file.named => return Err(ReadError::Form { path: file.path, reason }),
            Err(reason) => builder.notes.push(format!("{}: skipped: {reason}", file.path.display())),
        }
    }
    Ok(builder.finish())
}

/// Reads texts that are in memory already, each under the name of a file; otherwise as [`read`].
pub fn read_texts(texts: Vec<(PathBuf, Vec<u8>)>, options: ReadOptions) -> Result<Snapshot, ReadError> {
    let mut builder = Builder::default();
    for (path, text) in texts {
        let (file, text) = (files::File { path, named: true }, std::sync::Arc::new(text));
        let (read, sha256) = files::hashed(&text, || form::read(&text, &file, options));
        match read {
            Ok(reading) => reading.into_builder(&mut builder, &file, &text, sha256),
            Err(reason) => return Err(ReadError::Form { path: file.path, reason }),
        }
    }
    Ok(builder.finish())
}
