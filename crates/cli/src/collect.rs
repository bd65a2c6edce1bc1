//! `pullproof collect`: Azure, live, into a snapshot; and what `audit --live` takes of it.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use pullproof_azure::redact::Secret;
use pullproof_azure::{
    Auth, Cancel, Cloud, Collector, Endpoints, Event, Limits, Options, Progress, Scope, Source, Sources,
    Summary,
};

#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    azure: Azure,
    /// Only these clusters (ARM ids): their subscriptions, and every subscription that is referred to from there.
    #[arg(long, value_name = "ID", conflicts_with_all = ["subscription", "management_group", "resource_group"])]
    cluster: Vec<String>,
    /// The snapshot that is written.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// A partial snapshot to go on from.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Replace names, ids and addresses, consistently, by others: for handing the snapshot on. Verdicts stay.
    #[arg(long, conflicts_with = "resume")]
    redact: bool,
    /// A pullproof.toml to be redacted alike; it goes beside the snapshot, as `<snapshot>.pullproof.toml`.
    #[arg(long, value_name = "FILE", requires = "redact")]
    redact_config: Option<PathBuf>,
    /// No progress and no summary on standard error.
    #[arg(short, long)]
    quiet: bool,
    /// Print each call with its request id and time.
    #[arg(short, long)]
    verbose: bool,
}

/// Where and as whom Azure is asked, and about what.
#[derive(Args)]
pub struct Azure {
    /// A subscription, by id or name; repeatable. Without any scope: all that can be seen.
    #[arg(long, value_name = "SUBSCRIPTION")]
    subscription: Vec<String>,
    /// Every subscription below a management group.
    #[arg(long, value_name = "GROUP", conflicts_with = "subscription")]
    management_group: Option<String>,
    /// Only this resource group of the one subscription; repeatable.
    #[arg(long, value_name = "NAME", conflicts_with = "management_group", requires = "subscription")]
    resource_group: Vec<String>,
    /// auto, cli, managed-identity, workload-identity, pipelines, client-secret, client-certificate or github-oidc.
    #[arg(long, default_value = "auto", value_name = "CREDENTIAL")]
    auth: Auth,
    /// public, usgov or china.
    #[arg(long, default_value = "public", value_name = "CLOUD")]
    cloud: Cloud,
    /// Azure Resource Manager, in place of the cloud's.
    #[arg(long, value_name = "URL")]
    arm_endpoint: Option<String>,
    /// The token service, in place of the cloud's.
    #[arg(long, value_name = "URL")]
    authority: Option<String>,
    /// Where lists come from: auto, arm or graph.
    #[arg(long, default_value = "auto", value_name = "SOURCE", value_parser = source)]
    source: Sources,
    /// Ask Azure to compute effective routes and rules too; takes action permissions.
    #[arg(long)]
    effective: bool,
    /// Seconds for the whole run; what was read by then is kept.
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    timeout: u64,
    /// Calls at once, at most.
    #[arg(long, value_name = "N", default_value_t = 32)]
    concurrency: usize,
}

/// Azure as an input.
#[derive(Args)]
pub struct Live {
    /// Read Azure now, and take that.
    #[arg(long)]
    live: bool,
    #[command(flatten, next_help_heading = "With --live")]
    azure: Azure,
}

impl Live {
    pub fn is_asked(&self) -> bool {
        self.live
    }

    /// Hands Azure as it is now to `load`, in a file that only its owner may read and that is gone afterwards; nothing
    /// without `--live`.
    ///
    /// # Errors
    /// Azure cannot be read at all, or what `load` says.
    pub fn read<T>(
        &self,
        clusters: &[String],
        noise: Noise,
        load: impl FnOnce(Option<PathBuf>) -> Result<T>,
    ) -> Result<T> {
        if !self.live {
            return load(None);
        }
        let file = std::env::temp_dir().join(format!("pullproof-live-{}.ndjson", std::process::id()));
        let collected = self.azure.collect(clusters, &file, None, noise);
        let loaded = collected.and_then(|collected| {
            for note in collected.notes.iter().filter(|_| !noise.quiet) {
                eprintln!("pullproof: {note}");
            }
            load(Some(file.clone()))
        });
        let _ = std::fs::remove_file(&file);
        loaded
    }
}

