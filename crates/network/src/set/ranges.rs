//! Sorted, disjoint, non-adjacent ranges of integers: one canonical form for each set.

use std::fmt::Debug;

/// An integer that ranges are made of.
pub trait Point: Copy + Ord + Debug + std::hash::Hash {
    const MIN: Self;
    const MAX: Self;
    /// `None` at the maximum.
    fn next(self) -> Option<Self>;
    /// `None` at the minimum.
    fn previous(self) -> Option<Self>;
    fn as_u128(self) -> u128;
}

macro_rules! points {
    ($($kind:ty),*) => {$(
        impl Point for $kind {
            const MIN: Self = <$kind>::MIN;
            const MAX: Self = <$kind>::MAX;
            fn next(self) -> Option<Self> {
                self.checked_add(1)
            }
            fn previous(self) -> Option<Self> {
                self.checked_sub(1)
            }
            fn as_u128(self) -> u128 {
                u128::from(self)
            }
        }
    )*};
}

points!(u8, u16, u32, u128);

/// A set of integers. Two sets are equal exactly when they hold the same integers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ranges<T>(Few<T>);

/// Inclusive, ascending; between two neighbours at least one integer is missing. Nearly all sets are one range: those
/// take no allocation, which is most of the time that a large network takes to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Few<T> {
    None,
    One((T, T)),
    /// Two at least.
    Many(Vec<(T, T)>),
}

impl<T> Default for Ranges<T> {
    fn default() -> Self {
        Self(Few::None)
    }
}

impl<T: Copy> From<Vec<(T, T)>> for Few<T> {
    fn from(ranges: Vec<(T, T)>) -> Self {
        match ranges.as_slice() {
            [] => Self::None,
            [one] => Self::One(*one),
            _ => Self::Many(ranges),
        }
    }
}

impl<T: Point> Ranges<T> {
    pub fn empty() -> Self {
        Self::default()
    }

    pub fn all() -> Self {
        Self(Few::One((T::MIN, T::MAX)))
    }

    pub fn one(point: T) -> Self {
        Self(Few::One((point, point)))
    }

    /// `from` to `to`, both included; empty when `from` is larger.
    pub fn range(from: T, to: T) -> Self {
        Self(if from <= to { Few::One((from, to)) } else { Few::None })
    }

    /// The union of ranges in any order, overlapping or not; those with `from` larger than `to` are empty.
    pub fn of(ranges: impl IntoIterator<Item = (T, T)>) -> Self {
        let mut all: Vec<(T, T)> = ranges.into_iter().filter(|(from, to)| from <= to).collect();
        all.sort_unstable();
        let mut out: Vec<(T, T)> = Vec::with_capacity(all.len());
        for (from, to) in all {
            push(&mut out, from, to);
        }
        Self(out.into())
    }

    pub fn is_empty(&self) -> bool {
        matches!(self.0, Few::None)
    }

    pub fn is_all(&self) -> bool {
        matches!(self.0, Few::One(all) if all == (T::MIN, T::MAX))
    }

    fn slice(&self) -> &[(T, T)] {
        match &self.0 {
            Few::None => &[],
            Few::One(range) => std::slice::from_ref(range),
            Few::Many(ranges) => ranges,
        }
    }

