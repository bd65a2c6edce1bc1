//! A whole run: every placement with every registry of its cluster, put together as a report.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use pullproof_checker::Plain;
use pullproof_network::model::cluster::ArtifactSource;
use pullproof_network::model::index::{PoolIx, SubnetIx};
use pullproof_network::model::registry::PolicyStatus;
use pullproof_network::{Network, Val};
use pullproof_prover::registry_answer::RegistryKey;
use pullproof_prover::{Basis, Missing, MissingKind, Outcome, Prover, Remark};
use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::{Role, VerdictWord};

use crate::assumptions;
use crate::chosen::Worlds;
use crate::claims::{self, Made, Maker};
use crate::decide::Piece;
use crate::host::{self, HostQuestion};
use crate::model::{
    Audit, Cause, CauseAudit, CauseType, Claim, EndpointRef, Layer, Precondition, Reached, Report, SCHEMA,
    Summary, Tool,
};
use crate::pairs::{NameProblem, Pair, Pairs, Selection, pairs};
use crate::print::Printer;
use crate::proofs::{Keyed, Pool};
use crate::stable;
use crate::subjects::{At, Placement, context, placements};
use crate::tripwires::{Scene, Tripwires};
use crate::witness::{self, Confirmation, Subject};

/// How a run is made.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub selection: Selection,
    /// Every assumption is an unknown again (V12).
    pub strict: bool,
    /// The date against which `expires` was held, for the report.
    pub as_of: Option<String>,
    pub version: &'static str,
    /// Whether proven claims, too, get their path printed. Many are alike, and together they are far longer than what
    /// they prove.
    pub paths_of_proven: bool,
}

/// Audits everything that the selection names. Audits are independent; they are spread over the machine's cores.
pub fn run(prover: &Prover<'_>, plain: &Plain, options: &Options) -> Result<Report, NameProblem> {
    let network = prover.network;
    let printer = Printer::new(network);
    let places = placements(network);
    let found = pairs(network, &options.selection, &places)?;
    let mut work: Vec<(&Placement, &Pair)> = Vec::new();
    for place in &places {
        if !wanted_pool(&options.selection, place) {
            continue;
        }
        work.extend(found.pairs.iter().filter(|p| p.cluster == place.cluster).map(|pair| (place, pair)));
    }
    for name in &options.selection.pools {
        if !places.iter().any(|p| p.pool.eq_ignore_ascii_case(name)) {
            let mut candidates: Vec<String> = places.iter().map(|p| p.pool.clone()).collect();
            candidates.sort();
            candidates.dedup();
            return Err(NameProblem { what: "pool", name: name.clone(), candidates, ambiguous: false });
        }
    }
    let strict = options.strict || network.declared.audit.strict;
    let tripwires = Tripwires::of(&network.layered);
    let worlds = Worlds::of(network, &network.declared);
    let one = Auditor {
        network,
        prover,
        printer: &printer,
        plain,
        tripwires: &tripwires,
        strict,
        paths_of_proven: options.paths_of_proven,
        worlds: &worlds,
    };
    let mut done = spread(&work, |(place, pair)| one.audit(place, pair));
    for (cluster, registry) in &found.unread {
        let of_cluster =
            places.iter().filter(|p| p.cluster == *cluster && wanted_pool(&options.selection, p));
        done.extend(of_cluster.map(|place| one.unread(place, registry)));
    }
    let mut report = Report {
        schema: SCHEMA,
        tool: Tool { version: options.version },
        inputs: network.layered.base().inputs().to_vec(),
        as_of: options.as_of.clone(),
        summary: Summary::default(),
        unpaired: found.unpaired.iter().map(|ix| network.clusters[*ix].id.as_written().to_owned()).collect(),
        unknown_images: found.unknown_images.clone(),
        audits: Vec::with_capacity(done.len()),
        proofs: BTreeMap::new(),
        assumptions: BTreeMap::new(),
        findings: Vec::new(),
        gaps: network.layered.gaps().iter().chain(&network.gaps).cloned().collect(),
        preconditions: preconditions(network, &work),
        notes: notes(network, &found),
        plan: None,
        changes: Vec::new(),
        accepted: BTreeSet::new(),
        causes: Vec::new(),
        disagreements: Vec::new(),
    };
    report.unpaired.sort_by_key(|id| pullproof_snapshot::id::fold(id));
    assemble(&mut report, done, network, &printer);
    Ok(report)
}

