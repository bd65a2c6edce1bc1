//! The question: which part of a flow passes this point (F170).

use pullproof_network::Val;
use pullproof_network::model::vnet::EncryptionEnforcement;
use pullproof_network::set::{Addresses, Ports};
use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::Direction;

use super::admin::{AdminRules, AdminSet};
use super::level::Level;
use super::point::FilterPoint;
use super::rule::{Access, Field, Rule, RuleSet, Tag};
use super::scan::Scan;
use super::terms::{Terms, is_platform, short};
use crate::blocker::BlockerKind;
use crate::context::Proto;
use crate::first_match::Destination;
use crate::first_match::public_space::PLATFORM;
use crate::first_match::{Decision, decide};
use crate::outcome::{Basis, Blocker, Missing, MissingKind, Outcome};
use crate::path::{Filtered, Step, StepDecision, StepKind, Target};
use crate::prover::Prover;

/// One part of the question with what decided it last.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub sources: Addresses,
    pub sports: Ports,
    pub outcome: Outcome,
    pub steps: Vec<Step>,
    /// The rule that decided, and the group or admin rule that it is of; of allows the last one.
    pub decided: Option<(String, ArmId)>,
    /// An admin rule delivers: the groups are skipped (F100).
    delivered: bool,
    /// An admin rule may deliver: what the groups deny stays as open as the piece is.
    perhaps_delivered: bool,
}

impl Prover<'_> {
    /// Which part of (sources × source ports) the filters at `at` let pass towards `to` on `port` (F170). The parts
    /// are disjoint and their union is the question; in each every packet fares alike.
    pub fn nsg(
        &self,
        at: &FilterPoint,
        sources: &Addresses,
        sports: &Ports,
        to: &Target,
        proto: Proto,
        port: u16,
    ) -> Vec<Filtered> {
        let (pieces, basis) = self.pieces(at, sources, sports, to, proto, port);
        let mut out: Vec<Filtered> = Vec::new();
        for piece in pieces {
            let twin = out.iter_mut().find(|known| {
                known.sports == piece.sports && known.outcome == piece.outcome && known.steps == piece.steps
            });
            match twin {
                Some(known) => known.sources = known.sources.union(&piece.sources),
                None => out.push(Filtered {
                    sources: piece.sources,
                    sports: piece.sports,
                    outcome: piece.outcome,
                    steps: piece.steps,
                    remarks: Vec::new(),
                    basis: basis.clone(),
                }),
            }
        }
        out.sort_by(|a, b| (&a.sources, &a.sports).cmp(&(&b.sources, &b.sports)));
        out
    }

    pub(crate) fn pieces(
        &self,
        at: &FilterPoint,
        sources: &Addresses,
        sports: &Ports,
        to: &Target,
        proto: Proto,
        port: u16,
    ) -> (Vec<Piece>, Basis) {
        let destination = Destination::of(to);
        let (levels, mut basis) = self.levels(at);
        let all = Piece {
            sources: sources.clone(),
            sports: sports.clone(),
            outcome: Outcome::Holds,
            steps: Vec::new(),
            decided: None,
            delivered: false,
            perhaps_delivered: false,
        };
        let other_family = match to {
            Target::Address(std::net::IpAddr::V6(_)) => true,
            _ => !sources.v6.is_empty(),
        };
        let admin = self.admin_rules(at);
        let filters = !levels.is_empty() || admin.as_ref().is_some_and(|admin| !admin.is_empty());
        if other_family && filters {
            return (vec![Piece { outcome: Outcome::open(not_ipv4(sources)), ..all }], basis);
        }
        let terms = Terms::new(self, at, destination);
        let mut question = Question { terms: &terms, proto, port, platform: None };
        let mut pieces = vec![all];
        if let Some(address) = terms.destination.address()
            && at.direction == Direction::Outbound
            && is_platform(address)
        {
            // F37–F39: before admin rules, and past every rule that does not name the service by its own tag.
            question.platform =
                Some(if address == PLATFORM { Tag::PlatformDns } else { Tag::PlatformMetadata });
        } else if let Some(admin) = admin {
            basis.merge(&admin.basis);
            pieces = question.admin(&admin, at.direction, pieces);
        }
        for level in &levels {
            if let Level::Group { basis: read, .. } | Level::Expected { basis: read, .. } = level {
                basis.merge(read);
            }
            pieces = question.level(level, pieces);
        }
        if self.is_gateway_subnet(at.subnet) && !levels.is_empty() {
            pieces.iter_mut().for_each(|piece| add(piece, Outcome::open(group_on_gateway_subnet())));
        }
        if question.platform.is_none() && self.drops_unencrypted(at) {
            pieces.iter_mut().for_each(|piece| add(piece, Outcome::open(unencrypted())));
        }
        basis.merge(&terms.basis());
        (pieces, basis)
    }
}

