//! From the paths of the command line to texts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::ReadError;

/// A file to be read.
pub(super) struct File {
    pub path: PathBuf,
    /// Named itself, not found in a folder.
    pub named: bool,
}

/// Below this size a second thread costs more than it saves.
const WORTH_A_THREAD: usize = 1 << 20;
/// Folders nested deeper than this are not looked into.
const MAX_FOLDERS: usize = 32;
/// Endings that a file in a folder must have to be looked at.
const ENDINGS: &[&str] = &["json", "ndjson", "jsonl"];

/// The files of `paths`, folders opened, in a fixed order.
pub(super) fn expand(paths: &[PathBuf]) -> Result<Vec<File>, ReadError> {
    let mut out = Vec::new();
    for path in paths {
        if path.is_dir() {
            folder(path, 0, &mut out)?;
        } else {
            out.push(File { path: path.clone(), named: true });
        }
    }
    Ok(out)
}

fn folder(path: &Path, depth: usize, out: &mut Vec<File>) -> Result<(), ReadError> {
    let io = |source| ReadError::Io { path: path.into(), source };
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(path).map_err(io)? {
        let entry = entry.map_err(io)?;
        // A linked folder may lead back here; a linked file may not.
        let linked_folder = entry.file_type().map_err(io)?.is_symlink() && entry.path().is_dir();
        if !linked_folder {
            entries.push(entry.path());
        }
    }
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            if depth < MAX_FOLDERS {
                folder(&entry, depth + 1, out)?;
            }
        } else if entry
            .extension()
            .and_then(|e| e.to_str())
            .is_some_and(|e| ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(e)))
        {
            out.push(File { path: entry, named: false });
        }
    }
    Ok(())
}

pub(super) fn load(file: &File) -> Result<Arc<Vec<u8>>, ReadError> {
    std::fs::read(&file.path)
        .map(Arc::new)
        .map_err(|source| ReadError::Io { path: file.path.clone(), source })
}

/// Runs `work` and takes the text's SHA-256 beside it.
pub(super) fn hashed<T>(text: &[u8], work: impl FnOnce() -> T) -> (T, String) {
    let digest = || Sha256::digest(text).iter().map(|b| format!("{b:02x}")).collect::<String>();
    if text.len() < WORTH_A_THREAD {
        return (work(), digest());
    }
    std::thread::scope(|scope| {
        let hash = scope.spawn(digest);
        let done = work();
        (done, hash.join().unwrap_or_default())
    })
}
