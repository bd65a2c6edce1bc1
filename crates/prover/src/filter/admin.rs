//! Security admin rules of Azure Virtual Network Manager: before the groups, in both directions (F100–F112).

use std::sync::Arc;

use pullproof_network::Val;
use pullproof_network::model::index::VnetIx;
use pullproof_network::model::network_manager::ManagerAccess;
use pullproof_network::set::{Addresses, Ports, Protocol};
use pullproof_snapshot::question::Direction;
use pullproof_snapshot::{Absence, ArmId, At, Place};
use serde_json::Value;

use super::admin_scope::{Exemption, covers};
use super::compile::protocol;
use super::point::{FilterPoint, Holder};
use super::rule::{Access, Field, Rule, RuleSet, Side, Tag};
use crate::first_match::Doubt;
use crate::outcome::{Basis, Missing, MissingKind, Read};
use crate::prover::Prover;

/// What a virtual network's own listing is asked with (F109).
const EFFECTIVE: &str = "listNetworkManagerEffectiveSecurityAdminRules";
/// What a manager is asked with, region by region (F109).
const ACTIVE: &str = "listActiveSecurityAdminRules";
const MANAGER_TYPE: &str = "Microsoft.Network/networkManagers";
const CONFIGURATION_TYPE: &str = "Microsoft.Network/networkManagers/securityAdminConfigurations";
const RULE_TYPE: &str = "Microsoft.Network/networkManagers/securityAdminConfigurations/ruleCollections/rules";

/// A rule with its own id; true: outbound.
type Listed = (Rule, ArmId, bool);

/// The admin rules that may apply to one virtual network, a set for each manager (F105).
#[derive(Clone, Debug, Default)]
pub(crate) struct AdminRules {
    pub inbound: Vec<AdminSet>,
    pub outbound: Vec<AdminSet>,
    /// Rules may be there that nothing shows.
    pub unseen: Option<Missing>,
    pub basis: Basis,
}

impl AdminRules {
    pub fn is_empty(&self) -> bool {
        self.inbound.is_empty() && self.outbound.is_empty() && self.unseen.is_none()
    }
}

/// One manager's rules of one direction.
#[derive(Clone, Debug, Default)]
pub(crate) struct AdminSet {
    pub rules: RuleSet,
    /// The rules' own ids, in the same order.
    pub ids: Vec<ArmId>,
}

