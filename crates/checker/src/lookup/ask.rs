//! Putting a question to an address: who asks, whether the packet gets there, who stands there, what that one says.

use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::declared::DnsServer;
use pullproof_snapshot::facts::public_resolvers;
use pullproof_snapshot::question::{LookupResult, Missing};

use super::azure_dns::Rematch;
use super::owner::{Owner, owners, peered};
use super::reaching::{Target, reaches, sends};
use super::reply::{Reply, agreed};
use super::servers::machine_in;
use super::{AZURE_DNS, Walk};
use crate::json::Node;
use crate::missing;
use crate::plain::{Plain, Source};
use crate::reach::Delivery;
use crate::resources::{all, find, unread_beside};
use crate::tri::Tri;
use crate::vnet::Subnet;

/// Who sends a query. A firewall or resolver endpoint in a virtual network is a machine in its subnet.
#[derive(Clone, Debug)]
pub(crate) enum Asker {
    Machine(Source),
    /// The firewall of a secured virtual hub, at its private address.
    Hub(IpAddr),
    /// A machine in a declared site.
    Site(String, IpAddr),
    /// Somewhere on the Internet.
    Internet,
}

impl Asker {
    pub(crate) fn vnet(&self) -> Option<ArmId> {
        match self {
            Self::Machine(source) => source.subnet.parent(),
            Self::Hub(_) | Self::Site(..) | Self::Internet => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    /// UDP first; TCP only for truncated answers, so that a missing TCP path is no failure (D133).
    Udp,
    /// TCP only (LocalDNS `ForceTCP`, D152).
    Tcp,
}

impl Transport {
    pub(crate) fn protocol(self) -> &'static str {
        match self {
            Self::Udp => "udp",
            Self::Tcp => "tcp",
        }
    }
}

const NIC: &str = "microsoft.network/networkinterfaces";

impl<'p> Walk<'p> {
    /// What the server at an address replies to this asker; silence where the query or its answer is lost.
    pub(crate) fn ask(
        &mut self,
        asker: &Asker,
        server: IpAddr,
        port: u16,
        transport: Transport,
        name: &str,
    ) -> Reply {
        let here = format!("host:{server}");
        if server.is_loopback() || self.is_cluster_service(asker, server) {
            // Nobody listens there while the node has not joined (D117).
            return Reply::of(LookupResult::Timeout).after(here);
        }
        if server == AZURE_DNS {
            return self.ask_azure(asker, transport, name);
        }
        let walked = match asker {
            Asker::Machine(from) => Some(sends(self.plain, from, server, port, transport)),
            Asker::Hub(_) | Asker::Site(..) | Asker::Internet => None,
        };
        let delivery = walked.as_ref().and_then(|(_, delivery)| delivery.clone());
        let owner = match self.owner_at(asker, server, delivery.as_ref()).as_slice() {
            [] => None,
            [one] => Some(one.clone()),
            many => {
                let what = format!("owner of {server}");
                let why = format!("{} resources of the snapshot have this address", many.len());
                return Reply::unknown(vec![missing::evidence(what, why)]).after(here);
            }
        };
        let target = Target { server, port, transport, owner: owner.as_ref() };
        let reached = walked.map_or_else(|| reaches(self.plain, asker, target), |(reached, _)| reached);
        if reached == Tri::No {
            return Reply::of(LookupResult::Timeout).after(here);
        }
        let place = match delivery {
            Some(Delivery::Site(site)) => Some(Asker::Site(site, server)),
            _ => None,
        };
        let reply = self.at(server, port, owner.as_ref(), place.as_ref(), asker, name);
        match reached {
            Tri::Unknown(missing) if !reply.is_silence() => Reply::unknown(missing).after(here),
            _ => reply,
        }
    }

    /// Who has the address: whoever the walk ends at, else whoever the asker could mean.
    fn owner_at(&self, asker: &Asker, server: IpAddr, delivery: Option<&Delivery>) -> Vec<Owner> {
        let candidates = owners(self.plain, asker.vnet().as_ref(), server);
        let end = match delivery {
            Some(Delivery::Site(_) | Delivery::Internet) => return Vec::new(),
            Some(
                Delivery::NetworkInterface(id)
                | Delivery::LoadBalancer(id)
                | Delivery::AzureFirewall(id)
                | Delivery::ResolverEndpoint(id)
                | Delivery::PrivateEndpoint(id),
            ) => id,
            Some(Delivery::VirtualNetwork(_) | Delivery::ServiceEndpoint { .. } | Delivery::Platform)
            | None => {
                return candidates;
            }
        };
        let all = owners(self.plain, None, server);
        all.into_iter().filter(|owner| owner.id() == end).collect()
    }

