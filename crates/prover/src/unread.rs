//! What follows from a resource that was not read, a type that was not read completely, a value that is not known.

use pullproof_network::model::index::VnetIx;
use pullproof_network::{Network, Ref, SymbolIx, Val, Why};
use pullproof_snapshot::ArmId;

use crate::missing::{evidence, permission};
use crate::outcome::Missing;

/// A resource that is named by another one and was not read.
pub(crate) fn unread(id: &ArmId, why: impl Into<String>) -> Missing {
    permission(id.as_written(), why, "read this resource into the snapshot")
}

/// Nothing follows from the absence of a type; `reason` is the text of `Absence::NoEvidence`.
pub(crate) fn incomplete(reason: &str, why: impl Into<String>) -> Missing {
    permission(reason, why, "collect this type completely, or give the whole subscription")
}

/// A value that is not known: a hole of a plan, a conflict, something malformed, a field that Azure needs.
pub(crate) fn unknown_value(network: &Network, symbol: SymbolIx, what: impl Into<String>) -> Missing {
    let symbol = network.symbols.get(symbol);
    let reason = match symbol.map(|s| s.why) {
        Some(Why::Hole) => "it is known only after apply",
        Some(Why::Conflict) => "the inline and the standalone form of the resource differ here",
        Some(Why::Malformed) => "what stands there is not understood",
        Some(Why::Missing) => "the input lacks a field that Azure always has",
        None => "it is not known",
    };
    let text = symbol.map(|s| if s.text.is_empty() { &*s.name } else { &*s.text }).unwrap_or_default();
    let why = if text.is_empty() { reason.to_owned() } else { format!("{reason}: {text}") };
    evidence(what, why, "give an input in which the value stands")
}

/// The network that a link is for, where the link does not say; `None` where it does.
pub(crate) fn unknown_link(
    network: &Network,
    vnet: &Val<Option<Ref<VnetIx>>>,
    what: impl Into<String>,
) -> Option<Missing> {
    match vnet {
        Val::Sym(symbol) => Some(unknown_value(network, *symbol, what)),
        Val::Known(None) => {
            Some(evidence(what, "the link was read without its network (D38)", "read the link again"))
        }
        Val::Known(Some(_)) => None,
    }
}
