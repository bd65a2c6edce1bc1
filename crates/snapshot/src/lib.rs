//! Snapshots of Azure configuration: raw ARM JSON as Azure returned it, with provenance.
//!
//! What lives here: reading every input form, writing the native one, resource ids, completeness and gaps, holes (values not known yet),
//! layers (a base with edits), declared facts (`pullproof.toml`), recorded evidence, the format of single questions,
//! and `facts/`: data without logic that prover and checker both read. What may not: any meaning of a field beyond
//! identity, capture time and completeness.
//!
//! Read in this order: [`id`], [`place`], [`snapshot`], [`layered`], [`children`], [`completeness`], [`read`],
//! [`write`], [`declared`], [`facts`].

pub mod builder;
pub mod children;
pub mod completeness;
pub mod declared;
pub mod evidence;
pub mod facts;
pub mod gap;
mod hierarchy;
pub mod hole;
pub mod id;
pub mod layered;
pub mod merge;
pub mod place;
pub mod question;
pub mod read;
mod seek;
pub mod snapshot;
pub mod write;

pub use children::{Child, ChildList};
pub use completeness::Absence;
pub use declared::Declared;
pub use evidence::Evidence;
pub use gap::Gap;
pub use id::ArmId;
pub use layered::{Edit, Layered};
pub use merge::Conflict;
pub use place::{At, Place, ResourceIx};
pub use snapshot::{Snapshot, TagList};
