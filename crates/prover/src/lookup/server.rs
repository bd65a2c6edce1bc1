//! Who answers at an address: Azure DNS, an inbound endpoint, a firewall, a declared server, or nobody knows.

use std::net::IpAddr;

use pullproof_network::model::compute::VmPower;
use pullproof_network::model::dns_resolver::{inbound_endpoint, resolver};
use pullproof_network::model::index::{DnsServerIx, InboundEndpointIx, NicIx, SiteIx, SubnetIx};
use pullproof_network::{Ref, Val};
use pullproof_snapshot::facts::public_resolvers;

use super::asker::{AZURE_DNS, Asker, Reached};
use super::declared_server::Place;
use super::device::Device;
use super::reply::{Reply, distinct, step};
use super::trail::{Ahead, Asked, Trail};
use crate::blocker::BlockerKind;
use crate::context::Proto;
use crate::lookup_answer::RecordType;
use crate::missing::too_complex;
use crate::outcome::{Basis, Blocker, Outcome};
use crate::path::{Delivery, StepDecision, StepKind};
use crate::prover::Prover;
use crate::unread::{unknown_value, unread};

impl Prover<'_> {
    /// What the asker gets from `address` for the name. Never empty.
    #[expect(clippy::too_many_arguments, reason = "asker, server and question")]
    pub(crate) fn ask_resolver(
        &self,
        asker: &Asker,
        address: IpAddr,
        port: u16,
        tcp: bool,
        name: &str,
        record: RecordType,
        trail: &Trail,
    ) -> Vec<Reply> {
        if address == AZURE_DNS
            && let Some(replies) = self.ask_azure_from_afar(asker, name, record)
        {
            return replies;
        }
        let proto = if tcp { Proto::Tcp } else { Proto::Udp };
        let mut out = Vec::new();
        for reached in self.reach_resolver(asker, address, port, proto) {
            if let Outcome::Fails(first, rest) = &reached.outcome {
                out.push(self.unreachable(address, port, proto, first, rest).resting_on(&reached.basis));
                continue;
            }
            let unless: Vec<_> = reached.outcome.missing().into_iter().cloned().collect();
            let replies = match asker {
                Asker::Machine(context) if address == AZURE_DNS => {
                    self.azure(self.network.subnets[context.subnet].vnet, name, record, trail)
                }
                _ => self.at_delivery(address, &reached, name, record, trail),
            };
            out.extend(replies.into_iter().map(|mut reply| {
                if !reply.silent {
                    reply.unless_silent.extend(unless.iter().cloned());
                }
                reply.resting_on(&reached.basis)
            }));
        }
        distinct(out)
    }

    /// 168.63.129.16 exists only on hosts of virtual networks (D26, D107); a hub's firewall gets public DNS (D123).
    fn ask_azure_from_afar(&self, asker: &Asker, name: &str, record: RecordType) -> Option<Vec<Reply>> {
        match asker {
            Asker::Machine(_) => None,
            Asker::HubFirewall(..) => Some(super::azure::of_hub(self, name, record)),
            Asker::Site(site, from) => {
                let table =
                    self.network.sites.get(*site).and_then(|s| self.network.declared.sites.get(s.table));
                let site = table.map_or("a site", |t| &t.name);
                Some(vec![Reply::silence(vec![Blocker {
                    kind: BlockerKind::ResolverUnreachable,
                    message: format!("server {from} in {site} forwards to 168.63.129.16, which answers only inside Azure"),
                    remedy: "forward to a private resolver's inbound endpoint, a DNS server or a firewall in a virtual network".into(),
                    facts: vec!["D26", "D107"],
                    evidence: Vec::new(),
                }])])
            }
        }
    }

    fn unreachable(
        &self,
        address: IpAddr,
        port: u16,
        proto: Proto,
        first: &Blocker,
        rest: &[Blocker],
    ) -> Reply {
        let word = match proto {
            Proto::Tcp => "TCP",
            Proto::Udp => "UDP",
        };
        let mut blockers = vec![Blocker {
            kind: BlockerKind::ResolverUnreachable,
            message: format!("resolver {address} cannot be reached on {word} {port}: {}", first.message),
            remedy: first.remedy.clone(),
            facts: ["D133"].into_iter().chain(first.facts.iter().copied()).collect(),
            evidence: first.evidence.clone(),
        }];
        blockers.extend(rest.iter().map(|b| Blocker { kind: BlockerKind::ResolverUnreachable, ..b.clone() }));
        Reply::silence(blockers)
    }

    fn at_delivery(
        &self,
        address: IpAddr,
        reached: &Reached,
        name: &str,
        record: RecordType,
        trail: &Trail,
    ) -> Vec<Reply> {
        let trail = match trail.ask(Asked::Server(address), name) {
            Ahead::Go(trail) => trail,
            Ahead::Loop(circle) => return vec![self.looped(&circle, name)],
            Ahead::TooDeep => return vec![Reply::unknown(too_complex(format!("the lookup of {name}")))],
        };
        let device = match &reached.delivery {
            Delivery::Device(id) => self.listener(id, address),
            // The way is not known; who would answer may be, where only one thing has the address.
            Delivery::Nowhere => match self.holders(address).as_slice() {
                [(device, _)] => Some(*device),
                _ => None,
            },
            _ => None,
        };
        match device {
            Some(Device::Inbound(ix)) => return self.inbound(ix, address, name, record, &trail),
            Some(Device::Firewall(ix)) => return self.answer_as_proxy(ix, address, name, record, &trail),
            Some(Device::Nic(nic)) => {
                if let Some(reply) = self.switched_off(nic, address) {
                    return vec![reply];
                }
            }
            Some(Device::LoadBalancer(_)) | None => {}
        }
        let subnet = device.and_then(|d| self.held_subnet(d, address)).or_else(|| match &reached.delivery {
            Delivery::Subnet(id) => self.network.subnets.iter().find(|(_, s)| s.id == *id).map(|(ix, _)| ix),
            _ => None,
        });
        let site = match &reached.delivery {
            Delivery::Site(name) => {
                self.network.sites.iter().find(|(_, s)| *s.name == **name).map(|(ix, _)| ix)
            }
            _ => None,
        };
        if let Some((ix, place)) = self.declared_resolver_at(address, device, subnet, site) {
            return self.declared_server(ix, &place, name, record, &trail);
        }
        if public_resolvers::all().contains(&address) && device.is_none() {
            let lost = Blocker {
                kind: BlockerKind::PublicAnswer,
                message: format!(
                    "{address} is a public resolver: it knows no private zone, so {name} is answered by public DNS"
                ),
                remedy: "ask Azure DNS, or a resolver that forwards to it".into(),
                facts: vec!["D115", "D172"],
                evidence: Vec::new(),
            };
            return self.public_only(name, record).into_iter().map(|r| r.lost(lost.clone())).collect();
        }
        vec![Reply::unknown(self.opaque(address, name))]
    }

    /// A private resolver's inbound endpoint: Azure DNS as the resolver's network sees it (D88).
    fn inbound(
        &self,
        ix: InboundEndpointIx,
        address: IpAddr,
        name: &str,
        record: RecordType,
        trail: &Trail,
    ) -> Vec<Reply> {
        let network = self.network;
        let endpoint = &network.inbound_endpoints[ix];
        let object = &network.resolvers[endpoint.resolver];
        let vnet = match &object.vnet {
            Val::Known(Some(Ref::Here(vnet))) => *vnet,
            Val::Known(Some(Ref::NotRead(id))) => {
                return vec![Reply::unknown(unread(
                    id,
                    format!("resolver {} answers as this network (D88)", object.id.name()),
                ))];
            }
            Val::Known(None) => return vec![Reply::unknown(self.opaque(address, name))],
            Val::Sym(symbol) => {
                let what = format!("the network of resolver {}", object.id.name());
                return vec![Reply::unknown(unknown_value(network, *symbol, what))];
            }
        };
        let mut basis = Basis::default();
        basis.in_force(endpoint.id.name(), &endpoint.provisioning_state, endpoint.place);
        basis.in_force(object.id.name(), &object.provisioning_state, object.place);
        let said = step(
            StepKind::Resolver,
            endpoint.id.as_written(),
            StepDecision::Forward,
            format!("the inbound endpoint answers as {}", self.vnet_name(vnet)),
            vec![endpoint.place.at(inbound_endpoint::IP_CONFIGS), object.place.at(resolver::VNET)],
            vec!["D88"],
        );
        let replies = self.azure(vnet, name, record, trail);
        replies.into_iter().map(|r| r.after(said.clone()).resting_on(&basis)).collect()
    }

    /// A machine that is switched off does not answer (D114).
    fn switched_off(&self, nic: NicIx, address: IpAddr) -> Option<Reply> {
        use pullproof_network::model::compute::virtual_machine;
        let vm = self.network.nics[nic].virtual_machine.present()?.here()?;
        let vm = &self.network.virtual_machines[vm];
        match vm.power_state.present()? {
            power @ (VmPower::Stopped | VmPower::Deallocated | VmPower::Deallocating) => {
                Some(Reply::silence(vec![Blocker {
                    kind: BlockerKind::ResolverUnreachable,
                    message: format!("DNS server {address} ({}) is {}", vm.id.name(), power.as_str()),
                    remedy: format!("start {}", vm.id.name()),
                    facts: vec!["D114"],
                    evidence: vec![vm.place.at(virtual_machine::STATUSES)],
                }]))
            }
            _ => None,
        }
    }

    /// The declared server that is meant by an address reached there.
    fn declared_resolver_at(
        &self,
        address: IpAddr,
        device: Option<Device>,
        subnet: Option<SubnetIx>,
        site: Option<SiteIx>,
    ) -> Option<(DnsServerIx, Place)> {
        let network = self.network;
        let vnet = subnet.map(|s| network.subnets[s].vnet);
        let fits = |ix: &DnsServerIx| {
            let server = &network.dns_servers[*ix];
            let table = network.declared.dns_servers.get(server.table);
            table.is_some_and(|t| t.address == address)
                && server.vnet.as_ref().is_none_or(|v| vnet.is_none() && site.is_none() || v.here() == vnet)
                && server.site.is_none_or(|s| site.is_none_or(|here| here == s) && device.is_none())
        };
        let mut found = network.dns_servers.iter().map(|(ix, _)| ix).filter(fits);
        let ix = found.next()?;
        // Where it stands is not known, and several tables have the address: none can be taken.
        if vnet.is_none() && site.is_none() && found.next().is_some() {
            return None;
        }
        let server = &network.dns_servers[ix];
        let place = match (subnet, site.or(server.site)) {
            (Some(subnet), _) => Place::Subnet(subnet, device),
            (None, Some(site)) => Place::Site(site),
            (None, None) => match server.vnet.as_ref().and_then(Ref::here) {
                Some(vnet) => Place::Network(vnet),
                None => self.only_holder(address).unwrap_or(Place::Unknown),
            },
        };
        Some((ix, place))
    }

    fn only_holder(&self, address: IpAddr) -> Option<Place> {
        match self.holders(address).as_slice() {
            [(device, subnet)] => Some(Place::Subnet(*subnet, Some(*device))),
            _ => None,
        }
    }
}
