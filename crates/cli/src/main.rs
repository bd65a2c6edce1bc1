//! The command line: arguments, progress, exit codes. No semantics.
//!
//! Read in this order: this file (which subcommand), [`load`] (what all of them take), then one module a subcommand.

mod audit;
mod collect;
mod demo;
mod diff;
mod emulate;
mod load;
mod path;
mod permissions;
mod place;
mod plan;
mod query;
mod rules;

use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

/// Answers are put together from many small pieces, on every core: the system's allocator takes a third of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(
    name = "pullproof",
    version,
    about = "Proves that every AKS node subnet can pull images from its registry",
    after_help = "Exit codes: 0 fine, 1 something is disproven, 2 an input cannot be used or there is nothing to audit,\n\
                  4 something is undetermined (with --fail-on undetermined), 5 the two evaluators disagree (a bug)."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Reads Azure into a snapshot.
    Collect(Box<collect::Arguments>),
    /// Audits every node pool against its registries.
    Audit(Box<audit::Arguments>),
    /// Audits what a Terraform plan (or state, or what-if) makes of a snapshot, before it is applied.
    Plan(Box<plan::Arguments>),
    /// Compares two snapshots: what a change breaks, mends or leaves open.
    Diff(Box<diff::Arguments>),
    /// Follows one path: from a subnet to a host or address, and back.
    Path(path::Arguments),
    /// Answers single questions, JSON lines in and out.
    Query(query::Arguments),
    /// Prints the least-privilege role that `collect` takes, for `az role definition create`.
    Permissions(permissions::Arguments),
    /// Serves a snapshot as Azure Resource Manager and Resource Graph, for tests and demonstrations.
    Emulate(emulate::Arguments),
    /// Audits a made-up estate, served as Azure on loopback: no files, no account.
    Demo(Box<demo::Arguments>),
    /// Lists and shows the rules.
    Rules(rules::Arguments),
    /// Prints the completion script of a shell.
    Completions {
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
}

/// Exit code of a usage or input error.
const UNUSABLE: u8 = 2;

fn main() -> ExitCode {
    let matches = Arguments::command().get_matches();
    let outcome = Arguments::from_arg_matches(&matches).map_err(Into::into).and_then(|a| run(&a, &matches));
    match outcome {
        Ok(code) => ExitCode::from(code),
        // Whoever reads has read enough.
        Err(error) if broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pullproof: {error:#}");
            ExitCode::from(UNUSABLE)
        }
    }
}

fn broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
        let json = cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        io.or(json) == Some(std::io::ErrorKind::BrokenPipe)
    })
}

fn run(arguments: &Arguments, matches: &ArgMatches) -> anyhow::Result<u8> {
    match &arguments.command {
        Command::Audit(audit) => {
            let empty = ArgMatches::default();
            audit::run_audit(audit, matches.subcommand_matches("audit").unwrap_or(&empty))
        }
        Command::Collect(collect) => collect::run(collect),
        Command::Plan(arguments) => {
            let empty = ArgMatches::default();
            plan::run(arguments, matches.subcommand_matches("plan").unwrap_or(&empty))
        }
        Command::Diff(arguments) => {
            let empty = ArgMatches::default();
            diff::run(arguments, matches.subcommand_matches("diff").unwrap_or(&empty))
        }
        Command::Path(path) => path::run(path),
        Command::Query(query) => query::run(query),
        Command::Permissions(permissions) => permissions::run(permissions),
        Command::Emulate(emulate) => emulate::run(emulate),
        Command::Demo(demo) => {
            let empty = ArgMatches::default();
            demo::run(demo, matches.subcommand_matches("demo").unwrap_or(&empty))
        }
        Command::Rules(rules) => rules::run(rules),
        Command::Completions { shell } => {
            clap_complete::generate(*shell, &mut Arguments::command(), "pullproof", &mut std::io::stdout());
            Ok(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn every_subcommand_can_be_parsed() {
        super::Arguments::command().debug_assert();
    }
}
