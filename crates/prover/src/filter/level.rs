//! Which network security groups a point has, and in which order (F1–F6, F44–F48, F88–F93).

use std::sync::Arc;

use pullproof_network::Val;
use pullproof_network::model::index::{NsgIx, PoolIx, Ref, SubnetIx};
use pullproof_network::model::pool::Pool;
use pullproof_network::model::vnet::{PrivateEndpointNetworkPolicies as Policies, Subnet, subnet};
use pullproof_snapshot::question::Direction;
use pullproof_snapshot::{ArmId, At};

use super::compile::compile;
use super::default_rules::assumed_default_rules;
use super::point::{FilterPoint, Holder};
use super::rule::RuleSet;
use crate::outcome::{Basis, Missing, MissingKind, Read, Remark};
use crate::prover::Prover;
use crate::routes::peering::plain_region;

/// One level of a point.
#[derive(Clone, Debug)]
pub(crate) enum Level {
    /// The group's rules for the point's direction.
    Group { name: String, id: ArmId, rules: Arc<RuleSet>, basis: Basis },
    /// The group that AKS makes for its nodes and that was not read: its default rules are expected (F48, F50, F54).
    /// What they deny is open, since the group was not read.
    Expected { rules: Arc<RuleSet>, missing: Missing, basis: Basis },
    /// A group is there and its rules were not read.
    Unread(Missing),
    /// Both with and without the group: nothing says whether it is in force.
    Perhaps(Box<Level>, Missing),
}

/// Name of the assumption that AKS' own group has its default rules.
const AKS_GROUP: &str = "automation:aks-node-security-group";

impl Prover<'_> {
    /// The levels of a point in the order in which they are tried; a level without a group is transparent (F4).
    pub(crate) fn levels(&self, at: &FilterPoint) -> (Vec<Level>, Basis) {
        let mut basis = Basis::default();
        let outbound = at.direction == Direction::Outbound;
        let Some(here) = self.network.subnets.get(at.subnet) else { return (Vec::new(), basis) };
        basis.reads.insert(Read::Resource(here.id.clone()));
        // The platform filters there by itself (F45).
        if here.name.eq_ignore_ascii_case("AzureFirewallSubnet") {
            return (Vec::new(), basis);
        }
        if let Holder::PrivateEndpoint(_) = at.holder {
            let level = self.private_endpoint_level(here, outbound, &mut basis);
            return (level.into_iter().collect(), basis);
        }
        let mut levels = self.nic_levels(at, outbound);
        let at_subnet = here.place.at(subnet::NSG);
        levels.extend(self.group(&here.nsg, &format!("subnet {}", here.name), at_subnet, outbound));
        if !outbound {
            levels.reverse();
        }
        (levels, basis)
    }

    /// F89, F90, F92: inbound only, the subnet's group only, and only where the policy says so.
    fn private_endpoint_level(&self, here: &Subnet, outbound: bool, basis: &mut Basis) -> Option<Level> {
        if outbound {
            return None;
        }
        let policy_at = here.place.at(subnet::PRIVATE_ENDPOINT_NETWORK_POLICIES);
        let level =
            || self.group(&here.nsg, &format!("subnet {}", here.name), here.place.at(subnet::NSG), false);
        let unknown = |why: String| Missing {
            kind: MissingKind::Evidence,
            what: format!("whether security groups filter private endpoints in subnet {}", here.name),
            why,
            remedy: "give privateEndpointNetworkPolicies of the subnet".into(),
            holds_if: Some("privateEndpointNetworkPolicies is Disabled or RouteTableEnabled".into()),
            breaks_if: Some("it is Enabled or NetworkSecurityGroupEnabled".into()),
        };
        match &here.private_endpoint_network_policies {
            Val::Known(Some(Policies::Enabled | Policies::NetworkSecurityGroupEnabled)) => {
                let region = self.network.vnets.get(here.vnet).and_then(|vnet| vnet.location.present());
                if region.is_some_and(|region| lacks_endpoint_policies(&plain_region(region))) {
                    return level().map(|level| Level::Perhaps(Box::new(level), region_lacks_policies(here)));
                }
                level()
            }
            Val::Known(Some(Policies::Disabled | Policies::RouteTableEnabled)) => None,
            Val::Known(None) => {
                if !here.nsg.is_absent() {
                    basis.remarks.insert(Remark {
                        kind: "private-endpoint-policy-not-shown",
                        message: format!(
                            "subnet {} does not show its private endpoint policy: taken as Disabled",
                            here.name
                        ),
                        facts: vec!["F90"],
                        evidence: vec![policy_at],
                    });
                }
                None
            }
            Val::Known(Some(Policies::Other(word))) => {
                level().map(|level| Level::Perhaps(Box::new(level), unknown(format!("it says `{word}`"))))
            }
            Val::Sym(symbol) => {
                let name = self.network.symbols.name(*symbol).to_owned();
                level().map(|level| Level::Perhaps(Box::new(level), unknown(name)))
            }
        }
    }

    fn nic_levels(&self, at: &FilterPoint, outbound: bool) -> Vec<Level> {
        match at.holder {
            Holder::Nic(nic) => {
                let Some(nic) = self.network.nics.get(nic) else { return Vec::new() };
                let place = nic.place.at(pullproof_network::model::nic::nic::NSG);
                let of = format!("interface {}", nic.id.name());
                self.group(&nic.nsg, &of, place, outbound).into_iter().collect()
            }
            Holder::Pool(pool) => self.pool_levels(pool, outbound),
            Holder::PrivateEndpoint(_) | Holder::Other => Vec::new(),
        }
    }

    /// F48, F54: the group of the scale set's NIC configuration. Where several scale sets say that they are the
    /// pool's, and do not agree, a new node may be of any of them.
    fn pool_levels(&self, ix: PoolIx, outbound: bool) -> Vec<Level> {
        use pullproof_network::model::compute::nic_config;
        let Some(pool) = self.network.pools.get(ix) else { return Vec::new() };
        let mut levels: Vec<Option<Level>> = Vec::new();
        let mut seen = Vec::new();
        for set in self.network.scale_sets_of_pool(ix) {
            let Some(set) = self.network.scale_sets.get(*set) else { continue };
            let primary = set.nic_configs.iter().find(|config| config.primary.is(&Some(true)));
            let config = primary.or(set.nic_configs.items.first());
            let nsg = config.map(|config| &config.nsg);
            if seen.contains(&nsg) {
                continue;
            }
            seen.push(nsg);
            levels.push(match config {
                Some(config) => {
                    let place = config.place.at(nic_config::NSG);
                    self.group(&config.nsg, &format!("nodes of pool {}", pool.name), place, outbound)
                }
                None => Some(expected(pool, outbound)),
            });
        }
        if levels.is_empty() {
            levels.push(Some(expected(pool, outbound)));
        }
        if levels.len() == 1 {
            return levels.into_iter().flatten().collect();
        }
        let which = || Missing {
            kind: MissingKind::Evidence,
            what: format!("which scale set makes the new nodes of pool {}", pool.name),
            why: "several say that they are the pool's, with different security groups".into(),
            remedy: "collect the cluster's node resource group again".into(),
            holds_if: None,
            breaks_if: None,
        };
        levels.into_iter().flatten().map(|level| Level::Perhaps(Box::new(level), which())).collect()
    }

    fn group(&self, nsg: &Val<Option<Ref<NsgIx>>>, of: &str, at: At, outbound: bool) -> Option<Level> {
        match nsg {
            Val::Known(None) => None,
            Val::Known(Some(Ref::Here(ix))) => {
                let nsg = self.network.nsgs.get(*ix)?;
                let mut basis = Basis::default();
                basis.reads.insert(Read::Resource(nsg.id.clone()));
                basis.in_force(nsg.id.name(), &nsg.provisioning_state, nsg.place);
                let rules = self.compiled(*ix, outbound);
                Some(Level::Group { name: nsg.id.name().to_owned(), id: nsg.id.clone(), rules, basis })
            }
            Val::Known(Some(Ref::NotRead(id))) => Some(Level::Unread(Missing {
                kind: MissingKind::Permission,
                what: format!("network security group {} of {of}", id.name()),
                why: "it filters this flow and could not be read".into(),
                remedy: format!("read {}", id.as_written()),
                holds_if: Some("its rules allow the flow".into()),
                breaks_if: Some("one of its rules denies it".into()),
            })),
            Val::Sym(symbol) => Some(Level::Unread(Missing {
                kind: MissingKind::Evidence,
                what: format!(
                    "which network security group {of} has ({})",
                    self.network.symbols.name(*symbol)
                ),
                why: format!("{} is not known", at.pointer()),
                remedy: "give the value, or run again once it is known".into(),
                holds_if: Some("it has none, or one whose rules allow the flow".into()),
                breaks_if: Some("it has one that denies the flow".into()),
            })),
        }
    }

    fn compiled(&self, ix: NsgIx, outbound: bool) -> Arc<RuleSet> {
        self.rule_sets.get((ix, outbound), || {
            self.network.nsgs.get(ix).map(|nsg| compile(nsg, outbound)).unwrap_or_default()
        })
    }

    /// F44: groups are not supported there.
    pub(crate) fn is_gateway_subnet(&self, ix: SubnetIx) -> bool {
        self.network.subnets.get(ix).is_some_and(|subnet| subnet.name.eq_ignore_ascii_case("GatewaySubnet"))
    }
}

