//! `pullproof audit`: every pool of every cluster against its registries.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{ArgMatches, Args, ValueEnum};
use pullproof_audit::baseline::Baseline;
use pullproof_audit::cap::Cap;
use pullproof_audit::model::{Audit, Report};
use pullproof_audit::pairs::Selection;
use pullproof_audit::{Options, cap, images, run};
use pullproof_checker::Plain;
use pullproof_network::Network;
use pullproof_prover::Prover;
use pullproof_report::sarif::{BuildRun, Places, Profile};
use pullproof_report::{json, markdown, sarif, text};
use pullproof_rules::Rules;
use pullproof_snapshot::Declared;
use pullproof_snapshot::question::VerdictWord;

use crate::collect::{Live, Noise};
use crate::load::{Inputs, Loaded};

#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    live: Live,
    #[command(flatten)]
    ask: Ask,
}

/// What is audited, and how it is reported: the same for every subcommand that audits.
#[derive(Args)]
pub struct Ask {
    /// Only these clusters, by name or ARM id.
    #[arg(long, value_name = "CLUSTER")]
    cluster: Vec<String>,
    /// Only these node pools.
    #[arg(long, value_name = "POOL")]
    pool: Vec<String>,
    /// Only these registries, by name, ARM id or login server.
    #[arg(long, value_name = "REGISTRY")]
    registry: Vec<String>,
    /// Image references, one a line, or what `kubectl get pods,deploy,ds,sts,jobs -A -o json` prints.
    #[arg(long, value_name = "FILE")]
    images: Option<PathBuf>,
    /// Format of the report; repeatable, each with its own -o.
    #[arg(long, value_enum, default_value = "text")]
    format: Vec<Format>,
    /// Where the report of the --format before it goes; standard output otherwise.
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// What makes the exit code 1 or 4; overrides pullproof.toml.
    #[arg(long, value_enum)]
    fail_on: Option<FailOn>,
    /// What --write-baseline wrote, or an earlier JSON report: what stands in it does not fail the run.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Writes what is not proven to a file, for --baseline of later runs.
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
    /// Whom the SARIF is for; by default the pipeline that runs this, else any reader.
    #[arg(long, value_enum, value_name = "CONSUMER")]
    sarif_profile: Option<SarifProfile>,
    /// Tells apart several runs on one commit, in SARIF.
    #[arg(long, value_name = "NAME")]
    sarif_category: Option<String>,
    /// Every declared or assumed fact counts as unknown.
    #[arg(long)]
    strict: bool,
    /// Further rules (.rego files).
    #[arg(long, value_name = "DIR")]
    rules: Option<PathBuf>,
    /// No progress on standard error.
    #[arg(short, long)]
    quiet: bool,
    /// No colour.
    #[arg(long)]
    no_color: bool,
    /// Say what is read and how much of it.
    #[arg(short, long)]
    verbose: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Sarif,
    Markdown,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SarifProfile {
    Github,
    Azdo,
    Plain,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Disproven,
    Undetermined,
    Never,
}

/// Exit codes of CONTRACT §3.
mod code {
    pub const FINE: u8 = 0;
    pub const DISPROVEN: u8 = 1;
    pub const NOTHING_TO_AUDIT: u8 = 2;
    pub const UNDETERMINED: u8 = 4;
    pub const DISAGREE: u8 = 5;
}

/// # Errors
/// An input, a name or a rule cannot be used (exit 2).
pub fn run_audit(arguments: &Arguments, matches: &ArgMatches) -> Result<u8> {
    let ask = &arguments.ask;
    let rules = ask.rules()?;
    let loaded = arguments.live.read(ask.clusters(), ask.noise(), |live| arguments.inputs.load_with(live))?;
    let mut audited = ask.audit(loaded, &[])?;
    let category = if arguments.live.is_asked() { "live" } else { "audit" };
    let code = ask.finish(&mut audited, &rules, matches, Gate { category, fails: Fails::OnVerdicts })?;
    audited.conclude();
    Ok(code)
}

/// What is audited, and what makes the exit code.
#[derive(Clone, Copy)]
pub struct Gate {
    /// The kind of input, as SARIF names it.
    pub category: &'static str,
    pub fails: Fails,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fails {
    OnVerdicts,
    /// On what the change makes worse.
    OnWorse,
    Never,
}

/// A report, with what the exit code and the rules need beside it.
pub struct Audited {
    pub report: Report,
    declared: Declared,
}

impl Audited {
    /// The last words, on standard error.
    pub fn conclude(&self) {
        let report = &self.report;
        let summary = report.summary;
        let not_proven =
            summary.disproven + summary.undetermined + report.unpaired.len() + report.unknown_images.len();
        for text in &report.disagreements {
            eprintln!(
                "pullproof: the two evaluators disagree; please send us this line and the input: {text}"
            );
        }
        if !report.disagreements.is_empty() {
            return;
        }
        if report.audits.is_empty() {
            eprintln!(
                "pullproof: nothing to audit: no cluster with a registry was read, or the selection leaves none"
            );
        }
        if not_proven > 0 {
            eprintln!("NOT PROVEN: {not_proven} of {}", not_proven + summary.proven);
        }
    }
}

impl Ask {
    /// The clusters that are asked for; none: all.
    pub fn clusters(&self) -> &[String] {
        &self.cluster
    }

