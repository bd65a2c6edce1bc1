//! Inputs that every subcommand takes: snapshots and declared facts.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::Args;
use pullproof_snapshot::declared::date_of;
use pullproof_snapshot::{Declared, Layered, read};
use time::Date;

#[derive(Args)]
pub struct Inputs {
    /// Snapshot files and folders, service tag files, recorded evidence.
    #[arg(value_name = "SNAPSHOT")]
    snapshots: Vec<PathBuf>,
    #[command(flatten)]
    settings: Settings,
}

/// How inputs are taken.
#[derive(Args)]
pub struct Settings {
    /// Declared facts; pullproof.toml of the working directory where there is one.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// An array of mixed resource types does not count as complete.
    #[arg(long)]
    pub partial: bool,
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

impl Loaded {
    /// Declared facts as of a date: that one, else the newest capture time of the inputs, else today (CONTRACT §2).
    pub fn of(layered: Layered, declared: Declared, as_of: Option<Date>) -> Self {
        let newest = || layered.base().captured_to().and_then(date_of);
        let date = as_of.or_else(newest).unwrap_or_else(|| time::OffsetDateTime::now_utc().date());
        let (declared, expired) = declared.as_of(date);
        // An expired suppression is a finding of its own.
        let facts = expired.iter().filter(|e| !e.name.starts_with("suppress:"));
        let expired = facts.map(|e| format!("{} (expires {}, line {})", e.name, e.expires, e.line)).collect();
        Self { layered, declared, as_of: date.to_string(), expired }
    }
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
    ///
    /// # Errors
    /// There is nothing to read, or a file that was named cannot be used (exit 2).
    pub fn load_with(&self, live: Option<PathBuf>) -> Result<Loaded> {
        let paths: Vec<PathBuf> = self.snapshots.iter().cloned().chain(live).collect();
        if paths.is_empty() {
            bail!("no input: name a snapshot, or give `audit` --live");
        }
        self.settings.load(&paths)
    }
}

impl Settings {
    /// # Errors
    /// A file that was named cannot be used (exit 2).
    pub fn load(&self, snapshots: &[PathBuf]) -> Result<Loaded> {
        let snapshot = read::read(snapshots, read::ReadOptions { partial: self.partial })?;
        self.with(Layered::new(Arc::new(snapshot)))
    }

    /// Declared facts for what was read already.
    ///
    /// # Errors
    /// A file that was named cannot be used (exit 2).
    pub fn with(&self, layered: Layered) -> Result<Loaded> {
        let as_of = match &self.as_of {
            Some(text) => Some(
                date_of(text)
                    .with_context(|| format!("--as-of {text}: not a date of the form YYYY-MM-DD"))?,
            ),
            None => None,
        };
        Ok(Loaded::of(layered, self.declared()?, as_of))
    }

    fn declared(&self) -> Result<Declared> {
        match self.config_text()? {
            Some((path, text)) => Ok(Declared::parse(&path.display().to_string(), &text)?),
            None => Ok(Declared::default()),
        }
    }

    /// The file of declared facts, where there is one, and what it says.
    ///
    /// # Errors
    /// A file that was named cannot be read.
    pub fn config_text(&self) -> Result<Option<(PathBuf, String)>> {
        let path = match &self.config {
            Some(path) => path.clone(),
            None if PathBuf::from(DEFAULT_CONFIG).is_file() => PathBuf::from(DEFAULT_CONFIG),
            None => return Ok(None),
        };
        let text =
            fs::read_to_string(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
        Ok(Some((path, text)))
    }
}
