//! One block: the audits that share a cause, and that cause.

use std::collections::BTreeSet;
use std::io::{self, Write};

use pullproof_audit::model::{
    Audit, BlockerOut, Claim, Counterexample, Direction, Extent, Finding, Layer, MissingOut, Owner, Reached,
    Report, StepDecision, StepOut,
};
use pullproof_snapshot::question::{Role, VerdictWord};

use super::paint::{Paint, wrapped};

pub(super) struct Block<'a> {
    pub report: &'a Report,
    pub audits: &'a [&'a Audit],
    /// Audits with causes of the same kinds at other elements.
    pub elsewhere: &'a [&'a Audit],
    pub title: &'a str,
    pub paint: &'a Paint,
}

/// What makes two audits one block: the ids of what stands against them.
pub(super) fn cause(audit: &Audit) -> Vec<String> {
    let mut ids: BTreeSet<String> = BTreeSet::new();
    for claim in worst(audit) {
        ids.extend(claim.blockers.iter().filter(|b| b.reach == Reached::Actual).map(|b| b.id.clone()));
        if claim.verdict == VerdictWord::Undetermined {
            ids.extend(claim.missing.iter().map(|m| m.id.clone()));
        }
    }
    ids.into_iter().collect()
}

/// The kinds of what stands against an audit, without the elements.
pub(super) fn kinds(audit: &Audit) -> Vec<String> {
    let mut kinds: BTreeSet<String> = BTreeSet::new();
    for claim in worst(audit) {
        let actual = claim.blockers.iter().filter(|b| b.reach == Reached::Actual);
        kinds.extend(actual.map(|b| b.kind.to_owned()));
        if claim.verdict == VerdictWord::Undetermined {
            kinds.extend(claim.missing.iter().map(|m| format!("{:?} {:?}", claim.layer, m.kind)));
        }
    }
    kinds.into_iter().collect()
}

/// The actual blockers of an audit's failing claims.
pub(super) fn actual(audit: &Audit) -> impl Iterator<Item = &BlockerOut> {
    worst(audit).into_iter().flat_map(|c| &c.blockers).filter(|b| b.reach == Reached::Actual)
}

/// The claims that make the audit's verdict, in the order of the report.
fn worst(audit: &Audit) -> Vec<&Claim> {
    let mut claims: Vec<&Claim> = audit.claims.iter().filter(|c| c.verdict == audit.verdict).collect();
    claims.sort_by_key(|c| c.layer);
    claims
}

pub(super) fn subject(audit: &Audit) -> String {
    format!("{} / {} → {}", short(&audit.cluster), audit.node_pool, short(&audit.registry))
}

/// The last name of an id; of a child the parent's too: `vnet-hub/snet-pe`.
pub(super) fn short(id: &str) -> String {
    if !id.starts_with('/') {
        return id.to_owned();
    }
    let parts: Vec<&str> = id.trim_end_matches('/').split('/').collect();
    let provider = parts.iter().rposition(|p| p.eq_ignore_ascii_case("providers"));
    let Some(provider) = provider else { return parts.last().copied().unwrap_or(id).to_owned() };
    let names: Vec<&str> = parts.iter().skip(provider + 3).step_by(2).copied().collect();
    if names.is_empty() { id.to_owned() } else { names.join("/") }
}

/// So many audits are listed in a block.
const LISTED: usize = 12;

