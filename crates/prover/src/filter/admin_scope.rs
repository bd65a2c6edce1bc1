//! Where security admin rules do not reach (F104, F106, F107).

use pullproof_network::model::index::VnetIx;
use pullproof_network::model::network_manager::NetworkManager;
use pullproof_network::model::vnet::Subnet;
use pullproof_snapshot::{ArmId, hole};
use serde_json::Value;

use crate::first_match::Doubt;
use crate::outcome::MissingKind;
use crate::prover::Prover;

/// F107, by the names that Azure demands of these subnets.
const EXEMPT_SUBNETS: [&str; 5] = [
    "AzureFirewallSubnet",
    "AzureFirewallManagementSubnet",
    "AzureBastionSubnet",
    "GatewaySubnet",
    "RouteServerSubnet",
];
const APPLICATION_GATEWAY: &str = "Microsoft.Network/applicationGateways";
/// F106, by the delegation of their subnets.
const INTENT_SERVICES: [&str; 2] = ["Microsoft.Sql/managedInstances", "Microsoft.Databricks/workspaces"];

/// F107: subnets of services that admin rules skip.
pub(crate) fn is_exempt(subnet: &Subnet) -> bool {
    EXEMPT_SUBNETS.iter().any(|name| subnet.name.eq_ignore_ascii_case(name))
        || subnet.delegations.iter().any(|service| service.eq_ignore_ascii_case(APPLICATION_GATEWAY))
}

/// Does the manager's scope hold the network? Management groups are taken to hold it: what is below them is not read.
pub(crate) fn covers(manager: &NetworkManager, vnet: &ArmId) -> bool {
    manager.scopes.open.is_some()
        || manager.scopes.iter().any(|scope| {
            let folded = ArmId::new(scope);
            folded.folded().contains("/managementgroups/") || vnet.is_within(folded.folded())
        })
}

/// F106: a network with network intent policies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exemption {
    No,
    /// The network holds a service that rules skip by default.
    ByDefault,
    /// Its subnets are not completely known.
    Perhaps,
}

impl Exemption {
    pub fn of(prover: &Prover<'_>, vnet: VnetIx) -> Self {
        let Some(here) = prover.network.vnets.get(vnet) else { return Self::Perhaps };
        let mut open = here.subnets.open.is_some();
        for subnet in here.subnets.iter().filter_map(|ix| prover.network.subnets.get(*ix)) {
            open |= subnet.delegations.open.is_some();
            let holds =
                |service: &str| INTENT_SERVICES.iter().any(|known| known.eq_ignore_ascii_case(service));
            if subnet.delegations.iter().any(|service| holds(service)) {
                return Self::ByDefault;
            }
        }
        if open { Self::Perhaps } else { Self::No }
    }

    /// `None`: the rule does not apply. `Some(Some(_))`: it may not apply. `Some(None)`: it applies.
    pub fn doubt(self, prover: &Prover<'_>, rule: &Value) -> Option<Option<Box<Doubt>>> {
        let id = rule.get("id").and_then(Value::as_str).unwrap_or_default();
        match self {
            Self::No => Some(None),
            Self::Perhaps => {
                Some(Some(Box::new(unknown(id, "the subnets of the network are not completely known"))))
            }
            Self::ByDefault => {
                let option = option(prover, id);
                let access = rule.pointer("/properties/access").and_then(Value::as_str).unwrap_or_default();
                match option.as_deref() {
                    Some("none") => None,
                    Some("allowrulesonly") if access.eq_ignore_ascii_case("Deny") => None,
                    Some("allowrulesonly") if access.eq_ignore_ascii_case("Allow") => Some(None),
                    Some("all") => Some(None),
                    _ => Some(Some(Box::new(unknown(
                        id,
                        "the network holds a service with network intent policies, and the configuration's option \
                         for these was not read or does not say",
                    )))),
                }
            }
        }
    }
}

/// `applyOnNetworkIntentPolicyBasedServices` of the rule's configuration, lower case; absent counts as `None` (F106).
fn option(prover: &Prover<'_>, rule: &str) -> Option<String> {
    let folded = ArmId::new(rule);
    let end = folded.folded().find("/rulecollections/")?;
    let layered = &prover.network.layered;
    let json = layered.json(layered.find(folded.folded().get(..end)?)?);
    let listed = json.pointer("/properties/applyOnNetworkIntentPolicyBasedServices").unwrap_or(&Value::Null);
    if hole::hole(listed).is_some() {
        return None;
    }
    match listed {
        Value::Null => Some("none".into()),
        Value::Array(items) => match items.as_slice() {
            [] => Some("none".into()),
            [Value::String(one)] => Some(one.to_ascii_lowercase()),
            _ => None,
        },
        Value::String(one) => Some(one.to_ascii_lowercase()),
        _ => None,
    }
}

fn unknown(rule: &str, why: &str) -> Doubt {
    Doubt {
        key: format!("avnm:exempt:{}", ArmId::new(rule).folded()),
        kind: MissingKind::Evidence,
        what: format!("whether security admin rule `{}` applies to the network", ArmId::new(rule).name()),
        why: why.into(),
        remedy: "record listNetworkManagerEffectiveSecurityAdminRules of the virtual network".into(),
        yes: "it applies".into(),
        no: "it does not apply".into(),
    }
}
