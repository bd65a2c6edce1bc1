//! Name resolution: what a node, or a firewall, gets for a name (dns.md).
//!
//! What lives here: resolvers and the order in which a client asks them, Azure-provided DNS with its zones, rulesets
//! and policies, forwarders, and what is documented about public DNS. What may not: the way to a resolver (`walk/`
//! is asked for it), and whether an answer is the right one (`audit` decides that).
//!
//! Read in this order: [`node`] (who is asked, in which order), [`server`] (who answers at an address), [`azure`] with
//! [`policy`], [`zone`], [`ruleset`], [`around`] and [`public`], [`declared_server`], [`proxy`]; then [`answer`].

#![allow(clippy::result_large_err, reason = "what is missing is part of the answer, and rare")]

pub mod answer;
mod around;
mod asker;
mod azure;
mod completeness;
mod declared_server;
mod device;
pub mod http_proxy;
pub(crate) mod index;
mod local_dns;
pub(crate) mod memo;
pub(crate) mod name;
mod nested;
mod node;
mod policy;
mod proxy;
pub(crate) mod public;
mod reply;
mod ruleset;
mod sequence;
mod server;
mod trail;
mod zone;
mod zone_group;

use pullproof_network::model::index::FirewallIx;

use crate::context::SourceContext;
use crate::lookup_answer::{LookupAnswers, RecordType, When};
use crate::outcome::Basis;
use crate::prover::Prover;

impl Prover<'_> {
    /// What a new node (or a machine) there gets for `name`, after its own retries (V3): every way in which the lookup
    /// can end. A wildcard (`*.blob.core.windows.net`) stands for a name that no zone holds as a record.
    pub fn lookup(&self, by: &SourceContext, name: &str, record: RecordType) -> LookupAnswers {
        let name = name::fold(name);
        let Some(_inside) = nested::Inside::enter() else { return too_nested(&name) };
        self.node_lookup(by, &name, record)
    }

    /// What the firewall itself gets for `name` (D121, D177), for application rules (F121).
    pub fn firewall_lookup(&self, firewall: FirewallIx, name: &str) -> LookupAnswers {
        let Some(_inside) = nested::Inside::enter() else { return too_nested(&name::fold(name)) };
        let id = self.network.firewalls[firewall].id.as_written();
        let replies = self.by_firewall(firewall, &name::fold(name), RecordType::A, &trail::Trail::default());
        let end = |mut reply: reply::Reply| {
            let when = if reply.random.is_some() { When::Random } else { When::First };
            reply.server.get_or_insert_with(|| id.to_owned());
            node::end(&reply, when)
        };
        LookupAnswers { ends: replies.into_iter().map(end).collect(), basis: Basis::default() }
    }
}

fn too_nested(name: &str) -> LookupAnswers {
    let reply = reply::Reply::unknown(crate::missing::too_complex(format!("the lookup of {name}")));
    LookupAnswers { ends: vec![node::end(&reply, When::First)], basis: Basis::default() }
}