impl Block<'_> {
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(first) = self.audits.first() else { return Ok(()) };
        let claims = worst(first);
        let Some(main) = claims.first() else { return Ok(()) };
        let title = match first.verdict {
            VerdictWord::Disproven => self.paint.bad(self.title),
            _ => self.paint.doubt(self.title),
        };
        let suppressed = if first.suppressed { "  (suppressed)" } else { "" };
        let extent = match first.extent {
            Some(Extent::Some) => ", for some of the node addresses or choices",
            Some(Extent::All) | None => "",
        };
        writeln!(out, "{title}  {}{extent}{suppressed}", self.paint.bold(&layer_words(main)))?;
        for audit in self.audits.iter().take(LISTED) {
            let line = format!("  {}   (subnet {})", subject(audit), short(&audit.subnet));
            writeln!(out, "{}", wrapped(&line, "      ", self.paint.width()))?;
        }
        if self.audits.len() > LISTED {
            writeln!(out, "  … and {} more (--format json lists all)", self.audits.len() - LISTED)?;
        }
        writeln!(out)?;
        if let Some(counterexample) = claims.iter().find_map(|c| c.counterexample.as_ref().map(|x| (c, x))) {
            self.counterexample(counterexample.0, counterexample.1, out)?;
        }
        self.path(main, out)?;
        let mut told: BTreeSet<&str> = BTreeSet::new();
        for claim in &claims {
            for blocker in claim.blockers.iter().filter(|b| b.reach == Reached::Actual) {
                if !told.contains(blocker.id.as_str()) && !told.is_empty() {
                    writeln!(out, "  {}", self.paint.bold("and, beside that:"))?;
                }
                if told.insert(&blocker.id) {
                    self.blocker(claim, blocker, out)?;
                }
            }
        }
        self.undetermined(&claims, out)?;
        self.others(out)?;
        let behind: Vec<(&Claim, &BlockerOut)> = first
            .claims
            .iter()
            .flat_map(|c| c.blockers.iter().map(move |b| (c, b)))
            .filter(|(_, b)| b.reach == Reached::Behind)
            .collect();
        for (i, (claim, blocker)) in behind.iter().enumerate() {
            if i == 0 {
                writeln!(out, "  {}", self.paint.bold("once that is lifted, this stands in the way too:"))?;
            }
            if told.insert(&blocker.id) {
                self.blocker(claim, blocker, out)?;
            }
        }
        Ok(())
    }

    /// The audits with the same kind of cause elsewhere, one line each.
    fn others(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.elsewhere.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "  {}",
            self.paint.bold(&format!("the same at other elements, {} more:", self.elsewhere.len()))
        )?;
        for audit in self.elsewhere.iter().take(LISTED) {
            let why = actual(audit).next().map(|b| format!(": {}", b.message)).unwrap_or_default();
            writeln!(
                out,
                "{}",
                wrapped(&format!("    {}{why}", subject(audit)), "      ", self.paint.width())
            )?;
        }
        if self.elsewhere.len() > LISTED {
            writeln!(out, "    … and {} more (--format json lists all)", self.elsewhere.len() - LISTED)?;
        }
        Ok(())
    }

    fn line(&self, label: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
        let line = format!("  {label:<10}{text}");
        writeln!(out, "{}", wrapped(&line, "            ", self.paint.width()))
    }

    fn counterexample(
        &self,
        claim: &Claim,
        counterexample: &Counterexample,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let host = claim
            .endpoint
            .as_ref()
            .map(|e| format!(" ({}, {})", e.host, roles(&e.roles)))
            .unwrap_or_default();
        let text = match counterexample {
            Counterexample::Packet(p) => {
                let port = |p: Option<u16>| p.map(|p| format!(":{p}")).unwrap_or_default();
                let what = if claim.direction == Some(Direction::Return) { "the reply to " } else { "" };
                format!(
                    "{what}{} {}{} → {}{}{host}",
                    p.protocol.to_uppercase(),
                    p.source,
                    port(p.source_port),
                    p.destination,
                    port(p.destination_port)
                )
            }
            Counterexample::Lookup { name, record, asker, answer } => {
                let addresses: Vec<&str> =
                    answer["addresses"].as_array().into_iter().flatten().filter_map(|a| a.as_str()).collect();
                let result = answer["result"].as_str().unwrap_or_default();
                let got = match (addresses.is_empty(), result) {
                    (false, _) => addresses.join(", "),
                    (true, "answer") => "a public address".to_owned(),
                    (true, failure) => failure.to_owned(),
                };
                let who = if asker == "node" { "the node".to_owned() } else { short(asker) };
                format!(
                    "{who} asks {} for {name} {record} and gets {got}",
                    short(answer["server"].as_str().unwrap_or_default())
                )
            }
            Counterexample::Handshake { host, presented_by, issuer, names } => {
                format!(
                    "{presented_by} presents for {host} a certificate of {issuer} for {}",
                    names.join(", ")
                )
            }
            Counterexample::Request { principal, action, scope, result } => {
                format!("{principal} does {action} on {}: {}", short(scope), result.replace('_', " "))
            }
        };
        self.line("fails", &text, out)
    }

    /// The path of the main claim, the deciding step marked.
    fn path(&self, claim: &Claim, out: &mut dyn Write) -> io::Result<()> {
        let Some(proof) = claim.proof.as_ref().and_then(|p| self.report.proofs.get(p)) else { return Ok(()) };
        let deciding =
            proof.branches.iter().find(|b| b.path.iter().any(|s| s.deciding)).or(proof.branches.first());
        let Some(branch) = deciding else { return Ok(()) };
        // What stops the packet decides; on a path that works the last of its turns does.
        let stops = |s: &StepOut| s.deciding && matches!(s.decision, StepDecision::Drop | StepDecision::Deny);
        let any_stops = branch.path.iter().any(stops);
        let last = branch.path.iter().rposition(|s| s.deciding);
        for (i, step) in branch.path.iter().enumerate() {
            let label = if i == 0 { "path" } else { "" };
            let text = if step.text.is_empty() { short(&step.device) } else { step.text.clone() };
            let decides = if any_stops { stops(step) } else { last == Some(i) };
            let mark = if decides { self.paint.bold("  ◄ decides") } else { String::new() };
            self.line(label, &format!("{text}{mark}"), out)?;
            if any_stops && decides {
                break;
            }
        }
        Ok(())
    }

    fn blocker(&self, claim: &Claim, blocker: &BlockerOut, out: &mut dyn Write) -> io::Result<()> {
        let facts = if blocker.facts.is_empty() {
            String::new()
        } else {
            format!("  [{}]", blocker.facts.join(", "))
        };
        self.line("why", &format!("{}{facts}", blocker.message), out)?;
        for evidence in &blocker.evidence {
            let line = format!(
                "{} {} = {}",
                short(&evidence.resource),
                evidence.pointer,
                self.paint.faint(&evidence.value.to_string())
            );
            self.line("", &line, out)?;
        }
        let finding = self.report.findings.iter().find(|f| f.causes.contains(&blocker.id));
        if let Some(at) = finding.and_then(written_at) {
            self.line("at", &at, out)?;
        }
        if !blocker.remedy.is_empty() {
            self.line("change", &blocker.remedy, out)?;
        }
        let rule = finding.map(|f| format!("   {} {}", f.rule, f.name)).unwrap_or_default();
        self.line("owner", &format!("{}{rule}", owner(blocker.owner)), out)?;
        if let (Some(part), Some(Extent::Some)) = (&claim.fails_for, claim.extent) {
            let mut text = part.sources.join(", ");
            if !part.choices.is_empty() {
                text.push_str(&format!("  {}", part.choices.join(", ")));
            }
            self.line("for", &text, out)?;
        }
        Ok(())
    }

    fn undetermined(&self, claims: &[&Claim], out: &mut dyn Write) -> io::Result<()> {
        let mut told: BTreeSet<&str> = BTreeSet::new();
        let missing: Vec<&MissingOut> = claims
            .iter()
            .filter(|c| c.verdict == VerdictWord::Undetermined)
            .flat_map(|c| &c.missing)
            .filter(|m| told.insert(&m.id))
            .collect();
        for missing in missing {
            self.line("missing", &missing.what, out)?;
            let finding = self.report.findings.iter().find(|f| f.causes.contains(&missing.id));
            if let Some(at) = finding.and_then(written_at) {
                self.line("at", &at, out)?;
            }
            for (label, text) in [("why", &missing.why), ("to settle", &missing.remedy)] {
                if !text.is_empty() {
                    self.line(label, text, out)?;
                }
            }
            for (label, text) in [("holds if", &missing.holds_if), ("breaks if", &missing.breaks_if)] {
                if let Some(text) = text {
                    self.line(label, text, out)?;
                }
            }
        }
        Ok(())
    }
}