impl Prover<'_> {
    /// F151.
    fn drops_unencrypted(&self, at: &FilterPoint) -> bool {
        let vnet = self.network.subnets.get(at.subnet).and_then(|subnet| self.network.vnets.get(subnet.vnet));
        vnet.is_some_and(|vnet| {
            !matches!(vnet.encryption_enabled, Val::Known(None | Some(false)))
                && !matches!(
                    vnet.encryption_enforcement,
                    Val::Known(None | Some(EncryptionEnforcement::AllowUnencrypted))
                )
        })
    }
}

/// F151: only `AllowUnencrypted` is generally available.
fn unencrypted() -> Missing {
    Missing {
        kind: MissingKind::NotModelled,
        what: "virtual network encryption that drops unencrypted traffic".into(),
        why: "which machines encrypt is not modelled (F151)".into(),
        remedy: "set the network's encryption enforcement to AllowUnencrypted".into(),
        holds_if: None,
        breaks_if: None,
    }
}

/// What is asked at every level.
struct Question<'s, 'p, 'q> {
    terms: &'s Terms<'p, 'q>,
    proto: Proto,
    port: u16,
    /// The destination is the host itself: only rules with this tag count.
    platform: Option<Tag>,
}

impl Question<'_, '_, '_> {
    /// Runs a stage on every piece that may still pass.
    fn stage(
        &self,
        rules: &RuleSet,
        pieces: Vec<Piece>,
        judge: impl Fn(&Decision<Access>, &mut Piece),
    ) -> Vec<Piece> {
        let mut out = Vec::with_capacity(pieces.len());
        for piece in pieces {
            if piece.delivered || matches!(piece.outcome, Outcome::Fails(..)) {
                out.push(piece);
                continue;
            }
            let scan = Scan {
                rules,
                terms: self.terms,
                proto: self.proto,
                port: self.port,
                any_source_port: matches!(self.terms.at.holder, super::point::Holder::PrivateEndpoint(_)),
                platform: self.platform.as_ref(),
            };
            for part in decide(&scan, &piece.sources, &piece.sports) {
                let mut next = Piece { sources: part.sources, sports: part.sports, ..piece.clone() };
                judge(&part.decision, &mut next);
                out.push(next);
            }
        }
        out
    }

    fn level(&self, level: &Level, pieces: Vec<Piece>) -> Vec<Piece> {
        match level {
            Level::Group { name, id, rules, .. } => self
                .stage(rules, pieces, |decision, piece| self.judge_group(name, id, rules, decision, piece)),
            Level::Expected { rules, missing, .. } => {
                self.stage(rules, pieces, |decision, piece| match decision {
                    Decision::Rule(_, Access::Deny) => add(piece, Outcome::open(missing.clone())),
                    Decision::Rule(..) | Decision::NoMatch => {}
                    Decision::Open(reasons) => {
                        let mut reasons = reasons.clone();
                        reasons.push(missing.clone());
                        add(piece, open(&reasons));
                    }
                })
            }
            Level::Unread(missing) => {
                // A group that was not read may name the host's own service by its tag (F38).
                let counts =
                    self.platform.as_ref().is_none_or(|tag| *tag != Tag::PlatformDns || self.port == 53);
                let mut pieces = pieces;
                for piece in &mut pieces {
                    if counts && !piece.delivered {
                        add(piece, Outcome::open(missing.clone()));
                    }
                }
                pieces
            }
            Level::Perhaps(level, missing) => {
                let mut out = Vec::with_capacity(pieces.len());
                for piece in pieces {
                    let with = self.level(level, vec![piece.clone()]);
                    out.extend(with.into_iter().map(|with| {
                        if with.outcome == piece.outcome {
                            return with;
                        }
                        let outcome = piece.outcome.clone().and(Outcome::open(missing.clone()));
                        Piece { outcome, steps: piece.steps.clone(), decided: None, ..with }
                    }));
                }
                out
            }
        }
    }

    fn judge_group(
        &self,
        name: &str,
        id: &ArmId,
        rules: &RuleSet,
        decision: &Decision<Access>,
        piece: &mut Piece,
    ) {
        match decision {
            Decision::Rule(i, access) => {
                let Some(rule) = rules.rules.get(*i) else { return };
                let deny = *access == Access::Deny;
                piece.decided = Some((rule.name.to_string(), id.clone()));
                piece.steps.push(self.step(rule, &format!("{name} "), id, deny));
                if deny && !piece.perhaps_delivered {
                    add(piece, Outcome::fails(self.blocker(BlockerKind::NsgDenies, name, rule)));
                }
            }
            // Every group ends with a rule that matches all: only a platform address gets here (F39).
            Decision::NoMatch => {}
            Decision::Open(reasons) => add(piece, open(reasons)),
        }
    }

    /// The admin rules of every manager; what they say together (F100–F105).
    fn admin(&self, admin: &AdminRules, direction: Direction, pieces: Vec<Piece>) -> Vec<Piece> {
        let sets = match direction {
            Direction::Inbound => &admin.inbound,
            Direction::Outbound => &admin.outbound,
        };
        if let Some(missing) = &admin.unseen {
            // A rule that was not seen may come before every known one.
            let mut pieces = pieces;
            for piece in &mut pieces {
                add(piece, Outcome::open(missing.clone()));
                piece.perhaps_delivered = true;
            }
            return pieces;
        }
        let Some((first, others)) = sets.split_first() else { return pieces };
        let mut out = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let mut judged = self.manager(first, piece.clone());
            for other in others {
                let mut both = Vec::with_capacity(judged.len());
                for before in judged {
                    let same = Piece {
                        sources: before.sources.clone(),
                        sports: before.sports.clone(),
                        ..piece.clone()
                    };
                    let theirs = self.manager(other, same);
                    both.extend(theirs.into_iter().map(|now| together(&piece, &before, now)));
                }
                judged = both;
            }
            out.extend(judged);
        }
        out
    }

    /// One manager's rules alone.
    fn manager(&self, set: &AdminSet, piece: Piece) -> Vec<Piece> {
        self.stage(&set.rules, vec![piece], |decision, piece| self.judge_admin(set, decision, piece))
    }

    fn judge_admin(&self, set: &AdminSet, decision: &Decision<Access>, piece: &mut Piece) {
        match decision {
            Decision::Rule(i, access) => {
                let (Some(rule), Some(id)) = (set.rules.rules.get(*i), set.ids.get(*i)) else { return };
                piece.decided = Some((rule.name.to_string(), id.clone()));
                piece.steps.push(self.step(rule, "security admin ", id, *access == Access::Deny));
                match access {
                    Access::Deny => {
                        add(piece, Outcome::fails(self.blocker(BlockerKind::AdminRuleDenies, "", rule)));
                    }
                    Access::AlwaysAllow => piece.delivered = true,
                    Access::Allow => {}
                }
            }
            Decision::NoMatch => {}
            Decision::Open(reasons) => {
                add(piece, open(reasons));
                piece.perhaps_delivered |= set
                    .rules
                    .rules
                    .iter()
                    .any(|rule| !matches!(rule.access, Field::Known(Access::Allow | Access::Deny)));
            }
        }
    }

    fn step(&self, rule: &Rule, of: &str, device: &ArmId, deny: bool) -> Step {
        let verb = if deny { "denies" } else { "allows" };
        let (decision, facts) = if deny {
            (StepDecision::Deny, if rule.default { vec!["F13", "F70"] } else { vec!["F10"] })
        } else {
            (StepDecision::Allow, if rule.default { vec!["F13"] } else { vec!["F10"] })
        };
        Step {
            kind: StepKind::Rule,
            device: device.as_written().to_owned(),
            decision,
            text: format!("{of}rule {}{} {verb}", rule.name, priority(rule)),
            by: vec![rule.at],
            facts,
            deciding: deny,
        }
    }

    fn blocker(&self, kind: BlockerKind, group: &str, rule: &Rule) -> Blocker {
        let proto = match self.proto {
            Proto::Tcp => "TCP",
            Proto::Udp => "UDP",
        };
        let flow = format!("{proto} {} to {}", self.port, self.terms.destination.text());
        let direction = match self.terms.at.direction {
            Direction::Inbound => "inbound",
            Direction::Outbound => "outbound",
        };
        let (message, remedy, facts) = match kind {
            BlockerKind::AdminRuleDenies => (
                format!("security admin rule {}{} denies {direction} {flow}", rule.name, priority(rule)),
                format!(
                    "add an Allow rule for {flow} with a lower number to the security admin configuration"
                ),
                vec!["F100"],
            ),
            _ if rule.default => (
                format!("{group}: no rule allows {direction} {flow}, so {} denies it", rule.name),
                format!("add a rule to {group} that allows {direction} {flow}"),
                vec!["F13", "F70"],
            ),
            _ => (
                format!("{group}: rule {}{} denies {direction} {flow}", rule.name, priority(rule)),
                format!("allow {direction} {flow} in {group} with a lower number than rule {}", rule.name),
                vec!["F10"],
            ),
        };
        Blocker { kind, message, remedy, facts, evidence: vec![rule.at] }
    }
}

