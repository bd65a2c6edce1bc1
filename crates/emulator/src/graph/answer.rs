//! The answer to a query: the rows of its scopes, through its stages, one page of them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use pullproof_snapshot::{ArmId, ResourceIx};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::QueryError;
use super::lex::{Token, tokens};
use super::parse::{self, Expr, Query, Stage};
use super::row::Row;
use super::stages::Rows;
use super::tables::{self, Table};
use crate::arm::version_error;
use crate::estate::Estate;
use crate::estate::containers::{GROUPS, Subscription};
use crate::faults::change::Changed;
use crate::faults::strike::{Denied, is_type};
use crate::reply::Reply;
use crate::request::Request;

/// Rows on a page where the query does not say, and at most.
const DEFAULT_TOP: usize = 100;
const MAX_TOP: usize = 1000;

/// The version before which answers are tables.
const OBJECTS_SINCE: &str = "2020-04-01-preview";

/// A POST to Resource Graph, with what is needed to answer it.
pub(crate) struct GraphCall<'a> {
    pub request: &'a Request,
    pub estate: &'a Estate,
    pub changed: &'a [Changed],
    pub denied: &'a [Denied],
    pub payload_limit: usize,
}

fn invalid(code: &str, message: &str) -> Reply {
    let body = json!({"error": {
        "code": "BadRequest",
        "message": "Please provide below info when asking for support: timestamp = , correlationId = .",
        "details": [{"code": code, "message": message}],
    }});
    Reply::json(400, &body)
}

/// The resource types that a query names, as it writes them.
pub(crate) fn named_types(query: &str) -> Vec<String> {
    let texts = tokens(query).unwrap_or_default().into_iter().filter_map(|token| match token {
        Token::Text(text) if text.contains('/') && text.contains('.') && !text.starts_with('/') => Some(text),
        _ => None,
    });
    texts.collect()
}

pub(crate) fn answer(call: &GraphCall<'_>) -> Reply {
    let version = call.request.parameter("api-version");
    if let Some(reply) = version_error(version, "Microsoft.ResourceGraph/resources") {
        return reply;
    }
    let body = call.request.json();
    let text = body.get("query").and_then(Value::as_str).unwrap_or_default();
    let query = match parse::parse(text) {
        Ok(query) => query,
        Err(error) => return invalid("InvalidQuery", &format!("Query is invalid. {error}")),
    };
    let Some(table) = tables::named(&query.table) else {
        let message = format!("Query is invalid. '{}' is no table of Resource Graph.", query.table);
        return invalid("DisallowedLogicalTableName", &message);
    };
    let rows = match run(call, &query, table, &body) {
        Ok(rows) => rows,
        Err(error) => return invalid("InvalidQuery", &format!("Query is invalid. {error}")),
    };
    page(call, &body, text, &rows, version.unwrap_or_default() < OBJECTS_SINCE)
}

fn run<'a>(call: &GraphCall<'a>, query: &Query, table: Table, body: &Value) -> Result<Rows<'a>, QueryError> {
    let scopes = Scopes::of(call.estate, body);
    let mut rows =
        Rows { rows: rows(call, table, &scopes, wanted_types(query)), shown: None, limited: false };
    for stage in &query.stages {
        rows = rows.run(stage, call.estate)?;
    }
    Ok(rows)
}

