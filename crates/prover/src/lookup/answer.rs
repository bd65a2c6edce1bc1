//! `query`'s `lookup` (CONTRACT §4).

use std::collections::BTreeSet;

use pullproof_network::model::index::{PoolIx, SubnetIx, VnetIx};
use pullproof_network::model::pool::OsType;
use pullproof_network::set::{Addresses, Ports, assignable};
use pullproof_snapshot::question::{LookupAnswer, LookupResult};

use crate::context::SourceContext;
use crate::lookup_answer::{LookupAnswers, LookupEnd, RecordType, Scope, When};
use crate::missing::evidence;
use crate::outcome::Missing;
use crate::path::{Step, StepKind};
use crate::prover::Prover;

impl Prover<'_> {
    /// `subnet`: as a new node of the pool there would ask; `vnet`, or a subnet without a pool: with the network's
    /// servers. The error says what in the question cannot be used.
    pub fn lookup_answer(
        &self,
        subnet: Option<&str>,
        vnet: Option<&str>,
        name: &str,
        record: &str,
    ) -> Result<LookupAnswer, String> {
        let record = match record.to_ascii_uppercase().as_str() {
            "A" => RecordType::A,
            "AAAA" => RecordType::Aaaa,
            other => return Err(format!("unsupported record type: {other}")),
        };
        let askers: Vec<SourceContext> = match (subnet, vnet) {
            (Some(subnet), None) => {
                let subnet = self.subnet_named(subnet)?;
                match self.network.pools_of(subnet) {
                    [] => vec![self.asker_in(subnet, None)],
                    pools => pools.iter().map(|pool| self.asker_in(subnet, Some(*pool))).collect(),
                }
            }
            (None, Some(vnet)) => {
                let vnet = self.vnet_named(vnet)?;
                self.network.vnets[vnet].subnets.iter().map(|s| self.asker_in(*s, None)).collect()
            }
            _ => return Err("exactly one of `subnet` and `vnet` is needed".into()),
        };
        if askers.is_empty() {
            return Err("the network has no subnet from which to ask".into());
        }
        let answers: Vec<LookupAnswers> = askers.iter().map(|by| self.lookup(by, name, record)).collect();
        Ok(merged(&answers))
    }

    /// A new node of the pool, or some machine, in a subnet (V2).
    fn asker_in(&self, subnet: SubnetIx, pool: Option<PoolIx>) -> SourceContext {
        let prefixes = self.network.subnets[subnet].prefixes.iter();
        let sources = prefixes.fold(Addresses::empty(), |all, p| all.union(&assignable(*p)));
        let windows = pool.is_some_and(|p| self.network.pools[p].os_type.is(&Some(OsType::Windows)));
        SourceContext {
            subnet,
            pool,
            nic: None,
            sources: Addresses { v4: sources.v4, ..Addresses::empty() },
            sports: if windows { Ports::range(49152, u16::MAX) } else { Ports::range(32768, 60999) },
        }
    }

    /// The subnet of this ARM id, or of this unambiguous name; `vnet/subnet` says which.
    pub(crate) fn subnet_named(&self, name: &str) -> Result<SubnetIx, String> {
        let all = self.network.subnets.iter().map(|(ix, subnet)| (ix, &subnet.id));
        named(all, name, "subnet")
    }

    pub(crate) fn vnet_named(&self, name: &str) -> Result<VnetIx, String> {
        named(self.network.vnets.iter().map(|(ix, vnet)| (ix, &vnet.id)), name, "virtual network")
    }
}

fn named<'a, I: Copy>(
    all: impl Iterator<Item = (I, &'a pullproof_snapshot::ArmId)>,
    name: &str,
    kind: &str,
) -> Result<I, String> {
    let wanted = pullproof_snapshot::ArmId::new(name);
    let (parent, last) = name.rsplit_once('/').map_or((None, name), |(parent, last)| (Some(parent), last));
    let fits = |id: &pullproof_snapshot::ArmId| {
        if name.starts_with('/') {
            return *id == wanted;
        }
        id.name().eq_ignore_ascii_case(last)
            && parent.is_none_or(|p| id.parent().is_some_and(|parent| parent.name().eq_ignore_ascii_case(p)))
    };
    let found: Vec<_> = all.filter(|(_, id)| fits(id)).collect();
    match found.as_slice() {
        [] => Err(format!("no {kind} `{name}` was read")),
        [(ix, _)] => Ok(*ix),
        several => {
            let ids: Vec<&str> = several.iter().map(|(_, id)| id.as_written()).collect();
            Err(format!("`{name}` is ambiguous; give the id of one: {}", ids.join(", ")))
        }
    }
}

/// The answer of the first server that is not proven silent; ways that differ are unknown.
fn merged(answers: &[LookupAnswers]) -> LookupAnswer {
    let ends: Vec<&LookupEnd> =
        answers.iter().flat_map(|a| &a.ends).filter(|e| e.when != When::EarlierSilent).collect();
    let Some(first) = ends.first() else { return unknown(Vec::new()) };
    let same =
        |e: &&LookupEnd| e.result == first.result && e.addresses == first.addresses && e.scope == first.scope;
    if !ends.iter().all(same) {
        let mut missing: Vec<Missing> = ends.iter().flat_map(|e| e.missing.clone()).collect();
        missing.extend(ends.iter().map(|e| differs(e)));
        return unknown(missing);
    }
    if first.result == LookupResult::Unknown {
        return unknown(ends.iter().flat_map(|e| e.missing.clone()).collect());
    }
    let mut by = Vec::new();
    for text in first.steps.iter().filter_map(decided) {
        if !by.contains(&text) {
            by.push(text);
        }
    }
    LookupAnswer {
        result: first.result,
        addresses: first.addresses.iter().map(ToString::to_string).collect(),
        scope: first.scope.map(|scope| match scope {
            Scope::Private => "private".to_owned(),
            Scope::Public => "public".to_owned(),
        }),
        cname: first.cname.clone(),
        by,
        missing: Vec::new(),
    }
}

/// What a step is about, as `by` lists it.
fn decided(step: &Step) -> Option<String> {
    match step.kind {
        StepKind::Resolver | StepKind::Record | StepKind::Rule | StepKind::Firewall => {}
        _ => return None,
    }
    if step.device.starts_with('/') {
        return Some(step.device.clone());
    }
    let address = step.device.parse::<std::net::IpAddr>().ok()?;
    step.facts.contains(&"D104").then(|| format!("host:{address}"))
}

fn differs(end: &LookupEnd) -> Missing {
    let addresses: Vec<String> = end.addresses.iter().map(ToString::to_string).collect();
    let what = if addresses.is_empty() { format!("{:?}", end.result) } else { addresses.join(", ") };
    evidence(
        format!("which answer it is: {} gives {what}", end.server),
        "the ways in which the lookup can go give different answers",
        "let them answer alike",
    )
}

fn unknown(missing: Vec<Missing>) -> LookupAnswer {
    let missing: BTreeSet<Missing> = missing.into_iter().collect();
    LookupAnswer {
        result: LookupResult::Unknown,
        addresses: Vec::new(),
        scope: None,
        cname: Vec::new(),
        by: Vec::new(),
        missing: missing.into_iter().collect(),
    }
}