    /// The ranges, inclusive, ascending and apart.
    pub fn iter(&self) -> impl Iterator<Item = (T, T)> + '_ {
        self.slice().iter().copied()
    }

    /// How many ranges it takes.
    pub fn range_count(&self) -> usize {
        self.slice().len()
    }

    /// How many integers; `u128::MAX` for the whole of `u128`, which holds one more.
    pub fn len(&self) -> u128 {
        self.iter().fold(0, |sum: u128, (from, to)| {
            sum.saturating_add(to.as_u128().saturating_sub(from.as_u128()).saturating_add(1))
        })
    }

    pub fn first(&self) -> Option<T> {
        self.slice().first().map(|(from, _)| *from)
    }

    pub fn last(&self) -> Option<T> {
        self.slice().last().map(|(_, to)| *to)
    }

    pub fn contains(&self, point: T) -> bool {
        let after = self.slice().partition_point(|(from, _)| *from <= point);
        after.checked_sub(1).and_then(|i| self.slice().get(i)).is_some_and(|(_, to)| point <= *to)
    }

    pub fn union(&self, other: &Self) -> Self {
        if other.is_empty() {
            return self.clone();
        }
        let mut out = Vec::with_capacity(self.slice().len() + other.slice().len());
        let (mut a, mut b) = (self.slice(), other.slice());
        loop {
            let (from, to) = match (a, b) {
                ([x, rest @ ..], [y, ..]) if x.0 <= y.0 => {
                    a = rest;
                    *x
                }
                (_, [y, rest @ ..]) => {
                    b = rest;
                    *y
                }
                ([x, rest @ ..], []) => {
                    a = rest;
                    *x
                }
                ([], []) => return Self(out.into()),
            };
            push(&mut out, from, to);
        }
    }

    pub fn intersect(&self, other: &Self) -> Self {
        let mut out = Vec::new();
        let (mut a, mut b) = (self.slice(), other.slice());
        while let ([x, a_rest @ ..], [y, b_rest @ ..]) = (a, b) {
            let (from, to) = (x.0.max(y.0), x.1.min(y.1));
            if from <= to {
                out.push((from, to));
            }
            if x.1 <= y.1 {
                a = a_rest;
            } else {
                b = b_rest;
            }
        }
        Self(out.into())
    }

    pub fn complement(&self) -> Self {
        let mut out = Vec::with_capacity(self.slice().len() + 1);
        let mut start = Some(T::MIN);
        for (from, to) in self.iter() {
            if let (Some(start), Some(before)) = (start, from.previous())
                && start <= before
            {
                out.push((start, before));
            }
            start = to.next();
        }
        if let Some(start) = start {
            out.push((start, T::MAX));
        }
        Self(out.into())
    }

    /// What is in `self` and not in `other`.
    pub fn subtract(&self, other: &Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return self.clone();
        }
        let mut out = Vec::new();
        let mut cuts = other.slice();
        for (from, to) in self.iter() {
            let mut start = Some(from);
            while let [cut, rest @ ..] = cuts {
                let Some(from) = start else { break };
                if cut.1 < from {
                    cuts = rest;
                    continue;
                }
                if cut.0 > to {
                    break;
                }
                if let Some(before) = cut.0.previous()
                    && from <= before
                {
                    out.push((from, before));
                }
                start = cut.1.next();
                if cut.1 > to {
                    break;
                }
                cuts = rest;
            }
            if let Some(start) = start
                && start <= to
            {
                out.push((start, to));
            }
        }
        Self(out.into())
    }

    /// True exactly when every integer of `self` is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.iter().all(|(from, to)| {
            let after = other.slice().partition_point(|(start, _)| *start <= from);
            after.checked_sub(1).and_then(|i| other.slice().get(i)).is_some_and(|(_, end)| to <= *end)
        })
    }

    /// True exactly when some integer is in both.
    pub fn overlaps(&self, other: &Self) -> bool {
        let (mut a, mut b) = (self.slice(), other.slice());
        while let ([x, a_rest @ ..], [y, b_rest @ ..]) = (a, b) {
            if x.0.max(y.0) <= x.1.min(y.1) {
                return true;
            }
            if x.1 <= y.1 {
                a = a_rest;
            } else {
                b = b_rest;
            }
        }
        false
    }
}

/// Adds a range that starts at or after the start of the last one.
fn push<T: Point>(out: &mut Vec<(T, T)>, from: T, to: T) {
    if let Some(last) = out.last_mut()
        && last.1.next().is_none_or(|next| from <= next)
    {
        last.1 = last.1.max(to);
        return;
    }
    out.push((from, to));
}
