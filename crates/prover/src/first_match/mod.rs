//! First match decides, over sets of sources and source ports, with unknowns (F10, F113, F171).
//!
//! What lives here: the scan that security groups, security admin rules and firewalls share, and what their rules are
//! held against. What may not: what a rule of a kind matches (`filter/`, `firewall/`).
//!
//! Read in this order: [`doubt`], [`scan`], `coarse`, [`destination`], [`public_space`].

mod coarse;
pub(crate) mod destination;
pub(crate) mod doubt;
pub(crate) mod public_space;
pub(crate) mod scan;

pub(crate) use destination::Destination;
pub(crate) use doubt::{Asked, Doubt, World};
pub(crate) use scan::{Decision, Effect, Rules, decide};
