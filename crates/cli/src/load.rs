//! Inputs that every subcommand takes: snapshots and declared facts.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::Args;
use pullproof_snapshot::declared::date_of;
use pullproof_snapshot::{Declared, Layered, Snapshot, read};
use time::Date;

#[derive(Args)]
pub struct Inputs {
    /// Snapshot files and folders, service tag files, recorded evidence.
    #[arg(value_name = "SNAPSHOT")]
    snapshots: Vec<PathBuf>,
    /// Declared facts; pullproof.toml of the working directory where there is one.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// An array of mixed resource types does not count as complete.
    #[arg(long)]
    partial: bool,
    /// The date against which `expires` of declared facts is held; the newest capture time of the inputs otherwise.
    #[arg(long, value_name = "YYYY-MM-DD")]
    as_of: Option<String>,
}

/// What was read.
pub struct Loaded {
    pub layered: Layered,
    pub declared: Declared,
    /// The date that was used.
    pub as_of: String,
    /// Declared tables that have expired by then, for people.
    pub expired: Vec<String>,
}

/// The declared facts that are used without `--config`.
const DEFAULT_CONFIG: &str = "pullproof.toml";

impl Inputs {
    /// # Errors
    /// A file that was named cannot be used (exit 2).
    pub fn load(&self) -> Result<Loaded> {
        self.load_with(None)
    }

    /// The same, with a further snapshot.
    pub fn load_with(&self, live: Option<PathBuf>) -> Result<Loaded> {
        let paths: Vec<PathBuf> = self.snapshots.iter().cloned().chain(live).collect();
        if paths.is_empty() {
            bail!("no input: name a snapshot, or give `audit` --live");
        }
        let snapshot = read::read(&paths, read::ReadOptions { partial: self.partial })?;
        let declared = self.declared()?;
        let date = self.date(&snapshot)?;
        let (declared, expired) = declared.as_of(date);
        let expired =
            expired.iter().map(|e| format!("{} (expires {}, line {})", e.name, e.expires, e.line)).collect();
        Ok(Loaded { layered: Layered::new(Arc::new(snapshot)), declared, as_of: date.to_string(), expired })
    }

    /// `--as-of`, else the newest capture time of the inputs, else today (CONTRACT §2).
    fn date(&self, snapshot: &Snapshot) -> Result<Date> {
        if let Some(text) = &self.as_of {
            return date_of(text)
                .with_context(|| format!("--as-of {text}: not a date of the form YYYY-MM-DD"));
        }
        let newest = snapshot.captured_to().and_then(date_of);
        Ok(newest.unwrap_or_else(|| time::OffsetDateTime::now_utc().date()))
    }

    fn declared(&self) -> Result<Declared> {
        let path = match &self.config {
            Some(path) => path.clone(),
            None if PathBuf::from(DEFAULT_CONFIG).is_file() => PathBuf::from(DEFAULT_CONFIG),
            None => return Ok(Declared::default()),
        };
        let text =
            fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
        Ok(Declared::parse(&path.display().to_string(), &text)?)
    }
}
