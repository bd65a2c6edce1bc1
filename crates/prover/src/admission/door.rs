//! The registry's own door: public network access, IP rules, service endpoints, private endpoints.

use std::net::IpAddr;

use pullproof_network::model::index::{PrivateEndpointIx, RegistryIx};
use pullproof_network::model::private_endpoint::{
    ConnectionStatus, PrivateLinkTarget, private_link_connection,
};
use pullproof_network::model::registry::{
    DefaultAction, PublicNetworkAccess, Registry, RegistrySku, ip_rule, registry as pointer,
    registry_connection,
};
use pullproof_network::set::Addresses;
use pullproof_network::{Ref, Val};
use pullproof_snapshot::question::Role;
use pullproof_snapshot::{ArmId, At};

use crate::blocker::BlockerKind;
use crate::outcome::{Basis, Blocker, Missing, MissingKind, Outcome, Read, Remark};
use crate::prover::Prover;
use crate::registry_answer::{Arrival, Endpoint, RegistryKey, ServedAt};

impl Prover<'_> {
    /// Does the registry admit a client that arrives so at this endpoint (A87, A100, F147)? `Holds` exactly when every
    /// address that it may be seen as is admitted. Trusted-service bypass never helps a node (A51, F145).
    pub fn admission(
        &self,
        registry: RegistryKey,
        endpoint: &Endpoint,
        arrival: Arrival<'_>,
    ) -> (Outcome, Basis) {
        let mut basis = Basis::default();
        let ix = match registry {
            RegistryKey::Acr(ix) => ix,
            RegistryKey::Declared(i) => {
                // Whoever declares its hosts declares that they serve (A396).
                if let Some(declared) = self.network.declared.registries.get(i) {
                    basis.assume(format!("registry:{}", declared.name));
                }
                return (Outcome::Holds, basis);
            }
        };
        let Some(read) = self.network.registries.get(ix) else {
            return (Outcome::open(unread("the registry was not read")), basis);
        };
        basis.reads.insert(Read::Resource(read.id.clone()));
        basis.in_force(read.id.name(), &read.provisioning_state, read.place);
        // The storage accounts behind an ACR have no rules that a customer sees (F148, A395).
        if endpoint.wildcard {
            basis.remarks.insert(Remark {
                kind: "storage-acl-unknown",
                message: format!(
                    "{} admits by a signed URL; whether the registry's IP rules count there is not known",
                    endpoint.host
                ),
                facts: vec!["F148", "A395"],
                evidence: Vec::new(),
            });
            return (Outcome::Holds, basis);
        }
        let door = Door { prover: self, ix, registry: read };
        let outcome = match arrival {
            Arrival::PrivateEndpoint(served) => door.private_endpoint(served, &mut basis),
            Arrival::Public { seen_as, unknown } => {
                let login = endpoint.roles.contains(&Role::Login);
                door.public(seen_as, unknown, login)
            }
            Arrival::ServiceEndpoint(subnet) => door.service_endpoint(subnet, &mut basis),
        };
        (outcome, basis)
    }
}

/// One registry's rules.
struct Door<'p> {
    prover: &'p Prover<'p>,
    ix: RegistryIx,
    registry: &'p Registry,
}

