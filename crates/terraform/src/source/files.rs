//! Where the files of a module are: in folders, or in a saved plan. Everything read is bounded.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{Read, Seek};
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use zip::ZipArchive;

use super::module::{Module, SourceFile};
use crate::error::Error;

/// Largest file that is read for its lines.
const FILE: u64 = 4 << 20;

/// Most files of one module.
const FILES: usize = 1000;

/// Largest sum of the sources in a saved plan.
const ARCHIVE: u64 = 64 << 20;

/// What `terraform init` wrote about the modules that it fetched, and what a saved plan holds about its own.
#[derive(Default, Deserialize)]
struct Manifest {
    #[serde(rename = "Modules", default)]
    modules: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "Key", default)]
    key: String,
    #[serde(rename = "Dir", default)]
    dir: String,
}

impl Manifest {
    /// The folder of a module, by the names of the calls that lead to it.
    fn folder(&self, names: &[String]) -> Option<&str> {
        let key = names.join(".");
        self.modules.iter().find(|entry| entry.key == key).map(|entry| entry.dir.as_str())
    }
}

/// A root module on disk.
pub(super) struct Folder {
    root: PathBuf,
    working: PathBuf,
    manifest: Manifest,
}

impl Folder {
    pub(super) fn new(root: &Path, working: &Path) -> Self {
        let working = normal(working);
        let root = normal(&working.join(root));
        let manifest = root.join(".terraform/modules/modules.json");
        let manifest = bounded(&manifest).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Self { root, working, manifest: manifest.unwrap_or_default() }
    }

    pub(super) fn root(&self, notes: &mut BTreeSet<String>) -> Option<Module> {
        self.module(self.root.clone(), notes)
    }

    /// The module that the call `names` leads to: beside its caller where the source is a path, else where
    /// `terraform init` put it.
    pub(super) fn called(
        &self,
        names: &[String],
        caller: &Module,
        source: Option<&str>,
        notes: &mut BTreeSet<String>,
    ) -> Option<Module> {
        let local = source.filter(|source| source.starts_with("./") || source.starts_with("../"));
        let folder = match local {
            Some(source) => normal(&caller.folder.join(source)),
            None => normal(&self.root.join(self.manifest.folder(names)?)),
        };
        self.module(folder, notes)
    }

    fn module(&self, folder: PathBuf, notes: &mut BTreeSet<String>) -> Option<Module> {
        let told = self.told(&folder);
        let names = match names(&folder) {
            Ok(names) => names,
            Err(error) => {
                notes.insert(format!("{told}: {error}; findings have no lines in it"));
                return None;
            }
        };
        if names.len() > FILES {
            notes.insert(format!("{told}: more than {FILES} files of configuration; the rest is not read"));
        }
        let files = names.into_iter().take(FILES).filter_map(|name| {
            let path = folder.join(&name);
            let told = self.told(&path);
            match bounded(&path) {
                Ok(bytes) => SourceFile::read(told, bytes, notes),
                Err(reason) => {
                    notes.insert(format!("{told}: {reason}; findings have no lines in it"));
                    None
                }
            }
        });
        let files = files.collect();
        Some(Module::new(folder, files))
    }

    /// A path relative to the working directory, with `/`; whole where the two have nothing in common.
    fn told(&self, path: &Path) -> String {
        let common = path.components().zip(self.working.components()).take_while(|(a, b)| a == b).count();
        let up = self.working.components().count().saturating_sub(common);
        let slashed = |path: &Path| {
            let parts = path.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
            parts.collect::<Vec<_>>().join("/")
        };
        // Nothing but the root of the file system in common: a relative name would say nothing.
        if common <= 1 && up > 0 {
            return path.to_string_lossy().replace('\\', "/");
        }
        let rest: PathBuf = path.components().skip(common).collect();
        let steps = std::iter::repeat_n("..".to_owned(), up).chain(std::iter::once(slashed(&rest)));
        let told: Vec<String> = steps.filter(|step| !step.is_empty()).collect();
        if told.is_empty() { ".".into() } else { told.join("/") }
    }
}

/// The sources in a saved plan: `tfconfig/m-<names joined by dots>/<file>`.
pub(super) struct Saved {
    files: BTreeMap<String, Vec<u8>>,
    manifest: Manifest,
}