    /// 168.63.129.16 answers machines in virtual networks, each as its own network sees it (D26, D27); routes do not
    /// matter, of NSG rules only those with the service's own tag do (D24, D25).
    fn ask_azure(&mut self, asker: &Asker, transport: Transport, name: &str) -> Reply {
        match asker {
            Asker::Machine(_) => {
                let reply = |walk: &mut Self| walk.azure_dns(asker.vnet().as_ref(), name);
                let target = Target { server: AZURE_DNS, port: 53, transport, owner: None };
                match reaches(self.plain, asker, target) {
                    Tri::Yes => reply(self),
                    Tri::No => Reply::of(LookupResult::Timeout).after("168.63.129.16"),
                    Tri::Unknown(missing) => Reply::unknown(missing),
                }
            }
            Asker::Hub(_) => self.azure_dns(None, name),
            Asker::Site(..) | Asker::Internet => Reply::of(LookupResult::Timeout).after("168.63.129.16"), // D107
        }
    }

    /// What the owner of an address says, given that the query reaches it.
    fn at(
        &mut self,
        server: IpAddr,
        port: u16,
        owner: Option<&Owner>,
        place: Option<&Asker>,
        asker: &Asker,
        name: &str,
    ) -> Reply {
        let here = format!("host:{server}");
        let off = match owner {
            Some(Owner::Machine { nic, .. }) => is_switched_off(self.plain, nic),
            _ => Ok(false),
        };
        match off {
            Ok(true) => return Reply::of(LookupResult::Timeout).after(here), // D114
            Ok(false) => {}
            Err(missing) => return Reply::unknown(vec![missing]).after(here),
        }
        match self.declared_at(server, owner, place, asker) {
            Ok(None) => {}
            Ok(Some((row, place))) if port == 53 => {
                if let (Asker::Machine(machine), None) = (&place, owner)
                    && let Some(open) = unread_beside(self.plain, &machine.subnet, NIC)
                {
                    return Reply::unknown(vec![open]).after(here); // perhaps it is switched off (D114)
                }
                return self.declared_server(row, &place, name);
            }
            Ok(Some(_)) => {
                let what = format!("resolver at {server} port {port}");
                return Reply::unknown(vec![missing::declare(
                    what,
                    "declared servers listen on port 53",
                    "",
                )]);
            }
            Err(reply) => return *reply,
        }
        match owner {
            Some(Owner::InboundEndpoint { .. } | Owner::Firewall { .. }) if port != 53 => {
                Reply::of(LookupResult::Timeout).after(here)
            }
            Some(Owner::InboundEndpoint { id, subnet }) => {
                self.azure_dns(subnet.parent().as_ref(), name).after(id.to_string()) // D88
            }
            Some(Owner::Firewall { id, .. }) => self.firewall_proxy(id, name),
            Some(Owner::LoadBalancer { id, frontend, .. }) => self.balanced(id, frontend, port, name),
            Some(Owner::PrivateEndpoint { id, .. } | Owner::Terminal { id, .. }) => {
                let why = "a resolver behind it is not followed";
                Reply::unknown(vec![missing::not_modelled(id.to_string(), why)]).after(here)
            }
            None if public_resolvers::all().contains(&server) && port == 53 => {
                self.public(name, Rematch::Nobody).after(here)
            }
            Some(Owner::Machine { .. }) | None => {
                let why = "what it forwards, knows and refuses is no Azure configuration (D103)";
                let remedy = "declare it in pullproof.toml, [[dns_server]]";
                Reply::unknown(vec![missing::declare(format!("resolver at {server}"), why, remedy)])
                    .after(here)
            }
        }
    }