fn wanted_pool(selection: &Selection, place: &Placement) -> bool {
    selection.pools.is_empty() || selection.pools.iter().any(|p| p.eq_ignore_ascii_case(&place.pool))
}

/// Runs `f` over all items on the machine's cores; results in the order of the items.
fn spread<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len().max(1));
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(i) else { break };
                    let result = f(item);
                    results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((i, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(i, _)| *i);
    results.into_iter().map(|(_, r)| r).collect()
}

/// An audit, with what of its claims is put together over all audits.
struct Done {
    audit: Audit,
    /// One a claim.
    proofs: Vec<Option<Keyed>>,
    disagreements: Vec<String>,
    remarks: BTreeSet<Remark>,
}

struct Auditor<'a, 'n> {
    network: &'n Network,
    prover: &'a Prover<'n>,
    printer: &'a Printer<'n>,
    plain: &'a Plain,
    tripwires: &'a Tripwires,
    strict: bool,
    paths_of_proven: bool,
    worlds: &'a Worlds<'n>,
}

impl Auditor<'_, '_> {
    fn audit(&self, place: &Placement, pair: &Pair) -> Done {
        let cluster = &self.network.clusters[place.cluster].id;
        let registry = registry_name(self.network, pair.registry);
        let id = stable::id(
            "a-",
            &[
                cluster.folded(),
                &place.pool.to_ascii_lowercase(),
                &pullproof_snapshot::id::fold(&place.subnet),
                &pullproof_snapshot::id::fold(&registry),
            ],
        );
        let subject =
            Subject { cluster: cluster.clone(), pool: place.pool.clone(), subnet: ArmId::new(&place.subnet) };
        let maker = Maker {
            audit: &id,
            subject: &subject,
            plain: self.plain,
            printer: self.printer,
            strict: self.strict,
        };
        let made = match &place.at {
            At::Known { .. } => {
                let made = self.of_one_estate(place, pair, &registry, &maker);
                self.worlds
                    .settle(made, &|network, plain| self.elsewhere(network, plain, place, pair, &maker))
            }
            At::Open(missing) => vec![self.open(&maker, missing)],
        };
        let mut basis = Basis::default();
        for one in &made {
            basis.merge(&one.basis);
        }
        if let At::Known { pool, subnet } = place.at {
            basis.remarks.extend(self.prover.stale_nodes(pool, subnet));
        }
        let mut claims: Vec<Claim> = made.iter().map(|m| m.claim.clone()).collect();
        claims::layers(&mut claims);
        let (verdict, first_failing_layer, extent) = claims::verdict(&claims);
        let audit = Audit {
            id,
            cluster: cluster.as_written().to_owned(),
            node_pool: place.pool.clone(),
            subnet: place.subnet.clone(),
            registry,
            verdict,
            first_failing_layer,
            extent,
            valid_until: if verdict == VerdictWord::Proven { basis.valid_until } else { BTreeSet::new() },
            suppressed: false,
            claims,
        };
        self.done(audit, made, basis.remarks)
    }

    fn done(&self, audit: Audit, made: Vec<Made>, remarks: BTreeSet<Remark>) -> Done {
        let wanted = |made: &Made| self.paths_of_proven || made.claim.verdict != VerdictWord::Proven;
        let print = |made: &Made| Some(Keyed::new(made.path.as_ref()?.print(self.printer)?));
        let proofs = made.iter().map(|made| if wanted(made) { print(made) } else { None }).collect();
        let disagreements = made
            .into_iter()
            .filter_map(|made| Some(format!("{} {}: {}", audit.id, made.claim.id, made.contradiction?)))
            .collect();
        Done { audit, proofs, disagreements, remarks }
    }

