//! Lists: of a scope, of a parent, and the few that are neither.

use pullproof_snapshot::{ArmId, ResourceIx};

use super::page::page;
use super::types::{self, Listed};
use super::{Call, containers, errors, extension, service_tags};
use crate::estate::{Item, Known};
use crate::reply::Reply;

const ZONES: &str = "microsoft.network/privatednszones/";
const RECORDS: &[&str] = &["a", "aaaa", "cname", "mx", "ptr", "soa", "srv", "txt"];
const SCALE_SET_NICS: &str = "microsoft.compute/virtualmachinescalesets/networkinterfaces";
const SCALE_SET_VM_NICS: &str = "microsoft.compute/virtualmachinescalesets/virtualmachines/networkinterfaces";

pub(super) fn list(call: &Call<'_>, scope: &ArmId, parent: Option<&ArmId>, resource_type: &str) -> Reply {
    let folded = resource_type.to_ascii_lowercase();
    if folded == "microsoft.network/locations/servicetags" {
        return service_tags::answer(call, scope);
    }
    if folded == "microsoft.authorization/permissions" {
        return extension::permissions(call, scope);
    }
    let action = format!("{resource_type}/read");
    match parent {
        Some(parent) => of_parent(call, parent, resource_type, &folded, &action),
        None => of_scope(call, scope, resource_type, &folded, &action),
    }
}

fn of_scope(call: &Call<'_>, scope: &ArmId, resource_type: &str, folded: &str, action: &str) -> Reply {
    let in_snapshot = !call.estate.layered().of_type(folded).is_empty();
    let listed = types::listed(folded).or_else(|| in_snapshot.then_some(Listed::Everywhere));
    match listed {
        Some(Listed::Extension) => return extension::list(call, scope, resource_type),
        Some(Listed::InGroups) if scope.resource_group().is_none() => {
            return errors::no_such_type(resource_type, call.api_version);
        }
        Some(Listed::Everywhere | Listed::InGroups) => {}
        None => return errors::no_such_type(resource_type, call.api_version),
    }
    if let Some(reply) = containers::missing(call, scope, action) {
        return reply;
    }
    let items = resources(&call.estate.within(scope, folded));
    answer(call, scope, &[folded], items, action)
}

fn of_parent(call: &Call<'_>, parent: &ArmId, resource_type: &str, folded: &str, action: &str) -> Reply {
    let estate = call.estate;
    if estate.find(parent).is_none() {
        if let Some(refusal) = estate.refusal(parent) {
            return errors::unauthorized(&refusal, action, parent.as_written());
        }
        return containers::missing(call, parent, action)
            .unwrap_or_else(|| errors::parent_not_found(parent, resource_type));
    }
    if folded == format!("{ZONES}all") {
        let types: Vec<String> = RECORDS.iter().map(|kind| format!("{ZONES}{kind}")).collect();
        let items = types.iter().flat_map(|kind| estate.children(parent, kind)).collect();
        let types: Vec<&str> = types.iter().map(String::as_str).collect();
        return answer(call, parent, &types, items, action);
    }
    if folded == SCALE_SET_NICS {
        let items = resources(&estate.within(parent, SCALE_SET_VM_NICS));
        return answer(call, parent, &[SCALE_SET_VM_NICS], items, action);
    }
    answer(call, parent, &[folded], estate.children(parent, folded), action)
}

fn resources(found: &[ResourceIx]) -> Vec<Item> {
    found.iter().copied().map(Item::Resource).collect()
}

/// The page, whole or refused as the snapshot knows the types in the scope.
fn answer(call: &Call<'_>, scope: &ArmId, types: &[&str], mut items: Vec<Item>, action: &str) -> Reply {
    let mut refused = None;
    for folded_type in types {
        match call.estate.known(scope.folded(), folded_type) {
            Known::Whole { unread } => items.extend(unread.into_iter().map(|id| call.estate.stub(id))),
            Known::Refused(refusal) => refused = Some((refusal, action, scope.as_written())),
        }
    }
    page(call, &items, refused)
}
