//! Network security groups, their rules, and application security groups (F10–F36).

use pullproof_snapshot::{ArmId, Place};

use super::address::AddressTerm;
use super::index::{AsgIx, Ref};
use super::val::{List, Val};
use super::word::{ProvisioningState, words};
use crate::set::{Ports, Protocol};

/// `Microsoft.Network/networkSecurityGroups`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nsg {
    pub id: ArmId,
    pub place: Place,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    /// Custom rules in the order of the input (F10 orders them by priority).
    pub rules: List<NsgRule>,
    /// `defaultSecurityRules`; empty where the input lacks them (F15: six rules hold all the same).
    pub default_rules: List<NsgRule>,
}

pub mod nsg {
    pub const RULES: &str = "/properties/securityRules";
    pub const DEFAULT_RULES: &str = "/properties/defaultSecurityRules";
}

/// One security rule (F21). A field that is absent though Azure demands it is a symbol with [`super::symbol::Why::Missing`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NsgRule {
    pub place: Place,
    pub name: Box<str>,
    pub provisioning_state: Val<Option<ProvisioningState>>,
    pub priority: Val<u16>,
    pub direction: Val<RuleDirection>,
    pub access: Val<Access>,
    /// `*` is every protocol (F23, F24).
    pub protocol: Val<Protocol>,
    pub source: RuleSide,
    pub destination: RuleSide,
}

/// The source or the destination of a rule: the union of singular and plural fields (F22).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSide {
    pub addresses: List<AddressTerm>,
    /// Application security groups (F33); a rule names addresses or groups.
    pub asgs: List<Ref<AsgIx>>,
    /// `portRange` and `portRanges` (F25).
    pub ports: Val<Ports>,
}

pub mod nsg_rule {
    pub const PRIORITY: &str = "/properties/priority";
    pub const DIRECTION: &str = "/properties/direction";
    pub const ACCESS: &str = "/properties/access";
    pub const PROTOCOL: &str = "/properties/protocol";
    pub const SOURCE_PREFIX: &str = "/properties/sourceAddressPrefix";
    pub const SOURCE_PREFIXES: &str = "/properties/sourceAddressPrefixes";
    pub const SOURCE_ASGS: &str = "/properties/sourceApplicationSecurityGroups";
    pub const SOURCE_PORT: &str = "/properties/sourcePortRange";
    pub const SOURCE_PORTS: &str = "/properties/sourcePortRanges";
    pub const DESTINATION_PREFIX: &str = "/properties/destinationAddressPrefix";
    pub const DESTINATION_PREFIXES: &str = "/properties/destinationAddressPrefixes";
    pub const DESTINATION_ASGS: &str = "/properties/destinationApplicationSecurityGroups";
    pub const DESTINATION_PORT: &str = "/properties/destinationPortRange";
    pub const DESTINATION_PORTS: &str = "/properties/destinationPortRanges";
}

/// `Microsoft.Network/applicationSecurityGroups`: members are found at NICs, pools and private endpoints (F31, F35,
/// F36).
#[derive(Clone, Debug)]
pub struct Asg {
    pub id: ArmId,
    pub place: Place,
}

words! {
    Access { Allow = "Allow", Deny = "Deny" }
    RuleDirection { Inbound = "Inbound", Outbound = "Outbound" }
}