    /// The declared server at an address and where it stands.
    fn declared_at(
        &self,
        server: IpAddr,
        owner: Option<&Owner>,
        place: Option<&Asker>,
        asker: &Asker,
    ) -> Result<Option<(&'p DnsServer, Asker)>, Box<Reply>> {
        let plain: &'p Plain = self.plain;
        let vnet_of = |row: &DnsServer| row.vnet.as_deref().and_then(|name| vnet_named(plain, name));
        let anywhere = |row: &DnsServer| row.vnet.is_none() && row.site.is_none();
        let vnet = owner.and_then(Owner::vnet);
        let fits = |row: &&DnsServer| {
            let here = match (place, &vnet) {
                (Some(Asker::Site(site, _)), _) => row.site.as_ref() == Some(site),
                (_, Some(vnet)) => vnet_of(row).as_ref() == Some(vnet),
                (_, None) => true,
            };
            row.address == server && (here || anywhere(row))
        };
        let mut rows: Vec<&DnsServer> = plain.declared.dns_servers.iter().filter(fits).collect();
        if rows.len() > 1 {
            // Overlapping spaces: the one in the asker's own network or beside it is nearer than any other.
            let near = asker.vnet().map(|own| {
                let mut near = peered(plain, &own);
                near.insert(own);
                near
            });
            let is_near = |row: &DnsServer| {
                near.as_ref().is_some_and(|near| vnet_of(row).is_some_and(|vnet| near.contains(&vnet)))
            };
            if rows.iter().any(|row| is_near(row)) {
                rows.retain(|row| is_near(row));
            }
        }
        let row = match rows.as_slice() {
            [] => return Ok(None),
            [row] => *row,
            _ => {
                let what = format!("which declared server {server} is");
                let why = "declared for several networks";
                let missing = missing::declare(what, why, "name the network of each");
                return Err(Box::new(Reply::unknown(vec![missing])));
            }
        };
        if plain.strict {
            let what = format!("resolver at {server}");
            let missing = missing::declare(what, "declared, and --strict takes it back", "");
            return Err(Box::new(Reply::unknown(vec![missing])));
        }
        let place = self.place_of(row, owner, asker);
        Ok(Some((row, place)))
    }

    fn place_of(&self, row: &DnsServer, owner: Option<&Owner>, asker: &Asker) -> Asker {
        if let Some(site) = &row.site {
            return Asker::Site(site.clone(), row.address);
        }
        let nic = match owner {
            Some(Owner::Machine { nic, .. }) => Some(nic.clone()),
            _ => None,
        };
        let vnet = row.vnet.as_deref().and_then(|name| vnet_named(self.plain, name)).or_else(|| asker.vnet());
        let subnet = owner
            .and_then(|owner| owner.subnet().cloned())
            .or_else(|| subnet_with(self.plain, &vnet?, row.address));
        if let Some(subnet) = subnet {
            return Asker::Machine(Source { subnet, address: row.address, nic, pool: None });
        }
        let site = self.plain.declared.sites.iter().find(|site| {
            let covers =
                |prefix: &String| crate::json::prefix(prefix).is_some_and(|net| net.contains(&row.address));
            site.prefixes.iter().any(covers)
        });
        site.map_or(Asker::Internet, |site| Asker::Site(site.name.clone(), row.address))
    }

    /// A load balancer's backends, any of which may get the query (D116).
    fn balanced(&mut self, balancer: &ArmId, frontend: &ArmId, port: u16, name: &str) -> Reply {
        let Some(resource) = find(self.plain, balancer.folded()) else {
            return Reply::unknown(vec![missing::resource(balancer)]);
        };
        let mut replies = Vec::new();
        for rule in resource.node().list("/properties/loadBalancingRules").known {
            let rule = Node::new(rule, balancer);
            let (Ok(at), Ok(front), Ok(protocol)) = (
                rule.reference("/properties/frontendIPConfiguration").known(),
                rule.number("/properties/frontendPort").known(),
                rule.text("/properties/protocol").known(),
            ) else {
                continue;
            };
            let protocol = protocol.unwrap_or_default();
            let carries = protocol.eq_ignore_ascii_case("All") || protocol.eq_ignore_ascii_case("Udp");
            let all_ports = front == Some(0);
            if at.as_ref() != Some(frontend) || !carries || !(all_ports || front == Some(i64::from(port))) {
                continue;
            }
            let back = rule.number("/properties/backendPort").known().ok().flatten().unwrap_or(0);
            let back = if all_ports { port } else { u16::try_from(back).unwrap_or(port) };
            for (address, owner) in self.backends(&rule, balancer) {
                let from = owner.subnet().cloned().and_then(|subnet| machine_in(self.plain, &subnet));
                let asker = from.map_or(Asker::Internet, Asker::Machine);
                replies.push(self.at(address, back, Some(&owner), None, &asker, name));
            }
        }
        if replies.is_empty() {
            let why = "no rule carries UDP 53 to a backend that the snapshot shows (D116)";
            return Reply::unknown(vec![missing::evidence(balancer.to_string(), why)]);
        }
        let why =
            missing::contested("D116", format!("backend of {balancer} that answers"), "the backends differ");
        agreed(replies, &why).after(balancer.to_string())
    }

