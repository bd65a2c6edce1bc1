//! The one table of what is read from Azure: per resource type the API version, the reason, the way in which Azure
//! lists it, the permission, and the secret fields that are dropped on reading.
//!
//! Resource Graph is used for a type only where Microsoft's reference of its tables names the type: a table that does
//! not hold a type answers with no rows and no error, and no rows would pass for evidence that nothing is there.

mod calls;
mod rows;

use std::borrow::Cow;

pub use calls::{EFFECTIVE, Method, Operation, READS};
pub use rows::TYPES;

// API versions, by service.
const NETWORK: &str = "2024-05-01";
const PERIMETER: &str = "2024-07-01";
const PRIVATE_DNS: &str = "2024-06-01";
const RESOLVER: &str = "2025-05-01";
const COMPUTE: &str = "2024-11-01";
const REGISTRY: &str = "2025-04-01";
const CLUSTER: &str = "2025-08-01";
const AUTHORIZATION: &str = "2022-04-01";
const POLICY: &str = "2023-04-01";
const MANAGEMENT: &str = "2023-04-01";

/// A table of Resource Graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    Resources,
    NetworkResources,
    DnsResources,
    ComputeResources,
    AuthorizationResources,
    ResourceContainers,
}

impl Table {
    /// The name as queries write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Resources => "resources",
            Self::NetworkResources => "networkresources",
            Self::DnsResources => "dnsresources",
            Self::ComputeResources => "computeresources",
            Self::AuthorizationResources => "authorizationresources",
            Self::ResourceContainers => "resourcecontainers",
        }
    }
}

/// How ARM lists a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// `GET {subscription or resource group}/providers/{type}`.
    Scope,
    /// `GET {resource group}/providers/{type}` only; a subscription has no list of them.
    Group,
    /// `GET {scope}/providers/{type}`; what is inherited from management groups and the tenant is in the answer (A305).
    Inherited,
    /// `GET {parent}/{collection}`, one call a parent.
    Parent { parent: &'static str, collection: &'static str },
    /// Not listed: read one by one, where something that was read names it.
    ByReference,
    /// The subscriptions and management groups themselves.
    Hierarchy,
}

/// What is kept of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// Everything but the secret fields at these JSON pointers; `*` stands for each element of a list or object.
    AllBut(&'static [&'static str]),
    /// That it is there, its location and its provisioning state: only its presence is ever asked for.
    Presence,
}

/// One row: a resource type that is read.
#[derive(Clone, Copy, Debug)]
pub struct ReadType {
    /// The type as ARM writes it.
    pub name: &'static str,
    pub api_version: &'static str,
    /// What the prover needs it for, and why this API version where that matters.
    pub why: &'static str,
    pub listing: Listing,
    /// The table of Resource Graph that holds it; `None`: ARM only.
    pub table: Option<Table>,
    /// The permission that reading it takes, where it is another one than `{name}/read`.
    action: Option<&'static str>,
    pub kept: Kept,
}

impl ReadType {
    /// The permission that reading it takes.
    pub fn action(&self) -> Cow<'static, str> {
        self.action.map_or_else(|| Cow::Owned(format!("{}/read", self.name)), Cow::Borrowed)
    }
}

/// The row of a type, whatever its letter case.
pub fn of(resource_type: &str) -> Option<&'static ReadType> {
    TYPES.iter().find(|row| row.name.eq_ignore_ascii_case(resource_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_stands_after_its_parent_and_once() {
        for (i, row) in TYPES.iter().enumerate() {
            let earlier = TYPES.get(..i).unwrap_or_default();
            assert!(!earlier.iter().any(|other| other.name.eq_ignore_ascii_case(row.name)), "{}", row.name);
            if let Listing::Parent { parent, .. } = row.listing {
                assert!(earlier.iter().any(|other| other.name == parent), "{} before {parent}", row.name);
            }
        }
    }

    #[test]
    fn an_action_is_of_the_type_that_it_reads() {
        for row in TYPES {
            assert!(row.action().ends_with("/read"), "{}", row.action());
            let provider = row.name.split('/').next().unwrap_or_default();
            assert!(row.action().starts_with(provider), "{}", row.action());
        }
        assert!(EFFECTIVE.iter().all(|op| op.action.ends_with("/action")));
    }
}