/// One page: `$top` rows behind `$skipToken`, or behind `$skip`.
fn page(call: &GraphCall<'_>, body: &Value, query: &str, rows: &Rows<'_>, tables_by_default: bool) -> Reply {
    let option = |name: &str| body.pointer(&format!("/options/{name}"));
    let number = |name: &str| option(name).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    let hash = URL_SAFE_NO_PAD.encode(Sha256::digest(query.as_bytes()));
    let from = match option("$skipToken").and_then(Value::as_str) {
        None | Some("") => number("$skip").unwrap_or(0),
        Some(token) => {
            let text = URL_SAFE_NO_PAD.decode(token).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            let at =
                text.as_deref().and_then(|text| text.strip_prefix(&hash)?.strip_prefix(':')?.parse().ok());
            match at {
                Some(at) => at,
                None => return invalid("InvalidSkipToken", "The skip token does not belong to this query."),
            }
        }
    };
    if let Some(top) = number("$top").filter(|top| !(1..=MAX_TOP).contains(top)) {
        return invalid("BadRequest", &format!("$top is {top}; it has to be from 1 to {MAX_TOP}."));
    }
    let top = number("$top").unwrap_or(DEFAULT_TOP);
    let to = from.saturating_add(top).min(rows.rows.len());
    let now = rows.rows.get(from..to).unwrap_or_default();
    let columns = rows.columns();
    let more = to < rows.rows.len();
    // Without an id to go on from, or behind a limit, Resource Graph cuts the answer and says no more.
    let paged = columns.iter().any(|column| column == "id") && !rows.limited;
    let as_table = match option("resultFormat").and_then(Value::as_str) {
        Some(format) => format.eq_ignore_ascii_case("table"),
        None => tables_by_default,
    };

    let mut data = Vec::new();
    if as_table {
        let names: Vec<Value> = columns.iter().map(|name| json!({"name": name, "type": "object"})).collect();
        data.extend(format!("{{\"columns\":{},\"rows\":", Value::from(names)).into_bytes());
    }
    data.push(b'[');
    for (i, row) in now.iter().enumerate() {
        if i > 0 {
            data.push(b',');
        }
        row.write(&columns, as_table, &mut data);
        if data.len() > call.payload_limit {
            let message = format!(
                "Response payload size is {}, and has exceeded the limit of {}. Please consider querying less data at \
                 a time and make paginated call if needed.",
                data.len(),
                call.payload_limit
            );
            return invalid("ResponsePayloadTooLarge", &message);
        }
    }
    data.push(b']');
    if as_table {
        data.push(b'}');
    }
    let mut out =
        format!("{{\"totalRecords\":{},\"count\":{},\"data\":", rows.rows.len(), now.len()).into_bytes();
    out.extend(data);
    out.extend(b",\"facets\":[],\"resultTruncated\":");
    out.extend(if more && !paged { b"\"true\"".as_slice() } else { b"\"false\"" });
    if more && paged {
        let token = URL_SAFE_NO_PAD.encode(format!("{hash}:{to}"));
        out.extend(format!(",\"$skipToken\":\"{token}\"").into_bytes());
    }
    out.push(b'}');
    Reply::bytes(200, "application/json; charset=utf-8", out)
}

/// The subscriptions and management groups that a query is about.
struct Scopes {
    /// Folded names; `None`: all of the tenant.
    subscriptions: Option<Vec<String>>,
    /// Folded names of the groups asked for and of those below them.
    groups: Vec<String>,
    /// Of what is inherited: from above the scopes too.
    above: bool,
    /// Of what is inherited: not from below the scopes.
    not_below: bool,
}

impl Scopes {
    fn of(estate: &Estate, body: &Value) -> Self {
        let texts = |key: &str| -> Vec<String> {
            let list = body.get(key).and_then(Value::as_array);
            list.into_iter().flatten().filter_map(Value::as_str).map(str::to_ascii_lowercase).collect()
        };
        let filter =
            body.pointer("/options/authorizationScopeFilter").and_then(Value::as_str).unwrap_or_default();
        let (mut subscriptions, asked) = (texts("subscriptions"), texts("managementGroups"));
        let containers = estate.containers();
        let below = |group: &str| {
            estate.ancestry(group).iter().any(|above| asked.contains(&above.name.to_ascii_lowercase()))
        };
        let everything = subscriptions.is_empty() && asked.is_empty();
        for (name, subscription) in &containers.subscriptions {
            if subscription.group.as_deref().is_some_and(below) && !subscriptions.contains(name) {
                subscriptions.push(name.clone());
            }
        }
        let groups = containers.groups.keys().filter(|name| everything || below(name)).cloned().collect();
        Self {
            subscriptions: (!everything).then_some(subscriptions),
            groups,
            above: matches!(filter, "AtScopeAndAbove" | "AtScopeAboveAndBelow"),
            not_below: matches!(filter, "AtScopeAndAbove" | "AtScopeExact"),
        }
    }

