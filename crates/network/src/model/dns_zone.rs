//! Private DNS zones, their links and record sets (D33–D56).

use std::net::IpAddr;

use pullproof_snapshot::{ArmId, Place};

use super::index::{RecordSetIx, Ref, VnetIx, ZoneIx, ZoneLinkIx};
use super::val::{List, Val};
use super::word::{ProvisioningState, words};

/// `Microsoft.Network/privateDnsZones`.
#[derive(Clone, Debug)]
pub struct Zone {
    pub id: ArmId,
    pub place: Place,
    /// Lower case, without a trailing dot.
    pub name: Box<str>,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub links: List<ZoneLinkIx>,
    pub record_sets: List<RecordSetIx>,
    /// Azure's own counts: where they are larger than what was read, sets or links are missing.
    pub number_of_record_sets: Val<Option<u64>>,
    pub number_of_links: Val<Option<u64>>,
}

pub mod zone {
    pub const NUMBER_OF_RECORD_SETS: &str = "/properties/numberOfRecordSets";
    pub const NUMBER_OF_LINKS: &str = "/properties/numberOfVirtualNetworkLinks";
}

/// `privateDnsZones/virtualNetworkLinks`.
#[derive(Clone, Debug)]
pub struct ZoneLink {
    pub id: ArmId,
    pub place: Place,
    pub zone: ZoneIx,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub vnet: Val<Option<Ref<VnetIx>>>,
    pub registration_enabled: Val<Option<bool>>,
    /// Absent: the API version was too old, or `Default` (D39: the prover decides).
    pub resolution_policy: Val<Option<ResolutionPolicy>>,
    pub state: Val<Option<LinkState>>,
}

pub mod zone_link {
    pub const VNET: &str = "/properties/virtualNetwork/id";
    pub const REGISTRATION_ENABLED: &str = "/properties/registrationEnabled";
    pub const RESOLUTION_POLICY: &str = "/properties/resolutionPolicy";
    pub const STATE: &str = "/properties/virtualNetworkLinkState";
}

/// `privateDnsZones/<TYPE>/<relative name>`, in ARM's or in Resource Graph's shape (D33, D34).
#[derive(Clone, Debug)]
pub struct RecordSet {
    pub id: ArmId,
    pub place: Place,
    pub zone: ZoneIx,
    /// Relative name in lower case; `@` is the apex, `*` and `*.foo` are wildcards (D51).
    pub name: Box<str>,
    pub data: RecordData,
    pub auto_registered: Val<Option<bool>>,
}

pub mod record_set {
    pub const A: &str = "/properties/aRecords";
    pub const AAAA: &str = "/properties/aaaaRecords";
    pub const CNAME: &str = "/properties/cnameRecord/cname";
    /// Resource Graph's shape.
    pub const RECORDS: &str = "/properties/records";
    pub const AUTO_REGISTERED: &str = "/properties/isAutoRegistered";
}

/// The records of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordData {
    A(List<Val<IpAddr>>),
    Aaaa(List<Val<IpAddr>>),
    /// The target in lower case, without a trailing dot.
    Cname(Val<Option<Box<str>>>),
    /// MX, PTR, SOA, SRV, TXT, upper case: the name exists, without an address (D49).
    Other(Box<str>),
}

words! {
    /// D39.
    ResolutionPolicy { Default = "Default", NxDomainRedirect = "NxDomainRedirect" }
    /// D38: only `Completed` answers.
    LinkState { Completed = "Completed", InProgress = "InProgress" }
}