    fn backends(&self, rule: &Node<'_>, balancer: &ArmId) -> Vec<(IpAddr, Owner)> {
        let mut pools = rule.references("/properties/backendAddressPools").known;
        pools.extend(rule.reference("/properties/backendAddressPool").known().ok().flatten());
        let mut out = Vec::new();
        for nic in all(self.plain, "microsoft.network/networkinterfaces") {
            for config in nic.node().list("/properties/ipConfigurations").known {
                let node = Node::new(config, &nic.id);
                let member = node.references("/properties/loadBalancerBackendAddressPools").known;
                let (Ok(Some(address)), Ok(Some(subnet))) = (
                    node.address("/properties/privateIPAddress").known(),
                    node.reference("/properties/subnet").known(),
                ) else {
                    continue;
                };
                if member.iter().any(|pool| pools.contains(pool) && pool.is_within(balancer.folded())) {
                    out.push((address, Owner::Machine { nic: nic.id.clone(), subnet }));
                }
            }
        }
        out
    }

    /// An address of the asking node's own cluster services (D117).
    fn is_cluster_service(&self, asker: &Asker, server: IpAddr) -> bool {
        let Asker::Machine(Source { pool: Some(pool), .. }) = asker else { return false };
        let Some(cluster) = find(self.plain, pool.cluster.folded()) else { return false };
        let ranges = cluster.node().prefixes("/properties/networkProfile/serviceCidrs").known;
        let single = cluster.node().text("/properties/networkProfile/serviceCidr").known().ok().flatten();
        let single = single.and_then(crate::json::prefix);
        ranges.into_iter().chain(single).any(|range| range.contains(&server))
    }
}

/// The virtual network with this id or, where only one has it, this name.
pub(super) fn vnet_named(plain: &Plain, name: &str) -> Option<ArmId> {
    let mut found = all(plain, "microsoft.network/virtualnetworks")
        .into_iter()
        .filter(|vnet| vnet.id == ArmId::new(name) || vnet.id.name().eq_ignore_ascii_case(name));
    let first = found.next()?;
    found.next().is_none().then_some(first.id)
}

/// The subnet of a virtual network whose prefixes hold the address.
fn subnet_with(plain: &Plain, vnet: &ArmId, address: IpAddr) -> Option<ArmId> {
    let holds = |subnet: &&Subnet| {
        subnet.vnet == *vnet && subnet.prefixes().known.iter().any(|prefix| prefix.contains(&address))
    };
    plain.index().subnets.values().find(holds).map(|subnet| subnet.id.clone())
}

/// True when the machine is known to be stopped or deallocated; without an instance view it counts as up (V2, D114).
/// `Err` where it could not be read.
fn is_switched_off(plain: &Plain, nic: &ArmId) -> Result<bool, Missing> {
    let Some(nic) = find(plain, nic.folded()) else { return Ok(false) };
    let Some(id) = nic.node().reference("/properties/virtualMachine").known()? else { return Ok(false) };
    let Some(machine) = find(plain, id.folded()) else {
        return unread_beside(plain, &id, "microsoft.compute/virtualmachines").map_or(Ok(false), Err);
    };
    let statuses = machine.node().list("/properties/instanceView/statuses").known;
    Ok(statuses.into_iter().any(|status| {
        let code = Node::new(status, &machine.id).text("/code").known().ok().flatten().unwrap_or_default();
        ["PowerState/deallocated", "PowerState/stopped"].iter().any(|off| code.eq_ignore_ascii_case(off))
    }))
}
