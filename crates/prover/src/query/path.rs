//! `path` (CONTRACT §4).

use std::net::IpAddr;
use std::str::FromStr;

use pullproof_network::model::index::{NicIx, SubnetIx};
use pullproof_network::model::owner::OwnerKind;
use pullproof_network::set::{Addresses, Ports, assignable};
use pullproof_snapshot::question::{LookupResult, Missing, PathAnswer, PathFrom, PathTo, VerdictWord};
use serde_json::{Value, json};

use crate::context::{Proto, SourceContext};
use crate::lookup_answer::{RecordType, When};
use crate::missing::depends_on;
use crate::outcome::Outcome;
use crate::path::{Branch, Step, Target};
use crate::prover::Prover;

impl Prover<'_> {
    /// `query`'s `path`: `forward` and `return` are routing and filtering of that direction, `verdict` the worse of
    /// both. The error says what in the question cannot be used.
    pub fn path_answer(
        &self,
        from: &PathFrom,
        to: &PathTo,
        port: u16,
        protocol: &str,
    ) -> Result<PathAnswer, String> {
        let proto = match protocol {
            p if p.eq_ignore_ascii_case("tcp") => Proto::Tcp,
            p if p.eq_ignore_ascii_case("udp") => Proto::Udp,
            other => return Err(format!("protocol `{other}` is neither tcp nor udp")),
        };
        let contexts = self.path_sources(from)?;
        let mut parts = Vec::new();
        let mut unresolved = None;
        for context in &contexts {
            match (&to.address, &to.host) {
                (Some(address), None) => {
                    let address = IpAddr::from_str(address)
                        .map_err(|_| format!("destination `{address}` is no address"))?;
                    let answer = self.path(context, &Target::Address(address), proto, port, None);
                    parts.extend(answer.branches.iter().cloned());
                }
                (None, Some(host)) => match self.path_to_host(context, host, proto, port) {
                    Ok(branches) => parts.extend(branches),
                    Err(missing) => unresolved = unresolved.or(Some(missing)),
                },
                _ => return Err("give exactly one of `address` and `host` in `to`".into()),
            }
        }
        // V4: nothing is said about no address.
        Ok(match unresolved {
            Some(missing) => PathAnswer {
                verdict: VerdictWord::Undetermined,
                forward: VerdictWord::Undetermined,
                back: VerdictWord::Undetermined,
                missing: vec![missing],
                path: Vec::new(),
            },
            None => self.worst(&parts),
        })
    }

    /// The error is what has to be known first about the host's addresses.
    fn path_to_host(
        &self,
        context: &SourceContext,
        host: &str,
        proto: Proto,
        port: u16,
    ) -> Result<Vec<Branch>, Missing> {
        let lookup = self.lookup(context, host, RecordType::A);
        let mut out = Vec::new();
        for end in lookup.ends.iter().filter(|e| e.when != When::EarlierSilent) {
            if let Some(missing) = end.missing.first() {
                return Err(missing.clone());
            }
            if end.result != LookupResult::Answer {
                return Err(depends_on(format!("an address of {host}")));
            }
            if end.result == LookupResult::Answer && end.addresses.is_empty() {
                // A public answer whose address is not known.
                let target = Target::PublicHost { host: host.to_owned(), tags: Vec::new() };
                out.extend(self.path(context, &target, proto, port, Some(host)).branches.iter().cloned());
            }
            for address in &end.addresses {
                let target = Target::Address(*address);
                out.extend(self.path(context, &target, proto, port, Some(host)).branches.iter().cloned());
            }
        }
        if out.is_empty() {
            return Err(depends_on(format!("an address of {host}")));
        }
        Ok(out)
    }

    fn path_sources(&self, from: &PathFrom) -> Result<Vec<SourceContext>, String> {
        match (&from.subnet, &from.address) {
            (Some(name), None) => Ok(self.contexts_of(self.named_subnet(name)?)),
            (None, Some(text)) => {
                let address = IpAddr::from_str(text).map_err(|_| format!("source `{text}` is no address"))?;
                Ok(vec![self.context_at(address)?])
            }
            _ => Err("give exactly one of `subnet` and `address` in `from`".into()),
        }
    }

    /// A new node of each pool there; without a pool, any machine.
    fn contexts_of(&self, subnet: SubnetIx) -> Vec<SourceContext> {
        let prefixes = &self.network.subnets[subnet].prefixes;
        let sources = prefixes
            .iter()
            .filter(|p| p.network().is_ipv4())
            .fold(Addresses::empty(), |all, prefix| all.union(&assignable(*prefix)));
        let context = |pool| SourceContext {
            subnet,
            pool,
            nic: None,
            sources: sources.clone(),
            sports: Ports::range(32768, 60999),
        };
        let pools = self.network.pools_of(subnet);
        if pools.is_empty() {
            return vec![context(None)];
        }
        pools.iter().map(|pool| context(Some(*pool))).collect()
    }

    fn context_at(&self, address: IpAddr) -> Result<SourceContext, String> {
        let nics: Vec<(NicIx, SubnetIx)> = self
            .network
            .owners_of(address)
            .iter()
            .filter_map(|o| match (o.kind, o.subnet) {
                (OwnerKind::Nic(nic, _), Some(subnet)) => Some((nic, subnet)),
                _ => None,
            })
            .collect();
        let (nic, subnet) = match nics.as_slice() {
            [(nic, subnet)] => (Some(*nic), *subnet),
            [] => {
                let mut subnets = self
                    .network
                    .subnets
                    .iter()
                    .filter(|(_, s)| s.prefixes.iter().any(|p| p.contains(&address)));
                match (subnets.next(), subnets.next()) {
                    (Some((ix, _)), None) => (None, ix),
                    (None, _) => return Err(format!("source {address} is in no subnet of the input")),
                    (Some(_), Some(_)) => {
                        return Err(format!("source {address} is in several subnets: give the subnet"));
                    }
                }
            }
            _ => return Err(format!("source {address} is held in several networks: give the subnet")),
        };
        let pool = if nic.is_none() { self.network.pools_of(subnet).first().copied() } else { None };
        Ok(SourceContext {
            subnet,
            pool,
            nic,
            sources: Addresses::address(address),
            sports: Ports::range(32768, 60999),
        })
    }

    fn worst(&self, parts: &[Branch]) -> PathAnswer {
        let mut missing: Vec<Missing> = Vec::new();
        let (mut forward, mut back) = (VerdictWord::Proven, VerdictWord::Proven);
        for branch in parts {
            forward = worse(forward, worse(word(&branch.forward), word(&branch.filters)));
            back = worse(back, word(&branch.back));
            for outcome in [&branch.forward, &branch.filters, &branch.back] {
                for item in outcome.missing() {
                    if !missing.contains(item) {
                        missing.push(item.clone());
                    }
                }
            }
        }
        if parts.is_empty() {
            forward = VerdictWord::Undetermined;
            back = VerdictWord::Undetermined;
        }
        let verdict = worse(forward, back);
        if verdict != VerdictWord::Undetermined {
            missing.clear();
        }
        let shown =
            parts.iter().find(|b| worse(worse(word(&b.forward), word(&b.filters)), word(&b.back)) == verdict);
        let path = shown
            .map(|b| b.forward_steps.iter().chain(&b.back_steps).map(|s| self.step_json(s)).collect())
            .unwrap_or_default();
        PathAnswer { verdict, forward, back, missing, path }
    }

    /// CONTRACT §3's `path` entries.
    fn step_json(&self, step: &Step) -> Value {
        let by: Vec<Value> = step
            .by
            .iter()
            .map(|at| {
                json!({
                    "resource": self.network.layered.id(at.resource()).as_written(),
                    "pointer": at.pointer(),
                    "value": self.network.layered.value_at(at),
                })
            })
            .collect();
        json!({
            "kind": step.kind,
            "device": step.device,
            "decision": step.decision,
            "text": step.text,
            "by": by,
            "facts": step.facts,
            "deciding": step.deciding,
        })
    }
}

fn word(outcome: &Outcome) -> VerdictWord {
    match outcome {
        Outcome::Holds => VerdictWord::Proven,
        Outcome::Fails(..) => VerdictWord::Disproven,
        Outcome::Open(..) => VerdictWord::Undetermined,
    }
}

/// Disproven before undetermined before proven (V11).
fn worse(a: VerdictWord, b: VerdictWord) -> VerdictWord {
    match (a, b) {
        (VerdictWord::Disproven, _) | (_, VerdictWord::Disproven) => VerdictWord::Disproven,
        (VerdictWord::Undetermined, _) | (_, VerdictWord::Undetermined) => VerdictWord::Undetermined,
        (VerdictWord::Proven, VerdictWord::Proven) => VerdictWord::Proven,
    }
}
