//! `query`'s `filter` (CONTRACT §4).

use std::net::IpAddr;

use pullproof_network::model::index::{NicIx, SubnetIx};
use pullproof_network::model::nic::Nic;
use pullproof_network::model::owner::OwnerKind;
use pullproof_network::set::{Addresses, Ports};
use pullproof_network::{Ref, Val};
use pullproof_snapshot::question::{Decision, DecisionAnswer, Direction, From, Packet};

use super::pass::Piece;
use super::point::{FilterPoint, Holder};
use crate::context::Proto;
use crate::outcome::{Missing, MissingKind, Outcome};
use crate::path::Target;
use crate::prover::Prover;

impl Prover<'_> {
    /// `query`'s `filter` (CONTRACT §4): a packet at a NIC, or at the interface that the packet's own address has in a
    /// subnet. The error says what in the question cannot be used.
    pub fn filter_answer(
        &self,
        at: &From,
        direction: Direction,
        packet: &Packet,
    ) -> Result<DecisionAnswer, String> {
        let sources: Addresses = packet.source.parse()?;
        let destination: IpAddr =
            packet.destination.parse().map_err(|_| format!("`{}` is no address", packet.destination))?;
        let (proto, sports, port) = transport(packet)?;
        let own = match direction {
            Direction::Outbound => packet.source.parse().ok(),
            Direction::Inbound => Some(destination),
        };
        let to = Target::Address(destination);
        let mut pieces = Vec::new();
        for point in self.filter_points(at, direction, own)? {
            pieces.extend(self.pieces(&point, &sources, &sports, &to, proto, port).0);
        }
        Ok(answer(&pieces))
    }

    fn filter_points(
        &self,
        at: &From,
        direction: Direction,
        own: Option<IpAddr>,
    ) -> Result<Vec<FilterPoint>, String> {
        match (&at.nic, &at.subnet) {
            (Some(name), None) => {
                let (ix, nic) = one(name, self.network.nics.iter().map(|(ix, nic)| (ix, &nic.id, nic)))?;
                Ok(vec![self.point_of_nic(ix, nic, direction)?])
            }
            (None, Some(name)) => {
                let subnets = self.network.subnets.iter();
                let (subnet, _) = one(name, subnets.map(|(ix, subnet)| (ix, &subnet.id, subnet)))?;
                let holders = self.holders_at(subnet, own).into_iter();
                let point = |holder| {
                    let sender = match (direction, holder) {
                        (Direction::Outbound, Holder::Pool(pool)) => Some(pool),
                        _ => None,
                    };
                    FilterPoint { subnet, holder, direction, sender, forwarded: false }
                };
                Ok(holders.map(point).collect())
            }
            _ => Err("give either `nic` or `subnet`".into()),
        }
    }

    /// Whose interface an address of a subnet is: a private endpoint's, a machine's, else that of a new node of each
    /// pool there. An address that is not in the subnet has none: the subnet's own filters are asked.
    fn holders_at(&self, subnet: SubnetIx, own: Option<IpAddr>) -> Vec<Holder> {
        let inside = |a: &IpAddr| self.network.subnets[subnet].prefixes.iter().any(|p| p.contains(a));
        let Some(own) = own.filter(inside) else { return vec![Holder::Other] };
        let owners = self.network.owners_of(own).iter().filter(|o| o.subnet == Some(subnet));
        let owner = owners.min_by_key(|o| !matches!(o.kind, OwnerKind::PrivateEndpoint(_)));
        match owner.map(|o| o.kind) {
            Some(OwnerKind::PrivateEndpoint(endpoint)) => vec![Holder::PrivateEndpoint(endpoint)],
            Some(OwnerKind::Nic(nic, _)) => vec![Holder::Nic(nic)],
            Some(_) => vec![Holder::Other],
            None if self.network.pools_of(subnet).is_empty() => vec![Holder::Other],
            None => self.network.pools_of(subnet).iter().map(|pool| Holder::Pool(*pool)).collect(),
        }
    }

    fn point_of_nic(&self, ix: NicIx, nic: &Nic, direction: Direction) -> Result<FilterPoint, String> {
        let subnets = nic.ip_configs.iter().filter_map(|config| config.subnet.present().and_then(Ref::here));
        let subnet = subnets.into_iter().next().ok_or("the subnet of the interface was not read")?;
        let holder = match &nic.private_endpoint {
            Val::Known(Some(Ref::Here(endpoint))) => Holder::PrivateEndpoint(*endpoint),
            _ => Holder::Nic(ix),
        };
        Ok(FilterPoint { subnet, holder, direction, sender: None, forwarded: false })
    }
}

