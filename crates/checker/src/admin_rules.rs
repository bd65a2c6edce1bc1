//! Security admin rules of Virtual Network Manager: from what Azure listed as effective (F100–F112).

use std::collections::BTreeSet;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::{Direction, Missing};
use serde_json::Value;

use crate::json::{Node, is};
use crate::missing;
use crate::nsg::{Flow, Machine, Term};
use crate::plain::Plain;
use crate::sources;
use crate::tri::Tri;
use crate::vnet::vnet;

/// What an admin rule does with a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Deny,
    /// Delivered without asking the NSGs.
    AlwaysAllow,
    /// The NSGs decide.
    Allow,
    /// Not known.
    Open(Missing),
}

/// Subnets that admin rules skip, by name (F107).
const EXEMPT_SUBNETS: [&str; 4] =
    ["AzureFirewallSubnet", "AzureBastionSubnet", "RouteServerSubnet", "GatewaySubnet"];

/// Delegations whose networks admin rules skip unless told otherwise (F106).
const INTENT_POLICIES: [&str; 2] = ["Microsoft.Databricks/workspaces", "Microsoft.Sql/managedInstances"];

const MANAGERS: &str = "Microsoft.Network/networkManagers";
const RULES: &str = "Microsoft.Network/networkManagers/securityAdminConfigurations/ruleCollections/rules";

/// The first admin rule that decides, with its name and id; `None` where none matches.
pub fn decide(
    plain: &Plain,
    machine: &Machine<'_>,
    direction: Direction,
    flow: &Flow,
) -> Option<(Action, String, ArmId)> {
    if EXEMPT_SUBNETS.iter().any(|name| machine.subnet.is_named(name)) {
        return None; // F107
    }
    let rules = match effective(plain, &machine.subnet.vnet) {
        Ok(rules) => rules,
        Err(missing) => return Some((Action::Open(missing), String::new(), machine.subnet.vnet.clone())),
    };
    let mut unsure: Option<(Action, Missing)> = None;
    let mut decided: Option<(i64, Action, String, ArmId)> = None;
    for rule in rules {
        if decided.as_ref().is_some_and(|(priority, ..)| rule.priority > *priority) {
            break;
        }
        if rule.inbound != (direction == Direction::Inbound) || !applies(plain, machine, &rule) {
            continue;
        }
        let term = Term { plain, machine, node: Node::new(&rule.json, &rule.id), endpoint: true };
        match (term.matches(flow), &decided) {
            (Tri::No, _) => {}
            (Tri::Unknown(why), _) => {
                unsure.get_or_insert((rule.action, crate::gateway::first(why)));
            }
            // F102: equal priorities of two collections that disagree.
            (Tri::Yes, Some((_, action, ..))) if *action != rule.action => {
                let what = format!("the order of admin rules of priority {}", rule.priority);
                let missing = missing::contested("F102, FU11", what, "equal priorities disagree");
                return Some((Action::Open(missing), String::new(), rule.id));
            }
            (Tri::Yes, Some(_)) => {}
            (Tri::Yes, None) => {
                let name = rule.id.name().to_owned();
                decided = Some((rule.priority, rule.action, name, rule.id));
            }
        }
    }
    match (decided, unsure) {
        (Some((_, action, name, id)), None) => Some((action, name, id)),
        (Some((_, action, name, id)), Some((other, _))) if action == other => Some((action, name, id)),
        (None, None) | (None, Some((Action::Allow, _))) => None,
        (Some((_, _, name, id)), Some((_, missing))) => Some((Action::Open(missing), name, id)),
        (None, Some((_, missing))) => {
            Some((Action::Open(missing), String::new(), machine.subnet.vnet.clone()))
        }
    }
}

struct AdminRule {
    id: ArmId,
    priority: i64,
    inbound: bool,
    action: Action,
    json: Value,
}

/// Where the rules that are recorded for a network cut source ports.
pub fn source_ports(plain: &Plain, network: &ArmId) -> BTreeSet<u16> {
    let mut edges = BTreeSet::new();
    listed(plain, network).into_iter().for_each(|answer| sources::source_ports(answer, &mut edges));
    edges
}