impl Prover<'_> {
    /// The admin rules in force at a point; none where they do not reach (F99, F107).
    pub(crate) fn admin_rules(&self, at: &FilterPoint) -> Option<Arc<AdminRules>> {
        let subnet = self.network.subnets.get(at.subnet)?;
        let at_endpoint =
            matches!(at.holder, Holder::PrivateEndpoint(_)) && at.direction == Direction::Inbound;
        if at_endpoint || super::admin_scope::is_exempt(subnet) {
            return None;
        }
        Some(self.admin_rules.get(subnet.vnet, || self.find_admin_rules(subnet.vnet)))
    }

    fn find_admin_rules(&self, vnet: VnetIx) -> AdminRules {
        let mut out = AdminRules::default();
        let Some(here) = self.network.vnets.get(vnet) else { return out };
        let exemption = Exemption::of(self, vnet);
        let effective = self.network.layered.evidence(here.id.as_written(), EFFECTIVE);
        if let Some(newest) = effective.iter().max_by(|a, b| a.captured.cmp(&b.captured)) {
            out.basis.reads.insert(Read::Resource(here.id.clone()));
            let Some(rows) = rows(&newest.answer) else {
                out.unseen = Some(unseen(&format!("all security admin rules of {}", here.id.name())));
                return out;
            };
            self.add(&mut out, &rows, here.place, |row| exemption.doubt(self, row));
            return out;
        }
        if let Absence::NoEvidence(why) = self.network.layered.absence(here.id.folded(), MANAGER_TYPE) {
            let managers = format!("the network managers of {}", here.id.name());
            out.unseen = Some(Missing { why, ..unseen(&managers) });
        }
        for manager in self.network.network_managers.values() {
            let admin = manager.accesses.open.is_some()
                || manager.accesses.iter().any(|access| *access == ManagerAccess::SecurityAdmin);
            if !admin || !covers(manager, &here.id) {
                continue;
            }
            out.basis.reads.insert(Read::Resource(manager.id.clone()));
            let active = self.network.layered.evidence(manager.id.as_written(), ACTIVE);
            if let Some(newest) = active.iter().max_by(|a, b| a.captured.cmp(&b.captured)) {
                let region = here.location.present().map(|location| region(location));
                let Some(all) = rows(&newest.answer) else {
                    out.unseen = Some(unseen(&format!(
                        "all security admin rules of network manager {}",
                        manager.id.name()
                    )));
                    continue;
                };
                let here_only: Vec<&Value> = all
                    .into_iter()
                    .filter(|row| {
                        let theirs = row.get("region").and_then(Value::as_str).map(self::region);
                        theirs.is_none() || region.is_none() || theirs == region
                    })
                    .collect();
                self.add(&mut out, &here_only, manager.place, |row| {
                    let known = exemption.doubt(self, row)?;
                    Some(known.or_else(|| self.membership_doubt(row, &here.id)))
                });
                continue;
            }
            self.add_configured(&mut out, manager, &exemption);
        }
        out
    }

    /// F109: the configuration alone. Whether it is deployed, and to this network, is not in it.
    fn add_configured(
        &self,
        out: &mut AdminRules,
        manager: &pullproof_network::model::network_manager::NetworkManager,
        exemption: &Exemption,
    ) {
        let layered = &self.network.layered;
        let mut bodies = Vec::new();
        for ix in layered.of_type(RULE_TYPE) {
            if layered.id(ix).is_within(manager.id.folded()) {
                out.basis.reads.insert(Read::Resource(layered.id(ix).clone()));
                bodies.push(layered.json(ix));
            }
        }
        let rules: Vec<&Value> = bodies.iter().map(AsRef::as_ref).collect();
        let deployed = |row: &Value| {
            exemption.doubt(self, row).map(|known| {
                known.or_else(|| {
                    Some(Box::new(Doubt {
                        key: format!("avnm:{}", manager.id.folded()),
                        kind: MissingKind::Evidence,
                        what: format!(
                            "which security admin rules of {} are in force here",
                            manager.id.name()
                        ),
                        why: "the configuration does not show what is deployed (F104)".into(),
                        remedy: format!("record {EFFECTIVE} of the virtual network"),
                        yes: "the configured rules are in force".into(),
                        no: "they are not in force".into(),
                    }))
                })
            })
        };
        self.add(out, &rules, manager.place, deployed);
        let configured = manager.configurations.iter().any(|c| c.kind == ManagerAccess::SecurityAdmin);
        let shown = |kind: &str| layered.absence(manager.id.folded(), kind).is_evidence();
        if manager.configurations.open.is_some()
            || !shown(CONFIGURATION_TYPE)
            || (configured && !shown(RULE_TYPE))
        {
            let whose = format!("the security admin rules of network manager {}", manager.id.name());
            out.unseen = Some(unseen(&whose));
        }
    }

    /// Adds the rules of both directions, a set for each manager. `doubt`: `None` where a rule does not apply; its
    /// content says why it may not.
    fn add(
        &self,
        out: &mut AdminRules,
        rows: &[&Value],
        place: Place,
        doubt: impl Fn(&Value) -> Option<Option<Box<Doubt>>>,
    ) {
        let mut managers: Vec<(String, Vec<Listed>)> = Vec::new();
        for row in rows {
            let Some(applies) = doubt(row) else { continue };
            let (mut rule, id, directions) = self.admin_rule(row, place);
            if rule.applies.is_none() {
                rule.applies = applies;
            }
            let manager = manager_of(&id);
            let listed = directions.iter().map(|outbound| (rule.clone(), id.clone(), *outbound));
            match managers.iter_mut().find(|(known, _)| *known == manager) {
                Some((_, list)) => list.extend(listed),
                None => managers.push((manager, listed.collect())),
            }
        }
        managers.sort_by(|a, b| a.0.cmp(&b.0));
        for (_, mut list) in managers {
            list.sort_by(|a, b| (a.0.priority, &a.1).cmp(&(b.0.priority, &b.1)));
            unorder_ties(&mut list);
            for (wanted, sets) in [(false, &mut out.inbound), (true, &mut out.outbound)] {
                let rules = list.iter().filter(|(_, _, outbound)| *outbound == wanted);
                let (rules, ids): (Vec<_>, Vec<_>) =
                    rules.map(|(rule, id, _)| (rule.clone(), id.clone())).unzip();
                if !ids.is_empty() {
                    sets.push(AdminSet { rules: RuleSet::new(rules, None), ids });
                }
            }
        }
    }

    /// A rule of a listing or of a configuration (F103), and its directions (true: outbound): one that shows none
    /// that is known may have either.
    fn admin_rule(&self, row: &Value, place: Place) -> (Rule, ArmId, &'static [bool]) {
        let text = |pointer: &str| row.pointer(pointer).and_then(Value::as_str);
        let mut odd = None;
        let directions: &[bool] =
            match text("/properties/direction").unwrap_or_default().to_ascii_lowercase().as_str() {
                "outbound" => &[true],
                "inbound" => &[false],
                _ => {
                    odd = Some("a direction that is not known".to_owned());
                    &[false, true]
                }
            };
        let id = ArmId::new(text("/id").unwrap_or_default());
        let place = self.network.layered.find(id.as_written()).map_or(place, Place::whole);
        let access = match text("/properties/access").unwrap_or_default().to_ascii_lowercase().as_str() {
            "allow" => Field::Known(Access::Allow),
            "deny" => Field::Known(Access::Deny),
            "alwaysallow" => Field::Known(Access::AlwaysAllow),
            _ => Field::Unknown(None),
        };
        let listed = row.pointer("/properties/protocol");
        let word = Val::Known(Protocol::word(text("/properties/protocol").unwrap_or("Any")));
        let is_word = listed.is_none_or(|listed| listed.is_string() || listed.is_null());
        let protocol = |of: &Protocol| if is_word { protocol(&word, of) } else { Field::Unknown(None) };
        let source = side(row.pointer("/properties/sources"), &mut odd);
        let destination = side(row.pointer("/properties/destinations"), &mut odd);
        let ports = ports(row.pointer("/properties/destinationPortRanges"));
        let priority = row.pointer("/properties/priority").and_then(Value::as_u64);
        if priority.is_none() {
            odd.get_or_insert_with(|| "a priority that is not known".to_owned());
        }
        let rule = Rule {
            name: id.name().into(),
            priority: priority.and_then(|priority| u16::try_from(priority).ok()),
            at: access_at(place),
            access,
            tcp: protocol(&Protocol::Tcp),
            udp: protocol(&Protocol::Udp),
            source,
            source_ports: self::ports(row.pointer("/properties/sourcePortRanges")),
            destination,
            ports,
            applies: odd.map(|what| Box::new(not_understood(&id, &what))),
            default: false,
        };
        (rule, id, directions)
    }

    /// F104: rules apply through network groups. Only members that are listed one by one are shown in full.
    fn membership_doubt(&self, row: &Value, vnet: &ArmId) -> Option<Box<Doubt>> {
        let layered = &self.network.layered;
        let groups: Vec<ArmId> = row
            .get("ruleCollectionAppliesToGroups")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|group| group.get("networkGroupId").and_then(Value::as_str))
            .map(ArmId::new)
            .collect();
        for ix in layered.of_type("Microsoft.Network/networkManagers/networkGroups/staticMembers") {
            let inside = groups.iter().any(|group| layered.id(ix).is_within(group.folded()));
            let json = layered.json(ix);
            let member = json.pointer("/properties/resourceId").and_then(Value::as_str);
            if inside && member.is_some_and(|member| ArmId::new(member) == *vnet) {
                return None;
            }
        }
        Some(Box::new(Doubt {
            key: format!("avnm:member:{}", groups.first().map_or("", ArmId::folded)),
            kind: MissingKind::Evidence,
            what: format!("whether virtual network {} is in the rule's network group", vnet.name()),
            why: "the regional listing of a network manager does not say".into(),
            remedy: format!("record {EFFECTIVE} of the virtual network"),
            yes: "it is a member".into(),
            no: "it is no member".into(),
        }))
    }
}