    /// All claims about a pool and a registry, with what is not modelled reopened.
    fn of_one_estate(
        &self,
        place: &Placement,
        pair: &Pair,
        registry: &str,
        maker: &Maker<'_, '_>,
    ) -> Vec<Made> {
        let At::Known { subnet, .. } = place.at else { return Vec::new() };
        let mut made = self.claims(place, pair, registry, maker);
        let scene = Scene {
            network: self.network,
            cluster: &self.network.clusters[place.cluster].id,
            vnet: self.network.subnets[subnet].vnet,
            registry,
        };
        self.tripwires.reopen(&scene, &mut made, self.printer);
        made
    }

    /// The same claims in the estate of a choice.
    fn elsewhere(
        &self,
        network: &Network,
        plain: &Plain,
        place: &Placement,
        pair: &Pair,
        maker: &Maker<'_, '_>,
    ) -> Vec<Made> {
        let cluster = &self.network.clusters[place.cluster].id;
        let placed = placements(network);
        let same = |p: &&Placement| {
            network.clusters[p.cluster].id == *cluster && p.pool == place.pool && p.subnet == place.subnet
        };
        let Some(place) = placed.iter().find(same) else { return Vec::new() };
        let registry = registry_name(self.network, pair.registry);
        let key = match pair.registry {
            RegistryKey::Acr(ix) => {
                let id = &self.network.registries[ix].id;
                let mut all = network.registries.iter();
                let Some((ix, _)) = all.find(|(_, r)| r.id == *id) else { return Vec::new() };
                RegistryKey::Acr(ix)
            }
            declared @ RegistryKey::Declared(_) => declared,
        };
        let pair = Pair { cluster: place.cluster, registry: key, ..pair.clone() };
        let prover = Prover::new(network);
        let there = Auditor {
            network,
            prover: &prover,
            printer: self.printer,
            plain,
            tripwires: self.tripwires,
            strict: self.strict,
            paths_of_proven: self.paths_of_proven,
            worlds: self.worlds,
        };
        let maker = Maker {
            audit: maker.audit,
            subject: maker.subject,
            plain,
            printer: maker.printer,
            strict: maker.strict,
        };
        there.of_one_estate(place, &pair, &registry, &maker)
    }

