//! Sets of addresses of both families.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use ipnet::IpNet;

use super::ranges::Ranges;

/// A set of IPv4 and IPv6 addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Addresses {
    pub v4: Ranges<u32>,
    pub v6: Ranges<u128>,
}

impl Addresses {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn all() -> Self {
        Self { v4: Ranges::all(), v6: Ranges::all() }
    }

    /// Every IPv4 address.
    pub fn all_v4() -> Self {
        Self { v4: Ranges::all(), v6: Ranges::empty() }
    }

    pub fn address(address: IpAddr) -> Self {
        Self::range(address, address)
    }

    /// Host bits do not matter: `10.0.0.5/24` is `10.0.0.0/24` (F28).
    pub fn prefix(prefix: IpNet) -> Self {
        match prefix {
            IpNet::V4(net) => Self::range(net.network().into(), net.broadcast().into()),
            IpNet::V6(net) => Self::range(net.network().into(), net.broadcast().into()),
        }
    }

    /// `from` to `to`, both included; empty when `from` is larger or the families differ.
    pub fn range(from: IpAddr, to: IpAddr) -> Self {
        match (from, to) {
            (IpAddr::V4(from), IpAddr::V4(to)) => {
                Self { v4: Ranges::range(from.into(), to.into()), v6: Ranges::empty() }
            }
            (IpAddr::V6(from), IpAddr::V6(to)) => {
                Self { v4: Ranges::empty(), v6: Ranges::range(from.into(), to.into()) }
            }
            _ => Self::empty(),
        }
    }

    pub fn of(prefixes: impl IntoIterator<Item = IpNet>) -> Self {
        let (mut v4, mut v6) = (Vec::new(), Vec::new());
        for prefix in prefixes {
            match prefix {
                IpNet::V4(net) => v4.push((net.network().into(), net.broadcast().into())),
                IpNet::V6(net) => v6.push((net.network().into(), net.broadcast().into())),
            }
        }
        Self { v4: Ranges::of(v4), v6: Ranges::of(v6) }
    }

    pub fn is_empty(&self) -> bool {
        self.v4.is_empty() && self.v6.is_empty()
    }

    pub fn contains(&self, address: IpAddr) -> bool {
        match address {
            IpAddr::V4(address) => self.v4.contains(address.into()),
            IpAddr::V6(address) => self.v6.contains(address.into()),
        }
    }

    pub fn union(&self, other: &Self) -> Self {
        Self { v4: self.v4.union(&other.v4), v6: self.v6.union(&other.v6) }
    }

    pub fn intersect(&self, other: &Self) -> Self {
        Self { v4: self.v4.intersect(&other.v4), v6: self.v6.intersect(&other.v6) }
    }

    pub fn subtract(&self, other: &Self) -> Self {
        Self { v4: self.v4.subtract(&other.v4), v6: self.v6.subtract(&other.v6) }
    }

    /// Of both families.
    pub fn complement(&self) -> Self {
        Self { v4: self.v4.complement(), v6: self.v6.complement() }
    }

    pub fn is_subset(&self, other: &Self) -> bool {
        self.v4.is_subset(&other.v4) && self.v6.is_subset(&other.v6)
    }

    pub fn overlaps(&self, other: &Self) -> bool {
        self.v4.overlaps(&other.v4) || self.v6.overlaps(&other.v6)
    }

    /// How many addresses, `u128::MAX` at most.
    pub fn len(&self) -> u128 {
        self.v4.len().saturating_add(self.v6.len())
    }

    /// The smallest address, IPv4 before IPv6.
    pub fn first(&self) -> Option<IpAddr> {
        let v4 = self.v4.first().map(|a| IpAddr::V4(Ipv4Addr::from(a)));
        v4.or_else(|| self.v6.first().map(|a| IpAddr::V6(Ipv6Addr::from(a))))
    }

    pub fn last(&self) -> Option<IpAddr> {
        let v6 = self.v6.last().map(|a| IpAddr::V6(Ipv6Addr::from(a)));
        v6.or_else(|| self.v4.last().map(|a| IpAddr::V4(Ipv4Addr::from(a))))
    }

    /// The ranges, inclusive, IPv4 before IPv6, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (IpAddr, IpAddr)> + '_ {
        let v4 = self.v4.iter().map(|(a, b)| (Ipv4Addr::from(a).into(), Ipv4Addr::from(b).into()));
        let v6 = self.v6.iter().map(|(a, b)| (Ipv6Addr::from(a).into(), Ipv6Addr::from(b).into()));
        v4.chain(v6)
    }

    /// The fewest prefixes that make up the set, IPv4 before IPv6, ascending.
    pub fn prefixes(&self) -> Vec<IpNet> {
        let v4 = self.v4.iter().flat_map(|(a, b)| ipnet::Ipv4Subnets::new(a.into(), b.into(), 0));
        let v6 = self.v6.iter().flat_map(|(a, b)| ipnet::Ipv6Subnets::new(a.into(), b.into(), 0));
        v4.map(IpNet::V4).chain(v6.map(IpNet::V6)).collect()
    }
}

/// As prefixes, comma-joined; `-` where empty.
impl fmt::Display for Addresses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("-");
        }
        for (i, prefix) in self.prefixes().iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            write!(f, "{comma}{prefix}")?;
        }
        Ok(())
    }
}

/// A prefix, an address, or `a-b`. The error is the text itself.
impl FromStr for Addresses {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Ok(prefix) = IpNet::from_str(text) {
            return Ok(Self::prefix(prefix));
        }
        if let Ok(address) = IpAddr::from_str(text) {
            return Ok(Self::address(address));
        }
        let bad = || format!("`{text}` is no address, prefix or address range");
        let (from, to) = text.split_once('-').ok_or_else(bad)?;
        let from = IpAddr::from_str(from.trim()).map_err(|_| bad())?;
        let to = IpAddr::from_str(to.trim()).map_err(|_| bad())?;
        let range = Self::range(from, to);
        if range.is_empty() { Err(bad()) } else { Ok(range) }
    }
}

/// The addresses of a subnet that a resource can have: the first four and the last are Azure's (R25). Of IPv6 subnets
/// the same.
pub fn assignable(prefix: IpNet) -> Addresses {
    let cut = |set: &Addresses| {
        let (Some(first), Some(last)) = (set.first(), set.last()) else { return Addresses::empty() };
        match (first, last) {
            (IpAddr::V4(a), IpAddr::V4(b)) => {
                match (u32::from(a).checked_add(4), u32::from(b).checked_sub(1)) {
                    (Some(from), Some(to)) => Addresses { v4: Ranges::range(from, to), v6: Ranges::empty() },
                    _ => Addresses::empty(),
                }
            }
            (IpAddr::V6(a), IpAddr::V6(b)) => {
                match (u128::from(a).checked_add(4), u128::from(b).checked_sub(1)) {
                    (Some(from), Some(to)) => Addresses { v4: Ranges::empty(), v6: Ranges::range(from, to) },
                    _ => Addresses::empty(),
                }
            }
            _ => Addresses::empty(),
        }
    };
    cut(&Addresses::prefix(prefix))
}