/// F102: equal priorities in different collections have no order.
fn unorder_ties(list: &mut [Listed]) {
    let keys: Vec<(Option<u16>, bool, Field<Access>)> =
        list.iter().map(|(rule, _, outbound)| (rule.priority, *outbound, rule.access.clone())).collect();
    for (rule, id, outbound) in list.iter_mut() {
        let tied = keys.iter().any(|(priority, direction, access)| {
            *priority == rule.priority && direction == outbound && *access != rule.access
        });
        if tied && rule.applies.is_none() {
            rule.applies = Some(Box::new(Doubt {
                key: format!("avnm:order:{}", id.folded()),
                kind: MissingKind::Contested,
                what: format!(
                    "the order of security admin rule `{}` among those of equal priority",
                    rule.name
                ),
                why: "rules of different collections with equal priorities have no documented order (F102)"
                    .into(),
                remedy: "give the rules different priorities".into(),
                yes: "it is tried first".into(),
                no: "it is tried later".into(),
            }));
        }
    }
}

fn not_understood(id: &ArmId, what: &str) -> Doubt {
    Doubt {
        key: format!("avnm:{}", id.folded()),
        kind: MissingKind::NotModelled,
        what: format!("security admin rule `{}` names {what}", id.name()),
        why: "what that stands for in an admin rule is not known".into(),
        remedy: "name address prefixes in the rule".into(),
        yes: "the rule matches the flow".into(),
        no: "the rule does not match the flow".into(),
    }
}

