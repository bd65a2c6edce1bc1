//! Effective routes of a subnet, and the choice among them (routing.md A–K).
//!
//! What lives here: which routes a subnet has and where each comes from, what may add routes that were not read, and
//! which route a destination takes (E.1). What may not: whether the next hop works, and what happens behind it
//! (`device/`, `walk/`).
//!
//! A route source is closed or open. An open one ([`OpenSource`]) matters to a destination exactly when a route that it
//! might hold would be taken instead of the best one that was read; only then is the choice open.
//!
//! Read in this order: [`route`], [`user`], [`peering`], [`gateway`], [`hub`], [`endpoint`], [`effective`], [`select`],
//! [`reason`], `recorded`.

pub mod effective;
pub mod endpoint;
pub mod gateway;
pub mod hub;
pub mod peering;
pub mod reason;
pub(crate) mod recorded;
pub mod route;
pub mod select;
pub mod user;

pub use effective::EffectiveRoutes;
pub use route::{Hop, OpenKind, OpenSource, Route, RouteSource};
pub use select::Selected;
