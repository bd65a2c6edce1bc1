//! `pullproof diff`: two snapshots of one estate, before and after a migration.

use std::path::PathBuf;

use anyhow::Result;
use clap::{ArgMatches, Args};
use pullproof_audit::compare;

use crate::audit::{Ask, Fails, Gate};
use crate::load::Settings;
use crate::plan::tell;

#[derive(Args)]
pub struct Arguments {
    /// The snapshot before: a file or folder.
    #[arg(value_name = "BEFORE")]
    before: PathBuf,
    /// The snapshot after.
    #[arg(value_name = "AFTER")]
    after: PathBuf,
    /// Only what is worse afterwards sets the exit code.
    #[arg(long)]
    fail_on_new: bool,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    ask: Ask,
}

/// # Errors
/// An input, a name or a rule cannot be used (exit 2).
pub fn run(arguments: &Arguments, matches: &ArgMatches) -> Result<u8> {
    let ask = &arguments.ask;
    let rules = ask.rules()?;
    let load = |path: &PathBuf| arguments.settings.load(std::slice::from_ref(path));
    let before = ask.audit(load(&arguments.before)?, &[])?;
    let mut after = ask.audit(load(&arguments.after)?, &[])?;
    after.report.changes = compare::compare(&before.report, &after.report);
    let fails = if arguments.fail_on_new { Fails::OnWorse } else { Fails::OnVerdicts };
    let code = ask.finish(&mut after, &rules, matches, Gate { category: "diff", fails })?;
    tell(&after.report.changes);
    after.conclude();
    Ok(code)
}
