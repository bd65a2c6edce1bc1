//! A node's own lookup: its servers, their order, its retries (D4–D22, V3).

use std::net::IpAddr;

use pullproof_network::model::compute::nic_config;
use pullproof_network::model::nic::nic;
use pullproof_network::model::pool::{OsType, Pool};
use pullproof_network::model::vnet::vnet;
use pullproof_network::{List, Val};
use pullproof_snapshot::At;
use pullproof_snapshot::question::LookupResult;

use super::asker::{AZURE_DNS, Asker};
use super::local_dns::{self, Block, LocalDns};
use super::name;
use super::reply::{Reply, distinct, readings, step};
use super::sequence::{Moves, in_order};
use super::trail::Trail;
use crate::blocker::BlockerKind;
use crate::context::{Proto, SourceContext};
use crate::lookup_answer::{LookupAnswers, LookupEnd, RecordType, When};
use crate::missing::contested;
use crate::outcome::{Basis, Blocker, Missing, Outcome, Remark};
use crate::path::{StepDecision, StepKind};
use crate::prover::Prover;
use crate::unread::unknown_value;

/// A Linux node uses the first three servers only (D8).
const USED: usize = 3;

/// The servers that a new machine is given, in order.
#[derive(Clone, Debug)]
pub(crate) struct Servers {
    /// An element may be unknown.
    pub items: Vec<Result<IpAddr, Missing>>,
    pub at: At,
    pub basis: Basis,
}

/// A lookup's question, as a node puts it.
#[derive(Clone, Copy)]
struct Question<'a> {
    by: &'a SourceContext,
    servers: &'a Servers,
    name: &'a str,
    record: RecordType,
}

