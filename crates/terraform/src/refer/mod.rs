//! References: from an unknown argument to the attribute of the instance that it carries (terraform-mapping.md §2).
//!
//! What lives here: what expressions refer to, and which candidates are left. What may not: ARM.
//! Read in this order: [`groups`], [`wanted`], [`resolve`].

pub(crate) mod groups;
pub(crate) mod resolve;
pub(crate) mod wanted;
