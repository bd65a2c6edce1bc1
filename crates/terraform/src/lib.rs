//! Terraform and OpenTofu plans and states as edits on a snapshot.
//!
//! What lives here: reading the JSON of `terraform show -json`, the mapping of azurerm and azapi resources to ARM,
//! references through the configuration, unknown values as holes, and what Azure does by itself after apply. What may
//! not: verdicts, and the meaning of ARM beyond what an apply makes of it.
//!
//! Read in this order: [`plan`], [`address`], `value`, `world`, `refer`, `settle`, [`table`], `piece`, `estate`,
//! `derive`, `interchangeable`, [`overlay`], [`unmapped`], `what_if`; then
//! [`trace`], from an element back to its argument, and [`source`], where a plan's blocks are written.

pub mod address;
mod azapi;
mod derive;
pub mod error;
mod estate;
mod interchangeable;
pub mod overlay;
mod piece;
pub mod plan;
mod refer;
mod settle;
pub mod source;
mod subscription;
mod table;
pub mod trace;
pub mod unmapped;
mod value;
mod what_if;
mod world;

pub use error::Error;
pub use overlay::{Cap, Listed, Overlay};
pub use plan::Plan;
pub use settle::References;
pub use subscription::UNKNOWN_SUBSCRIPTION;
pub use table::resource_types;

/// A file that says what will be.
pub enum Input {
    Terraform(Box<Plan>),
    WhatIf(what_if::WhatIf),
}

impl Input {
    /// Reads a plan, a state, or the output of a what-if operation, whichever it is.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn read(reader: impl std::io::Read) -> Result<Self, Error> {
        plan::read::input(reader)
    }

    /// From elements of the overlay that the same base and options gave back to arguments. `None`: the input has none.
    pub fn trace<'p>(
        &'p self,
        overlay: &'p Overlay,
        base: Option<&pullproof_snapshot::Layered>,
        options: &Options,
    ) -> Option<trace::Trace<'p>> {
        match self {
            Self::Terraform(plan) => Some(trace::Trace::new(plan, overlay, base, options)),
            Self::WhatIf(_) => None,
        }
    }

    /// As edits on `base`; on nothing where there is none.
    pub fn edits(&self, base: Option<&pullproof_snapshot::Layered>, options: &Options) -> Overlay {
        match self {
            Self::Terraform(plan) => plan.edits(base, options),
            Self::WhatIf(what_if) => what_if::lay(what_if, base, options),
        }
    }
}

/// How a plan is laid over a base.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The subscription of resources whose provider configuration names none.
    pub subscription: Option<String>,
    /// Texts of other inputs in which addresses stand (declared facts).
    pub also: Vec<String>,
}

impl Plan {
    /// Reads a plan or state.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn read(reader: impl std::io::Read) -> Result<Self, Error> {
        match plan::read::input(reader)? {
            Input::Terraform(plan) => Ok(*plan),
            Input::WhatIf(_) => Err(Error::Form),
        }
    }

    /// The plan as edits on `base`; on nothing where there is none.
    pub fn edits(&self, base: Option<&pullproof_snapshot::Layered>, options: &Options) -> Overlay {
        overlay::lay(self, base, options)
    }
}