/// The transport, the source ports and the destination port of a question's packet.
pub(crate) fn transport(packet: &Packet) -> Result<(Proto, Ports, u16), String> {
    let proto = match packet.protocol.to_ascii_lowercase().as_str() {
        "tcp" => Proto::Tcp,
        "udp" => Proto::Udp,
        other => return Err(format!("protocol `{other}`: only tcp and udp can be asked about")),
    };
    // Linux' ephemeral range, where the question leaves the port open (V2).
    let sports = packet.source_port.map_or(Ports::range(32768, 60999), Ports::one);
    let port = packet.destination_port.ok_or("`destination_port` is needed")?;
    Ok((proto, sports, port))
}

/// The object with this id, or the only one with this name.
pub(crate) fn one<'a, I: Copy, T>(
    name: &str,
    objects: impl Iterator<Item = (I, &'a pullproof_snapshot::ArmId, &'a T)>,
) -> Result<(I, &'a T), String> {
    let wanted = pullproof_snapshot::ArmId::new(name);
    let mut named = Vec::new();
    for (ix, id, object) in objects {
        if *id == wanted {
            return Ok((ix, object));
        }
        if id.name().eq_ignore_ascii_case(name) {
            named.push((ix, id, object));
        }
    }
    match named.as_slice() {
        [(ix, _, object)] => Ok((*ix, object)),
        [] => Err(format!("`{name}` was not found")),
        several => {
            let ids: Vec<&str> = several.iter().map(|(_, id, _)| id.as_written()).collect();
            Err(format!("`{name}` is ambiguous: {}", ids.join(", ")))
        }
    }
}

/// One decision for all pieces, or unknown.
fn answer(pieces: &[Piece]) -> DecisionAnswer {
    let mut out: Option<DecisionAnswer> = None;
    for piece in pieces {
        let decision = match &piece.outcome {
            Outcome::Holds => Decision::Allow,
            Outcome::Fails(..) => Decision::Deny,
            Outcome::Open(..) => Decision::Unknown,
        };
        let decided = piece.decided.as_ref().filter(|_| decision != Decision::Unknown);
        let missing: Vec<Missing> = piece.outcome.missing().into_iter().cloned().collect();
        let one = DecisionAnswer {
            decision,
            rule: decided.map(|(rule, _)| rule.clone()),
            by: decided.map(|(_, by)| by.as_written().to_owned()),
            missing,
        };
        out = Some(match out {
            None => one,
            Some(known) if known.decision == one.decision => known,
            Some(_) => DecisionAnswer {
                decision: Decision::Unknown,
                rule: None,
                by: None,
                missing: vec![parts_differ(piece)],
            },
        });
    }
    out.unwrap_or(DecisionAnswer { decision: Decision::Unknown, rule: None, by: None, missing: Vec::new() })
}

fn parts_differ(piece: &Piece) -> Missing {
    Missing {
        kind: MissingKind::DependsOn,
        what: "one source and one source port".into(),
        why: format!("{} port {} fares differently from the rest", piece.sources, piece.sports),
        remedy: "ask about one packet".into(),
        holds_if: None,
        breaks_if: None,
    }
}
