//! `peeringState` and `peeringSyncLevel` after apply (R103–R108).

use std::collections::{BTreeMap, BTreeSet};

use pullproof_snapshot::ArmId;
use serde_json::{Value, json};

use crate::estate::Estate;
use crate::table::apply::set;
use crate::value::unknown;

const STATE: &str = "/properties/peeringState";
const SYNC: &str = "/properties/peeringSyncLevel";

/// `resized`: virtual networks whose address space the plan changes.
pub(crate) fn derive(estate: &mut Estate<'_>, resized: &BTreeSet<ArmId>) {
    let all = estate.of_type("microsoft.network/virtualnetworks/virtualnetworkpeerings");
    let ends: BTreeMap<&ArmId, (ArmId, Option<ArmId>)> =
        all.iter().filter_map(|(id, json)| Some((id, (id.parent()?, remote(json))))).collect();
    let by_ends: BTreeMap<(&ArmId, &ArmId), &ArmId> =
        ends.iter().filter_map(|(id, (local, far))| Some(((local, far.as_ref()?), *id))).collect();
    let mut states: Vec<(ArmId, Option<Value>, Option<Value>)> = Vec::new();
    for (id, json) in &all {
        let Some((local, Some(far))) = ends.get(id) else { continue };
        let back = by_ends.get(&(far, local)).copied();
        let removed = |vnet: &ArmId| estate.gone().contains(vnet) || estate.new.contains(vnet);
        let hole = || unknown(&format!("{}{STATE}", id.as_written()), "");
        let live = json.pointer(STATE).and_then(Value::as_str).map(str::to_owned);
        let is_new = estate.new.contains(id);
        let back_is_new = back.is_some_and(|b| estate.new.contains(b));
        let back_state = back.and_then(|b| all.get(b)).and_then(|b| b.pointer(STATE)).and_then(Value::as_str);
        let back_gone = estate.gone().iter().any(|gone| {
            gone.resource_type().as_deref()
                == Some("microsoft.network/virtualnetworks/virtualnetworkpeerings")
                && gone.parent().as_ref() == Some(far)
                && estate.in_base(gone).is_some_and(|json| remote(&json).as_ref() == Some(local))
        });
        // A half whose remote network is not known may be the other one.
        let open =
            || all.iter().any(|(id, json)| id.parent().as_ref() == Some(far) && remote(json).is_none());
        let says = |word: Option<&str>, wanted: &str| word.is_some_and(|w| w.eq_ignore_ascii_case(wanted));
        let state = match (is_new, back) {
            // R103: the second of two new halves connects both.
            (true, Some(_)) if back_is_new => Some(json!("Connected")),
            // A half that was there first is Initiated, or Disconnected by the loss of an earlier one (R104): a plan and
            // a state do not say which.
            (true, Some(_)) if says(back_state, "Initiated") => Some(json!("Connected")),
            (true, Some(_)) => Some(hole()),
            (true, None) if open() => Some(hole()),
            // The other half may be where nobody looked.
            (true, None) if estate.new.contains(far) => Some(json!("Initiated")),
            (true, None) => match estate.get(far) {
                Some(_) if estate.has_base() => Some(json!("Initiated")),
                _ => Some(hole()),
            },
            (false, Some(_)) if back_is_new => match live.as_deref() {
                live if says(live, "Initiated") => Some(json!("Connected")),
                _ => Some(hole()),
            },
            // Both are there, as one reading of Azure saw them: neither was lost, so neither is Disconnected (R104), and
            // the second has connected both (R103).
            (false, Some(_)) if live.is_none() => match back_state {
                None => Some(json!("Connected")),
                word if says(word, "Connected") => Some(json!("Connected")),
                Some(_) => Some(hole()),
            },
            // R104: whoever loses its other half is Disconnected; a half made anew may join it again.
            (false, None) if back_gone || removed(far) => Some(json!("Disconnected")),
            (false, None) if live.is_none() => Some(hole()),
            (false, _) => None,
        };
        let connected = state.as_ref().and_then(Value::as_str) == Some("Connected");
        let lags = !is_new && (resized.contains(far) || resized.contains(local));
        let sync = if lags {
            // R107: who has to sync, and whether the provider does, is not in the plan.
            Some(unknown(&format!("{}{SYNC}", id.as_written()), ""))
        } else if connected && (is_new || json.pointer(SYNC).is_none_or(Value::is_null)) {
            Some(json!("FullyInSync"))
        } else {
            None
        };
        states.push((id.clone(), state, sync));
    }
    for (id, state, sync) in states.into_iter().filter(|(_, state, sync)| state.is_some() || sync.is_some()) {
        estate.change(&id, |json| {
            if let Some(state) = state {
                set(json, STATE, state);
            }
            if let Some(sync) = sync {
                set(json, SYNC, sync);
            }
        });
    }
}

fn remote(json: &Value) -> Option<ArmId> {
    json.pointer("/properties/remoteVirtualNetwork/id")?.as_str().map(ArmId::new)
}