    pub fn noise(&self) -> Noise {
        Noise { quiet: self.quiet, verbose: self.verbose }
    }

    /// # Errors
    /// The folder of rules cannot be used.
    pub fn rules(&self) -> Result<Rules> {
        Ok(Rules::load(self.rules.as_deref())?)
    }

    /// Audits what was read.
    ///
    /// # Errors
    /// A name fits nothing, or more than one thing.
    pub fn audit(&self, loaded: Loaded, caps: &[Cap]) -> Result<Audited> {
        let network = Network::read(loaded.layered.clone(), loaded.declared.clone());
        if self.verbose {
            eprintln!(
                "pullproof: {} resources, {} gaps",
                network.layered.resources().len(),
                network.gaps.len()
            );
        }
        let options = Options {
            selection: Selection {
                clusters: self.cluster.clone(),
                pools: self.pool.clone(),
                registries: self.registry.clone(),
                images: self.images()?,
            },
            strict: self.strict,
            as_of: Some(loaded.as_of.clone()),
            version: env!("CARGO_PKG_VERSION"),
            paths_of_proven: self.format.contains(&Format::Json),
        };
        let mut plain = Plain::new(loaded.layered, loaded.declared);
        plain.strict = self.strict;
        let mut report = run(&Prover::new(&network), &plain, &options)?;
        report
            .notes
            .extend(loaded.expired.iter().map(|table| format!("{table} has expired and counts as unknown")));
        cap::apply(&mut report, caps);
        Ok(Audited { report, declared: network.declared })
    }

    /// Findings, baseline, and the reports that were asked for. Returns the exit code.
    ///
    /// # Errors
    /// A rule or the baseline cannot be used, or a report not be written.
    pub fn finish(
        &self,
        audited: &mut Audited,
        rules: &Rules,
        matches: &ArgMatches,
        gate: Gate,
    ) -> Result<u8> {
        self.finish_placed(audited, rules, matches, gate, |_| {})
    }

    /// The same, with findings put in their places between.
    ///
    /// # Errors
    /// As [`Ask::finish`].
    pub fn finish_placed(
        &self,
        audited: &mut Audited,
        rules: &Rules,
        matches: &ArgMatches,
        gate: Gate,
        place: impl FnOnce(&mut Report),
    ) -> Result<u8> {
        rules.apply(&mut audited.report, &audited.declared)?;
        place(&mut audited.report);
        if let Some(path) = &self.baseline {
            let text =
                fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))?;
            let baseline = Baseline::read(&text).with_context(|| path.display().to_string())?;
            baseline.apply(&mut audited.report, &path.display().to_string());
        }
        let code = match gate.fails {
            Fails::OnVerdicts | Fails::OnWorse => self.exit_code(audited, gate.fails),
            Fails::Never => code::FINE,
        };
        if let Some(path) = self.write_baseline.as_ref().filter(|_| !matches!(code, 2 | 5)) {
            fs::write(path, Baseline::of(&audited.report).text())
                .with_context(|| format!("{}: cannot be written", path.display()))?;
        }
        let context = self.sarif_context(audited, gate, code);
        self.write(&audited.report, rules, matches, &context)?;
        Ok(code)
    }

    fn sarif_context(&self, audited: &Audited, gate: Gate, exit_code: u8) -> sarif::Context {
        let variable = |name: &str| std::env::var(name).ok();
        let profile = match self.sarif_profile {
            Some(SarifProfile::Github) => Profile::Github,
            Some(SarifProfile::Azdo) => Profile::Azdo,
            Some(SarifProfile::Plain) => Profile::Plain,
            None => Profile::detect(variable),
        };
        let working = std::env::current_dir().ok();
        // The checkout, where the working directory is a folder of it.
        let checkout = match profile {
            Profile::Github => variable("GITHUB_WORKSPACE"),
            Profile::Azdo => variable("BUILD_SOURCESDIRECTORY"),
            Profile::Plain => None,
        };
        let root = checkout.map(PathBuf::from).filter(|c| working.as_ref().is_some_and(|w| w.starts_with(c)));
        sarif::Context {
            profile,
            category: gate.category.to_owned(),
            label: self.sarif_category.clone(),
            build: BuildRun::detect(variable).ok(),
            places: Places { working, root },
            config: Some(audited.declared.file.clone()).filter(|file| !file.is_empty()),
            exit_code,
        }
    }

