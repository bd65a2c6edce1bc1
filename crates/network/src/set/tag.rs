//! Service tags as three-valued matches (F73–F87).

use super::Addresses;

/// Yes, no, or not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tri {
    Yes,
    No,
    Unknown,
}

/// What a tag is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TagTarget<'a> {
    /// These addresses, all of them.
    Addresses(&'a Addresses),
    /// The public address of a host, unknown but inside this documented tag, such as `AzureContainerRegistry.WestEurope`
    /// (V5, A58).
    PublicHostOf(&'a str),
}

/// Does a tag cover a target?
///
/// Special words (`VirtualNetwork`, `Internet`, `AzureLoadBalancer`, `AzurePlatform*`) are not tags of a list: they
/// are the caller's (F75). Names are compared by name, without regard to letter case (F76).
pub trait TagMatch {
    /// `Yes` exactly when every address that `what` can be lies in the tag; `No` exactly when none does; `Unknown`
    /// where some do, or where it is not known.
    fn tag_covers(&self, tag: &str, what: &TagTarget<'_>) -> Tri;

    /// The tag's addresses, where a list that has it was given.
    fn tag_addresses(&self, tag: &str) -> Option<&Addresses>;
}
