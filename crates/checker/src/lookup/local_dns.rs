//! LocalDNS: a forwarder on the node that replaces its resolver (D143–D149).

use pullproof_snapshot::question::{LookupResult, Missing};
use serde_json::Value;

use super::Walk;
use super::ask::{Asker, Transport};
use super::name::{fold, is_within, labels};
use super::reply::{Reply, agreed};
use super::servers::{Servers, agent_pool};
use crate::json::Node;
use crate::missing;
use crate::plain::{Plain, Pool};
use crate::resources::{Resource, find};

/// Whether nodes of the pool have it.
enum Active {
    Yes,
    No,
    Unknown(Missing),
}

/// Kubernetes versions from this one on bring it without being asked (D144).
const AUTOMATIC_FROM: (u32, u32) = (1, 36);

impl Walk<'_> {
    pub(super) fn ask_as_pool(&mut self, pool: &Pool, asker: &Asker, servers: &Servers, name: &str) -> Reply {
        let Some(resource) = agent_pool(self.plain, pool) else {
            let what = format!("{}/agentPools/{}", pool.cluster, pool.name);
            return Reply::unknown(vec![missing::evidence(what, "the pool is not in the snapshot")]);
        };
        let reply = match active(self.plain, pool, &resource) {
            Active::No => self.in_order(asker, servers, name),
            Active::Yes => self.through_local_dns(&resource, asker, servers, name),
            Active::Unknown(open) => {
                let replies = vec![
                    self.in_order(asker, servers, name),
                    self.through_local_dns(&resource, asker, servers, name),
                ];
                agreed(replies, &open)
            }
        };
        if is_within(name, "local") && reply.result == LookupResult::Answer && !is_ubuntu(&resource) {
            let what = format!("lookup of {name} by nodes of {}", resource.id);
            let why = "node systems other than Ubuntu may not send names below `local` to a DNS server";
            return Reply::unknown(vec![missing::contested("D21", what, why)]);
        }
        reply
    }

    fn through_local_dns(&mut self, pool: &Resource, asker: &Asker, servers: &Servers, name: &str) -> Reply {
        let block = match block_for(pool, name) {
            Ok(block) => block,
            Err(missing) => return Reply::unknown(vec![missing]),
        };
        if block.to_cluster {
            let what = format!("CoreDNS configuration of the cluster of {}", pool.id);
            return Reply::unknown(vec![missing::evidence(
                what,
                "LocalDNS forwards the name to CoreDNS (D147)",
            )]);
        }
        if block.sequential {
            return self.sequential(&block, asker, servers, name);
        }
        let replies: Vec<Reply> =
            servers.iter().map(|server| self.one(&block, asker, server, name)).collect();
        if let Some(reply) = self.chosen_reply(servers, &replies) {
            return reply;
        }
        let what = format!("server that LocalDNS of {} asks for {name}", pool.id);
        agreed(
            replies,
            &missing::contested("D149", what, "chosen in turn or at random, and the servers differ"),
        )
    }

    /// The next server only where one is silent; every reply of the first that is not is final (D149).
    fn sequential(&mut self, block: &Block, asker: &Asker, servers: &Servers, name: &str) -> Reply {
        let mut last = Reply::of(LookupResult::Timeout);
        for (i, server) in servers.iter().enumerate() {
            let reply = self.one(block, asker, server, name);
            if !reply.is_silence() {
                return reply;
            }
            if reply.upstream_silent && i + 1 < servers.len() {
                let what = format!("whether the resolver behind {server:?} says SERVFAIL or nothing");
                return Reply::unknown(vec![missing::evidence(
                    what,
                    "its upstreams are silent, and LocalDNS tells the two apart",
                )]);
            }
            last = reply;
        }
        last
    }

    fn one(
        &mut self,
        block: &Block,
        asker: &Asker,
        server: &Result<std::net::IpAddr, Missing>,
        name: &str,
    ) -> Reply {
        match server {
            Err(missing) => Reply::unknown(vec![missing.clone()]),
            Ok(server) => self.ask(asker, *server, 53, block.transport, name),
        }
    }
}

