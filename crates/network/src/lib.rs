//! The typed network: ARM JSON read field by field, and exact sets of addresses, ports and flows.
//!
//! What lives here: [`model`], the objects of Azure with their fields as three-valued [`Val`]s; the reader that fills
//! them ([`Network::read`]) and the indexes over them; [`set`], the algebra that proofs are done with. What may not:
//! files, and any judgement about whether something works.
//!
//! Read in this order: [`model::val`], [`model`], [`Network`], [`set`].

pub mod indexes;
mod link;
pub mod model;
pub mod network;
mod owners;
mod read;
mod resolve;
pub mod set;
pub mod tags;

pub use indexes::Indexes;
pub use model::index::{Ref, Table};
pub use model::symbol::{Domain, Symbol, SymbolIx, Symbols, Why};
pub use model::val::{List, Val};
pub use network::{Network, Objects};
pub use read::consumed_types;
pub use tags::Tags;
