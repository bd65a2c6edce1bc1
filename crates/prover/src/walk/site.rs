//! Declared sites: what they filter, where they deliver, and where their replies enter Azure (R143–R146, R156, R159).

use std::net::IpAddr;

use pullproof_network::model::index::{ConnectionIx, Ref, SiteIx, SubnetIx};
use pullproof_network::set::Addresses;
use pullproof_snapshot::declared::FilterAction;

use super::Walk;
use super::back::{Cell, Start};
use super::packet::{Packet, step};
use crate::BlockerKind;
use crate::device::Place;
use crate::device::declared_filter::{Declared, FirstPacket, decide, parse};
use crate::missing::{Ends, declare, evidence};
use crate::outcome::{Basis, Blocker, Missing, Outcome};
use crate::path::{Branch, Delivery, SeenAs, StepDecision, StepKind};
use crate::routes::select::is_public;

impl Walk<'_, '_> {
    /// A declared site: its filter, its way to the address, and its routes back (CONTRACT §2).
    pub(super) fn at_site(&self, mut packet: Packet, ix: SiteIx) -> Vec<Branch> {
        let network = self.prover.network;
        let site = &network.sites[ix];
        let Some(declared) = network.declared.sites.get(site.table) else {
            let missing = declare(format!("site {}", site.name), "its declaration is gone", "declare it");
            return vec![packet.lost(missing)];
        };
        packet.branch.basis.assume(format!("site:{}", site.name));
        if let Some(ended) = self.reaches(&mut packet, declared, &site.name) {
            return ended;
        }
        let sources = packet.sources();
        let first = FirstPacket { sources: &sources, to: &packet.to, proto: self.proto, port: packet.port };
        let parts = match declared.filter.as_deref() {
            _ if !declared.firewall.is_empty() => {
                let all_deny = declared.firewall.iter().all(|f| f.action == FilterAction::Deny);
                let otherwise = if all_deny { Declared::Allow(None) } else { Declared::Deny(None) };
                decide(&declared.firewall, &first, otherwise)
            }
            Some("none") => vec![(sources.clone(), Declared::Allow(None))],
            _ => {
                packet.branch.basis.assume(format!("site:{}/unfiltered", site.name));
                vec![(sources.clone(), Declared::Allow(None))]
            }
        };
        let several = parts.len() > 1;
        let mut out = Vec::new();
        for (part, what) in parts {
            let mut packet = packet.clone();
            if !packet.is_askers() && several {
                packet.choose("snat", part.to_string());
            }
            if packet.is_askers() {
                packet.branch.sources = part;
            }
            packet.filtered(site_outcome(&site.name, what));
            if !packet.is_hypothetical() {
                // R156: what goes on to the Internet by the site is delivered there, and seen from there.
                if packet.branch.delivery != Delivery::Internet {
                    packet.branch.delivery = Delivery::Site(site.name.to_string());
                }
                packet.step(
                    StepKind::Site,
                    site.name.to_string(),
                    StepDecision::Deliver,
                    format!("delivered at site {}", site.name),
                    Vec::new(),
                    &["R146"],
                );
            }
            let start = self.site_return(ix, declared, &packet.sources());
            out.extend(self.reply(packet, start));
        }
        out
    }

    /// Whether the site has the destination. `Some`: the walk ends here.
    fn reaches(
        &self,
        packet: &mut Packet,
        declared: &pullproof_snapshot::declared::Site,
        name: &str,
    ) -> Option<Vec<Branch>> {
        let prefixes: Vec<String> = declared.prefixes.iter().filter(|p| *p != "0.0.0.0/0").cloned().collect();
        let inside = parse(&prefixes);
        let address = super::appliance::only_address(&packet.to);
        if address.is_some_and(|a| inside.contains(a)) {
            return None;
        }
        let public = address.is_none_or(is_public);
        if !public {
            let missing = declare(
                format!("whether {} is at site {name}", address.map(|a| a.to_string()).unwrap_or_default()),
                "the site's prefixes do not hold it",
                "add its prefix to the site's `prefixes`",
            );
            return Some(vec![packet.clone().lost(missing)]);
        }
        // R156: out to the Internet by the site.
        match declared.internet_egress {
            Some(true) => {
                packet.branch.seen_as =
                    Some(SeenAs::Unknown(format!("the public addresses that site {name} leaves by")));
                if !packet.is_hypothetical() {
                    packet.branch.delivery = Delivery::Internet;
                }
                None
            }
            Some(false) => {
                let blocker = Blocker {
                    kind: BlockerKind::NoEgress,
                    message: format!("site {name} does not let the traffic out to the Internet"),
                    remedy: "route the public addresses out of Azure directly, or let the site carry them"
                        .into(),
                    facts: vec!["R156"],
                    evidence: Vec::new(),
                };
                Some(self.fail(packet.clone(), blocker))
            }
            None => {
                let missing = declare(
                    format!("whether site {name} carries traffic on to the Internet"),
                    "the default route leads there, and `internet_egress` is not declared (R156)",
                    format!("add internet_egress to [[site]] {name}"),
                );
                Some(vec![packet.clone().lost(missing)])
            }
        }
    }