fn source(text: &str) -> Result<Sources, String> {
    match text {
        "auto" => Ok(Sources::Auto),
        "arm" => Ok(Sources::Arm),
        "graph" => Ok(Sources::Graph),
        other => Err(format!("no source {other:?}: auto, arm or graph")),
    }
}

/// Exit code of a run that was ended before everything was asked for.
const PARTIAL: u8 = 4;

/// # Errors
/// No token, nothing in scope, or the file cannot be written (exit 2).
pub fn run(arguments: &Arguments) -> Result<u8> {
    if let Some(name) = arguments.cluster.iter().find(|id| !id.starts_with("/subscriptions/")) {
        bail!("--cluster {name}: give the ARM id (az aks show --query id)");
    }
    let resume = arguments.resume.clone();
    let noise = Noise { quiet: arguments.quiet, verbose: arguments.verbose };
    let (clusters, output) = (&arguments.cluster, &arguments.output);
    let summary = if arguments.redact {
        let config = arguments.redact_config.as_deref().map(read_config).transpose()?;
        let raw = Raw::beside(output);
        let summary = arguments.azure.collect(clusters, &raw.0, resume, noise)?;
        redact(&raw, output, config.as_deref())?;
        summary
    } else {
        arguments.azure.collect(clusters, output, resume, noise)?
    };
    if !arguments.quiet {
        print(&summary, output, !arguments.redact);
    }
    Ok(if summary.partial { PARTIAL } else { 0 })
}

fn read_config(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}

/// A snapshot that still says names; gone when dropped.
struct Raw(PathBuf);

