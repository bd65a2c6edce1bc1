//! Reads Azure live into a snapshot: what is read, by whose leave, how, and what could not be read.
//!
//! What lives here: the table of what is read ([`types`]), where and as whom to ask ([`cloud`], [`credential`]),
//! single calls and lists (`transport`), Resource Graph (`graph`), the shape of what is kept (`shape`), a whole run
//! ([`collect`]), and a snapshot that says no names ([`redact`]). What may not: any meaning of a field beyond identity,
//! references, secrets and the shape in which Resource Graph returns it; any output to a terminal.
//!
//! Read in this order: [`types`], [`cloud`], [`credential`], `transport`, `graph`, `shape`, [`collect`],
//! [`progress`], [`permissions`], [`error`].
//! [`redact`], [`progress`], [`error`].

pub mod cloud;
pub mod collect;
pub mod credential;
pub mod error;
mod graph;
pub mod permissions;
pub mod progress;
pub mod redact;
mod shape;
mod transport;
pub mod types;

pub use cloud::{Cloud, Endpoints};
pub use collect::{Collector, Counts, Options, Scope, Sources, Summary};
pub use credential::{Auth, Principal};
pub use error::{Error, Failure};
pub use progress::{Cancel, Event, Progress, Source};
pub use transport::Limits;
