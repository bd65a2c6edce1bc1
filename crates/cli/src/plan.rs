//! `pullproof plan`: what a plan makes of what is there, audited before it is applied.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{ArgMatches, Args};
use pullproof_audit::applied::{self, What};
use pullproof_audit::cap::Cap;
use pullproof_audit::compare::{self, Change, Fate};
use pullproof_audit::model::{Layer, PlanOut, PlannedOut};
use pullproof_snapshot::Layered;
use pullproof_snapshot::question::MissingKind;
use pullproof_terraform::source::Sources;
use pullproof_terraform::unmapped::Touches;
use pullproof_terraform::{Input, Listed, Overlay};

use crate::audit::{Ask, Fails, Gate};
use crate::collect::Live;
use crate::load::{Loaded, Settings};
use crate::place::{Places, from_working};

#[derive(Args)]
pub struct Arguments {
    /// What `terraform show -json` (or `tofu show -json`) prints of a plan or state, or `az deployment … what-if -o json`; `-` for standard input.
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// Snapshots of what is there: files and folders. Without one the plan is all that there is.
    #[arg(long, value_name = "SNAPSHOT")]
    base: Vec<PathBuf>,
    #[command(flatten)]
    live: Live,
    /// The subscription of resources whose provider configuration names none.
    #[arg(long, value_name = "ID")]
    provider_subscription: Option<String>,
    /// Only what the plan makes worse sets the exit code.
    #[arg(long)]
    fail_on_new: bool,
    /// The root module that the plan was made from: findings point to lines in it. The working directory when it holds `.tf` or `.tofu` files.
    #[arg(long, value_name = "DIR")]
    terraform_root: Option<PathBuf>,
    /// The saved plan (`terraform plan -out=FILE`) beside its JSON: it carries the sources, for lines where no root is at hand.
    #[arg(long, value_name = "FILE")]
    tfplan: Option<PathBuf>,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    ask: Ask,
}

/// # Errors
/// The plan, an input, a name or a rule cannot be used (exit 2).
pub fn run(arguments: &Arguments, matches: &ArgMatches) -> Result<u8> {
    let ask = &arguments.ask;
    let rules = ask.rules()?;
    let input = read(&arguments.plan)?;
    let base = arguments.live.read(ask.clusters(), ask.noise(), |live| {
        let paths: Vec<PathBuf> = arguments.base.iter().cloned().chain(live).collect();
        if paths.is_empty() { Ok(None) } else { arguments.settings.load(&paths).map(Some) }
    })?;
    let options = pullproof_terraform::Options {
        subscription: arguments.provider_subscription.clone(),
        also: arguments.settings.config_text()?.into_iter().map(|(_, text)| text).collect(),
    };
    let sources = sources(arguments)?;
    let below = base.as_ref().map(|b| b.layered.clone());
    let overlay = input.edits(below.as_ref(), &options);
    let after = overlay.layered(base.as_ref().map(|b| &b.layered), arguments.settings.partial);
    let mut audited = ask.audit(loaded(arguments, base.as_ref(), after)?, &caps(&overlay))?;
    let before = base.map(|base| ask.audit(base, &[])).transpose()?;
    let report = &mut audited.report;
    report.plan = Some(told(&overlay));
    report.notes.extend(remarks(&overlay));
    applied::apply(report, &applied(&overlay));
    if let Some(before) = &before {
        report.changes = compare::compare(&before.report, report);
    }
    let places = Places {
        trace: input.trace(&overlay, below.as_ref(), &options),
        sources,
        plan: (arguments.plan != Path::new("-")).then(|| from_working(&arguments.plan, &working())),
    };
    let fails = if arguments.fail_on_new && before.is_some() { Fails::OnWorse } else { Fails::OnVerdicts };
    let gate = Gate { category: "plan", fails };
    let code = ask.finish_placed(&mut audited, &rules, matches, gate, |report| places.fill(report))?;
    tell(&audited.report.changes);
    audited.conclude();
    Ok(code)
}

fn read(path: &Path) -> Result<Input> {
    if path == Path::new("-") {
        return Input::read(io::stdin().lock()).context("standard input");
    }
    let file = File::open(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    Input::read(file).with_context(|| path.display().to_string())
}

fn working() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}