    /// Where the reply enters Azure: by the site's connection, for what it routes back (R143–R146, R159).
    fn site_return(
        &self,
        ix: SiteIx,
        declared: &pullproof_snapshot::declared::Site,
        to: &Addresses,
    ) -> Start {
        let network = self.prover.network;
        let site = &network.sites[ix];
        let name = &site.name;
        let whole = |outcome: Outcome| Start::Parts(vec![one(to.clone(), outcome, name)], Vec::new());
        if declared.routes_to_azure.is_empty() {
            return whole(Outcome::open(self.not_declared(ix, to)));
        }
        let back = parse(&declared.routes_to_azure);
        let lost = to.subtract(&back);
        let mut cells = Vec::new();
        if !lost.is_empty() {
            let blocker = Blocker {
                kind: BlockerKind::SiteNoReturnRoute,
                message: format!("site {name} has no route back to {lost}"),
                remedy: format!("announce {lost} to the site, or add a route there"),
                facts: vec!["R145", "R146"],
                evidence: self.announcing(ix),
            };
            cells.push(one(lost, Outcome::fails(blocker), name));
        }
        let routed = to.intersect(&back);
        if routed.is_empty() {
            return Start::Parts(cells, Vec::new());
        }
        match self.return_gateway(ix) {
            Ok(subnet) => Start::Parts(cells, vec![(routed, Place::Subnet(subnet))]),
            Err(outcome) => {
                cells.push(one(routed, outcome, name));
                Start::Parts(cells, Vec::new())
            }
        }
    }

    /// The site's routes back are its own affair; what a gateway was recorded to announce tells what it can have learned
    /// (R144–R146).
    fn not_declared(&self, ix: SiteIx, to: &Addresses) -> Missing {
        let name = &self.prover.network.sites[ix].name;
        let why = match self.announced(ix) {
            None => "they are not in Azure (R145, R146)".to_owned(),
            Some(known) if to.is_subset(&known) => {
                "they are not in Azure; the gateway was recorded to announce these addresses, and whether the site takes that in is not known (R146)".to_owned()
            }
            Some(known) => format!(
                "they are not in Azure, and the gateway was recorded not to announce {} (R144, R146)",
                to.subtract(&known)
            ),
        };
        declare(
            format!("the routes of site {name} back to {to}"),
            why,
            format!("add routes_to_azure to [[site]] {name}"),
        )
        .holds_if("the site has a route back to these addresses")
        .breaks_if("it has none")
    }

    /// What the gateways of the site's connections were recorded to announce (`getAdvertisedRoutes`).
    fn announced(&self, ix: SiteIx) -> Option<Addresses> {
        let network = self.prover.network;
        let gateways = network.sites[ix].connections.iter();
        let gateways = gateways.filter_map(|c| network.connections[*c].gateway.present().and_then(Ref::here));
        let mut out: Option<Addresses> = None;
        for gateway in gateways {
            let id = network.gateways[gateway].id.folded();
            for recorded in network.layered.evidence(id, "getAdvertisedRoutes") {
                let rows = recorded.answer.get("value").and_then(serde_json::Value::as_array)?;
                let prefix =
                    |row: &serde_json::Value| row.get("network")?.as_str()?.parse::<ipnet::IpNet>().ok();
                let known = Addresses::of(rows.iter().filter_map(prefix));
                out = Some(out.unwrap_or_default().union(&known));
            }
        }
        out
    }

