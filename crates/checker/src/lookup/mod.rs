//! Lookups: what an asker gets for a name, from configuration and declared facts alone (dns.md).
//!
//! Lives here: which servers an asker uses, who stands at their addresses, what each of them says. Does not live here:
//! whether packets get there (`path`), whether an answer is a good one (`confirm`).
//!
//! Read in this order: [`name`], [`reply`], [`servers`] and [`local_dns`] (whom a node asks), [`ask`] (who answers),
//! [`azure_dns`] with [`zones`], [`rulesets`], [`policies`] and [`public_names`], then [`declared_server`],
//! [`firewall_proxy`], and [`owner`], [`reaching`], [`links`] as needed.

pub(crate) mod ask;
mod azure_dns;
mod declared_server;
mod firewall_proxy;
pub(crate) mod links;
mod local_dns;
#[cfg(test)]
mod lookup_tests;
pub(crate) mod name;
pub(crate) mod owner;
mod policies;
mod public_names;
mod reaching;
pub(crate) mod reply;
mod rulesets;
pub(crate) mod servers;
pub(crate) mod zones;

use std::cell::Cell;
use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::{LookupAnswer, LookupResult, Missing};

use crate::missing;
use crate::plain::{Plain, Source};
use crate::resources::unread_beside;
use crate::sources;
use ask::Asker;
pub use firewall_proxy::serves_names;
use name::fold;
use reply::{Reply, agreed};

/// The address of Azure-provided DNS (D24).
pub(crate) const AZURE_DNS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(168, 63, 129, 16));

/// More nested questions than real set-ups have (D176 asks for 16 aliases and 8 forwards).
const DEEPEST: usize = 32;

/// Firewalls that resolve names on the way to each other's resolvers.
const DEEPEST_NESTED: usize = 3;

/// One lookup under way.
pub(crate) struct Walk<'p> {
    pub plain: &'p Plain,
    /// `A` or `AAAA`.
    pub record: String,
    /// Who was asked what on the way here: asking again is a loop (D176).
    trail: Vec<(String, String)>,
    /// The server that is asked wherever one of several is chosen at random (D121, D149); `None`: any.
    chosen: Option<IpAddr>,
}

impl<'p> Walk<'p> {
    pub(crate) fn new(plain: &'p Plain, record: &str) -> Self {
        Self { plain, record: record.to_ascii_uppercase(), trail: Vec::new(), chosen: None }
    }

    /// The one of `servers` with `replies` that is chosen. `None` where no choice is given, or this is not among the
    /// servers that may be chosen: a silent one is not while another answers (health-based choice, D121, D149).
    fn chosen_reply(&self, servers: &[Result<IpAddr, Missing>], replies: &[Reply]) -> Option<Reply> {
        let chosen = self.chosen?;
        let at = servers.iter().position(|server| *server == Ok(chosen))?;
        let reply = replies.get(at)?;
        let may_be = !reply.is_silence() || replies.iter().all(Reply::is_silence);
        may_be.then(|| reply.clone())
    }

    /// Puts one question to one resolver; a question that is already under way is a loop (D176).
    fn step(&mut self, resolver: &str, name: &str, answer: impl FnOnce(&mut Self) -> Reply) -> Reply {
        let key = (resolver.to_owned(), name.to_owned());
        if self.trail.contains(&key) {
            return Reply::of(LookupResult::Loop).after(resolver);
        }
        if self.trail.len() >= DEEPEST {
            return Reply::unknown(vec![missing::too_complex(format!("lookup of {name}"))]);
        }
        self.trail.push(key);
        let reply = answer(self);
        self.trail.pop();
        reply
    }
}

/// What `from` gets for a name: a new node of its pool, the machine with its NIC, or any machine in its subnet. Returns
/// the answer of the first server that is not proven silent (D9, D12).
pub fn node_lookup(plain: &Plain, from: &Source, name: &str, record: &str) -> LookupAnswer {
    node_lookup_by(plain, from, name, record, None)
}

/// The same where the server `chosen` is asked wherever one of several is chosen at random (D121, D149).
pub(crate) fn node_lookup_by(
    plain: &Plain,
    from: &Source,
    name: &str,
    record: &str,
    chosen: Option<IpAddr>,
) -> LookupAnswer {
    node_reply(plain, from, name, record, chosen).printed(plain)
}

fn node_reply(plain: &Plain, from: &Source, name: &str, record: &str, chosen: Option<IpAddr>) -> Reply {
    let name = fold(name);
    let mut walk = Walk { chosen, ..Walk::new(plain, record) };
    match servers::of_source(plain, from) {
        Err(missing) => Reply::unknown(vec![missing]),
        Ok(servers) => walk.ask_as_node(from, &servers, &name),
    }
}

