//! Symbols: values that are not known. One name is one symbol, and one value, everywhere.

use std::collections::HashMap;

use pullproof_snapshot::{ArmId, At};

use crate::set::Addresses;

/// The number of a symbol: a hash of its name, so that every reader gives a name the same number. Distinct names have
/// distinct numbers within one [`Symbols`] (checked when it is built).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolIx(pub(crate) u64);

/// Why a value is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// `{"$unknown": …}` stands in the JSON: known after apply, or left open on purpose.
    Hole,
    /// The inline and the standalone form of one child differ (`conflicting-input`).
    Conflict,
    /// Something stands there that the field cannot hold; a gap says what.
    Malformed,
    /// Azure needs the field and the input lacks it: a projected or trimmed source.
    Missing,
}

/// What is known about an unknown value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    /// One of these addresses.
    Addresses(Addresses),
    /// An assignable address of this subnet.
    Subnet(ArmId),
    /// One of these words.
    OneOf(Vec<Box<str>>),
}

/// A value that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub name: Box<str>,
    pub why: Why,
    /// For people: the Terraform address, what was malformed …
    pub text: Box<str>,
    /// The first place (in order of folded id and pointer) where it stands.
    pub at: Option<At>,
    pub domain: Option<Domain>,
    /// The name stands somewhere as the value of a field, so it is one value: as a list element it is exactly one
    /// element.
    pub scalar: bool,
}

/// All symbols of a network.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    pub(crate) by_ix: HashMap<SymbolIx, Symbol>,
    pub(crate) salt: u64,
}

impl Symbols {
    pub fn get(&self, ix: SymbolIx) -> Option<&Symbol> {
        self.by_ix.get(&ix)
    }

    /// The number that `name` has, or would have.
    pub fn ix(&self, name: &str) -> SymbolIx {
        number(name, self.salt)
    }

    /// The symbol's name; empty for a number that is none of this network's.
    pub fn name(&self, ix: SymbolIx) -> &str {
        self.get(ix).map_or("", |s| &s.name)
    }

    /// All symbols in order of name.
    pub fn iter(&self) -> Vec<(SymbolIx, &Symbol)> {
        let mut all: Vec<_> = self.by_ix.iter().map(|(ix, s)| (*ix, s)).collect();
        all.sort_by(|a, b| a.1.name.cmp(&b.1.name));
        all
    }

    pub fn len(&self) -> usize {
        self.by_ix.len()
    }

    pub fn is_empty(&self) -> bool {
        self.by_ix.is_empty()
    }
}

/// FNV-1a, 64 bits.
pub(crate) fn number(name: &str, salt: u64) -> SymbolIx {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ salt;
    for byte in name.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    SymbolIx(hash)
}