/// Where the configuration that decides a finding is written: `network.tf:12:3 azurerm_subnet.nodes`. `None` without a
/// Terraform address.
pub(super) fn written_at(finding: &Finding) -> Option<String> {
    let address = finding.address.as_deref()?;
    let place = finding.locations.first().map(|location| match location.column {
        Some(column) => format!("{}:{}:{column} ", location.file, location.line),
        None => format!("{}:{} ", location.file, location.line),
    });
    Some(format!("{}{address}", place.unwrap_or_default()))
}

/// What fails, or what is not known, in a few words.
fn layer_words(claim: &Claim) -> String {
    let (fails, open) = match (claim.layer, claim.aspect, claim.direction) {
        (Layer::Routing, _, Some(Direction::Return)) => {
            ("the reply does not come back", "whether the reply comes back")
        }
        (Layer::Routing, ..) => ("the packet does not arrive", "whether the packet arrives"),
        (Layer::Filtering, ..) => ("dropped or refused", "whether it is dropped or refused"),
        (Layer::Resolution, ..) => ("the name does not lead there", "where the name leads"),
        (Layer::Endpoints, Some(Layer::Routing), _) => {
            ("a further host of the pull is not reached", "whether a further host of the pull is reached")
        }
        (Layer::Endpoints, Some(Layer::Filtering), _) => {
            ("a further host of the pull is filtered", "whether a further host of the pull is filtered")
        }
        (Layer::Endpoints, Some(Layer::Resolution), _) => {
            ("a further host of the pull does not resolve", "whether a further host of the pull resolves")
        }
        (Layer::Endpoints, ..) => ("the hosts of the pull", "which hosts the pull touches"),
        (Layer::Trust, ..) => ("the certificate is not trusted", "whether the certificate is trusted"),
        (Layer::Identity, ..) => ("the kubelet may not read", "whether the kubelet may read"),
    };
    let layer = match claim.layer {
        Layer::Routing => "routing",
        Layer::Filtering => "filtering",
        Layer::Resolution => "resolution",
        Layer::Endpoints => "endpoints",
        Layer::Trust => "trust",
        Layer::Identity => "identity",
    };
    if claim.verdict == VerdictWord::Undetermined {
        return format!("{layer}: not known {open}");
    }
    format!("{layer}: {fails}")
}

pub(super) fn owner(owner: Owner) -> &'static str {
    match owner {
        Owner::Network => "network team",
        Owner::Dns => "DNS team",
        Owner::Firewall => "firewall team",
        Owner::Registry => "registry owner",
        Owner::Identity => "identity team",
        Owner::OnPremises => "on-premises network team",
    }
}

fn roles(roles: &[Role]) -> String {
    let names: Vec<&str> = roles
        .iter()
        .map(|r| match r {
            Role::Login => "login",
            Role::Token => "token",
            Role::Data => "data",
        })
        .collect();
    names.join("+")
}
