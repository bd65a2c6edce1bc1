//! A local Azure: a snapshot served as Azure Resource Manager and Resource Graph, with the token endpoints that clients
//! need first, and with faults by plan.
//!
//! What lives here: HTTP, ARM's and Resource Graph's answers, their errors, pages and headers, tokens, fault plans.
//! What may not: any meaning of a field for packets, names or identities. The product's own client code is the same
//! against Azure and against this.
//!
//! The first rule: the emulator never says "nothing is there" where the snapshot is no evidence of that. What the
//! snapshot does not know is refused, as Azure refuses whoever may not read it.
//!
//! Read in this order: [`Emulator`] (who answers), [`Options`], `estate` (what is served), `arm`, `graph`, `identity`,
//! `faults`, `server`.

mod arm;
mod call_log;
mod contoso;
mod emulator;
mod estate;
mod faults;
mod graph;
mod identity;
mod metadata;
mod options;
mod reply;
mod request;
mod server;

pub use call_log::{Call, Endpoint};
pub use contoso::{CONTOSO_CONFIG, contoso};
pub use emulator::{Emulator, StartError};
pub use faults::{Change, Fault, FaultPlan, Part, PlanError, Then};
pub use options::{Credentials, Options, Quota};