/// Azure's own lists of rules that are in force for a network.
fn listed<'a>(plain: &'a Plain, network: &ArmId) -> Vec<&'a Value> {
    let effective = plain.layered.evidence(network.folded(), "listNetworkManagerEffectiveSecurityAdminRules");
    if !effective.is_empty() {
        return effective.into_iter().map(|e| &e.answer).collect();
    }
    let managers = plain.layered.of_type(MANAGERS);
    let active = managers
        .into_iter()
        .flat_map(|ix| plain.layered.evidence(plain.layered.id(ix).folded(), "listActiveSecurityAdminRules"));
    active.map(|e| &e.answer).filter(|answer| concerns(plain, answer, network)).collect()
}

/// The rules in force for a network, by priority.
fn effective(plain: &Plain, network: &ArmId) -> Result<Vec<AdminRule>, Missing> {
    let answers = listed(plain, network);
    if answers.is_empty() {
        if plain.layered.of_type(RULES).is_empty() {
            // Nothing to apply, where managers were looked for (a manager without rules applies none).
            let managed = !plain.layered.of_type(MANAGERS).is_empty();
            plain.none_elsewhere(network, if managed { RULES } else { MANAGERS })?;
            return Ok(Vec::new());
        }
        return Err(missing::evidence(
            format!("listNetworkManagerEffectiveSecurityAdminRules of {}", network.name()),
            "a network manager has security admin rules; only the listing shows which are deployed (F104, F109)",
        ));
    }
    let mut out = Vec::new();
    for answer in answers {
        for row in answer.pointer("/value").and_then(Value::as_array).into_iter().flatten() {
            out.push(rule(row)?);
        }
    }
    out.sort_by_key(|r| r.priority);
    Ok(out)
}

fn rule(row: &Value) -> Result<AdminRule, Missing> {
    let id = ArmId::new(row.get("id").and_then(Value::as_str).unwrap_or_default());
    let node = Node::new(row, &id);
    let text = |pointer: &str| node.text(pointer).known()?.ok_or_else(|| missing::malformed(&id, pointer));
    let access = text("/properties/access")?;
    let action = if is(access, "Deny") {
        Action::Deny
    } else if is(access, "AlwaysAllow") {
        Action::AlwaysAllow
    } else {
        Action::Allow
    };
    let priority = node.number("/properties/priority").known()?;
    let priority = priority.ok_or_else(|| missing::malformed(&id, "/properties/priority"))?;
    let inbound = is(text("/properties/direction")?, "Inbound");
    Ok(AdminRule { priority, inbound, action, json: row.clone(), id: id.clone() })
}

/// Does a regional listing speak of this network: is it a static member of one of the groups?
fn concerns(plain: &Plain, answer: &Value, network: &ArmId) -> bool {
    const MEMBERS: &str = "Microsoft.Network/networkManagers/networkGroups/staticMembers";
    let groups: Vec<ArmId> = answer
        .pointer("/value")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .flat_map(|row| row.get("ruleGroups").and_then(Value::as_array).into_iter().flatten())
        .filter_map(|g| g.get("id").and_then(Value::as_str))
        .map(ArmId::new)
        .collect();
    plain.layered.of_type(MEMBERS).into_iter().any(|ix| {
        let (id, json) = (plain.layered.id(ix), plain.json(ix));
        let member = Node::new(&json, id).reference("/properties/resourceId").known();
        matches!(member, Ok(Some(m)) if m == *network) && id.parent().is_some_and(|g| groups.contains(&g))
    })
}

/// F106: a network with network intent policies is skipped, or gets the Allow rules only.
fn applies(plain: &Plain, machine: &Machine<'_>, rule: &AdminRule) -> bool {
    let Some(network) = vnet(plain, &machine.subnet.vnet) else { return true };
    let delegated = network.subnets(plain).iter().any(|s| {
        s.node().list("/properties/delegations").known.iter().any(|d| {
            let service = d.pointer("/properties/serviceName").and_then(Value::as_str).unwrap_or_default();
            INTENT_POLICIES.iter().any(|p| is(p, service))
        })
    });
    if !delegated {
        return true;
    }
    let mut configuration = rule.id.clone();
    while configuration
        .resource_type()
        .is_some_and(|t| t != "microsoft.network/networkmanagers/securityadminconfigurations")
    {
        let Some(parent) = configuration.parent() else { break };
        configuration = parent;
    }
    let Ok((_, json)) = plain.read(&configuration) else { return false };
    let values =
        Node::new(&json, &configuration).texts("/properties/applyOnNetworkIntentPolicyBasedServices").known;
    if values.iter().any(|v| is(v, "All")) {
        return true;
    }
    values.iter().any(|v| is(v, "AllowRulesOnly")) && rule.action == Action::Allow
}