/// F103: no entry means any. `odd`: a term that cannot be judged.
fn side(list: Option<&Value>, odd: &mut Option<String>) -> Side {
    let entries = list.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if !is_list(list) {
        *odd = Some("addresses that are not known".to_owned());
    }
    let mut side = Side { any: entries.is_empty(), ..Side::default() };
    for entry in entries {
        let text = entry.get("addressPrefix").and_then(Value::as_str).unwrap_or_default();
        let kind = entry.get("addressPrefixType").and_then(Value::as_str).unwrap_or_default();
        if matches!(text, "*" | "0.0.0.0/0") || text.eq_ignore_ascii_case("any") {
            side.any = true;
        } else if let Ok(set) = text.parse::<Addresses>() {
            side.fixed = side.fixed.union(&set);
        } else if kind.eq_ignore_ascii_case("ServiceTag") && Tag::word(text) != Tag::VirtualNetwork {
            side.tags.push(Tag::word(text));
        } else {
            // FU11 for VirtualNetwork; network groups for the rest.
            *odd = Some(if text.is_empty() { kind.to_owned() } else { text.to_owned() });
            side.any = true;
        }
    }
    side
}

fn ports(list: Option<&Value>) -> Field<Ports> {
    let entries = list.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if !is_list(list) {
        return Field::Unknown(None);
    }
    if entries.is_empty() {
        return Field::Known(Ports::all());
    }
    let mut all = Ports::empty();
    for entry in entries {
        match entry.as_str().map(str::parse::<Ports>) {
            Some(Ok(ports)) => all = all.union(&ports),
            _ => return Field::Unknown(None),
        }
    }
    Field::Known(all)
}

/// A list, or none: what else stands there is not known.
fn is_list(value: Option<&Value>) -> bool {
    value.is_none_or(|value| value.is_array() || value.is_null())
}

/// `None`: the answer is not the whole listing (F109: `skipToken` asks for the rest).
fn rows(answer: &Value) -> Option<Vec<&Value>> {
    let more = ["skipToken", "$skipToken", "nextLink"].iter().filter_map(|field| answer.get(field));
    if more.into_iter().any(|rest| !rest.is_null() && rest.as_str() != Some("")) {
        return None;
    }
    Some(answer.get("value")?.as_array()?.iter().collect())
}

/// `what` was not read, so rules may be there that come before all others.
fn unseen(what: &str) -> Missing {
    Missing {
        kind: MissingKind::Evidence,
        what: what.into(),
        why: "security admin rules come before the security groups and were not all read".into(),
        remedy: format!("record {EFFECTIVE} of the virtual network completely"),
        holds_if: Some("none of them denies the flow".into()),
        breaks_if: Some("one of them denies the flow".into()),
    }
}

fn manager_of(rule: &ArmId) -> String {
    let folded = rule.folded();
    folded
        .find("/securityadminconfigurations/")
        .and_then(|end| folded.get(..end))
        .unwrap_or(folded)
        .to_owned()
}

/// A35: lower case, without spaces.
fn region(location: &str) -> String {
    location.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

fn access_at(place: Place) -> At {
    place.at("/properties/access")
}