    /// Whether a resource is in the scopes.
    fn hold(&self, estate: &Estate, id: &ArmId) -> bool {
        let Some(subscriptions) = &self.subscriptions else { return true };
        if let Some(subscription) = id.subscription() {
            let exact = id.folded().split('/').nth(3).is_none_or(|part| part == "providers");
            return subscriptions.iter().any(|name| name == subscription) && (exact || !self.not_below);
        }
        let folded = id.folded();
        let own = folded.rfind("/providers/").and_then(|at| folded.get(..at)).unwrap_or_default();
        let group = own.strip_prefix(&format!("/providers/{GROUPS}/"));
        if group.is_some_and(|group| self.groups.iter().any(|name| name == group)) {
            return true;
        }
        let own = if own.is_empty() { "/" } else { own };
        self.above
            && subscriptions
                .iter()
                .any(|name| estate.covers(own, &ArmId::new(&format!("/subscriptions/{name}"))))
    }
}

/// The folded types that the query's first stage leaves over, where it says so: nothing else is looked at.
fn wanted_types(query: &Query) -> Option<Vec<String>> {
    fn of(expr: &Expr) -> Option<Vec<String>> {
        let is_type = |expr: &Expr| matches!(expr, Expr::Column(name) if name == "type");
        let text = |expr: &Expr| match expr {
            Expr::Literal(Value::String(text)) => Some(text.to_ascii_lowercase()),
            _ => None,
        };
        match expr {
            Expr::And(a, b) => of(a).or_else(|| of(b)),
            Expr::Binary(sign, a, b) if is_type(a) && matches!(sign.as_str(), "==" | "=~") => {
                Some(vec![text(b)?])
            }
            Expr::In { of: column, list, negated: false, .. } if is_type(column) => {
                list.iter().map(text).collect()
            }
            _ => None,
        }
    }
    match query.stages.first() {
        Some(Stage::Where(condition)) => of(condition),
        _ => None,
    }
}

fn rows<'a>(call: &GraphCall<'a>, table: Table, scopes: &Scopes, types: Option<Vec<String>>) -> Vec<Row<'a>> {
    let estate = call.estate;
    match table {
        Table::ResourceChanges => return changes(call, scopes),
        Table::ResourceContainers => return containers(estate, scopes),
        Table::Other => return Vec::new(),
        _ => {}
    }
    let layered = estate.layered();
    let in_table = |ix: &ResourceIx| {
        let (id, kind) = (layered.id(*ix), layered.resource_type(*ix));
        // Built-in roles are everybody's.
        let shared = kind == "microsoft.authorization/roledefinitions"
            && id.folded().starts_with("/providers/microsoft.authorization");
        tables::of(kind) == Some(table)
            && (shared || scopes.hold(estate, id))
            && !is_denied(call.denied, id, kind)
    };
    let candidates = match types {
        None => layered.resources(),
        Some(types) => {
            let mut found: Vec<ResourceIx> = types.iter().flat_map(|kind| layered.of_type(kind)).collect();
            found.sort_by(|a, b| layered.id(*a).cmp(layered.id(*b)));
            found.dedup();
            found
        }
    };
    candidates
        .into_iter()
        .filter(in_table)
        .map(|ix| Row::item(estate, crate::estate::Item::Resource(ix), table))
        .collect()
}

fn is_denied(denied: &[Denied], id: &ArmId, kind: &str) -> bool {
    denied.iter().any(|denied| {
        is_type(&denied.resource_type, kind)
            && denied.scope.as_deref().is_none_or(|scope| id.is_within(scope))
    })
}

