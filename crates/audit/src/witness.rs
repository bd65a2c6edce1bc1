//! Witnesses: the smallest failing thing of a claim, confirmed by the plain evaluator before it is printed (V13).

use pullproof_checker::confirm::{Asker, PacketAspect, PacketDirection, Way};
use pullproof_checker::plain::Pool;
use pullproof_checker::{Disagrees, Plain, Source, Witness, confirm};
use pullproof_prover::lookup_answer::{LookupEnd, When};
use pullproof_prover::registry_answer::{Endpoint, IdentityAnswer, TrustAnswer};
use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::{LookupAnswer, LookupResult, Missing, MissingKind, Packet};

use crate::decide::Piece;
use crate::model::{Counterexample, Direction, Layer};

/// What became of a witness.
pub enum Confirmation {
    Confirmed(Counterexample),
    /// The plain evaluator cannot tell: the claim is undetermined.
    Unknown(Vec<Missing>),
    /// The plain evaluator says the opposite (exit 5).
    Contradicted(String),
}

/// Who asks, in the plain evaluator's words.
pub struct Subject {
    pub cluster: ArmId,
    pub pool: String,
    pub subnet: ArmId,
}

impl Subject {
    fn source(&self, address: std::net::IpAddr) -> Source {
        Source {
            subnet: self.subnet.clone(),
            address,
            nic: None,
            pool: Some(Pool { cluster: self.cluster.clone(), name: self.pool.clone() }),
        }
    }
}

/// The packet of a failing piece: its first source and port to the claim's destination.
pub fn packet(
    plain: &Plain,
    subject: &Subject,
    piece: &Piece,
    endpoint: &Endpoint,
    layer: Layer,
    direction: Direction,
) -> Confirmation {
    let Some(address) = piece.sources.first() else {
        return Confirmation::Unknown(vec![no_source(&subject.subnet)]);
    };
    let packet = Packet {
        protocol: "tcp".into(),
        source: address.to_string(),
        source_port: piece.sports.first(),
        destination: piece.destination.clone(),
        destination_port: Some(endpoint.port),
    };
    let aspect = if layer == Layer::Filtering { PacketAspect::Filtering } else { PacketAspect::Routing };
    let direction = match direction {
        Direction::Forward => PacketDirection::Forward,
        Direction::Return => PacketDirection::Return,
    };
    let printed = Counterexample::Packet(packet.clone());
    let witness = Witness::Packet {
        from: subject.source(address),
        packet,
        host: Some(endpoint.host.clone()),
        aspect,
        direction,
    };
    settle(witness, plain, printed)
}

pub fn lookup(
    plain: &Plain,
    subject: &Subject,
    piece: &Piece,
    end: &LookupEnd,
    endpoint: &Endpoint,
    accepted: &[std::net::IpAddr],
    firewall: Option<&ArmId>,
) -> Confirmation {
    let Some(address) = piece.sources.first() else {
        return Confirmation::Unknown(vec![no_source(&subject.subnet)]);
    };
    // To the plain evaluator an empty list means that any address would do; here nothing serves the host.
    if accepted.is_empty() && end.result == LookupResult::Answer {
        return Confirmation::Unknown(vec![unconfirmed()]);
    }
    let answer = LookupAnswer {
        result: end.result,
        addresses: end.addresses.iter().map(ToString::to_string).collect(),
        scope: end.scope.map(|s| match s {
            pullproof_prover::lookup_answer::Scope::Private => "private".to_owned(),
            pullproof_prover::lookup_answer::Scope::Public => "public".to_owned(),
        }),
        cname: end.cname.clone(),
        by: vec![end.server.clone()],
        missing: Vec::new(),
    };
    let asker_name = firewall.map_or_else(|| "node".to_owned(), |id| id.as_written().to_owned());
    let printed = Counterexample::Lookup {
        name: endpoint.host.clone(),
        record: "A".into(),
        asker: asker_name,
        answer: serde_json::json!({
            "result": answer.result, "addresses": answer.addresses, "cname": answer.cname, "server": end.server,
        }),
    };
    let asker = match firewall {
        Some(id) => Asker::Firewall(id.clone()),
        None => Asker::Node(subject.source(address)),
    };
    let witness = Witness::Lookup {
        asker,
        chosen: if end.when == When::Random { end.server.parse().ok() } else { None },
        name: endpoint.host.clone(),
        record: "A".into(),
        answer,
        accepted: accepted.to_vec(),
    };
    settle(witness, plain, printed)
}