    /// The gateway's subnet at which the site's replies come in.
    fn return_gateway(&self, ix: SiteIx) -> Result<SubnetIx, Outcome> {
        let network = self.prover.network;
        let site = &network.sites[ix];
        let connections: Vec<ConnectionIx> = match site.preferred {
            Some(preferred) => vec![preferred],
            None => site.connections.clone(),
        };
        let mut subnets: Vec<SubnetIx> = Vec::new();
        for c in &connections {
            let gateway = network.connections[*c].gateway.present().and_then(Ref::here);
            if let Some(missing) = gateway.and_then(|g| self.prover.gateway_subnet_tripwire(g)) {
                return Err(Outcome::open(missing));
            }
            let subnet = gateway.and_then(|g| {
                network.gateways[g].ip_configs.iter().find_map(|i| i.subnet.present().and_then(Ref::here))
            });
            match subnet {
                Some(subnet) if !subnets.contains(&subnet) => subnets.push(subnet),
                Some(_) => {}
                None => {
                    return Err(Outcome::open(evidence(
                        format!("the gateway of connection {}", network.connections[*c].id.name()),
                        "it was not read",
                        "add the gateway and its subnet to the input",
                    )));
                }
            }
        }
        if let Some(preferred) = site.preferred {
            let up = self.prover.connection_up(preferred);
            if !up.holds() {
                return Err(up);
            }
        }
        match subnets.as_slice() {
            [subnet] => Ok(*subnet),
            [] => Err(Outcome::open(declare(
                format!("the connection by which site {} replies", site.name),
                "no connection of it was read",
                "add `connections` to the [[site]]",
            ))),
            _ => Err(Outcome::open(declare(
                format!("the connection by which site {} replies", site.name),
                "it has several, at different gateways",
                "add `preferred` to the [[site]]",
            ))),
        }
    }

    /// What keeps a node network from being announced, for evidence: the transit flags of its link to the gateway's
    /// network (R120).
    fn announcing(&self, ix: SiteIx) -> Vec<pullproof_snapshot::At> {
        use pullproof_network::model::vnet::peering;
        let network = self.prover.network;
        let here = network.subnets[self.from.subnet].vnet;
        let homes = network.sites[ix]
            .connections
            .iter()
            .filter_map(|c| network.connections[*c].gateway.present().and_then(Ref::here))
            .filter_map(|g| self.prover.gateway_vnet(g));
        let links = homes.filter_map(|home| {
            network.peerings_of(here).iter().find(|l| self.prover.remote_vnet(**l) == Some(home))
        });
        links.map(|l| network.peerings[*l].place.at(peering::USE_REMOTE_GATEWAYS)).collect()
    }
}

fn one(to: Addresses, outcome: Outcome, site: &str) -> Cell {
    let replied =
        step(StepKind::Site, site, StepDecision::Answer, "replies by its own routes", Vec::new(), &["R145"]);
    Cell { to, outcome, steps: vec![replied], basis: Basis::default() }
}

fn site_outcome(name: &str, what: Declared) -> Outcome {
    match what {
        Declared::Allow(_) => Outcome::Holds,
        Declared::Deny(n) => Outcome::fails(Blocker {
            kind: BlockerKind::SiteFirewallDenies,
            message: match n {
                Some(n) => format!(
                    "the firewall of site {name} denies the flow, by entry {} of its declaration",
                    n.saturating_add(1)
                ),
                None => format!("no entry of the declared firewall of site {name} allows the flow"),
            },
            remedy: "let the site's firewall allow the flow, and declare it".into(),
            facts: vec!["R146"],
            evidence: Vec::new(),
        }),
        Declared::Open(n) => Outcome::open(evidence(
            "the public address of the destination",
            format!(
                "entry {} of the firewall of site {name} covers part of public space",
                n.saturating_add(1)
            ),
            "declare [[public_name]] with the host's addresses",
        )),
    }
}

impl crate::prover::Prover<'_> {
    /// The declared site that has an address, where exactly one does.
    pub(crate) fn site_with(&self, address: IpAddr) -> Option<SiteIx> {
        let mut found = self.network.sites.iter().filter(|(_, site)| {
            let declared = self.network.declared.sites.get(site.table);
            declared.is_some_and(|d| {
                let prefixes: Vec<String> =
                    d.prefixes.iter().filter(|p| *p != "0.0.0.0/0").cloned().collect();
                parse(&prefixes).contains(address)
            })
        });
        match (found.next(), found.next()) {
            (Some((ix, _)), None) => Some(ix),
            _ => None,
        }
    }
}
