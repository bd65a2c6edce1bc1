//! From a question of `pullproof query` to its answer (CONTRACT §4).

use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::{Answer, Decision, DecisionAnswer, Direction, From, Packet, Question};

use crate::egress::Sender;
use crate::index::{Home, OwnerKind};
use crate::json::Node;
use crate::nsg::{Flow, Machine, MachineKind};
use crate::plain::Plain;
use crate::pools;
use crate::vnet::Subnet;
use crate::{firewall, first_hop, missing, name_questions, names, nsg, path_answer};

/// Answers every question that the plain evaluator knows; an error answer where a name is not found or ambiguous.
pub fn answer(plain: &Plain, question: &Question) -> Answer {
    reply(plain, question).unwrap_or_else(Answer::error)
}

fn reply(plain: &Plain, question: &Question) -> Result<Answer, String> {
    Ok(match question {
        Question::NextHop { from, destination } => {
            let at = stand(plain, from)?;
            let to = address(destination)?;
            Answer::NextHop(first_hop::next_hop(plain, at.subnet, &at.sender(plain), to))
        }
        Question::EffectiveRoutes { from } => {
            Answer::EffectiveRoutes(first_hop::effective_routes(plain, stand(plain, from)?.subnet))
        }
        Question::Filter { at, direction, packet } => {
            let at = stand(plain, at)?;
            let flow = flow(packet)?;
            let own = if *direction == Direction::Outbound { flow.source } else { flow.destination };
            let decide = |kind| {
                let machine = Machine { subnet: at.subnet, kind, address: own, forwarded: false };
                nsg::filter(plain, &machine, *direction, &flow).answer()
            };
            Answer::Decision(together(at.kinds(plain, own).into_iter().map(decide).collect()))
        }
        Question::Firewall { firewall, packet, host } => {
            let id = names::resource(plain, "Microsoft.Network/azureFirewalls", "firewall", firewall)?;
            Answer::Decision(firewall::answer(plain, &id, &flow(packet)?, host.as_deref()))
        }
        Question::Admission { registry, from, address } => {
            name_questions::admission(plain, registry, *from, address.as_deref())?
        }
        Question::Lookup { subnet, vnet, name, record } => {
            name_questions::lookup(plain, subnet.as_deref(), vnet.as_deref(), name, record)?
        }
        Question::Endpoints { registry, cluster: _, image_host } => {
            name_questions::endpoints(plain, registry, image_host.as_deref())?
        }
        Question::Path { from, to, port, protocol } => {
            Answer::Path(path_answer::path(plain, from, to, *port, protocol)?)
        }
    })
}

/// The subnet, and the NIC where one is meant, that a question starts at.
struct Stand<'a> {
    subnet: &'a Subnet,
    nic: Option<ArmId>,
}

fn stand<'a>(plain: &'a Plain, from: &From) -> Result<Stand<'a>, String> {
    match (&from.subnet, &from.nic) {
        (Some(name), None) => Ok(Stand { subnet: names::subnet(plain, name)?, nic: None }),
        (None, Some(name)) => {
            let nic = names::resource(plain, "Microsoft.Network/networkInterfaces", "nic", name)?;
            let (_, json) = plain.read(&nic).map_err(|m| m.what)?;
            let node = Node::new(&json, &nic);
            let configs = node.list("/properties/ipConfigurations").known;
            let primary = configs
                .iter()
                .find(|c| Node::new(c, &nic).flag("/properties/primary").known() == Ok(Some(true)));
            let config =
                primary.or(configs.first()).ok_or_else(|| format!("{nic} has no IP configuration"))?;
            let subnet = Node::new(config, &nic).reference("/properties/subnet").known().ok().flatten();
            let subnet = subnet.ok_or_else(|| format!("{nic} names no subnet"))?;
            Ok(Stand { subnet: names::subnet(plain, subnet.as_written())?, nic: Some(nic) })
        }
        _ => Err("give exactly one of `subnet` and `nic`".into()),
    }
}

impl Stand<'_> {
    fn sender(&self, plain: &Plain) -> Sender {
        match (&self.nic, pools::of_subnet(plain, &self.subnet.id).into_iter().next()) {
            (Some(nic), _) => Sender::Nic(nic.clone()),
            (None, Some(pool)) => Sender::Node(pool),
            (None, None) => Sender::Anonymous,
        }
    }

    /// A private endpoint's NIC is the platform's: its filter is that of the endpoint (F93). In a subnet it is the
    /// interface of the packet's own address: an endpoint's, a machine's, else that of a new node of a pool there.
    fn kinds(&self, plain: &Plain, own: IpAddr) -> Vec<MachineKind> {
        if let Some(nic) = &self.nic {
            return match endpoint_of(plain, nic) {
                Some(_) => vec![MachineKind::PrivateEndpoint],
                None => vec![MachineKind::Nic(nic.clone())],
            };
        }
        let here = &self.subnet.id;
        if plain.index().endpoints.iter().any(|e| e.subnet == *here && e.address == own) {
            return vec![MachineKind::PrivateEndpoint];
        }
        let owners = plain.index().owners.get(&own).map(Vec::as_slice).unwrap_or_default();
        if let Some(owner) = owners.iter().find(|o| o.home == Home::Subnet(here.clone())) {
            return match owner.kind {
                OwnerKind::Nic => vec![MachineKind::Nic(owner.id.clone())],
                _ => vec![MachineKind::Anonymous],
            };
        }
        let pools = pools::of_subnet(plain, here);
        if pools.is_empty() || !self.subnet.prefixes().known.iter().any(|p| p.contains(&own)) {
            return vec![MachineKind::Anonymous];
        }
        pools.into_iter().map(MachineKind::Node).collect()
    }
}

/// One answer of all machines that a question may mean.
fn together(answers: Vec<DecisionAnswer>) -> DecisionAnswer {
    let mut all = answers.into_iter();
    let Some(first) = all.next() else {
        return DecisionAnswer { decision: Decision::Unknown, rule: None, by: None, missing: Vec::new() };
    };
    all.fold(first, |one, other| {
        if one.decision == other.decision {
            return one;
        }
        let missing =
            missing::depends_on("which pool the node is of", "the pools there are filtered differently");
        DecisionAnswer { decision: Decision::Unknown, rule: None, by: None, missing: vec![missing] }
    })
}

fn endpoint_of(plain: &Plain, nic: &ArmId) -> Option<ArmId> {
    let (_, json) = plain.read(nic).ok()?;
    Node::new(&json, nic).reference("/properties/privateEndpoint").known().ok().flatten()
}

fn address(text: &str) -> Result<IpAddr, String> {
    text.trim().parse().map_err(|_| format!("`{text}` is not an IP address"))
}

fn flow(packet: &Packet) -> Result<Flow, String> {
    Ok(Flow {
        protocol: packet.protocol.to_ascii_lowercase(),
        source: address(&packet.source)?,
        source_port: packet.source_port.unwrap_or(32768),
        destination: address(&packet.destination)?,
        destination_port: packet.destination_port.ok_or("the packet needs a destination_port")?,
        host: None,
    })
}