fn priority(rule: &Rule) -> String {
    rule.priority.map_or_else(String::new, |priority| format!(" ({priority})"))
}

fn add(piece: &mut Piece, outcome: Outcome) {
    let before = std::mem::replace(&mut piece.outcome, Outcome::Holds);
    piece.outcome = before.and(outcome);
}

fn open(reasons: &[Missing]) -> Outcome {
    let mut reasons = reasons.iter().cloned();
    match reasons.next() {
        Some(first) => Outcome::Open(first, reasons.collect()),
        None => Outcome::Holds,
    }
}

/// Two managers' judgements of one piece, each made as if there were no other: what one says alone or both say
/// alike stands; a conflict is decided by scope, which is not read (F105). `piece`: before any judged it.
fn together(piece: &Piece, before: &Piece, now: Piece) -> Piece {
    let silent = |judged: &Piece| judged.decided == piece.decided && judged.outcome == piece.outcome;
    let of_before = || Piece { sources: now.sources.clone(), sports: now.sports.clone(), ..before.clone() };
    if silent(before) {
        return now;
    }
    if silent(&now) {
        return of_before();
    }
    let fails = |judged: &Piece| matches!(judged.outcome, Outcome::Fails(..));
    let open =
        |judged: &Piece| matches!(judged.outcome, Outcome::Open(..)) && judged.outcome != piece.outcome;
    if !open(before) && !open(&now) && before.delivered == now.delivered && fails(before) == fails(&now) {
        return of_before();
    }
    let mut outcome = piece.outcome.clone();
    for judged in [before, &now] {
        if open(judged) {
            outcome = outcome.and(judged.outcome.clone());
        }
    }
    Piece {
        outcome: outcome.and(Outcome::open(managers_disagree())),
        perhaps_delivered: [before, &now].iter().any(|judged| judged.delivered || judged.perhaps_delivered),
        delivered: false,
        ..of_before()
    }
}

/// F105.
fn managers_disagree() -> Missing {
    Missing {
        kind: MissingKind::Contested,
        what: "which of two network managers' security admin rules wins".into(),
        why: "the one of the higher scope does (F105), and the scopes are not compared".into(),
        remedy: "record listNetworkManagerEffectiveSecurityAdminRules of the virtual network".into(),
        holds_if: None,
        breaks_if: None,
    }
}

/// F44.
fn group_on_gateway_subnet() -> Missing {
    Missing {
        kind: MissingKind::NotModelled,
        what: "a network security group on GatewaySubnet".into(),
        why: "Azure does not support one there; what it does to transit is not known (F44)".into(),
        remedy: "take the group off the subnet".into(),
        holds_if: None,
        breaks_if: None,
    }
}

/// Families other than IPv4: whether `*` and `0.0.0.0/0` cover them is not known (FU6).
pub(crate) fn not_ipv4(sources: &Addresses) -> Missing {
    Missing {
        kind: MissingKind::Contested,
        what: format!("what security rules do with IPv6 ({})", short(sources)),
        why: "whether `*` covers IPv6 is not documented (FU6)".into(),
        remedy: "use IPv4 for this path".into(),
        holds_if: None,
        breaks_if: None,
    }
}