/// `state` says what is installed; `mode` alone only where Azure has not said yet (D143, D144).
fn active(plain: &Plain, pool: &Pool, resource: &Resource) -> Active {
    let node = resource.node();
    match node.text("/properties/localDNSProfile/state").known() {
        Ok(Some(state)) => {
            return if state.eq_ignore_ascii_case("Enabled") { Active::Yes } else { Active::No };
        }
        Ok(None) => {}
        Err(missing) => return Active::Unknown(missing),
    }
    match node.text("/properties/localDNSProfile/mode").known() {
        Ok(Some(mode)) if mode.eq_ignore_ascii_case("Required") => return Active::Yes,
        Ok(Some(mode)) if mode.eq_ignore_ascii_case("Disabled") => return Active::No,
        Ok(_) => {}
        Err(missing) => return Active::Unknown(missing),
    }
    let version = ["/properties/currentOrchestratorVersion", "/properties/orchestratorVersion"]
        .iter()
        .find_map(|pointer| node.text(pointer).known().ok().flatten().map(str::to_owned))
        .or_else(|| {
            let cluster = find(plain, pool.cluster.folded())?;
            cluster.node().text("/properties/kubernetesVersion").known().ok().flatten().map(str::to_owned)
        });
    let parsed = version.as_deref().and_then(|version| {
        let mut parts = version.split('.');
        Some((parts.next()?.parse::<u32>().ok()?, parts.next()?.parse::<u32>().ok()?))
    });
    match parsed {
        Some(version) if version < AUTOMATIC_FROM => Active::No,
        // Without a version the profile is older than the automatic one: nobody asked for LocalDNS.
        None => Active::No,
        Some(_) => Active::Unknown(missing::evidence(
            format!("localDNSProfile.state of {}", resource.id),
            "pools on Kubernetes 1.36 and later may get LocalDNS without being asked (D144)",
        )),
    }
}

/// How LocalDNS forwards a name.
struct Block {
    to_cluster: bool,
    transport: Transport,
    sequential: bool,
}

/// The most specific block of `vnetDNSOverrides`, which serve the node itself (D145, D148). Absent fields: the VNet's
/// servers, UDP first, in order (D146, D149).
fn block_for(pool: &Resource, name: &str) -> Result<Block, Missing> {
    let overrides = pool.node().at("/properties/localDNSProfile/vnetDNSOverrides").known()?;
    let blocks = overrides.and_then(Value::as_object);
    let best = blocks.into_iter().flatten().filter(|(domain, _)| is_within(name, &fold(domain)));
    let Some((_, block)) = best.max_by_key(|(domain, _)| labels(&fold(domain))) else {
        return Ok(Block { to_cluster: false, transport: Transport::Udp, sequential: true });
    };
    let node = Node::new(block, &pool.id);
    let is = |pointer: &str, wanted: &str| -> Result<bool, Missing> {
        Ok(node.text(pointer).known()?.is_some_and(|text| text.eq_ignore_ascii_case(wanted)))
    };
    Ok(Block {
        to_cluster: is("/forwardDestination", "ClusterCoreDNS")?,
        transport: if is("/protocol", "ForceTCP")? { Transport::Tcp } else { Transport::Udp },
        sequential: node
            .text("/forwardPolicy")
            .known()?
            .is_none_or(|policy| policy.eq_ignore_ascii_case("Sequential")),
    })
}

fn is_ubuntu(pool: &Resource) -> bool {
    let node = pool.node();
    let sku = node.text("/properties/osSKU").known().ok().flatten();
    // Linux pools without the field are Ubuntu.
    sku.map_or_else(
        || {
            node.text("/properties/osType")
                .known()
                .is_ok_and(|os| os.is_none_or(|os| os.eq_ignore_ascii_case("Linux")))
        },
        |sku| sku.to_ascii_lowercase().starts_with("ubuntu"),
    )
}