    /// Work order: endpoints, resolution, routing, filtering, trust, identity (V8).
    fn claims(&self, place: &Placement, pair: &Pair, registry: &str, maker: &Maker<'_, '_>) -> Vec<Made> {
        let At::Known { pool, subnet } = place.at else { return Vec::new() };
        let from = context(self.network, pool, subnet);
        let piece = |outcome: Outcome| Piece {
            sources: from.sources.clone(),
            sports: from.sports.clone(),
            destination: String::new(),
            choices: Vec::new(),
            outcome,
        };
        let mut out = Vec::new();
        let mut hosts: BTreeSet<(String, u16)> = BTreeSet::new();
        let image_hosts: Vec<Option<&str>> = if pair.image_hosts.is_empty() {
            vec![None]
        } else {
            pair.image_hosts.iter().map(Option::as_deref).collect()
        };
        for image_host in image_hosts {
            let set = self.prover.endpoints(pair.registry, Some(place.cluster), image_host);
            let complete = if set.endpoints.is_empty() && set.complete.holds() {
                Outcome::open(host::depends(registry, "the list of hosts"))
            } else {
                set.complete.clone()
            };
            let complete = match self.prover.foreign_layers(pool) {
                Some(missing) => complete.and(Outcome::open(missing)),
                None => complete,
            };
            let unconfirmed = |_: &Piece, _: usize| Confirmation::Unknown(vec![witness::unconfirmed()]);
            out.push(maker.single(Layer::Endpoints, None, &piece(complete), set.basis.clone(), unconfirmed));
            let replicas: Vec<String> = set
                .endpoints
                .iter()
                .filter(|e| e.roles.contains(&Role::Data) && !e.roles.contains(&Role::Login))
                .filter_map(|e| e.region.clone())
                .collect();
            for endpoint in set.endpoints {
                if !hosts.insert((endpoint.host.clone(), endpoint.port)) {
                    continue;
                }
                let answer = Arc::new(host::ask(HostQuestion {
                    prover: self.prover,
                    from: &from,
                    registry: pair.registry,
                    endpoint: endpoint.clone(),
                }));
                out.extend(maker.host(&answer, &replicas));
                let straight = answer.straight();
                let trust = self.prover.trust(
                    place.cluster,
                    pool,
                    pair.registry,
                    &endpoint,
                    &answer.interceptors,
                    straight,
                );
                let reference = EndpointRef {
                    host: endpoint.host.clone(),
                    port: endpoint.port,
                    roles: endpoint.roles.clone(),
                };
                let handshake = |_: &Piece, _: usize| {
                    witness::handshake(self.plain, maker.subject, registry, &endpoint, &trust, answer.way())
                };
                let claim = piece(trust.outcome.clone());
                out.push(maker.single(Layer::Trust, Some(reference), &claim, trust.basis.clone(), handshake));
            }
        }
        let repositories: Vec<String> = pair.repositories.iter().cloned().collect();
        if let Some(missing) = self.unsettled(pool, subnet, pair.registry) {
            let claim = piece(Outcome::open(missing));
            out.push(maker.single(Layer::Routing, None, &claim, Basis::default(), |_, _| {
                Confirmation::Unknown(vec![witness::unconfirmed()])
            }));
        }
        let image_hosts: Vec<String> = pair.image_hosts.iter().flatten().cloned().collect();
        let identity =
            self.prover.identity(place.cluster, Some(pool), pair.registry, &image_hosts, &repositories);
        let request = |_: &Piece, _: usize| {
            // One of the pulls fails, not necessarily the first.
            let each = |all: &[String]| match all {
                [] => vec![None],
                some => some.iter().map(|one| Some(one.clone())).collect(),
            };
            let hosts = each(&image_hosts);
            let pulls = each(&repositories).into_iter().flat_map(|repository| {
                hosts.iter().map(move |host| (host.clone(), repository.clone())).collect::<Vec<_>>()
            });
            witness::any_of(pulls.map(|(host, repository)| {
                let (host, repository) = (host.as_deref(), repository.as_deref());
                witness::request(self.plain, maker.subject, registry, host, repository, &identity)
            }))
        };
        let claim = piece(identity.outcome.clone());
        out.push(maker.single(Layer::Identity, None, &claim, identity.basis.clone(), request));
        out
    }

    /// What keeps an audit open that every claim of it may hold: addresses of the subnet that are not known, and images
    /// that a quarantine may hold back.
    fn unsettled(&self, pool: PoolIx, subnet: SubnetIx, registry: RegistryKey) -> Option<Missing> {
        let missing = |what: String, why: &str, remedy: &str| Missing {
            kind: MissingKind::Evidence,
            what,
            why: why.into(),
            remedy: remedy.into(),
            holds_if: None,
            breaks_if: None,
        };
        let prefixes = &self.network.subnets[subnet].prefixes;
        if prefixes.open.is_some() || prefixes.items.is_empty() {
            return Some(missing(
                format!("all prefixes of {}", self.network.subnets[subnet].id.name()),
                "a node may get an address of a prefix that is not known (V2)",
                "read the subnet again, or settle the value",
            ));
        }
        if self.network.pools[pool].os_type.symbol().is_some() {
            return Some(missing(
                format!("the operating system of pool {}", self.network.pools[pool].name),
                "ports and trust depend on it",
                "read the pool again",
            ));
        }
        if let RegistryKey::Acr(ix) = registry
            && !matches!(
                self.network.registries[ix].quarantine,
                Val::Known(None | Some(PolicyStatus::Disabled))
            )
        {
            return Some(missing(
                format!("whether images of {} are released", self.network.registries[ix].id.name()),
                "its quarantine policy holds pushed images back until they are released (A52)",
                "switch the quarantine policy off, or check the images",
            ));
        }
        None
    }

