//! `pullproof rules`: the catalogue.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use pullproof_rules::{Rules, page};

#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Further rules (.rego files).
    #[arg(long, value_name = "DIR", global = true)]
    rules: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// One line a rule.
    List,
    /// The page of one rule, by id or name.
    Show { rule: String },
}

/// # Errors
/// A rule cannot be loaded, or there is none of that name.
pub fn run(arguments: &Arguments) -> Result<u8> {
    let mut out = std::io::stdout().lock();
    let rules = Rules::load(arguments.rules.as_deref())?;
    match &arguments.command {
        Command::List => {
            for rule in rules.catalogue() {
                writeln!(out, "{}  {:<34} {:<11} {}", rule.id, rule.name, rule.layer, rule.title)?;
            }
        }
        Command::Show { rule } => match rules.find(rule) {
            Some(rule) => write!(out, "{}", page::markdown(rule))?,
            None => bail!("there is no rule `{rule}`; see `pullproof rules list`"),
        },
    }
    Ok(0)
}
