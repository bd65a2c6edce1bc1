//! `locations/{location}/serviceTags`: the list of service tags (F74, F77).

use pullproof_snapshot::ArmId;
use serde_json::{Value, json};

use super::{Call, containers, errors};
use crate::estate::Refusal;
use crate::reply::Reply;

const ACTION: &str = "Microsoft.Network/locations/serviceTags/read";

/// The snapshot's list in the API's form; refused where the snapshot has none, since Azure always has one.
pub(super) fn answer(call: &Call<'_>, scope: &ArmId) -> Reply {
    if let Some(reply) = containers::missing(call, scope, ACTION) {
        return reply;
    }
    let Some(list) = call.estate.layered().tag_lists().first() else {
        return errors::unauthorized(&Refusal::unauthorized(), ACTION, scope.as_written());
    };
    let values: Vec<Value> = list
        .tags
        .iter()
        .map(|(name, prefixes)| {
            let (service, region) = name.split_once('.').unwrap_or((name, ""));
            json!({
                "id": name,
                "name": name,
                "serviceTagChangeNumber": list.change_number,
                "properties": {
                    "changeNumber": list.change_number,
                    "region": region.to_ascii_lowercase(),
                    "systemService": service,
                    "addressPrefixes": prefixes,
                },
            })
        })
        .collect();
    let id = format!("{}/providers/Microsoft.Network/serviceTags/{}", scope.as_written(), list.cloud);
    let body = json!({
        "id": id,
        "name": list.cloud,
        "type": "Microsoft.Network/serviceTags",
        "changeNumber": list.change_number,
        "cloud": list.cloud,
        "values": values,
    });
    Reply::json(200, &body)
}