/// F48, F54: the group that AKS binds to the nodes of a pool whose scale set was not read.
fn expected(pool: &Pool, outbound: bool) -> Level {
    let mut basis = Basis::default();
    basis.assume(AKS_GROUP);
    let place = pool.place.at("");
    Level::Expected {
        rules: Arc::new(RuleSet::new(assumed_default_rules(place, outbound).collect(), None)),
        missing: Missing {
            kind: MissingKind::Evidence,
            what: format!("the security group that AKS binds to the nodes of pool {}", pool.name),
            why: "the default rules that it is expected to have (F54) deny this flow".into(),
            remedy: "read the scale set and the security group in the cluster's node resource group".into(),
            holds_if: Some("a rule of it allows the flow, or no group is bound to the nodes".into()),
            breaks_if: Some("it has its default rules only".into()),
        },
        basis,
    }
}

/// F91: regions and clouds where security groups on private endpoints are documented as not available; in plain form.
fn lacks_endpoint_policies(region: &str) -> bool {
    matches!(region, "westindia" | "australiacentral2" | "southafricawest" | "brazilsoutheast")
        || ["usgov", "usdod", "china"].iter().any(|cloud| region.starts_with(cloud))
}

/// FU12.
fn region_lacks_policies(subnet: &Subnet) -> Missing {
    Missing {
        kind: MissingKind::Contested,
        what: format!("whether security groups filter private endpoints in subnet {}", subnet.name),
        why: "its region is one where that is documented as not available (F91, FU12)".into(),
        remedy:
            "set privateEndpointNetworkPolicies of the subnet to Disabled, or allow the flow in the group"
                .into(),
        holds_if: Some("the group is not in force".into()),
        breaks_if: Some("the group is in force".into()),
    }
}
