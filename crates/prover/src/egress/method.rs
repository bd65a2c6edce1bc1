//! Outbound methods in the order of their precedence (R202–R215, R217–R219).

use pullproof_network::Val;
use pullproof_network::model::cluster::{OutboundType, cluster};
use pullproof_network::model::index::{ClusterIx, NicIx, PoolIx, Ref, SubnetIx};
use pullproof_network::model::load_balancer::{LoadBalancerProtocol, OutboundRule, nat_gateway};
use pullproof_network::model::nic::nic;
use pullproof_network::model::pool::pool;
use pullproof_network::model::vnet::subnet;
use pullproof_network::set::TagMatch;
use pullproof_network::{List, SymbolIx};
use pullproof_snapshot::{Absence, At};

use super::{Leaving, Sender};
use crate::BlockerKind;
use crate::missing::{Ends, evidence};
use crate::outcome::{Basis, Blocker, Missing, Outcome, Remark};
use crate::path::{SeenAs, Step, StepDecision, StepKind, Target};
use crate::prover::Prover;
use crate::routes::peering::plain_region;

impl Prover<'_> {
    /// How packets of `sender` to `to` leave `subnet` once their route says `Internet`.
    pub(crate) fn leave(&self, subnet: SubnetIx, sender: Sender, to: &Target) -> Leaving {
        if let Some(leaving) = self.by_nat_gateway(subnet) {
            return leaving;
        }
        match sender {
            Sender::Pool(pool) => self.by_pool(subnet, pool, to),
            Sender::Nic(nic) => self.by_nic(subnet, nic, to),
            Sender::Machine => self.by_default(subnet, None, to),
        }
    }

    /// R203, R204: before every other method; without an address there is no egress at all.
    fn by_nat_gateway(&self, ix: SubnetIx) -> Option<Leaving> {
        let subnet = &self.network.subnets[ix];
        let at = subnet.place.at(subnet::NAT_GATEWAY);
        match &subnet.nat_gateway {
            Val::Known(None) => None,
            Val::Known(Some(Ref::Here(gateway))) => {
                let gateway = &self.network.nat_gateways[*gateway];
                let name = gateway.id.name();
                if gateway.public_ips.is_empty() && gateway.public_ip_prefixes.is_empty() {
                    return Some(fails(Blocker {
                        kind: BlockerKind::NoEgress,
                        message: format!("NAT gateway {name} has no public address, so nothing leaves by it"),
                        remedy: "attach a public IP or prefix to the NAT gateway".into(),
                        facts: vec!["R203", "R204"],
                        evidence: vec![gateway.place.at(nat_gateway::PUBLIC_IPS), at],
                    }));
                }
                let (ips, prefixes) = (&gateway.public_ips, &gateway.public_ip_prefixes);
                if ips.items.is_empty()
                    && prefixes.items.is_empty()
                    && let Some(symbol) = ips.open.or(prefixes.open)
                {
                    let missing = self.unknown(symbol, format!("the public addresses of NAT gateway {name}"));
                    return Some(open(
                        missing
                            .holds_if("it has one")
                            .breaks_if("it has none, so nothing leaves by it (R204)"),
                    ));
                }
                let seen = self.public_addresses(
                    &gateway.public_ips,
                    &gateway.public_ip_prefixes,
                    &format!("NAT gateway {name}"),
                );
                Some(holds(seen, name, at, &["R202", "R203"]))
            }
            Val::Known(Some(Ref::NotRead(id))) => {
                Some(open(self.not_read(id, format!("NAT gateway {} of subnet {}", id.name(), subnet.name))))
            }
            Val::Sym(symbol) => {
                Some(open(self.unknown(*symbol, format!("the NAT gateway of subnet {}", subnet.name))))
            }
        }
    }

    fn by_pool(&self, subnet: SubnetIx, ix: PoolIx, to: &Target) -> Leaving {
        let model = &self.network.pools[ix];
        match &model.enable_node_public_ip {
            Val::Known(Some(true)) => {
                let at = model.at(pool::ENABLE_NODE_PUBLIC_IP);
                let prefix = model.node_public_ip_prefix.present().cloned();
                let seen = match prefix {
                    Some(prefix) => self.public_addresses(
                        &List::empty(),
                        &List { items: vec![prefix], open: None },
                        &format!("the nodes of pool {}", model.name),
                    ),
                    None => SeenAs::Unknown(format!(
                        "each node of pool {} has a public address of its own",
                        model.name
                    )),
                };
                return holds(seen, &model.name, at, &["R202", "R206"]);
            }
            Val::Known(Some(false) | None) => {}
            Val::Sym(symbol) => {
                return open(self.unknown(*symbol, format!("enableNodePublicIP of pool {}", model.name)));
            }
        }
        self.by_cluster(subnet, ix, model.cluster, to)
    }

    /// R217–R219.
    fn by_cluster(&self, subnet: SubnetIx, pool: PoolIx, ix: ClusterIx, to: &Target) -> Leaving {
        let model = &self.network.clusters[ix];
        let name = model.id.name();
        let at = model.place.at(cluster::OUTBOUND_TYPE);
        match &model.network.outbound_type {
            Val::Known(Some(OutboundType::LoadBalancer)) => {
                let ips = &model.network.load_balancer_outbound_ips;
                let what = format!("the outbound load balancer of {name}");
                let seen = self.cluster_addresses(ips, &what);
                let mut leaving = holds(seen, name, at, &["R206", "R217"]);
                match self.outbound_rule(ix) {
                    Some(true) => {}
                    // The outbound type states intent only (A185): what was read has to carry it.
                    Some(false) => {
                        return open(evidence(
                            format!("the outbound rule of the load balancer of {name}"),
                            "what was read of its node resource group has none that a pool of it uses (R206, R215, A185)",
                            "reconcile the cluster (az aks update), or read the load balancer again",
                        ));
                    }
                    None => leaving.basis.assume(format!("automation:outbound-load-balancer/{name}")),
                }
                leaving
            }
            Val::Known(Some(OutboundType::ManagedNatGateway | OutboundType::ManagedNatGatewayV2))
                if !model.network.nat_gateway_outbound_ips.is_empty() =>
            {
                let ips = &model.network.nat_gateway_outbound_ips;
                let seen = self.cluster_addresses(ips, &format!("the managed NAT gateway of {name}"));
                holds(seen, name, at, &["R205", "R217"])
            }
            Val::Known(Some(OutboundType::ManagedNatGateway | OutboundType::ManagedNatGatewayV2)) => {
                open(evidence(
                    format!("the managed NAT gateway of {name}"),
                    "the subnet shows none, and the cluster lists no outbound address",
                    "collect the cluster and its subnet again",
                ))
            }
            Val::Known(Some(
                OutboundType::UserAssignedNatGateway
                | OutboundType::UserDefinedRouting
                | OutboundType::None
                | OutboundType::Block,
            )) => self.by_default(subnet, Some(pool), to),
            Val::Known(Some(OutboundType::Other(word))) => open(evidence(
                format!("how nodes of {name} leave"),
                format!("outbound type `{word}` is not known"),
                "check the cluster's outbound type by hand",
            )),
            Val::Known(None) => open(evidence(
                format!("the outbound type of {name}"),
                "networkProfile.outboundType is absent",
                "collect the cluster in full",
            )),
            Val::Sym(symbol) => open(self.unknown(*symbol, format!("the outbound type of {name}"))),
        }
    }

    /// Whether a load balancer in the node resource group has an outbound rule with a front end (R206). `None`: no balancer
    /// was read there, which is no evidence that there is none, and AKS keeps one.
    fn outbound_rule(&self, ix: ClusterIx) -> Option<bool> {
        let model = &self.network.clusters[ix];
        let group = model.node_resource_group.present()?.to_ascii_lowercase();
        let mut balancers = self
            .network
            .load_balancers
            .values()
            .filter(|b| {
                b.id.resource_group() == Some(&group) && b.id.subscription() == model.id.subscription()
            })
            .peekable();
        if balancers.peek().is_none() {
            let scope = format!("/subscriptions/{}/resourcegroups/{group}", model.id.subscription()?);
            let absence = self.network.layered.absence(&scope, "microsoft.network/loadbalancers");
            return matches!(absence, Absence::Evidence { .. }).then_some(false);
        }
        let carries = |rule: &OutboundRule| {
            !rule.frontends.is_empty()
                && !matches!(rule.protocol, Val::Known(Some(LoadBalancerProtocol::Udp)))
        };
        Some(balancers.any(|b| b.outbound_rules.open.is_some() || b.outbound_rules.iter().any(carries)))
    }

    fn cluster_addresses(
        &self,
        ips: &List<Ref<pullproof_network::model::index::PublicIpIx>>,
        what: &str,
    ) -> SeenAs {
        if ips.is_empty() {
            return SeenAs::Unknown(format!("the public addresses of {what} are not listed"));
        }
        self.public_addresses(ips, &List::empty(), what)
    }

    /// A virtual machine: its own public address, a load balancer's outbound rule, or the default.
    fn by_nic(&self, subnet: SubnetIx, ix: NicIx, to: &Target) -> Leaving {
        let model = &self.network.nics[ix];
        let name = self.machine_name(ix);
        for config in &model.ip_configs {
            match &config.public_ip {
                Val::Known(Some(ip)) => {
                    let ips = List { items: vec![ip.clone()], open: None };
                    let seen = self.public_addresses(&ips, &List::empty(), &name);
                    let at = config.place.at(pullproof_network::model::nic::ip_config::PUBLIC_IP);
                    return holds(seen, &name, at, &["R202", "R206"]);
                }
                Val::Known(None) => {}
                Val::Sym(symbol) => {
                    return open(self.unknown(*symbol, format!("the public address of {name}")));
                }
            }
        }
        if let Some(leaving) = self.by_outbound_rule(ix, &name) {
            return leaving;
        }
        if let Val::Known(Some(false)) = &model.default_outbound_connectivity_enabled {
            return fails(Blocker {
                kind: BlockerKind::NoEgress,
                message: format!("{name} has no outbound method, and default outbound access is off for it"),
                remedy: "give it a NAT gateway, a public address or an outbound rule".into(),
                facts: vec!["R206", "R210"],
                evidence: vec![model.place.at(nic::DEFAULT_OUTBOUND)],
            });
        }
        self.by_default(subnet, None, to)
    }

    fn by_outbound_rule(&self, ix: NicIx, name: &str) -> Option<Leaving> {
        let model = &self.network.nics[ix];
        let in_pool = |id: &pullproof_snapshot::ArmId| {
            model.ip_configs.iter().any(|c| c.backend_pools.items.contains(id))
        };
        for lb in self.network.load_balancers.values() {
            let mut public = false;
            for rule in &lb.outbound_rules {
                if !rule.backend_pool.present().is_some_and(in_pool) {
                    continue;
                }
                let fronts = lb.frontends.iter().filter(|f| rule.frontends.items.contains(&f.id));
                let (mut ips, mut prefixes) = (List::empty(), List::empty());
                for front in fronts {
                    ips.items.extend(front.public_ip.present().cloned());
                    prefixes.items.extend(front.public_ip_prefix.present().cloned());
                }
                let seen = self.public_addresses(&ips, &prefixes, &format!("load balancer {}", lb.id.name()));
                let at = rule.place.at(pullproof_network::model::load_balancer::outbound_rule::FRONTENDS);
                return Some(holds(seen, lb.id.name(), at, &["R202", "R206"]));
            }
            for rule in &lb.rules {
                let front = lb.frontends.iter().find(|f| rule.frontend.present() == Some(&f.id));
                public |= rule.backend_pools.iter().any(in_pool)
                    && front.is_some_and(|f| !f.public_ip.is_absent() || !f.public_ip_prefix.is_absent());
            }
            if public {
                return Some(open(evidence(
                    format!("whether {name} leaves by load balancer {}", lb.id.name()),
                    "it is behind a public front end without an outbound rule (R206, R215)",
                    "add an outbound rule, or a NAT gateway to its subnet",
                )));
            }
        }
        None
    }

    /// No explicit method (R206–R215).
    fn by_default(&self, ix: SubnetIx, pool: Option<PoolIx>, to: &Target) -> Leaving {
        let subnet = &self.network.subnets[ix];
        let at = subnet.place.at(subnet::DEFAULT_OUTBOUND_ACCESS);
        match &subnet.default_outbound_access {
            Val::Known(Some(false)) => self.private_subnet(ix, pool, to, at),
            Val::Known(Some(true) | None) => self.implicit(ix, pool, at),
            Val::Sym(symbol) => open(self.unknown_default(*symbol, &subnet.name)),
        }
    }

    fn unknown_default(&self, symbol: SymbolIx, name: &str) -> Missing {
        self.unknown(symbol, format!("defaultOutboundAccess of subnet {name} (R207, R208)"))
    }

    /// R207, R213; R212: storage of the same region stays reachable.
    fn private_subnet(&self, ix: SubnetIx, pool: Option<PoolIx>, to: &Target, at: At) -> Leaving {
        let subnet = &self.network.subnets[ix];
        let mut evidence_at = vec![at];
        if let Some(pool) = pool {
            let cluster = &self.network.clusters[self.network.pools[pool].cluster];
            evidence_at.push(cluster.place.at(cluster::OUTBOUND_TYPE));
        }
        let blocker = Blocker {
            kind: BlockerKind::NoEgress,
            message: format!("subnet {} is private and has no explicit outbound method", subnet.name),
            remedy: "attach a NAT gateway to the subnet, or route through a firewall".into(),
            facts: vec!["R207", "R213", "R215", "R238"],
            evidence: evidence_at,
        };
        let here = self.network.vnets[subnet.vnet].location.present().map(|l| plain_region(l));
        let same_region = || {
            evidence(
                "the region of the storage account that serves the layers",
                format!("private subnet {} reaches storage of its own region only (R212)", subnet.name),
                "attach a NAT gateway to the subnet",
            )
            .holds_if("the account is in the subnet's region")
            .breaks_if("it is in another region")
        };
        let Target::PublicHost { tags, .. } = to else {
            let storage =
                here.as_ref().and_then(|region| self.network.tag_addresses(&format!("Storage.{region}")));
            let perhaps = match (to, storage) {
                (Target::Address(address), Some(storage)) => storage.contains(*address),
                // Without the tag's prefixes a storage host's name is the only sign.
                (Target::Address(address), None) => self.network.declared.public_names.iter().any(|name| {
                    name.addresses.contains(address) && name.host.to_ascii_lowercase().contains(".blob.core.")
                }),
                _ => false,
            };
            return if perhaps { open(same_region()) } else { fails(blocker) };
        };
        let storage = |tag: &String| {
            let lower = tag.to_ascii_lowercase();
            lower == "storage" || lower.starts_with("storage.")
        };
        if !tags.iter().any(storage) {
            return fails(blocker);
        }
        let regions: Vec<String> =
            tags.iter().filter_map(|t| t.split_once('.').map(|(_, r)| plain_region(r))).collect();
        if regions.is_empty() || here.as_ref().is_some_and(|h| regions.contains(h)) {
            return open(same_region());
        }
        fails(blocker)
    }

    /// R215, A374: no proof for a node; elsewhere it works, and is worth a remark.
    fn implicit(&self, ix: SubnetIx, pool: Option<PoolIx>, at: At) -> Leaving {
        let subnet = &self.network.subnets[ix];
        let remark = Remark {
            kind: "implicit-egress",
            message: format!(
                "subnet {} leaves by default outbound access, without a method of its own",
                subnet.name
            ),
            facts: vec!["R207", "R215", "A374"],
            evidence: vec![at],
        };
        let mut leaving = if pool.is_some() {
            open(
                evidence(
                    format!("how nodes in subnet {} leave to the Internet", subnet.name),
                    "there is no explicit outbound method; AKS does not support default outbound access (R215, A374)",
                    "attach a NAT gateway to the subnet, or use another outbound type",
                )
                .holds_if("the nodes get a default outbound address")
                .breaks_if("they get none, as members of a load balancer without outbound rules or of a flexible scale set"),
            )
        } else {
            let unknown = SeenAs::Unknown("the default outbound address is Azure's choice".into());
            holds(unknown, &subnet.name, at, &["R14", "R207"])
        };
        leaving.basis.remarks.insert(remark);
        leaving
    }

    /// Whether a packet whose route says `Internet` leaves; `None`: not known.
    pub(crate) fn leaves_azure(
        &self,
        subnet: SubnetIx,
        nic: Option<NicIx>,
        to: std::net::IpAddr,
    ) -> Option<bool> {
        if !crate::routes::select::is_public(to) {
            return Some(false);
        }
        let pools = self.network.pools_of(subnet);
        let senders: Vec<Sender> = match nic {
            Some(nic) => vec![Sender::Nic(nic)],
            None if pools.is_empty() => vec![Sender::Machine],
            None => pools.iter().map(|p| Sender::Pool(*p)).collect(),
        };
        let mut outcomes = senders.iter().map(|s| self.leave(subnet, *s, &Target::Address(to)).outcome);
        let word = |outcome: &Outcome| match outcome {
            Outcome::Holds => Some(true),
            Outcome::Fails(..) => Some(false),
            Outcome::Open(..) => None,
        };
        let first = outcomes.next().as_ref().map(word)?;
        outcomes.all(|o| word(&o) == first).then_some(first).flatten()
    }
}

fn holds(seen_as: SeenAs, by: &str, at: At, facts: &[&'static str]) -> Leaving {
    let step = Step {
        kind: StepKind::Internet,
        device: by.to_owned(),
        decision: StepDecision::Snat,
        text: format!("leaves by {by}"),
        by: vec![at],
        facts: facts.to_vec(),
        deciding: true,
    };
    Leaving { outcome: Outcome::Holds, seen_as: Some(seen_as), steps: vec![step], basis: Basis::default() }
}

fn fails(blocker: Blocker) -> Leaving {
    Leaving { outcome: Outcome::fails(blocker), seen_as: None, steps: Vec::new(), basis: Basis::default() }
}

fn open(missing: Missing) -> Leaving {
    Leaving { outcome: Outcome::open(missing), seen_as: None, steps: Vec::new(), basis: Basis::default() }
}
