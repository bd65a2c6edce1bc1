//! Flows: boxes of sources, source ports, destinations, destination ports and protocols.

use super::{Addresses, Ports, Protocols};

/// All packets with a source of `src`, a source port of `sports` and so on: the product of the five sets. Ports of
/// protocols without ports do not matter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flow {
    pub src: Addresses,
    pub sports: Ports,
    pub dst: Addresses,
    pub dports: Ports,
    pub proto: Protocols,
}

impl Flow {
    /// True exactly when no packet is in it.
    pub fn is_empty(&self) -> bool {
        self.src.is_empty()
            || self.sports.is_empty()
            || self.dst.is_empty()
            || self.dports.is_empty()
            || self.proto.is_empty()
    }

    pub fn intersect(&self, other: &Self) -> Self {
        Self {
            src: self.src.intersect(&other.src),
            sports: self.sports.intersect(&other.sports),
            dst: self.dst.intersect(&other.dst),
            dports: self.dports.intersect(&other.dports),
            proto: self.proto.intersect(other.proto),
        }
    }

    /// True exactly when every packet of `self` is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.is_empty()
            || (self.src.is_subset(&other.src)
                && self.sports.is_subset(&other.sports)
                && self.dst.is_subset(&other.dst)
                && self.dports.is_subset(&other.dports)
                && self.proto.is_subset(other.proto))
    }

    /// What is in `self` and not in `other`: at most five disjoint boxes, none of them empty.
    pub fn subtract(&self, other: &Self) -> Vec<Self> {
        let common = self.intersect(other);
        if common.is_empty() {
            return if self.is_empty() { Vec::new() } else { vec![self.clone()] };
        }
        // One dimension after the other: outside `other` in this one, inside it in those before.
        let mut rest = self.clone();
        let mut out = Vec::new();
        let mut add = |flow: Self| {
            if !flow.is_empty() {
                out.push(flow);
            }
        };
        add(Self { src: self.src.subtract(&other.src), ..rest.clone() });
        rest.src = common.src;
        add(Self { sports: self.sports.subtract(&other.sports), ..rest.clone() });
        rest.sports = common.sports;
        add(Self { dst: self.dst.subtract(&other.dst), ..rest.clone() });
        rest.dst = common.dst;
        add(Self { dports: self.dports.subtract(&other.dports), ..rest.clone() });
        rest.dports = common.dports;
        add(Self { proto: self.proto.subtract(other.proto), ..rest });
        out
    }
}
