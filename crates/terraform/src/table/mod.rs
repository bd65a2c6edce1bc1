//! The mapping of azurerm resources to ARM resources: one row a resource type (terraform-mapping.md §4).
//!
//! What lives here: [`Row`] and [`Move`], the words of the table; one file a family of rows. What may not: references
//! (`refer`), what Azure does by itself after apply (`derive`). Read in this order: this file, [`apply`], a family.
//!
//! All spellings of the providers 3.x, 4.x and 5.x are accepted at once: the argument that is set wins (§3.1).

pub(crate) mod apply;
mod cluster;
mod dns;
mod firewall;
mod firewall_rules;
mod gateway;
mod identity;
mod load_balancer;
mod manager;
mod registry;
mod virtual_network;
mod virtual_wan;

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What one resource type becomes.
pub(crate) struct Row {
    pub tf: &'static str,
    /// The ARM type, as Azure writes it.
    pub arm: &'static str,
    /// Templates of the id (of what is changed, for [`Place::Into`]); the first whose attributes are all set counts.
    pub ids: &'static [&'static str],
    pub place: Place,
    pub moves: &'static [Move],
    /// What moves cannot say.
    pub finish: Option<fn(&mut apply::Build<'_>)>,
}

/// What is done with the JSON that the moves make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// It is a resource of its own.
    Whole,
    /// It is a part of the resource that the id names: it becomes the value at this pointer.
    Set(&'static str),
    /// It becomes an element of the list at this pointer, in place of one of the same name or id.
    Append(&'static str),
    /// It says nothing that is read.
    Nothing,
}

/// One argument, or the parts of a block, and where it goes.
pub(crate) struct Move {
    /// All spellings.
    pub from: &'static [&'static str],
    /// JSON pointer relative to the object that is made.
    pub to: &'static str,
    pub how: How,
    pub unset: Unset,
}

pub(crate) enum How {
    Same,
    /// A flag of the opposite meaning.
    Not,
    /// true and false as words.
    Words(&'static str, &'static str),
    /// An id: `{"id": …}`.
    Ref,
    /// A list of ids: `[{"id": …}]`.
    Refs,
    /// One value as a list of one.
    Only,
    /// The first block of a list: one object.
    One(&'static [Move]),
    /// A list of blocks: a list of objects.
    Each(&'static [Move]),
    /// A list of texts: one text, joined by commas.
    Joined,
}

/// What an argument means that is not set.
pub(crate) enum Unset {
    /// Nothing is sent.
    Absent,
    Text(&'static str),
    Flag(bool),
    Number(i64),
    /// `[]`.
    Empty,
}

impl Row {
    /// True when the row makes a resource of its own (its `id` is an ARM id).
    pub(crate) fn is_object(&self) -> bool {
        matches!(self.place, Place::Whole | Place::Append(_))
    }
}

pub(crate) const fn whole(
    tf: &'static str,
    arm: &'static str,
    ids: &'static [&'static str],
    moves: &'static [Move],
) -> Row {
    Row { tf, arm, ids, place: Place::Whole, moves, finish: None }
}

pub(crate) const fn finished(row: Row, finish: fn(&mut apply::Build<'_>)) -> Row {
    Row { finish: Some(finish), ..row }
}

pub(crate) const fn into(
    tf: &'static str,
    arm: &'static str,
    ids: &'static [&'static str],
    place: Place,
    moves: &'static [Move],
) -> Row {
    Row { tf, arm, ids, place, moves, finish: None }
}

pub(crate) const fn same(from: &'static [&'static str], to: &'static str) -> Move {
    Move { from, to, how: How::Same, unset: Unset::Absent }
}

pub(crate) const fn or(from: &'static [&'static str], to: &'static str, unset: Unset) -> Move {
    Move { from, to, how: How::Same, unset }
}

pub(crate) const fn how(from: &'static [&'static str], to: &'static str, how: How) -> Move {
    Move { from, to, how, unset: Unset::Absent }
}

pub(crate) const fn how_or(from: &'static [&'static str], to: &'static str, how: How, unset: Unset) -> Move {
    Move { from, to, how, unset }
}

const FAMILIES: &[&[Row]] = &[
    virtual_network::ROWS,
    dns::ROWS,
    firewall::ROWS,
    gateway::ROWS,
    virtual_wan::ROWS,
    load_balancer::ROWS,
    cluster::ROWS,
    registry::ROWS,
    identity::ROWS,
    manager::ROWS,
];

static BY_TYPE: LazyLock<BTreeMap<&'static str, &'static Row>> =
    LazyLock::new(|| FAMILIES.iter().flat_map(|rows| rows.iter()).map(|row| (row.tf, row)).collect());

/// The row of a resource type, or of the data source of the same name.
pub(crate) fn row(resource_type: &str) -> Option<&'static Row> {
    BY_TYPE.get(resource_type).copied()
}

/// Every row, in order of type.
pub fn resource_types() -> impl Iterator<Item = &'static str> {
    BY_TYPE.keys().copied()
}