impl Prover<'_> {
    pub(crate) fn node_lookup(&self, by: &SourceContext, name: &str, record: RecordType) -> LookupAnswers {
        let answers = self.node_asks(by, name, record);
        let answered = answers.ends.iter().any(|end| end.result == LookupResult::Answer);
        if answered
            && name::within(name, "local")
            && let Some(pool) = by.pool.map(|pool| &self.network.pools[pool]).filter(|pool| !is_ubuntu(pool))
        {
            let missing = contested(
                "D21",
                format!("whether nodes of {} send {name}, a name below `local`, to a DNS server", pool.name),
                "give the registry another name, or record the lookup from a node",
            );
            return unknown(missing, answers.basis);
        }
        answers
    }

    fn node_asks(&self, by: &SourceContext, name: &str, record: RecordType) -> LookupAnswers {
        let mut basis = Basis::default();
        if let Some(missing) = by.pool.and_then(|pool| self.proxied(self.network.pools[pool].cluster, name)) {
            return unknown(missing, basis);
        }
        let servers = match self.servers(by) {
            Ok(servers) => servers,
            Err(missing) => return unknown(missing, basis),
        };
        basis.merge(&servers.basis);
        let question = Question { by, servers: &servers, name, record };
        let plain = self.plain(question);
        let local = match by.pool.map(|pool| local_dns::of_pool(self.network, pool)) {
            None | Some(LocalDns::Off { until_update: false }) => None,
            Some(state) => Some(state),
        };
        let Some(state) = local else { return LookupAnswers { ends: plain, basis } };
        let under = self.under_local_dns(question);
        let ends = match state {
            LocalDns::On => under,
            LocalDns::Off { .. } => {
                if !ends_alike(&plain, &under) {
                    basis.valid_until.insert(local_dns::UNTIL.into());
                }
                plain
            }
            LocalDns::Unknown(_) if ends_alike(&plain, &under) => plain,
            LocalDns::Unknown(missing) => return unknown(missing, basis),
        };
        LookupAnswers { ends, basis }
    }

    /// The NIC's own list replaces the network's (D6); an empty one is Azure-provided DNS (D4).
    pub(crate) fn servers(&self, by: &SourceContext) -> Result<Servers, Missing> {
        let network = self.network;
        if let Some(ix) = by.nic {
            let object = &network.nics[ix];
            if !object.dns.servers.is_empty() {
                return self.listed(&object.dns.servers, object.place.at(nic::DNS_SERVERS), Basis::default());
            }
        }
        for set in by.pool.iter().flat_map(|pool| network.scale_sets_of_pool(*pool)) {
            let set = &network.scale_sets[*set];
            for config in &set.nic_configs {
                if config.dns.servers.is_empty() {
                    continue;
                }
                let at = config.place.at(nic_config::DNS_SERVERS);
                let mut basis = Basis::default();
                basis.remarks.insert(Remark {
                    kind: "scale-set-dns-servers",
                    message: format!(
                        "scale set {} has DNS servers of its own; AKS does not set them and takes them away when it next reconciles the pool",
                        set.id.name()
                    ),
                    facts: vec!["D6"],
                    evidence: vec![at],
                });
                return self.listed(&config.dns.servers, at, basis);
            }
        }
        let object = &network.vnets[network.subnets[by.subnet].vnet];
        self.listed(&object.dns_servers, object.place.at(vnet::DNS_SERVERS), Basis::default())
    }

    fn listed(&self, list: &List<Val<IpAddr>>, at: At, basis: Basis) -> Result<Servers, Missing> {
        if let Some(symbol) = list.open {
            return Err(unknown_value(self.network, symbol, "the DNS servers of the nodes"));
        }
        let mut items = Vec::new();
        for (i, value) in list.iter().enumerate() {
            match value {
                Val::Known(address) => items.push(Ok(*address)),
                Val::Sym(symbol) => {
                    let missing =
                        unknown_value(self.network, *symbol, format!("DNS server {} of the nodes", i + 1));
                    items.push(Err(missing));
                }
            }
        }
        if items.is_empty() {
            items.push(Ok(AZURE_DNS));
        }
        Ok(Servers { items, at, basis })
    }

    /// The resolver that nodes have without LocalDNS.
    fn plain(&self, question: Question<'_>) -> Vec<LookupEnd> {
        let servers =
            question.servers.items.get(..USED.min(question.servers.items.len())).unwrap_or_default();
        let names = names(servers);
        let mut asked: Vec<Option<Vec<Reply>>> = vec![None; servers.len()];
        let mut ask = |i: usize| -> Vec<Reply> {
            let Some(slot) = asked.get_mut(i) else { return Vec::new() };
            slot.get_or_insert_with(|| self.ask_server(question, servers.get(i), false)).clone()
        };
        let first = in_order(&names, Moves::Node, "about 5 s a lookup", &mut ask);
        // Who answers first, as far as configuration goes; the ones after it are asked if it is silent after all.
        let answers = |replies: &[Reply]| replies.iter().any(Reply::is_final);
        let answering = (0..servers.len()).find(|i| answers(&ask(*i)));
        let mut ends: Vec<LookupEnd> = first.iter().map(|reply| end(reply, when(reply))).collect();
        for i in answering.map_or(servers.len(), |i| i + 1)..servers.len() {
            for reply in ask(i).iter().filter(|r| r.is_final()) {
                if !ends.iter().any(|e| same(e, reply)) {
                    ends.push(end(reply, When::EarlierSilent));
                }
            }
        }
        ends
    }

    /// LocalDNS forwards to the same servers; it moves on after silence only (D149).
    fn under_local_dns(&self, question: Question<'_>) -> Vec<LookupEnd> {
        let Some(pool) = question.by.pool else { return self.plain(question) };
        let blocks = match local_dns::blocks(self.network, pool, question.name) {
            Ok(blocks) => blocks,
            Err(missing) => return vec![end(&Reply::unknown(missing), When::First)],
        };
        let mut readings_so_far: Option<Vec<Reply>> = None;
        for block in blocks {
            let replies = self.through_block(question, block);
            readings_so_far = Some(match readings_so_far {
                None => replies,
                Some(so_far) => readings(so_far, replies, || {
                    contested(
                        "DU10",
                        format!("which LocalDNS block answers {}", question.name),
                        "let the blocks of the pool's localDNSProfile forward alike",
                    )
                }),
            });
        }
        let said = step(
            StepKind::Resolver,
            "169.254.10.10",
            StepDecision::Forward,
            "LocalDNS on the node forwards to the network's servers",
            vec![local_dns::place(self.network, pool)],
            vec!["D145", "D146"],
        );
        let replies = readings_so_far.unwrap_or_default();
        replies.into_iter().map(|reply| end(&reply.clone().after(said.clone()), when(&reply))).collect()
    }

    fn through_block(&self, question: Question<'_>, block: Block) -> Vec<Reply> {
        let servers = &question.servers.items;
        let names = names(servers);
        let mut ask = |i: usize| self.ask_server(question, servers.get(i), block.tcp);
        if !block.any {
            return in_order(
                &names,
                Moves::AfterSilence,
                "LocalDNS waits for it before it asks the next",
                &mut ask,
            );
        }
        let all: Vec<(String, Vec<Reply>)> =
            names.iter().cloned().zip((0..names.len()).map(&mut ask)).collect();
        let healthy = all.iter().any(|(_, replies)| replies.iter().any(|r| !r.silent));
        let used = all.iter().filter(|(_, replies)| !healthy || replies.iter().any(|r| !r.silent));
        let tagged = used.flat_map(|(server, replies)| {
            replies.iter().map(|reply| Reply { random: Some(server.clone()), ..reply.clone() })
        });
        let mut out = distinct(tagged.collect());
        if out.len() == 1 {
            out.iter_mut().for_each(|r| r.random = None);
        }
        out
    }

    fn ask_server(&self, q: Question<'_>, server: Option<&Result<IpAddr, Missing>>, tcp: bool) -> Vec<Reply> {
        let address = match server {
            Some(Ok(address)) => *address,
            Some(Err(missing)) => return vec![Reply::unknown(missing.clone())],
            None => return Vec::new(),
        };
        let said = step(
            StepKind::Resolver,
            address.to_string(),
            StepDecision::Forward,
            format!("the node asks {address} for {}", q.name),
            vec![q.servers.at],
            vec!["D4", "D9"],
        );
        let mut replies = match self.not_usable(q, address) {
            Some(reply) => vec![reply],
            None => self.ask_resolver(
                &Asker::Machine(q.by.clone()),
                address,
                53,
                tcp,
                q.name,
                q.record,
                &Trail::default(),
            ),
        };
        let remarks = if tcp || address == AZURE_DNS { None } else { self.tcp_blocked(q.by, address) };
        for reply in &mut replies {
            reply.steps.insert(0, said.clone());
            reply.server.get_or_insert_with(|| address.to_string());
            reply.basis.remarks.extend(remarks.iter().cloned());
        }
        replies
    }

    /// Loopback addresses and the cluster's own DNS service are no resolvers of a node (D117).
    fn not_usable(&self, q: Question<'_>, address: IpAddr) -> Option<Reply> {
        let cluster = q.by.pool.map(|pool| &self.network.clusters[self.network.pools[pool].cluster]);
        let service = cluster.is_some_and(|c| {
            c.network.dns_service_ip.is(&Some(address))
                || c.network.service_cidrs.iter().any(|p| p.contains(&address))
        });
        if !address.is_loopback() && !service {
            return None;
        }
        let what = if service { "an address of the cluster's own services" } else { "a loopback address" };
        let mut reply = Reply::silence(vec![Blocker {
            kind: BlockerKind::ResolverNotUsable,
            message: format!("DNS server {address} is {what}; a node cannot use it as its resolver"),
            remedy: "list resolvers that nodes reach before they join the cluster".into(),
            facts: vec!["D117"],
            evidence: vec![q.servers.at],
        }]);
        if service && q.servers.items.len() > 1 {
            // Once the node has joined, the cluster's DNS may answer after all: what, nobody can tell (D19).
            reply = Reply::unknown(self.opaque(address, q.name));
        }
        Some(reply)
    }

    /// Answers that do not fit into UDP need TCP (D133); those of registries fit, so that this is a remark.
    fn tcp_blocked(&self, by: &SourceContext, address: IpAddr) -> Option<Remark> {
        let key = (by.subnet, by.pool, by.nic, address);
        if let Some(known) = self.names.read(&self.names.tcp).get(&key) {
            return known.clone();
        }
        let ways = self.reach_resolver(&Asker::Machine(by.clone()), address, 53, Proto::Tcp);
        let blocked = ways.iter().find_map(|way| match &way.outcome {
            Outcome::Fails(blocker, _) => Some(Remark {
                kind: "dns-tcp-blocked",
                message: format!("resolver {address} cannot be reached on TCP 53: {}", blocker.message),
                facts: vec!["D112", "D133"],
                evidence: blocker.evidence.clone(),
            }),
            _ => None,
        });
        self.names.write(&self.names.tcp).insert(key, blocked.clone());
        blocked
    }
}