/// Subscriptions, resource groups and management groups.
fn containers<'a>(estate: &'a Estate, scopes: &Scopes) -> Vec<Row<'a>> {
    let containers = estate.containers();
    let mut out = Vec::new();
    for subscription in containers.subscriptions.values() {
        if scopes.hold(estate, &ArmId::new(&subscription.id())) {
            out.push(Row::made(estate, subscription_row(estate, subscription)));
        }
    }
    for (id, location) in containers.resource_groups.values().filter(|(id, _)| scopes.hold(estate, id)) {
        let subscription = id.subscription().unwrap_or_default();
        let tenant = containers.subscriptions.get(subscription).map(|of| of.tenant.as_str());
        out.push(Row::made(
            estate,
            columns(json!({
                "id": id.as_written(), "name": id.name(), "type": "microsoft.resources/subscriptions/resourcegroups",
                "tenantId": tenant, "location": location, "resourceGroup": id.resource_group(),
                "subscriptionId": subscription, "properties": {"provisioningState": "Succeeded"},
            })),
        ));
    }
    for (name, group) in containers.groups.iter().filter(|(name, _)| scopes.groups.contains(name)) {
        let chain: Vec<Value> = estate
            .ancestry(name)
            .into_iter()
            .skip(1)
            .map(|above| json!({"name": above.name, "displayName": above.display_name}))
            .collect();
        let parent = group.parent.as_ref().map(|parent| {
            json!({"id": format!("/providers/Microsoft.Management/managementGroups/{parent}"), "name": parent})
        });
        out.push(Row::made(
            estate,
            columns(json!({
                "id": format!("/providers/Microsoft.Management/managementGroups/{}", group.name),
                "name": group.name, "type": "microsoft.management/managementgroups",
                "tenantId": estate.tenant(), "location": "",
                "properties": {
                    "displayName": group.display_name, "tenantId": estate.tenant(),
                    "details": {"parent": parent, "managementGroupAncestorsChain": chain},
                },
            })),
        ));
    }
    out
}

fn subscription_row(estate: &Estate, subscription: &Subscription) -> Map<String, Value> {
    let chain: Vec<Value> = subscription
        .group
        .as_deref()
        .map(|group| estate.ancestry(group))
        .unwrap_or_default()
        .into_iter()
        .map(|group| json!({"name": group.name, "displayName": group.display_name}))
        .collect();
    columns(json!({
        "id": subscription.id(), "name": subscription.display_name, "type": "microsoft.resources/subscriptions",
        "tenantId": subscription.tenant, "location": "", "subscriptionId": subscription.name,
        "properties": {"state": "Enabled", "managementGroupAncestorsChain": chain},
    }))
}

fn columns(row: Value) -> Map<String, Value> {
    match row {
        Value::Object(columns) => columns,
        _ => Map::new(),
    }
}

/// `resourcechanges`: what the fault plan has changed so far.
fn changes<'a>(call: &GraphCall<'a>, scopes: &Scopes) -> Vec<Row<'a>> {
    let now = time::OffsetDateTime::now_utc();
    let timestamp = now.format(&time::format_description::well_known::Rfc3339).unwrap_or_default();
    let held = call.changed.iter().filter(|changed| scopes.hold(call.estate, &changed.id));
    let rows = held.enumerate().map(|(i, changed)| {
        let fields: Map<String, Value> = changed
            .fields
            .iter()
            .map(|(pointer, before, after)| {
                let name = pointer.trim_start_matches('/').replace('/', ".");
                let change = json!({
                    "propertyChangeType": "Update", "changeCategory": "User",
                    "previousValue": before, "newValue": after,
                });
                (name, change)
            })
            .collect();
        let id = format!("{}/providers/Microsoft.Resources/changes/{i:032}", changed.id.as_written());
        let subscription = changed.id.subscription().unwrap_or_default();
        Row::made(
            call.estate,
            columns(json!({
                "id": id, "name": format!("{i:032}"), "type": "microsoft.resources/changes",
                "resourceGroup": changed.id.resource_group().unwrap_or_default(), "subscriptionId": subscription,
                "properties": {
                    "targetResourceId": changed.id.as_written(),
                    "targetResourceType": changed.id.resource_type(),
                    "changeType": changed.kind,
                    "changeAttributes": {
                        "timestamp": timestamp, "changesCount": fields.len(), "correlationId": "",
                        "changedByType": "Unknown", "changedBy": "Unspecified",
                    },
                    "changes": fields,
                },
            })),
        )
    });
    rows.collect()
}
