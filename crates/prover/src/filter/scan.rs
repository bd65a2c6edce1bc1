//! Security rules held against one destination, protocol and port (F10–F12, F39, F91).

use std::net::IpAddr;

use pullproof_network::set::{Addresses, Ports};

use super::rule::{Access, Bounds, Field, Rule, RuleSet, Tag};
use super::terms::Terms;
use crate::context::Proto;
use crate::first_match::{Asked, Doubt, Effect, Rules, World};

/// A rule set as the scan reads it.
pub(crate) struct Scan<'s, 'p, 'q> {
    pub rules: &'s RuleSet,
    pub terms: &'s Terms<'p, 'q>,
    pub proto: Proto,
    pub port: u16,
    /// F91: source ports of rules count as any.
    pub any_source_port: bool,
    /// The destination is the host itself: only rules that name this tag count (F39).
    pub platform: Option<&'s Tag>,
}

impl Effect for Access {
    fn passes(self) -> bool {
        self != Self::Deny
    }
}

impl Scan<'_, '_, '_> {
    /// False only if a rule with these bounds cannot match.
    fn in_bounds(&self, bounds: &Bounds, sources: &Addresses) -> bool {
        if self.port < bounds.ports.0 || bounds.ports.1 < self.port {
            return false;
        }
        if let Some(IpAddr::V4(address)) = self.terms.destination.address() {
            let address = u32::from(address);
            if address < bounds.destinations.0 || bounds.destinations.1 < address {
                return false;
            }
        }
        match (sources.v4.first(), sources.v4.last()) {
            (Some(low), Some(high)) if sources.v6.is_empty() => {
                bounds.sources.0 <= high && low <= bounds.sources.1
            }
            _ => true,
        }
    }

    /// Rules reach the host's own services by their tags only (F37, F39): DNS on port 53. A term that is not known may
    /// be the tag.
    fn counts(&self, rule: &Rule) -> bool {
        self.platform.is_none_or(|tag| {
            let named = rule.destination.tags.contains(tag) || rule.destination.open.is_some();
            named && (*tag != Tag::PlatformDns || self.port == 53)
        })
    }

    fn source_ports(&self, rule: &Rule, sports: &Ports, world: &World) -> Asked<Ports> {
        match &rule.source_ports {
            _ if self.any_source_port => Ok(sports.clone()),
            Field::Known(ports) => Ok(ports.intersect(sports)),
            Field::Unknown(symbol) => {
                let unknown = Field::Unknown(*symbol);
                let yes = self.terms.field(&unknown, rule, "covers the source port", world)?;
                Ok(if yes { sports.clone() } else { Ports::empty() })
            }
        }
    }
}

impl Rules for Scan<'_, '_, '_> {
    type Effect = Access;

    fn len(&self) -> usize {
        self.rules.rules.len()
    }

    fn skips(&self, i: usize, sources: &Addresses) -> bool {
        let Some(bounds) = self.rules.bounds.get(i) else { return true };
        !self.in_bounds(bounds, sources)
            || (self.platform.is_some() && self.rules.rules.get(i).is_none_or(|rule| !self.counts(rule)))
    }

    fn matches(
        &self,
        i: usize,
        sources: &Addresses,
        sports: &Ports,
        world: &World,
    ) -> Asked<Option<(Addresses, Ports)>> {
        let Some(rule) = self.rules.rules.get(i) else { return Ok(None) };
        let (protocol, name) = match self.proto {
            Proto::Tcp => (&rule.tcp, "covers TCP"),
            Proto::Udp => (&rule.udp, "covers UDP"),
        };
        // What is known to exclude the rule comes before what is not known.
        if *protocol == Field::Known(false)
            || matches!(&rule.ports, Field::Known(p) if !p.contains(self.port))
        {
            return Ok(None);
        }
        let covers = match self.platform {
            Some(tag) => self.terms.names_platform(&rule.destination, tag, rule, world),
            None => self.terms.covers(&rule.destination, rule, world),
        };
        if covers == Ok(false) {
            return Ok(None);
        }
        let hit_sports = self.source_ports(rule, sports, world);
        if hit_sports.as_ref().is_ok_and(Ports::is_empty) {
            return Ok(None);
        }
        let hit_sources = self.terms.sources(&rule.source, sources, rule, world);
        if hit_sources.as_ref().is_ok_and(Addresses::is_empty) {
            return Ok(None);
        }
        if let Some(doubt) = &rule.applies
            && !world.ask(&doubt.key, || (**doubt).clone())?
        {
            return Ok(None);
        }
        if !covers? || !self.terms.field(protocol, rule, name, world)? {
            return Ok(None);
        }
        if let Field::Unknown(symbol) = &rule.ports
            && !self.terms.field(&Field::Unknown(*symbol), rule, "covers the destination port", world)?
        {
            return Ok(None);
        }
        let (hit_sources, hit_sports) = (hit_sources?, hit_sports?);
        Ok((!hit_sources.is_empty() && !hit_sports.is_empty()).then_some((hit_sources, hit_sports)))
    }

    fn effect(&self, i: usize, world: &World) -> Asked<Access> {
        let Some(rule) = self.rules.rules.get(i) else { return Ok(Access::Deny) };
        match &rule.access {
            Field::Known(access) => Ok(*access),
            Field::Unknown(symbol) => {
                let allows = self.terms.field(&Field::Unknown(*symbol), rule, "allows", world)?;
                Ok(if allows { Access::Allow } else { Access::Deny })
            }
        }
    }

    /// An admin rule set hands on to the groups (F101); a group ends with a rule that matches all, so that only the
    /// host's own services get past its end (F39).
    fn otherwise(&self) -> Access {
        Access::Allow
    }

    fn unseen(&self) -> Option<Doubt> {
        self.rules.open.map(|symbol| self.terms.unseen_rules(symbol))
    }
}