/// The handshake with `endpoint`; `way` is a source and a destination address on the way of which devices may present
/// their own certificate.
pub fn handshake(
    plain: &Plain,
    subject: &Subject,
    registry: &str,
    endpoint: &Endpoint,
    trust: &TrustAnswer,
    way: Option<(std::net::IpAddr, std::net::IpAddr)>,
) -> Confirmation {
    let printed = Counterexample::Handshake {
        host: endpoint.host.clone(),
        presented_by: trust.presented_by.clone(),
        issuer: trust.issuer.clone(),
        names: trust.names.clone(),
    };
    let witness = Witness::Handshake {
        pool: Pool { cluster: subject.cluster.clone(), name: subject.pool.clone() },
        registry: registry.to_owned(),
        host: endpoint.host.clone(),
        way: way.map(|(source, destination)| Way {
            from: subject.source(source),
            destination,
            port: endpoint.port,
        }),
        presented_by: trust.presented_by.clone(),
        issuer: trust.issuer.clone(),
        names: trust.names.clone(),
    };
    settle(witness, plain, printed)
}

pub fn request(
    plain: &Plain,
    subject: &Subject,
    registry: &str,
    host: Option<&str>,
    repository: Option<&str>,
    identity: &IdentityAnswer,
) -> Confirmation {
    let printed = Counterexample::Request {
        principal: identity.principal.clone(),
        action: identity.action.clone(),
        scope: identity.scope.clone(),
        result: identity.result.clone(),
    };
    let witness = Witness::Request {
        cluster: subject.cluster.clone(),
        pool: Some(subject.pool.clone()),
        registry: registry.to_owned(),
        host: host.map(str::to_owned),
        repository: repository.map(str::to_owned),
        principal: identity.principal.clone(),
        action: identity.action.clone(),
        scope: identity.scope.clone(),
        result: identity.result.clone(),
    };
    settle(witness, plain, printed)
}

/// The first that is confirmed; else one that is not known. Contradicted only where every one is.
pub fn any_of(all: impl Iterator<Item = Confirmation>) -> Confirmation {
    let mut best: Option<Confirmation> = None;
    for one in all {
        match (&best, one) {
            (_, confirmed @ Confirmation::Confirmed(_)) => return confirmed,
            (None | Some(Confirmation::Contradicted(_)), other) => best = Some(other),
            (Some(_), _) => {}
        }
    }
    best.unwrap_or_else(|| Confirmation::Unknown(vec![unconfirmed()]))
}

fn settle(witness: Witness, plain: &Plain, printed: Counterexample) -> Confirmation {
    match confirm(witness, plain) {
        Ok(_) => Confirmation::Confirmed(printed),
        Err(Disagrees::Unknown(missing)) => Confirmation::Unknown(missing),
        Err(Disagrees::Contradicts(text)) => Confirmation::Contradicted(text),
    }
}

fn no_source(subnet: &ArmId) -> Missing {
    Missing {
        kind: MissingKind::Evidence,
        what: format!("an assignable address in {}", subnet.name()),
        why: "the subnet has no address that a node could get (R25)".into(),
        remedy: "read the subnet's prefixes".into(),
        holds_if: None,
        breaks_if: None,
    }
}

/// What a claim is missing whose failure the plain evaluator cannot confirm.
pub fn unconfirmed() -> Missing {
    Missing {
        kind: MissingKind::NotModelled,
        what: "a second opinion on this failure".into(),
        why: "the plain evaluator cannot follow this construct, so its failure is not stated as a fact (V13)"
            .into(),
        remedy: "check the named element by hand".into(),
        holds_if: None,
        breaks_if: None,
    }
}