impl Raw {
    fn beside(target: &Path) -> Self {
        let mut name = target.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{}.raw", std::process::id()));
        Self(target.with_file_name(name))
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Redacts what was collected, and the declared facts that belong to it, under a secret that nobody keeps.
fn redact(raw: &Raw, target: &Path, config: Option<&str>) -> Result<()> {
    let config = pullproof_azure::redact::file(&raw.0, target, config, Secret::random()?)?;
    if let Some(text) = config {
        let mut name = target.file_name().unwrap_or_default().to_os_string();
        name.push(".pullproof.toml");
        let path = target.with_file_name(name);
        std::fs::write(&path, text).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// How much is said on standard error.
#[derive(Clone, Copy)]
pub struct Noise {
    pub quiet: bool,
    pub verbose: bool,
}

impl Azure {
    /// Reads Azure into the snapshot `target`.
    pub fn collect(
        &self,
        clusters: &[String],
        target: &Path,
        resume: Option<PathBuf>,
        noise: Noise,
    ) -> Result<Summary> {
        let options = Options {
            auth: self.auth,
            principal: None,
            endpoints: Endpoints::new(self.cloud, self.arm_endpoint.as_deref(), self.authority.as_deref())?,
            limits: Limits {
                concurrency: self.concurrency,
                overall: Duration::from_secs(self.timeout),
                ..Limits::default()
            },
            sources: self.source,
            effective: self.effective,
            resume,
            progress: progress(noise),
            cancel: Cancel::default(),
        };
        run_collector(options, &self.scope(clusters)?, target, noise)
    }

    fn scope(&self, clusters: &[String]) -> Result<Scope> {
        if let Some(group) = &self.management_group {
            return Ok(Scope::ManagementGroup(group.clone()));
        }
        match (self.subscription.as_slice(), self.resource_group.as_slice()) {
            ([], _) if clusters.iter().any(|id| id.starts_with('/')) => {
                let ids = clusters.iter().filter(|id| id.starts_with('/')).cloned().collect();
                Ok(Scope::Clusters { ids })
            }
            ([], _) => Ok(Scope::Everything),
            (all, []) => Ok(Scope::Subscriptions(all.to_vec())),
            ([one], names) => Ok(Scope::ResourceGroups { subscription: one.clone(), names: names.to_vec() }),
            _ => bail!("--resource-group takes one --subscription"),
        }
    }
}

/// Collects until everything is there, or somebody presses Ctrl-C: then what is there by then.
///
/// # Errors
/// No token, nothing in scope, or the file cannot be written.
pub fn run_collector(options: Options, scope: &Scope, target: &Path, noise: Noise) -> Result<Summary> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let cancel = options.cancel.clone();
    let summary = runtime.block_on(async {
        let ended = async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                cancel.cancel();
            }
            std::future::pending::<()>().await;
        };
        let collected = async { Collector::new(options)?.collect(scope, target).await };
        tokio::select! {
            () = ended => Err(anyhow!("ended")),
            summary = collected => Ok(summary?),
        }
    });
    if !noise.quiet && !noise.verbose && std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
    summary
}

/// Between two states of the live line.
const TICK: Duration = Duration::from_millis(100);

#[derive(Default)]
struct Line {
    calls: [u64; 2],
    resources: [u64; 2],
    retries: u64,
    gaps: u64,
    printed: Option<Instant>,
}

/// A live line on a terminal, one line a call with `-v`, nothing in pipes.
pub fn progress(noise: Noise) -> Progress {
    let live = !noise.quiet && !noise.verbose && std::io::stderr().is_terminal();
    let line = Mutex::new(Line::default());
    Arc::new(move |event| {
        let mut line = line.lock().unwrap_or_else(PoisonError::into_inner);
        let at = |source: &Source| usize::from(*source == Source::Graph);
        match event {
            Event::Credential(name) if !noise.quiet => eprintln!("pullproof: credential: {name}"),
            Event::Credential(_) => {}
            Event::Call { source, method, path, status, request, took } => {
                if let Some(calls) = line.calls.get_mut(at(source)) {
                    *calls += 1;
                }
                if noise.verbose {
                    eprintln!("pullproof: {method} {path} {status} {} ms {request}", took.as_millis());
                }
            }
            Event::Retry { path, why, pause, .. } => {
                line.retries += 1;
                if noise.verbose {
                    eprintln!("pullproof: again in {} ms: {why}: {path}", pause.as_millis());
                }
            }
            Event::Resources { source, count } => {
                if let Some(resources) = line.resources.get_mut(at(source)) {
                    *resources += count;
                }
            }
            Event::Gap(_) => line.gaps += 1,
            Event::Note(text) if noise.verbose => eprintln!("pullproof: {text}"),
            Event::Note(_) => {}
        }
        if live && line.printed.is_none_or(|at| at.elapsed() >= TICK) {
            line.printed = Some(Instant::now());
            let ([arm, graph], [arm_found, graph_found]) = (line.calls, line.resources);
            eprint!(
                "\r\x1b[KARM {arm} calls {arm_found} resources, Resource Graph {graph} calls {graph_found} resources, \
                 {} retries, {} gaps",
                line.retries, line.gaps
            );
            let _ = std::io::stderr().flush();
        }
    })
}

/// Gaps that are printed; the others are in the file.
const SHOWN: usize = 20;

fn print(summary: &Summary, target: &Path, resumable: bool) {
    let ended = match summary.partial {
        true if resumable => ", ended early: go on with --resume",
        true => ", ended early",
        false => "",
    };
    eprintln!("pullproof: {}: {} resources{ended}", target.display(), summary.resources);
    for (name, counts) in [("ARM", summary.arm), ("Resource Graph", summary.graph)] {
        eprintln!("  {name}: {} calls, {} of them again", counts.calls, counts.retries);
    }
    for note in &summary.notes {
        eprintln!("  {note}");
    }
    if !summary.gaps.is_empty() {
        eprintln!("  {} gaps:", summary.gaps.len());
    }
    for gap in summary.gaps.iter().take(SHOWN) {
        let place = gap.resource.as_deref().or(gap.scope.as_deref()).unwrap_or_default();
        let (code, why) =
            (gap.code.as_deref().unwrap_or_default(), gap.reason.as_deref().unwrap_or_default());
        eprintln!("    {} in {place}: {code}: {why}", gap.types.join(", "));
    }
}