    /// A registry that the cluster pulls from and that was not read.
    fn unread(&self, place: &Placement, registry: &ArmId) -> Done {
        let cluster = &self.network.clusters[place.cluster].id;
        let fold = pullproof_snapshot::id::fold;
        let pool = place.pool.to_ascii_lowercase();
        let id = stable::id("a-", &[cluster.folded(), &pool, &fold(&place.subnet), registry.folded()]);
        let subject =
            Subject { cluster: cluster.clone(), pool: place.pool.clone(), subnet: ArmId::new(&place.subnet) };
        let maker = Maker {
            audit: &id,
            subject: &subject,
            plain: self.plain,
            printer: self.printer,
            strict: self.strict,
        };
        let missing = Missing {
            kind: MissingKind::Permission,
            what: format!("the registry {}", registry.as_written()),
            why:
                "the cluster has a role on it, an endpoint to it near, or boots from it, and it was not read"
                    .into(),
            remedy: "grant read on the registry and collect it with its replications".into(),
            holds_if: None,
            breaks_if: None,
        };
        let made = vec![self.open(&maker, &missing)];
        let claims: Vec<Claim> = made.iter().map(|m| m.claim.clone()).collect();
        let (verdict, first_failing_layer, extent) = claims::verdict(&claims);
        let audit = Audit {
            id,
            cluster: cluster.as_written().to_owned(),
            node_pool: place.pool.clone(),
            subnet: place.subnet.clone(),
            registry: registry.as_written().to_owned(),
            verdict,
            first_failing_layer,
            extent,
            valid_until: BTreeSet::new(),
            suppressed: false,
            claims,
        };
        self.done(audit, made, BTreeSet::new())
    }

    fn open(&self, maker: &Maker<'_, '_>, missing: &Missing) -> Made {
        let piece = Piece {
            sources: Default::default(),
            sports: Default::default(),
            destination: String::new(),
            choices: Vec::new(),
            outcome: Outcome::open(missing.clone()),
        };
        maker.single(Layer::Routing, None, &piece, Basis::default(), |_, _| {
            Confirmation::Unknown(vec![witness::unconfirmed()])
        })
    }
}

fn registry_name(network: &Network, key: RegistryKey) -> String {
    match key {
        RegistryKey::Acr(ix) => network.registries[ix].id.as_written().to_owned(),
        RegistryKey::Declared(i) => {
            network.declared.registries.get(i).map(|r| r.name.clone()).unwrap_or_default()
        }
    }
}

/// Names proofs, collects causes and assumptions, counts.
fn assemble(report: &mut Report, mut done: Vec<Done>, network: &Network, printer: &Printer<'_>) {
    done.sort_by_cached_key(|done| sort_key(&done.audit));
    let mut proofs = Pool::default();
    let mut causes: BTreeMap<String, Cause> = BTreeMap::new();
    for Done { mut audit, proofs: paths, disagreements, remarks } in done {
        report.disagreements.extend(disagreements);
        for (claim, path) in audit.claims.iter_mut().zip(paths) {
            claim.proof = path.map(|path| proofs.name(path));
            for name in &claim.assumptions {
                report
                    .assumptions
                    .entry(name.clone())
                    .or_insert_with(|| assumptions::text(name, &network.declared));
            }
        }
        match audit.verdict {
            VerdictWord::Proven => report.summary.proven += 1,
            VerdictWord::Disproven => report.summary.disproven += 1,
            VerdictWord::Undetermined => report.summary.undetermined += 1,
        }
        collect_causes(&audit, &remarks, printer, &mut causes);
        report.audits.push(audit);
    }
    report.proofs = proofs.proofs;
    report.causes = causes.into_values().collect();
}

fn sort_key(audit: &Audit) -> (String, String, String, String) {
    let fold = pullproof_snapshot::id::fold;
    (fold(&audit.cluster), audit.node_pool.to_ascii_lowercase(), fold(&audit.subnet), fold(&audit.registry))
}