impl Saved {
    pub(super) fn read(reader: impl Read + Seek) -> Result<Self, Error> {
        let not = |reason: String| Error::NotSaved(reason);
        let mut archive = ZipArchive::new(reader).map_err(|error| not(error.to_string()))?;
        let mut files = BTreeMap::new();
        let mut left = ARCHIVE;
        for at in 0..archive.len() {
            let file = archive.by_index(at).map_err(|error| not(error.to_string()))?;
            let name = file.name().map_err(|error| not(error.to_string()))?;
            let Some(name) = name.strip_prefix("tfconfig/").map(str::to_owned) else { continue };
            let mut bytes = Vec::new();
            // The size in the directory may lie: what is read counts.
            file.take(left.saturating_add(1)).read_to_end(&mut bytes)?;
            left = u64::try_from(bytes.len())
                .ok()
                .and_then(|read| left.checked_sub(read))
                .ok_or_else(|| not(format!("its sources are larger than {} MiB", ARCHIVE >> 20)))?;
            files.insert(name, bytes);
        }
        let manifest = files.get("modules.json").ok_or_else(|| not("it holds no configuration".into()))?;
        let manifest = match manifest.first() {
            // Terraform writes the list alone, `terraform init` an object round it.
            Some(b'[') => serde_json::from_slice(manifest).map(|modules| Manifest { modules }),
            _ => serde_json::from_slice(manifest),
        };
        let manifest = manifest.map_err(|error| not(format!("tfconfig/modules.json: {error}")))?;
        Ok(Self { files, manifest })
    }

    pub(super) fn module(&self, names: &[String], notes: &mut BTreeSet<String>) -> Option<Module> {
        let folder = format!("m-{}/", names.join("."));
        let dir = self.manifest.folder(names).unwrap_or_default().replace('\\', "/");
        let dir = dir.trim_start_matches("./").trim_end_matches('/');
        let inside = self.files.range(folder.clone()..).take_while(|(name, _)| name.starts_with(&folder));
        let files = inside.filter_map(|(name, bytes)| {
            let name = name.strip_prefix(&folder).filter(|name| is_source(name))?;
            let told = if dir.is_empty() || dir == "." { name.to_owned() } else { format!("{dir}/{name}") };
            SourceFile::read(told, bytes.clone(), notes)
        });
        let files: Vec<SourceFile> = files.collect();
        (!files.is_empty()).then(|| Module::new(PathBuf::new(), files))
    }
}

/// True when a folder holds configuration.
pub(super) fn is_root(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().take(FILES).any(|entry| {
        entry.file_name().to_str().is_some_and(|name| is_source(name) || name.ends_with(".tf.json"))
    })
}

fn is_source(name: &str) -> bool {
    !name.starts_with('.') && (name.ends_with(".tf") || name.ends_with(".tofu"))
}

/// The names of a module's files, in order. OpenTofu reads `x.tofu` in place of `x.tf`.
fn names(folder: &Path) -> std::io::Result<Vec<String>> {
    let all = fs::read_dir(folder)?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let all: BTreeSet<String> = all.filter(|name| is_source(name)).collect();
    let replaced = |name: &String| name.strip_suffix(".tf").map(|stem| format!("{stem}.tofu"));
    let kept = all.iter().filter(|name| replaced(name).is_none_or(|tofu| !all.contains(&tofu)));
    Ok(kept.cloned().collect())
}

/// What a file holds; the reason where it is no regular file, too large, or cannot be read.
fn bounded(path: &Path) -> Result<Vec<u8>, String> {
    let told = |error: std::io::Error| error.to_string();
    // Asked before it is opened: opening a pipe waits for its writer.
    if !fs::metadata(path).map_err(told)?.is_file() {
        return Err("not a regular file".into());
    }
    let mut bytes = Vec::new();
    let limit = FILE.saturating_add(1);
    let read = File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)).map_err(told)?;
    if u64::try_from(read).is_ok_and(|read| read <= FILE) {
        return Ok(bytes);
    }
    Err(format!("larger than {} MiB", FILE >> 20))
}

/// A path without `.` and `..`; links are not followed.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    out.push(part);
                }
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(part),
        }
    }
    out
}
