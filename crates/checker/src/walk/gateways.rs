//! Through gateways and hubs: connections, declared sites, virtual WAN (R129–R156, R177–R201).

use pullproof_snapshot::ArmId;
use pullproof_snapshot::declared::Site;

use super::{Arrival, HOPS, Walk};
use crate::egress::{Egress, Sender, of_firewall};
use crate::first_hop::user_gateway;
use crate::gateway::{self, Connection, Gateway};
use crate::hub::{self, HubConnection, Target};
use crate::merge::all;
use crate::missing;
use crate::reach::{Delivery, Reach};
use crate::reply::{self, Place};
use crate::routes::{Origin, Route, Via};
use crate::site;
use crate::steps::By;
use crate::tags;
use crate::tri::Tri;
use crate::vnet::Subnet;

impl Walk<'_> {
    /// Behind a hub's firewall: connected networks of all hubs, branches, or the Internet (R190–R192).
    pub(super) fn leave_hub_firewall(mut self, hub: &ArmId, firewall: &ArmId) -> Reach {
        self.hops += 1;
        if self.hops > HOPS || self.circles(hub) {
            return self.drop(hub, "gateway", &["R175"], None);
        }
        let to = self.flow.destination;
        match hub::behind_firewall(self.plain, hub, to) {
            Err(missing) => self.stop(Tri::unknown(missing)),
            Ok(Some(connection)) => self.into_network(hub, &connection.hub, &connection.vnet),
            Ok(None) if tags::is_public(to) => {
                let own = self.crossed.last().is_some_and(|c| c.source_nat);
                let out = of_firewall(self.plain, firewall);
                if own {
                    self.leave(firewall.clone(), out)
                } else {
                    self.drop(firewall, "internet", &["R46"], None)
                }
            }
            Ok(None) => match hub::branch(self.plain, hub, to) {
                Err(missing) => self.stop(Tri::unknown(missing)),
                Ok(Some(site)) => self.at_site(site),
                Ok(None) => self.drop(hub, "gateway", &["R186"], None),
            },
        }
    }

    /// Into a connected network; another hub's private policy puts its firewall in between (R192).
    pub(super) fn into_network(self, from: &ArmId, hub: &ArmId, network: &ArmId) -> Reach {
        if hub != from {
            match hub::private_policy(self.plain, hub) {
                Err(missing) => return self.stop(Tri::unknown(missing)),
                Ok(None) => {}
                Ok(Some(firewall)) => {
                    let owner =
                        self.plain.index().owners.values().flatten().find(|o| o.id == firewall).cloned();
                    return match owner {
                        Some(owner) if !self.crossed.iter().any(|c| c.id == owner.id.as_written()) => {
                            self.through_firewall(&owner)
                        }
                        Some(_) => self.deliver(network, Arrival::default()),
                        None => self.stop(Tri::unknown(missing::resource(&firewall))),
                    };
                }
            }
        }
        self.deliver(network, Arrival::default())
    }

    pub(super) fn in_hub(mut self, connection: &HubConnection) -> Reach {
        self.hops += 1;
        if self.hops > HOPS {
            return self.drop(&connection.hub, "gateway", &["R175"], None);
        }
        let to = self.flow.destination;
        self.steps.add("gateway", connection.hub.as_written(), "forward", &self.flow, None, &["R178"]);
        match hub::lookup(self.plain, connection, to) {
            Err(missing) => self.stop(Tri::unknown(missing)),
            Ok(None) => self.drop(&connection.hub, "gateway", &["R180"], None),
            Ok(Some(row)) => match row.target {
                Target::Network { hub, vnet } => self.into_network(&connection.hub, &hub, &vnet),
                Target::Site(name) => match self.plain.declared.sites.iter().find(|s| s.name == name) {
                    Some(site) => self.at_site(site),
                    None => self.drop(&connection.hub, "site", &["R200"], None),
                },
                Target::Firewall(id) => {
                    let owner = self.plain.index().owners.values().flatten().find(|o| o.id == id).cloned();
                    match owner {
                        Some(owner) => self.through_firewall(&owner),
                        None => self.stop(Tri::unknown(missing::resource(&id))),
                    }
                }
            },
        }
    }

    /// R47–R49 and R129–R133: which gateway, and over which connection.
    pub(super) fn reach_gateway(self, subnet: &Subnet, route: &Route) -> Reach {
        let to = self.flow.destination;
        let (gateway, connections) = match (&route.via, route.origin) {
            (_, Origin::User) => match user_gateway(self.plain, subnet) {
                Err(missing) => return self.stop(Tri::unknown(missing)),
                Ok(None) => return self.drop(&subnet.id, "gateway", &["R49"], By::route(route)),
                Ok(Some(gateway)) => {
                    let (announced, open) = gateway::announced(self.plain, &gateway);
                    let rows = announced.into_iter().filter(|a| a.prefix.contains(&to));
                    match (rows.max_by_key(|a| a.prefix.prefix_len()), open.into_iter().next()) {
                        (_, Some(missing)) => return self.stop(Tri::unknown(missing)),
                        (None, None) => return self.drop(&gateway.id, "gateway", &["R129"], None),
                        (Some(row), None) => (gateway, row.connections),
                    }
                }
            },
            (Via::Hub(_), _) => {
                return match hub::connection_of(self.plain, &subnet.vnet) {
                    Ok(Some(connection)) => self.in_hub(&connection),
                    Ok(None) => self.drop(&subnet.id, "gateway", &["R180"], None),
                    Err(missing) => self.stop(Tri::unknown(missing)),
                };
            }
            (Via::Connections { gateway, connections, .. }, _) => match gateway::by_id(self.plain, gateway) {
                Ok(gateway) => (gateway, connections.clone()),
                Err(missing) => return self.stop(Tri::unknown(missing)),
            },
            _ => {
                return self.stop(Tri::unknown(missing::evidence(
                    format!("which gateway carries {}", route.prefix),
                    "the row is recorded, the connection is not",
                )));
            }
        };
        self.through_connections(&gateway, &connections)
    }

    pub(super) fn through_connections(self, gateway: &Gateway, ids: &[ArmId]) -> Reach {
        let all_of = match gateway::connections(self.plain, gateway) {
            Ok(found) => found,
            Err(missing) => return self.stop(Tri::unknown(missing)),
        };
        let mut live: Vec<Connection> = all_of.into_iter().filter(|c| ids.contains(&c.id)).collect();
        live.retain(|c| c.connected(self.plain) != Tri::No); // R132
        if live.is_empty() {
            return self.drop(&gateway.id, "gateway", &["R132"], None);
        }
        let outcomes = live.iter().map(|c| self.clone().through_connection(gateway, c)).collect();
        all(outcomes)
    }

    pub(super) fn through_connection(mut self, gateway: &Gateway, connection: &Connection) -> Reach {
        let plain = self.plain;
        if let Tri::Unknown(why) = connection.connected(self.plain) {
            return self.stop(Tri::Unknown(why));
        }
        if let Some(open) = gateway::unmodelled(plain, gateway, connection, &self.origin_network()) {
            return self.stop(Tri::unknown(open));
        }
        self.steps.add("gateway", connection.id.as_written(), "forward", &self.flow, None, &["R129", "R133"]);
        if connection.is_type("Vnet2Vnet") {
            let far = match gateway::far_gateway(plain, gateway, connection) {
                Ok(Some(far)) => far,
                Ok(None) => return self.drop(&connection.id, "gateway", &["R150"], None),
                Err(missing) => return self.stop(Tri::unknown(missing)),
            };
            return match gateway::subnet(plain, &far.vnet) {
                Ok(subnet) => self.send(&subnet, &Sender::Platform),
                Err(missing) => self.stop(Tri::unknown(missing)),
            };
        }
        let to = self.flow.destination;
        let sites = site::of_connection(plain, &connection.id);
        match sites.iter().find(|s| site::announces(s, to)) {
            Some(site) => self.at_site(site),
            None => {
                let open = missing::declare(
                    format!("the network behind {}", connection.id.name()),
                    "what lies behind a connection is in no ARM resource (R146)",
                    "declare it: [[site]] with this connection",
                );
                let back = reply::from_outside(&mut self);
                let mut out = self.stop(Tri::unknown(open));
                if back == Tri::No {
                    out.return_routing = Tri::No;
                }
                out
            }
        }
    }

    /// Behind a gateway: a declared network.
    pub(super) fn at_site(mut self, site: &Site) -> Reach {
        let packet = site::First {
            source: self.flow.source,
            destination: self.flow.destination,
            protocol: &self.flow.protocol,
            destination_port: self.flow.destination_port,
        };
        let (admits, assumption) = site::admits(self.plain, site, packet);
        self.assume(format!("site:{}", site.name));
        if let Some(assumption) = assumption {
            self.assume(assumption);
        }
        let decision = match &admits {
            Tri::Yes => "allow",
            Tri::No => "deny",
            Tri::Unknown(_) => "forward",
        };
        self.steps.add("site", &site.name, decision, &self.flow, None, &["R146"]);
        self.filter = self.filter.and(admits);
        let place = Place::Site { name: site.name.clone() };
        if !tags::is_public(self.flow.destination) || site::holds_narrowly(site, self.flow.destination) {
            return self.finish(Delivery::Site(site.name.clone()), place);
        }
        // R156: a default route is no leave to reach the Internet.
        match site.internet_egress {
            Some(true) => {
                let open = missing::declare(
                    format!("the public addresses of the site {}", site.name),
                    "the Internet sees the site's address",
                    "",
                );
                self.egress = Some(Egress {
                    leaves: Tri::Yes,
                    addresses: Vec::new(),
                    missing: vec![open],
                    finding: None,
                });
                self.finish(Delivery::Internet, place)
            }
            Some(false) => {
                self.steps.deciding("site", &site.name, "drop", &self.flow, None, &["R156"]);
                self.stop(Tri::No)
            }
            None => self.stop(Tri::unknown(missing::declare(
                format!("whether the site {} lets packets out to the Internet", site.name),
                "a default route over a gateway (R156)",
                "declare internet_egress",
            ))),
        }
    }
}
