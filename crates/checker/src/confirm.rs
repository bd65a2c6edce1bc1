//! Witnesses: what breaks, confirmed before it is printed (V13).

use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::{LookupAnswer, LookupResult, Missing, Packet};

use crate::admission::admitted;
use crate::identity::{Pull, pull_right};
use crate::lookup::{firewall_lookup_by, node_lookup_by};
use crate::missing;
use crate::path::reach;
use crate::plain::{Plain, Pool, Source};
use crate::tags;
use crate::tri::Tri;
use crate::trust::{Handshake, trusted};

/// One concrete thing that fails.
#[derive(Clone, Debug, PartialEq)]
pub enum Witness {
    /// A packet that is not delivered (`Routing`) or is dropped by a filter (`Filtering`), or whose reply is.
    Packet {
        from: Source,
        packet: Packet,
        host: Option<String>,
        aspect: PacketAspect,
        direction: PacketDirection,
    },
    /// A lookup whose answer is not one of `accepted` (empty: any address would do). `chosen`: the server that is asked
    /// wherever one of several is chosen at random (D121, D149); absent: the lookup fails whichever is.
    Lookup {
        asker: Asker,
        chosen: Option<IpAddr>,
        name: String,
        record: String,
        answer: LookupAnswer,
        accepted: Vec<IpAddr>,
    },
    /// A certificate that the node does not trust, or that does not cover the host. `way`: where the handshake goes, so
    /// that devices on the way are seen; absent: straight to the registry.
    Handshake {
        pool: Pool,
        registry: String,
        host: String,
        way: Option<Way>,
        presented_by: String,
        issuer: String,
        names: Vec<String>,
    },
    /// A read that the identity may not do. `host`: the host that the image names; `pool` and `repository` matter for
    /// regional hosts (A11) and for conditions (A308).
    Request {
        cluster: ArmId,
        pool: Option<String>,
        registry: String,
        host: Option<String>,
        repository: Option<String>,
        principal: String,
        action: String,
        scope: String,
        result: String,
    },
}

/// The way of a handshake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    pub from: Source,
    pub destination: IpAddr,
    pub port: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketAspect {
    Routing,
    Filtering,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketDirection {
    Forward,
    Return,
}

/// Who looks a name up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asker {
    /// A new node of the pool, in this subnet.
    Node(Source),
    /// An Azure Firewall (application rules, F121), by ARM id.
    Firewall(ArmId),
}

/// A witness that the plain evaluator agrees with. Only [`confirm`] makes one.
#[derive(Clone, Debug, PartialEq)]
pub struct Confirmed<W>(W);

impl<W> Confirmed<W> {
    pub fn witness(&self) -> &W {
        &self.0
    }
    pub fn into_witness(self) -> W {
        self.0
    }
}

/// Why a witness is not confirmed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Disagrees {
    /// The plain evaluator has a known answer, and it is the opposite: a bug of ours (exit 5).
    #[error("the plain evaluator says otherwise: {0}")]
    Contradicts(String),
    /// The plain evaluator does not know: the claim is undetermined.
    #[error("the plain evaluator cannot tell")]
    Unknown(Vec<Missing>),
}

/// Returns the witness confirmed exactly when the plain evaluator, on its own, finds that it fails.
///
/// # Errors
/// It finds that it works, or does not know.
pub fn confirm(witness: Witness, plain: &Plain) -> Result<Confirmed<Witness>, Disagrees> {
    match works(&witness, plain) {
        (Tri::No, _) => Ok(Confirmed(witness)),
        (Tri::Yes, why) => Err(Disagrees::Contradicts(why)),
        (Tri::Unknown(missing), _) => Err(Disagrees::Unknown(missing)),
    }
}

