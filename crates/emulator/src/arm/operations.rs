//! POSTs that Azure computes in the background: 202 with a place to ask again, then the answer
//! \[recorded: http/lro-chains\].

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use pullproof_snapshot::ArmId;
use serde_json::{Value, json};

use super::{Call, errors, written_type};
use crate::reply::Reply;

/// How an operation is answered.
struct Kind {
    /// Folded.
    operation: &'static str,
    /// `Azure-AsyncOperation` comes beside `Location`.
    status_url: bool,
    /// Azure's error where it has nothing to compute the answer from.
    without: Option<(&'static str, &'static str)>,
}

const NIC_ROUTES: (&str, &str) = ("NicMustBeAttachedToRunningVmToGetEffectiveRoutes", "get effective routes");
const NIC_RULES: (&str, &str) =
    ("NicMustBeAttachedToRunningVmToGetEffectiveSecurityGroups", "get effective security groups");

/// \[recorded: oracles effective-route-table, effective-nsg, gateway-learned-routes, vwan-effective-routes\]
const KINDS: &[Kind] = &[
    Kind { operation: "effectiveroutetable", status_url: false, without: Some(NIC_ROUTES) },
    Kind { operation: "effectivenetworksecuritygroups", status_url: false, without: Some(NIC_RULES) },
    Kind { operation: "getlearnedroutes", status_url: false, without: None },
    Kind { operation: "getadvertisedroutes", status_url: false, without: None },
    Kind { operation: "getbgppeerstatus", status_url: false, without: None },
    Kind { operation: "effectiveroutes", status_url: true, without: None },
];

/// Operations that answer at once.
const AT_ONCE: &[&str] = &[
    "listnetworkmanagereffectivesecurityadminrules",
    "listnetworkmanagereffectiveconnectivityconfigurations",
];

/// Operations under way, by id.
#[derive(Default)]
pub(crate) struct Operations(Mutex<Book>);

#[derive(Default)]
struct Book {
    next: u64,
    open: BTreeMap<String, Open>,
}

struct Open {
    answer: Value,
    polls: u32,
}

/// The first answer to a POST on `id`.
pub(super) fn start(call: &Call<'_>, id: &ArmId, resource_type: &str) -> Reply {
    let operation = resource_type.rsplit('/').next().unwrap_or_default();
    let folded = operation.to_ascii_lowercase();
    let kind = KINDS.iter().find(|kind| kind.operation == folded);
    let at_once = AT_ONCE.contains(&folded.as_str());
    if kind.is_none() && !at_once {
        return errors::not_allowed(&format!("POST {operation}"));
    }
    if call.estate.find(id).is_none() {
        return match call.estate.refusal(id) {
            Some(refusal) => {
                let action = format!("{}/{operation}/action", written_type(id));
                errors::unauthorized(&refusal, &action, id.as_written())
            }
            None => errors::resource_not_found(id),
        };
    }
    let evidence = call.estate.layered().evidence(id.folded(), operation);
    let Some(evidence) = evidence.last() else { return nothing(id, operation, kind) };
    if at_once {
        return Reply::json(200, &evidence.answer);
    }
    let number = call.operations.open(evidence.answer.clone());
    let location = location(call, id);
    let place = |what: &str| {
        format!(
            "{}/subscriptions/{}/providers/Microsoft.Network/locations/{location}/{what}/{number}?api-version={}",
            call.base,
            id.subscription().unwrap_or_default(),
            call.api_version
        )
    };
    let reply =
        Reply::json(202, &Value::Null).with("location", place("operationResults")).with("retry-after", "0");
    match kind.is_some_and(|kind| kind.status_url) {
        true => reply.with("azure-asyncoperation", place("operations")),
        false => reply,
    }
}

/// What Azure answers where the snapshot has nothing recorded: the machine is not running, or the gateway is busy.
fn nothing(id: &ArmId, operation: &str, kind: Option<&Kind>) -> Reply {
    match kind.and_then(|kind| kind.without) {
        Some((code, doing)) => {
            let message = format!(
                "A network interface must be attached to a running virtual machine to {doing}. The network interface \
                 {} is not attached to a running virtual machine.",
                id.as_written()
            );
            Reply::provider_error(400, code, &message)
        }
        None => {
            let message =
                format!("The operation {operation} cannot be performed on {} now.", id.as_written());
            Reply::provider_error(409, "OperationNotAllowed", &message)
        }
    }
}

fn location(call: &Call<'_>, id: &ArmId) -> String {
    let json = call.estate.find(id).map(|item| call.estate.json(&item)).unwrap_or_default();
    json.get("location").and_then(Value::as_str).unwrap_or("westeurope").to_owned()
}

/// The answer where the path is that of an operation's status or result.
pub(super) fn poll(call: &Call<'_>, segments: &[String]) -> Option<Reply> {
    let [.., locations, _, what, number] = segments else { return None };
    let status = what.eq_ignore_ascii_case("operations");
    if !locations.eq_ignore_ascii_case("locations")
        || !(status || what.eq_ignore_ascii_case("operationResults"))
    {
        return None;
    }
    Some(match call.operations.poll(number) {
        None => {
            let message = format!("The operation '{number}' was not found.");
            Reply::provider_error(404, "NotFound", &message)
        }
        Some(None) if status => Reply::json(200, &json!({"status": "InProgress"})).with("retry-after", "0"),
        Some(None) => {
            let again = format!("{}{}?{}", call.base, call.request.path, call.request.query_text);
            Reply::json(202, &Value::Null).with("location", again).with("retry-after", "0")
        }
        Some(Some(answer)) if status => {
            Reply::json(200, &json!({"status": "Succeeded", "properties": {"output": answer}}))
        }
        Some(Some(answer)) => Reply::json(200, &answer),
    })
}

impl Operations {
    fn open(&self, answer: Value) -> String {
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        book.next = book.next.saturating_add(1);
        let number = format!("00000000-0000-4000-8000-{:012x}", book.next);
        book.open.insert(number.clone(), Open { answer, polls: 0 });
        number
    }

    /// `None`: no such operation. `Some(None)`: still at work, which is what the first who asks is told.
    fn poll(&self, number: &str) -> Option<Option<Value>> {
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let open = book.open.get_mut(number)?;
        open.polls = open.polls.saturating_add(1);
        Some((open.polls > 1).then(|| open.answer.clone()))
    }
}