/// Linux pools without an `osSKU` are Ubuntu.
fn is_ubuntu(pool: &Pool) -> bool {
    match &pool.os_sku {
        Val::Known(Some(sku)) => sku.to_ascii_lowercase().starts_with("ubuntu"),
        Val::Known(None) => matches!(pool.os_type, Val::Known(None | Some(OsType::Linux))),
        Val::Sym(_) => false,
    }
}

fn names(servers: &[Result<IpAddr, Missing>]) -> Vec<String> {
    servers.iter().map(|s| s.as_ref().map_or_else(|_| "(unknown)".into(), ToString::to_string)).collect()
}

fn when(reply: &Reply) -> When {
    if reply.random.is_some() { When::Random } else { When::First }
}

/// One end of a lookup, as others see it.
pub(crate) fn end(reply: &Reply, when: When) -> LookupEnd {
    let mut steps = reply.steps.clone();
    if let Some(last) = steps.last_mut() {
        last.deciding = true;
    }
    LookupEnd {
        result: reply.result,
        addresses: reply.addresses.clone(),
        scope: reply.scope,
        cname: reply.cname.clone(),
        server: reply.random.clone().or_else(|| reply.server.clone()).unwrap_or_default(),
        when,
        blockers: reply.blockers.clone(),
        missing: reply.missing.clone(),
        steps,
        basis: reply.basis.clone(),
    }
}

fn same(end: &LookupEnd, reply: &Reply) -> bool {
    end.result == reply.result && end.addresses == reply.addresses && end.scope == reply.scope
}

/// The same for the client.
fn ends_alike(a: &[LookupEnd], b: &[LookupEnd]) -> bool {
    let covered = |a: &[LookupEnd], b: &[LookupEnd]| {
        a.iter().filter(|e| e.when != When::EarlierSilent).all(|x| {
            b.iter().any(|y| x.result == y.result && x.addresses == y.addresses && x.scope == y.scope)
        })
    };
    covered(a, b) && covered(b, a)
}

fn unknown(missing: Missing, basis: Basis) -> LookupAnswers {
    LookupAnswers { ends: vec![end(&Reply::unknown(missing), When::First)], basis }
}