/// Whether what the witness shows works after all, and in which words.
fn works(witness: &Witness, plain: &Plain) -> (Tri, String) {
    match witness {
        Witness::Packet { from, packet, host, aspect, direction } => {
            let works = packet_works(plain, from, packet, host.as_deref(), *aspect, *direction);
            (works, format!("{aspect:?} {direction:?} of {} to {} works", packet.source, packet.destination))
        }
        Witness::Lookup { asker, chosen, name, record, accepted, .. } => {
            let answer = match asker {
                Asker::Node(from) => node_lookup_by(plain, from, name, record, *chosen),
                Asker::Firewall(firewall) => firewall_lookup_by(plain, firewall, name, record, *chosen),
            };
            let text = format!("{name} is answered with {}", answer.addresses.join(" "));
            (answer_works(&answer, accepted), text)
        }
        Witness::Handshake { pool, registry, host, way, .. } => {
            let path = way
                .as_ref()
                .map(|way| reach(plain, &way.from, way.destination, "tcp", None, way.port, Some(host)));
            let trust = trusted(plain, &Handshake { pool, registry, host, path: path.as_ref() });
            let issuer = trust.issuer.unwrap_or_default();
            (trust.answer, format!("the certificate of {issuer} for {host} is accepted"))
        }
        Witness::Request { cluster, pool, registry, host, repository, .. } => {
            let right = pull_right(
                plain,
                &Pull {
                    cluster,
                    pool: pool.as_deref(),
                    registry,
                    host: host.as_deref(),
                    repository: repository.as_deref(),
                },
            );
            (right.answer, format!("allowed by {}", right.by.join(", ")))
        }
    }
}

/// One packet; the registry's own door belongs to the filters (CONTRACT §3). A host as destination stands for its
/// public address, which is not known: it fails where every sampled address does.
fn packet_works(
    plain: &Plain,
    from: &Source,
    packet: &Packet,
    host: Option<&str>,
    aspect: PacketAspect,
    direction: PacketDirection,
) -> Tri {
    let Some(port) = packet.destination_port else {
        let what = format!("packet to {}", packet.destination);
        return Tri::unknown(missing::evidence(what, "a packet needs a destination port"));
    };
    let literal = packet.destination.parse::<IpAddr>().ok();
    let destinations =
        literal.map_or_else(|| tags::samples(plain, &packet.destination), |address| vec![address]);
    let fares = destinations.into_iter().map(|destination| {
        let walk = reach(plain, from, destination, &packet.protocol, packet.source_port, port, host);
        match (aspect, direction) {
            (PacketAspect::Routing, PacketDirection::Forward) => walk.forward_routing,
            (PacketAspect::Routing, PacketDirection::Return) => walk.return_routing,
            (PacketAspect::Filtering, PacketDirection::Return) => walk.return_filter,
            (PacketAspect::Filtering, PacketDirection::Forward) => {
                let door = host.map_or(Tri::Yes, |host| admitted(plain, host, &walk));
                walk.forward_filter.and(door)
            }
        }
    });
    let mut all: Vec<Tri> = fares.collect();
    if literal.is_some() && all.len() == 1 {
        return all.remove(0);
    }
    if all.iter().all(|t| *t == Tri::No) {
        return Tri::No;
    }
    // A sample that works says nothing about the address that is meant.
    Tri::unknown(missing::evidence(
        format!("the public address of {}", packet.destination),
        "its possible addresses fare differently, or not all of them can be followed",
    ))
}

/// Yes when every address of the answer is accepted: a client may use any of them, and after a wrong one it does not
/// try the next (V3, D54).
fn answer_works(answer: &LookupAnswer, accepted: &[IpAddr]) -> Tri {
    match answer.result {
        LookupResult::Unknown => return Tri::Unknown(answer.missing.clone()),
        LookupResult::Answer => {}
        _ => return Tri::No,
    }
    if accepted.is_empty() {
        return Tri::Yes;
    }
    if answer.addresses.is_empty() {
        let public = accepted.iter().any(|address| crate::tags::is_public(*address));
        let what = "the public address of the answer";
        return if public { Tri::unknown(missing::evidence(what, "not recorded (D2)")) } else { Tri::No };
    }
    let good = |text: &String| text.parse::<IpAddr>().is_ok_and(|address| accepted.contains(&address));
    answer.addresses.iter().all(good).into()
}

#[cfg(test)]
#[path = "confirm_tests.rs"]
mod confirm_tests;