/// The sources of the plan: the root that is named, else the saved plan, else the working directory if it is a root.
fn sources(arguments: &Arguments) -> Result<Option<Sources>> {
    let working = working();
    if let Some(root) = &arguments.terraform_root {
        let folder = working.join(root);
        anyhow::ensure!(
            Sources::are_in(&folder),
            "--terraform-root {}: no folder with .tf, .tofu or .tf.json files",
            root.display()
        );
        return Ok(Some(Sources::folder(&folder, &working)));
    }
    if let Some(saved) = &arguments.tfplan {
        let file = File::open(saved).with_context(|| format!("{}: cannot be read", saved.display()))?;
        let sources = Sources::saved(io::BufReader::new(file));
        return sources.map(Some).with_context(|| saved.display().to_string());
    }
    Ok(Sources::are_in(&working).then(|| Sources::folder(&working, &working)))
}

/// The base's declared facts hold after the plan too.
fn loaded(arguments: &Arguments, base: Option<&Loaded>, after: Layered) -> Result<Loaded> {
    match base {
        Some(base) => Ok(Loaded {
            layered: after,
            declared: base.declared.clone(),
            as_of: base.as_of.clone(),
            expired: base.expired.clone(),
        }),
        None => arguments.settings.with(after),
    }
}

fn layer(touches: Touches) -> Layer {
    match touches {
        Touches::Routing => Layer::Routing,
        Touches::Filtering => Layer::Filtering,
        Touches::Resolution => Layer::Resolution,
        Touches::Endpoints => Layer::Endpoints,
        Touches::Trust => Layer::Trust,
        Touches::Identity => Layer::Identity,
    }
}

fn caps(overlay: &Overlay) -> Vec<Cap> {
    let cap = |cap: &pullproof_terraform::Cap| Cap {
        layers: cap.touches.iter().copied().map(layer).collect(),
        kind: if cap.address == "plan" { MissingKind::Evidence } else { MissingKind::NotModelled },
        what: cap.address.clone(),
        why: cap.why.clone(),
        remedy: cap.remedy.clone(),
    };
    overlay.caps.iter().map(cap).collect()
}

fn told(overlay: &Overlay) -> PlanOut {
    let list = |all: &[Listed]| {
        all.iter().map(|l| PlannedOut { address: l.address.clone(), id: l.id.clone() }).collect()
    };
    PlanOut {
        mapped: list(&overlay.mapped),
        ignored: list(&overlay.ignored),
        unmapped: list(&overlay.unmapped),
        drift: overlay.drift.iter().map(|drift| drift.text.clone()).collect(),
        gap_during_apply: list(&overlay.gap_during_apply),
        resolved: overlay.references.resolved,
        unresolved: overlay.references.open.clone(),
    }
}

/// What the apply does beside the state that it leaves.
fn applied(overlay: &Overlay) -> Vec<applied::Remark> {
    let drift = overlay.drift.iter().map(|drift| applied::Remark {
        what: What::Drift,
        resource: drift.id.clone(),
        message: drift.text.clone(),
    });
    let gaps = overlay.gap_during_apply.iter().filter_map(|gap| {
        let message = format!("{} is destroyed before it is made again; pulls fail meanwhile", gap.address);
        Some(applied::Remark { what: What::Gap, resource: gap.id.clone()?, message })
    });
    drift.chain(gaps).collect()
}

/// What a person has to know about the plan beside the verdicts.
fn remarks(overlay: &Overlay) -> Vec<String> {
    let mut out = overlay.notes.clone();
    out.extend(overlay.unmapped.iter().map(|u| format!("not mapped: {} ({})", u.address, u.resource_type)));
    out
}

/// One line an audit that changed, on standard error: the report itself holds all.
pub fn tell(changes: &[Change]) {
    for change in changes.iter().filter(|c| c.fate != Fate::Unchanged) {
        let word = match change.fate {
            Fate::NewlyDisproven => "newly disproven",
            Fate::NewlyUndetermined => "newly undetermined",
            Fate::Fixed => "fixed",
            Fate::Gone => "gone",
            Fate::Unchanged => continue,
        };
        let short = |id: &str| id.rsplit('/').next().unwrap_or(id).to_owned();
        eprintln!(
            "{word}: {}/{} in {} from {}",
            short(&change.cluster),
            change.node_pool,
            short(&change.subnet),
            short(&change.registry)
        );
    }
}
