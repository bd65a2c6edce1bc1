//! Exact sets of addresses, ports, protocols and flows.
//!
//! What lives here: sets with their algebra, and parsing of their written forms. What may not: Azure objects. Begin
//! with [`ranges`]: everything else is made of it.

mod addresses;
mod flow;
mod ports;
mod protocol;
pub mod ranges;
pub mod tag;

pub use addresses::{Addresses, assignable};
pub use flow::Flow;
pub use ports::Ports;
pub use protocol::{Protocol, Protocols};
pub use ranges::Ranges;
pub use tag::{TagMatch, TagTarget, Tri};
