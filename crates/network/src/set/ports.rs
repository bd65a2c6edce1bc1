//! Sets of TCP or UDP ports.

use std::fmt;
use std::str::FromStr;

use super::ranges::Ranges;

/// A set of ports.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ports(pub Ranges<u16>);

impl Ports {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn all() -> Self {
        Self(Ranges::all())
    }

    pub fn one(port: u16) -> Self {
        Self(Ranges::one(port))
    }

    pub fn range(from: u16, to: u16) -> Self {
        Self(Ranges::range(from, to))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn is_all(&self) -> bool {
        self.0.is_all()
    }

    pub fn contains(&self, port: u16) -> bool {
        self.0.contains(port)
    }

    pub fn union(&self, other: &Self) -> Self {
        Self(self.0.union(&other.0))
    }

    pub fn intersect(&self, other: &Self) -> Self {
        Self(self.0.intersect(&other.0))
    }

    pub fn subtract(&self, other: &Self) -> Self {
        Self(self.0.subtract(&other.0))
    }

    pub fn complement(&self) -> Self {
        Self(self.0.complement())
    }

    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.is_subset(&other.0)
    }

    pub fn overlaps(&self, other: &Self) -> bool {
        self.0.overlaps(&other.0)
    }

    pub fn len(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    pub fn first(&self) -> Option<u16> {
        self.0.first()
    }

    pub fn last(&self) -> Option<u16> {
        self.0.last()
    }

    pub fn iter(&self) -> impl Iterator<Item = (u16, u16)> + '_ {
        self.0.iter()
    }
}

/// `443`, `80-90`, `*`, or several joined by commas (F25).
impl FromStr for Ports {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is no port, port range or `*`");
        let part = |part: &str| {
            let part = part.trim();
            if part == "*" || part.eq_ignore_ascii_case("any") {
                return Ok((0, u16::MAX));
            }
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            let from: u16 = from.trim().parse().map_err(|_| bad())?;
            let to: u16 = to.trim().parse().map_err(|_| bad())?;
            if from <= to { Ok((from, to)) } else { Err(bad()) }
        };
        if !text.contains(',') {
            return part(text).map(|(from, to)| Self::range(from, to));
        }
        let ranges = text.split(',').map(part).collect::<Result<Vec<_>, _>>()?;
        Ok(Self(Ranges::of(ranges)))
    }
}

/// `*`, or ports and ranges joined by commas; `-` where empty.
impl fmt::Display for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_all() {
            return f.write_str("*");
        }
        if self.is_empty() {
            return f.write_str("-");
        }
        for (i, (from, to)) in self.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            if from == to { write!(f, "{comma}{from}")? } else { write!(f, "{comma}{from}-{to}")? }
        }
        Ok(())
    }
}