/// What a machine in the virtual network gets from the network's own servers (D4); subnets from which that differs:
/// unknown.
pub fn vnet_lookup(plain: &Plain, vnet: &ArmId, name: &str, record: &str) -> LookupAnswer {
    let name = fold(name);
    let servers = match servers::of_vnet(plain, vnet) {
        Ok(servers) => servers,
        Err(missing) => return Reply::unknown(vec![missing]).printed(plain),
    };
    let mut replies = Vec::new();
    for subnet in plain.index().subnets.values().filter(|subnet| subnet.vnet == *vnet) {
        if !subnet.node().list("/properties/delegations").known.is_empty() {
            continue; // no machine of a customer stands there
        }
        let Some(address) = servers::first_address(subnet) else { continue };
        let from = Source { subnet: subnet.id.clone(), address, nic: None, pool: None };
        replies.push(Walk::new(plain, record).in_order(&Asker::Machine(from), &servers, &name));
    }
    let why =
        missing::contested("D5", format!("answer for {name} in {vnet}"), "subnets of the network differ");
    agreed(replies, &why).printed(plain)
}

/// What the resolver of an Azure Firewall says, which its application rules use (D121, D177): its own servers, chosen
/// at random, or Azure DNS as its own virtual network sees it. Whether its proxy listens does not matter.
pub fn firewall_lookup(plain: &Plain, firewall: &ArmId, name: &str, record: &str) -> LookupAnswer {
    firewall_lookup_by(plain, firewall, name, record, None)
}

/// The same where the server `chosen` is asked wherever one of several is chosen at random (D121).
pub(crate) fn firewall_lookup_by(
    plain: &Plain,
    firewall: &ArmId,
    name: &str,
    record: &str,
    chosen: Option<IpAddr>,
) -> LookupAnswer {
    nested(|| Walk { chosen, ..Walk::new(plain, record) }.firewall_resolves(firewall, &fold(name)))
        .unwrap_or_else(|| {
            Reply::unknown(vec![missing::too_complex(format!("lookup of {name} by {firewall}"))])
        })
        .printed(plain)
}

/// The way to a firewall's resolver may lead through a firewall with names in its rules, which looks these up in turn.
/// `None` where that goes on and on.
fn nested<T>(look_up: impl FnOnce() -> T) -> Option<T> {
    thread_local!(static DEPTH: Cell<usize> = const { Cell::new(0) });
    let depth = DEPTH.get();
    if depth >= DEEPEST_NESTED {
        return None;
    }
    DEPTH.set(depth + 1);
    let out = look_up();
    DEPTH.set(depth);
    Some(out)
}

/// What a new node of any pool in this subnet gets; pools or addresses that differ: unknown. No pool: the virtual
/// network's own servers (CONTRACT §4, `lookup`).
pub fn subnet_lookup(plain: &Plain, subnet: &ArmId, name: &str, record: &str) -> LookupAnswer {
    let pools = crate::pools::of_subnet(plain, subnet);
    let what = || format!("lookup of {name} from {subnet}");
    let addresses = match plain.index().subnets.get(subnet).map(|subnet| sources::addresses(plain, subnet)) {
        Some(Some(addresses)) => addresses,
        Some(None) => return Reply::unknown(vec![missing::too_complex(what())]).printed(plain),
        None => return Reply::unknown(vec![missing::resource(subnet)]).printed(plain),
    };
    if pools.is_empty()
        && let Some(open) = unread_beside(plain, subnet, "microsoft.containerservice/managedclusters")
    {
        return Reply::unknown(vec![open]).printed(plain); // a pool of a cluster that was not read may be here
    }
    let sources = addresses.into_iter().flat_map(|address| {
        let from = |pool| Source { subnet: subnet.clone(), address, nic: None, pool };
        match pools.as_slice() {
            [] => vec![from(None)],
            pools => pools.iter().map(|pool| from(Some(pool.clone()))).collect(),
        }
    });
    let replies: Vec<Reply> = sources.map(|from| node_reply(plain, &from, name, record, None)).collect();
    if replies.is_empty() {
        let why = "the subnet has no address for a machine";
        return Reply::unknown(vec![missing::evidence(what(), why)]).printed(plain);
    }
    let why = missing::contested(
        "V6",
        format!("answer for {name} in {subnet}"),
        "pools or addresses of the subnet differ",
    );
    agreed(replies, &why).printed(plain)
}