    fn images(&self) -> Result<Vec<String>> {
        let Some(path) = &self.images else { return Ok(Vec::new()) };
        let text = fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))?;
        let images = images::from_text(&text)
            .with_context(|| format!("{}: neither a list of images nor kubectl's JSON", path.display()))?;
        if images.is_empty() {
            bail!("{}: holds no image reference", path.display());
        }
        Ok(images)
    }

    /// Each -o belongs to the --format before it on the command line.
    fn write(
        &self,
        report: &Report,
        rules: &Rules,
        matches: &ArgMatches,
        context: &sarif::Context,
    ) -> Result<()> {
        let formats: Vec<usize> = matches.indices_of("format").into_iter().flatten().collect();
        let outputs: Vec<usize> = matches.indices_of("output").into_iter().flatten().collect();
        let given = matches.value_source("format") == Some(clap::parser::ValueSource::CommandLine);
        self.check_outputs(&formats, &outputs, given)?;
        for (i, format) in self.format.iter().enumerate() {
            let from = if given { formats.get(i).copied().unwrap_or_default() } else { 0 };
            let to = if given { formats.get(i + 1).copied().unwrap_or(usize::MAX) } else { usize::MAX };
            let file = outputs.iter().position(|at| *at > from && *at < to).and_then(|n| self.output.get(n));
            match file {
                Some(path) => {
                    let out = fs::File::create(path)
                        .with_context(|| format!("{}: cannot be written", path.display()))?;
                    let mut out = BufWriter::new(out);
                    self.render(*format, report, rules, context, false, &mut out)?;
                    out.flush().with_context(|| format!("{}: cannot be written", path.display()))?;
                }
                None => {
                    let colour = io::stdout().is_terminal()
                        && !self.no_color
                        && std::env::var_os("NO_COLOR").is_none();
                    let mut out = BufWriter::new(io::stdout().lock());
                    self.render(*format, report, rules, context, colour, &mut out)?;
                    out.flush()?;
                }
            }
        }
        Ok(())
    }

    /// Every -o follows its --format (or stands alone with the default one), no file is written twice, and at most one
    /// report goes to standard output.
    fn check_outputs(&self, formats: &[usize], outputs: &[usize], given: bool) -> Result<()> {
        let owner = |at: usize| formats.iter().rposition(|f| *f < at).filter(|_| given);
        let mut owners: Vec<Option<usize>> = Vec::new();
        for (file, at) in self.output.iter().zip(outputs) {
            let mine = owner(*at);
            if given && mine.is_none() {
                bail!("-o {}: put it after the --format that it belongs to", file.display());
            }
            let twice = self.output.iter().filter(|f| *f == file).count() > 1;
            if owners.contains(&mine) || twice {
                bail!("-o {}: one file for each --format, and each file once", file.display());
            }
            owners.push(mine);
        }
        if self.format.len() > self.output.len() + 1 {
            bail!("only one report can go to standard output: give each --format but one its -o");
        }
        Ok(())
    }

    fn render(
        &self,
        format: Format,
        report: &Report,
        rules: &Rules,
        context: &sarif::Context,
        colour: bool,
        out: &mut dyn Write,
    ) -> Result<()> {
        match format {
            Format::Text => text::write(report, text::Style { colour, width: width() }, out)?,
            Format::Json => json::write(report, out)?,
            Format::Markdown => markdown::write(report, &context.places, out)?,
            Format::Sarif => sarif::write(report, rules.catalogue(), context, out)?,
        }
        Ok(())
    }

    fn exit_code(&self, audited: &Audited, fails: Fails) -> u8 {
        let (report, configured) = (&audited.report, audited.declared.audit.fail_on.as_deref());
        if !report.disagreements.is_empty() {
            return code::DISAGREE;
        }
        if report.audits.is_empty() {
            return code::NOTHING_TO_AUDIT;
        }
        let fail_on = self.fail_on.unwrap_or(match configured {
            Some("undetermined") => FailOn::Undetermined,
            Some("never") => FailOn::Never,
            _ => FailOn::Disproven,
        });
        let worse: BTreeSet<&str> =
            report.changes.iter().filter(|c| c.is_worse()).map(|c| c.audit.as_str()).collect();
        let counts =
            |a: &Audit| !a.suppressed && (fails == Fails::OnVerdicts || worse.contains(a.id.as_str()));
        let any = |verdict| report.audits.iter().any(|a| a.verdict == verdict && counts(a));
        let disproven = any(VerdictWord::Disproven);
        let open = any(VerdictWord::Undetermined) || (fails == Fails::OnVerdicts && report.has_open_names());
        match fail_on {
            FailOn::Never => code::FINE,
            FailOn::Disproven | FailOn::Undetermined if disproven => code::DISPROVEN,
            FailOn::Undetermined if open => code::UNDETERMINED,
            FailOn::Disproven | FailOn::Undetermined => code::FINE,
        }
    }
}

/// Columns of the terminal, where one says so.
fn width() -> usize {
    std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok()).unwrap_or(100)
}