fn collect_causes(
    audit: &Audit,
    remarks: &BTreeSet<Remark>,
    printer: &Printer<'_>,
    causes: &mut BTreeMap<String, Cause>,
) {
    let of = CauseAudit {
        id: audit.id.clone(),
        cluster: audit.cluster.clone(),
        node_pool: audit.node_pool.clone(),
        registry: audit.registry.clone(),
    };
    let mut add = |cause: Cause| {
        let reach = cause.reach;
        let known = causes.entry(cause.id.clone()).or_insert(cause);
        if reach == Some(Reached::Actual) {
            known.reach = reach;
        }
        if !known.audits.contains(&of) {
            known.audits.push(of.clone());
        }
    };
    for claim in &audit.claims {
        for blocker in &claim.blockers {
            add(Cause {
                id: blocker.id.clone(),
                of: CauseType::Blocker,
                kind: blocker.kind.to_owned(),
                message: blocker.message.clone(),
                remedy: blocker.remedy.clone(),
                layer: Some(claim.layer),
                owner: Some(blocker.owner),
                reach: Some(blocker.reach),
                facts: blocker.facts.clone(),
                evidence: blocker.evidence.clone(),
                audits: Vec::new(),
            });
        }
        for missing in &claim.missing {
            let kind = serde_json::to_value(missing.kind).ok().and_then(|v| v.as_str().map(str::to_owned));
            add(Cause {
                id: missing.id.clone(),
                of: CauseType::Missing,
                kind: kind.unwrap_or_default(),
                message: missing.what.clone(),
                remedy: missing.remedy.clone(),
                layer: Some(claim.layer),
                owner: None,
                reach: Some(Reached::Actual),
                facts: Vec::new(),
                evidence: Vec::new(),
                audits: Vec::new(),
            });
        }
    }
    for remark in remarks {
        let (id, evidence) = printer.remark(remark);
        add(Cause {
            id,
            of: CauseType::Remark,
            kind: remark.kind.to_owned(),
            message: remark.message.clone(),
            remedy: String::new(),
            layer: None,
            owner: None,
            reach: None,
            facts: remark.facts.clone(),
            evidence,
            audits: Vec::new(),
        });
    }
}

/// What nodes need to come up at all (A194, A195); said beside the verdict, never part of it.
fn preconditions(network: &Network, work: &[(&Placement, &Pair)]) -> Vec<Precondition> {
    let mut direct: BTreeSet<String> = BTreeSet::new();
    let mut cached: BTreeSet<String> = BTreeSet::new();
    for (place, _) in work {
        let cluster = &network.clusters[place.cluster];
        let id = cluster.id.as_written().to_owned();
        match cluster.artifact_source.present() {
            Some(ArtifactSource::Cache) => cached.insert(id),
            Some(ArtifactSource::Direct | ArtifactSource::Other(_)) | None => direct.insert(id),
        };
    }
    let entry = |clusters: BTreeSet<String>, text: &str, facts: Vec<&'static str>| Precondition {
        clusters: clusters.into_iter().collect(),
        text: text.to_owned(),
        facts,
    };
    let mut out = Vec::new();
    if !direct.is_empty() {
        let text = "nodes also need mcr.microsoft.com, *.data.mcr.microsoft.com, the API server and the package hosts to come up; that is not audited here";
        out.push(entry(direct, text, vec!["A194", "A195"]));
    }
    if !cached.is_empty() {
        let text = "nodes take their system images from the bootstrap registry, which is audited as a registry of the cluster, and need the API server to come up";
        out.push(entry(cached, text, vec!["A191", "A195"]));
    }
    out
}

fn notes(network: &Network, found: &Pairs) -> Vec<String> {
    let mut notes = network.layered.base().notes().to_vec();
    notes.extend(found.left_out.iter().map(|ix| {
        format!("{} is not audited: [audit] pairs names other clusters only", network.clusters[*ix].id.name())
    }));
    notes.extend(network.declared_problems.iter().map(|p| {
        let line = network.declared.lines.get(&p.table).map(|l| format!(":{l}")).unwrap_or_default();
        format!("{}{line}: {} = \"{}\": {}", network.declared.file, p.key, p.name, p.message)
    }));
    notes.extend(network.conflicts.iter().map(|c| {
        format!(
            "conflicting input: {} {} differs between the inline and the standalone form; it counts as unknown",
            c.resource.as_deref().unwrap_or_default(),
            c.pointer.as_deref().unwrap_or_default()
        )
    }));
    notes
}
