//! Values that Azure or an apply picks once, each out of a domain that is known (V2, V6): a dynamic address in a subnet,
//! one of a few words.
//!
//! What lives here: which values these are and which of them fare alike ([`values`]), the estate with values put in
//! their places ([`world`]), claims over all choices ([`settle`]). What may not: what an answer says in one estate;
//! every estate is audited as if its values had stood there from the start, by both evaluators.

mod settle;
mod values;
mod world;

pub use world::Worlds;