impl Door<'_> {
    fn name(&self) -> &str {
        self.registry.id.name()
    }

    fn blocked(
        &self,
        kind: BlockerKind,
        message: String,
        remedy: &str,
        facts: &[&'static str],
        at: At,
    ) -> Outcome {
        Outcome::fails(Blocker {
            kind,
            message,
            remedy: remedy.into(),
            facts: facts.to_vec(),
            evidence: vec![at],
        })
    }

    fn at(&self, field: &'static str) -> At {
        self.registry.place.at(field)
    }

    /// A75: only an Approved connection carries traffic, and the registry's copy of the state is the one that counts.
    /// IP rules and public network access do not matter (A86, F142).
    fn private_endpoint(&self, served: &ServedAt, basis: &mut Basis) -> Outcome {
        let Some(ix) = served.endpoint else {
            basis.assume(format!("registry:{}", served.by));
            return Outcome::Holds;
        };
        let Some(endpoint) = self.prover.network.private_endpoints.get(ix) else {
            return Outcome::open(unread("the private endpoint was not read"));
        };
        basis.reads.insert(Read::Resource(endpoint.id.clone()));
        basis.in_force(endpoint.id.name(), &endpoint.provisioning_state, endpoint.place);
        let state = self.state(ix, endpoint.id.name());
        if let Some(sku) = self.sku_too_low("private endpoints") {
            return state.and(sku);
        }
        state
    }

    fn state(&self, ix: PrivateEndpointIx, name: &str) -> Outcome {
        let network = self.prover.network;
        let ours =
            network.private_endpoints.get(ix).into_iter().flat_map(|endpoint| endpoint.connections.iter());
        let ours: Vec<_> = ours
            .filter(|connection| match &connection.target {
                Val::Known(Some(PrivateLinkTarget::Registry(Ref::Here(target)))) => *target == self.ix,
                Val::Known(_) => false,
                Val::Sym(_) => true,
            })
            .collect();
        let theirs = self.registry.private_endpoint_connections.iter().find(|connection| {
            matches!(&connection.private_endpoint, Val::Known(Some(Ref::Here(endpoint))) if *endpoint == ix)
        });
        if ours.is_empty() && theirs.is_some() {
            return Outcome::open(Missing {
                kind: MissingKind::Evidence,
                what: format!("what private endpoint {name} leads to"),
                why: format!("{} lists it, and it names another target itself (A75)", self.name()),
                remedy: "read registry and private endpoint at the same time".into(),
                holds_if: Some(format!("it leads to {}", self.name())),
                breaks_if: Some("it leads to something else".into()),
            });
        }
        if ours.is_empty() {
            return self.blocked(
                BlockerKind::EndpointNoMember,
                format!("private endpoint {name} does not lead to registry {}", self.name()),
                "point the name at an endpoint of the registry",
                &["A72"],
                self.at(pointer::PRIVATE_ENDPOINT_CONNECTIONS),
            );
        }
        let listed = &self.registry.private_endpoint_connections;
        let hidden = listed.open.is_some()
            || listed.iter().any(|connection| connection.private_endpoint.symbol().is_some());
        let (status, at) = match theirs {
            Some(connection) => (connection.status.clone(), connection.place.at(registry_connection::STATUS)),
            None if self.unnamed(ix).is_some() => {
                (Val::Known(self.unnamed(ix)), self.at(pointer::PRIVATE_ENDPOINT_CONNECTIONS))
            }
            // The registry's copy is the one that counts, and this part of it is not known.
            None if hidden => {
                return Outcome::open(Missing {
                    kind: MissingKind::Evidence,
                    what: format!("the registry's side of private endpoint {name}"),
                    why: format!("the list of connections of {} is not completely known (A75)", self.name()),
                    remedy: "read the registry completely".into(),
                    holds_if: Some("the registry lists the connection as Approved".into()),
                    breaks_if: Some("it lists it in another state, or not at all".into()),
                });
            }
            None if self.lists_connections() => {
                return Outcome::open(Missing {
                    kind: MissingKind::Evidence,
                    what: format!("the registry's side of private endpoint {name}"),
                    why: format!(
                        "{} lists its connections and this one is not among them (A75)",
                        self.name()
                    ),
                    remedy: "read registry and private endpoint at the same time".into(),
                    holds_if: Some("the registry lists the connection as Approved".into()),
                    breaks_if: Some("the registry has no such connection".into()),
                });
            }
            None => match ours.first() {
                Some(connection) => {
                    (connection.status.clone(), connection.place.at(private_link_connection::STATUS))
                }
                None => return Outcome::open(unread("the connection was not read")),
            },
        };
        match status {
            Val::Known(Some(ConnectionStatus::Approved)) => Outcome::Holds,
            Val::Known(Some(other)) => self.blocked(
                BlockerKind::EndpointNotApproved,
                format!("private endpoint {name} to {} is {}, not Approved", self.name(), other.as_str()),
                "approve the private endpoint connection on the registry",
                &["A75", "F95"],
                at,
            ),
            Val::Known(None) | Val::Sym(_) => Outcome::open(Missing {
                kind: MissingKind::Evidence,
                what: format!("the connection state of private endpoint {name}"),
                why: "only an Approved connection carries traffic (A75)".into(),
                remedy: "give the state, or run again once it is known".into(),
                holds_if: Some("it is Approved".into()),
                breaks_if: Some("it is anything else".into()),
            }),
        }
    }

    /// The state in an element of the registry's list that has no name, so is no child.
    fn unnamed(&self, ix: PrivateEndpointIx) -> Option<ConnectionStatus> {
        let network = self.prover.network;
        let wanted = &network.private_endpoints.get(ix)?.id;
        let json = network.layered.json(self.registry.place.resource);
        let list = json.pointer(pointer::PRIVATE_ENDPOINT_CONNECTIONS)?.as_array()?;
        let text = |item: &serde_json::Value, field: &str| {
            item.pointer(field).and_then(serde_json::Value::as_str).map(str::to_owned)
        };
        let ours = list.iter().find(|item| {
            item.get("name").is_none()
                && text(item, registry_connection::PRIVATE_ENDPOINT)
                    .is_some_and(|id| ArmId::new(&id) == *wanted)
        })?;
        let word = text(ours, registry_connection::STATUS)?;
        let known = [
            ConnectionStatus::Approved,
            ConnectionStatus::Pending,
            ConnectionStatus::Rejected,
            ConnectionStatus::Disconnected,
        ];
        let found = known.into_iter().find(|status| status.as_str().eq_ignore_ascii_case(&word));
        Some(found.unwrap_or(ConnectionStatus::Other(word.into())))
    }

    /// The input shows the registry's connections at all: a list that is left out says nothing (A57).
    fn lists_connections(&self) -> bool {
        let list = &self.registry.private_endpoint_connections;
        let json = self.prover.network.layered.json(self.registry.place.resource);
        !list.items.is_empty() || json.pointer(pointer::PRIVATE_ENDPOINT_CONNECTIONS).is_some()
    }

    /// A36, A373. `None`: the tier carries it, or is not shown. Open: it may be any.
    fn sku_too_low(&self, what: &str) -> Option<Outcome> {
        let why = match &self.registry.sku {
            Val::Sym(symbol) => Some(self.prover.network.symbols.name(*symbol).to_owned()),
            Val::Known(Some(RegistrySku::Other(word))) => Some(format!("it says `{word}`")),
            Val::Known(_) => None,
        };
        if let Some(why) = why {
            return Some(Outcome::open(Missing {
                kind: MissingKind::Evidence,
                what: format!("the SKU of registry {}: {what} need Premium (A36, A373)", self.name()),
                why,
                remedy: "give the value, or run again once it is known".into(),
                holds_if: Some("it is Premium".into()),
                breaks_if: Some("it is Basic or Standard".into()),
            }));
        }
        let sku = self.registry.sku.present()?;
        let low = matches!(sku, RegistrySku::Basic | RegistrySku::Standard | RegistrySku::Classic);
        low.then(|| {
            self.blocked(
                BlockerKind::SkuTooLow,
                format!("registry {} is {}: {what} need Premium", self.name(), sku.as_str()),
                "set the registry's SKU to Premium",
                &["A36", "A373"],
                self.at(pointer::SKU),
            )
        })
    }

    /// A87, F147.
    fn public(&self, seen_as: &[IpAddr], unknown: Option<&str>, login: bool) -> Outcome {
        let rules = || self.rules(seen_as, unknown, login);
        match &self.registry.public_network_access {
            Val::Known(PublicNetworkAccess::Disabled) => self.public_access_off(),
            Val::Known(PublicNetworkAccess::Enabled) => rules(),
            Val::Known(PublicNetworkAccess::Other(word)) => {
                self.perhaps_off(rules(), format!("publicNetworkAccess says `{word}`"))
            }
            Val::Sym(symbol) => {
                self.perhaps_off(rules(), self.prover.network.symbols.name(*symbol).to_owned())
            }
        }
    }

    fn public_access_off(&self) -> Outcome {
        self.blocked(
            BlockerKind::PublicAccessOff,
            format!("public network access of registry {} is Disabled", self.name()),
            "reach the registry through a private endpoint, or enable public network access",
            &["A85", "F143"],
            self.at(pointer::PUBLIC_NETWORK_ACCESS),
        )
    }

    fn perhaps_off(&self, enabled: Outcome, why: String) -> Outcome {
        let missing = Missing {
            kind: MissingKind::Evidence,
            what: format!("public network access of registry {}", self.name()),
            why,
            remedy: "give the value, or run again once it is known".into(),
            holds_if: Some("it is Enabled".into()),
            breaks_if: Some("it is Disabled".into()),
        };
        enabled.readings(self.public_access_off(), missing)
    }

    fn rules(&self, seen_as: &[IpAddr], unknown: Option<&str>, login: bool) -> Outcome {
        match &self.registry.network_rules.default_action {
            Val::Known(DefaultAction::Allow) => Outcome::Holds,
            Val::Known(DefaultAction::Deny) => self.ip_rules(seen_as, unknown, login),
            Val::Known(DefaultAction::Other(_)) | Val::Sym(_) => {
                let missing = Missing {
                    kind: MissingKind::Evidence,
                    what: format!("the default action of registry {}", self.name()),
                    why: "it decides about addresses that no IP rule names (A87)".into(),
                    remedy: "give the value, or run again once it is known".into(),
                    holds_if: Some("it is Allow".into()),
                    breaks_if: Some("it is Deny".into()),
                };
                Outcome::Holds.readings(self.ip_rules(seen_as, unknown, login), missing)
            }
        }
    }

    /// The default is Deny: every address that the client may be seen as must be in a rule (A88).
    fn ip_rules(&self, seen_as: &[IpAddr], unknown: Option<&str>, login: bool) -> Outcome {
        if let Some(low) = self.sku_too_low("IP rules") {
            if let Outcome::Open(..) = low {
                return low;
            }
            return Outcome::open(Missing {
                kind: MissingKind::Contested,
                what: format!("whether the IP rules of registry {} are in force", self.name()),
                why: "its SKU does not carry IP rules (A36, A373)".into(),
                remedy: "set the default action to Allow, or the SKU to Premium".into(),
                holds_if: Some("they are not in force".into()),
                breaks_if: Some("they are in force".into()),
            });
        }
        let list = &self.registry.network_rules.ip_rules;
        let allowed = list.iter().filter_map(|rule| rule.value.known().copied());
        let allowed = Addresses::of(allowed);
        let open = list.open.is_some() || list.iter().any(|rule| rule.value.symbol().is_some());
        let outside: Vec<&IpAddr> = seen_as.iter().filter(|address| !allowed.contains(**address)).collect();
        if outside.is_empty() && unknown.is_none() && !seen_as.is_empty() {
            return Outcome::Holds;
        }
        if let Some(first) = outside.first()
            && !open
        {
            return self.outside(&format!("{first}"), login);
        }
        if outside.is_empty() && !open && (allowed.is_empty() || self.all_taken(&allowed)) {
            // F147: the platform cannot hand out an address that somebody has.
            return self.outside("whatever address the platform gives the nodes", login);
        }
        let (what, why) = if open && !seen_as.is_empty() {
            (format!("the IP rules of registry {}", self.name()), "a rule's value is not known".to_owned())
        } else {
            (
                "the public address that the nodes are seen as".to_owned(),
                unknown.unwrap_or_default().to_owned(),
            )
        };
        Outcome::open(Missing {
            kind: MissingKind::Evidence,
            what,
            why,
            remedy: "give the nodes an explicit egress with known addresses, and allow these".into(),
            holds_if: Some(format!("every address is in ipRules of {}", self.name())),
            breaks_if: Some("one of them is not".into()),
        })
    }

    /// The client is refused at the login host; whether a data host refuses it is not known (AU2).
    fn outside(&self, who: &str, login: bool) -> Outcome {
        let evidence = match self.registry.network_rules.ip_rules.items.first() {
            Some(rule) => rule.place.at(ip_rule::VALUE),
            None => self.at(pointer::IP_RULES),
        };
        if login {
            let message =
                format!("registry {} denies by default, and {who} is in none of its IP rules", self.name());
            return Outcome::fails(Blocker {
                kind: BlockerKind::SourceNotAllowed,
                message,
                remedy: format!("add the nodes' egress addresses to ipRules of {}", self.name()),
                facts: vec!["A87", "A88", "F147"],
                evidence: vec![self.at(pointer::DEFAULT_ACTION), evidence],
            });
        }
        Outcome::open(Missing {
            kind: MissingKind::Contested,
            what: "are a registry's IP rules enforced on its data hosts (AU2)".into(),
            why: format!("{who} is in none of the rules of {}", self.name()),
            remedy: format!("add the nodes' egress addresses to ipRules of {}", self.name()),
            holds_if: Some("they are enforced on the login host only".into()),
            breaks_if: Some("they are enforced on data hosts too".into()),
        })
    }

    /// F147: true exactly when each of these addresses is held by a resource that was read and whose addresses, were it
    /// the nodes' way out, would be known.
    fn all_taken(&self, allowed: &Addresses) -> bool {
        let network = self.prover.network;
        let single = allowed.iter().all(|(from, to)| from == to);
        single
            && allowed.iter().all(|(address, _)| {
                network.public_ips.values().any(|ip| {
                    ip.address.present() == Some(&address)
                        && (self.is_elsewhere(ip.holder.present()) || self.at_gateway(ip))
                })
            })
    }

    /// Held by something through which nodes leave with known addresses only, if at all.
    fn is_elsewhere(&self, holder: Option<&ArmId>) -> bool {
        let network = self.prover.network;
        let Some(holder) = holder else { return false };
        let kind = holder.resource_type().unwrap_or_default();
        if kind.starts_with("microsoft.network/azurefirewalls") {
            return network.firewalls.values().any(|firewall| {
                holder.is_within(firewall.id.folded())
                    && firewall.ip_configs.open.is_none()
                    && firewall.ip_configs.iter().all(|config| match &config.public_ip {
                        Val::Known(None) => true,
                        Val::Known(Some(ip)) => ip
                            .here()
                            .and_then(|ip| network.public_ips.get(ip))
                            .is_some_and(|ip| ip.address.present().is_some()),
                        Val::Sym(_) => false,
                    })
            });
        }
        if kind.starts_with("microsoft.network/networkinterfaces") {
            return network
                .nics
                .values()
                .any(|nic| holder.is_within(nic.id.folded()) && nic.ip_forwarding.is(&false));
        }
        ["virtualnetworkgateways", "bastionhosts", "applicationgateways"]
            .iter()
            .any(|name| kind.starts_with(&format!("microsoft.network/{name}")))
    }

    /// At a NAT gateway whose addresses are all known.
    fn at_gateway(&self, ip: &pullproof_network::model::load_balancer::PublicIp) -> bool {
        let network = self.prover.network;
        let gateway =
            ip.nat_gateway.present().and_then(Ref::here).and_then(|ix| network.nat_gateways.get(ix));
        gateway.is_some_and(|gateway| {
            gateway.public_ips.open.is_none()
                && gateway.public_ip_prefixes.is_empty()
                && gateway.public_ips.iter().all(|ip| {
                    ip.here()
                        .and_then(|ix| network.public_ips.get(ix))
                        .is_some_and(|ip| ip.address.present().is_some())
                })
        })
    }

    /// A90–A92, F146: the request carries the subnet's identity; public IP rules do not match it.
    fn service_endpoint(&self, subnet: &ArmId, basis: &mut Basis) -> Outcome {
        if self.registry.public_network_access.is(&PublicNetworkAccess::Disabled) {
            return self.public_access_off();
        }
        let through = self.subnet_rules(subnet, basis);
        match &self.registry.public_network_access {
            Val::Known(PublicNetworkAccess::Enabled | PublicNetworkAccess::Disabled) => through,
            Val::Known(PublicNetworkAccess::Other(word)) => {
                self.perhaps_off(through, format!("publicNetworkAccess says `{word}`"))
            }
            Val::Sym(symbol) => {
                self.perhaps_off(through, self.prover.network.symbols.name(*symbol).to_owned())
            }
        }
    }

    fn subnet_rules(&self, subnet: &ArmId, basis: &mut Basis) -> Outcome {
        let rules = &self.registry.network_rules;
        if rules.default_action.is(&DefaultAction::Allow) {
            return Outcome::Holds;
        }
        let network = self.prover.network;
        let names = |reference: &Ref<_>| match reference {
            Ref::Here(ix) => network.subnets.get(*ix).is_some_and(|known| known.id == *subnet),
            Ref::NotRead(id) => id == subnet,
        };
        let rule = rules
            .virtual_network_rules
            .iter()
            .find(|rule| matches!(&rule.subnet, Val::Known(Some(reference)) if names(reference)));
        if let Some(rule) = rule {
            basis.assume("preview:acr-service-endpoints");
            basis.remarks.insert(Remark {
                kind: "service-endpoint-deprecated",
                message: format!(
                    "registry {} admits subnet {} by a service endpoint: preview, on the way out",
                    self.name(),
                    subnet.name()
                ),
                facts: vec!["A90", "A91"],
                evidence: vec![rule.place.at("")],
            });
            return self.sku_too_low("virtual network rules").unwrap_or(Outcome::Holds);
        }
        let open = rules.virtual_network_rules.open.is_some()
            || rules.virtual_network_rules.iter().any(|rule| rule.subnet.symbol().is_some())
            || rules.default_action.symbol().is_some()
            || !self.shows_subnet_rules();
        if open {
            return Outcome::open(Missing {
                kind: MissingKind::Evidence,
                what: format!("the virtual network rules of registry {}", self.name()),
                why: "only preview API versions show them (A90)".into(),
                remedy: "read the registry with an API version that has virtualNetworkRules".into(),
                holds_if: Some(format!("one of them names subnet {}", subnet.name())),
                breaks_if: Some("none does".into()),
            });
        }
        self.blocked(
            BlockerKind::SourceNotAllowed,
            format!("registry {} has no virtual network rule for subnet {}", self.name(), subnet.name()),
            "add the subnet to the registry's virtual network rules, or use a private endpoint",
            &["A90", "A92", "F146"],
            self.at(pointer::VIRTUAL_NETWORK_RULES),
        )
    }

    /// The input has the preview field, or the registry has private endpoints, which exclude such rules (A372).
    fn shows_subnet_rules(&self) -> bool {
        let json = self.prover.network.layered.json(self.registry.place.resource);
        json.pointer(pointer::VIRTUAL_NETWORK_RULES).is_some_and(serde_json::Value::is_array)
            || !self.registry.private_endpoint_connections.items.is_empty()
    }
}

fn unread(why: &str) -> Missing {
    Missing {
        kind: MissingKind::Permission,
        what: "whom the registry admits".into(),
        why: why.into(),
        remedy: "read the registry with its private endpoint connections".into(),
        holds_if: None,
        breaks_if: None,
    }
}
