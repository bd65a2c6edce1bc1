//! Azure Resource Manager: paths, versions, lists, single resources, containers, asynchronous calls.
//!
//! What lives here: what ARM answers to a call, and in which words. What may not: sockets, tokens, faults; what the
//! snapshot holds (`estate`).
//!
//! Read in this order: [`path`] (what a path asks for), this file (who answers), [`list`], [`page`], [`extension`],
//! [`containers`], [`management_groups`], [`operations`], [`versions`], [`types`], [`errors`].

mod containers;
mod errors;
mod extension;
mod list;
mod management_groups;
mod operations;
mod page;
pub(crate) mod path;
mod service_tags;
mod types;
mod versions;

pub(crate) use errors::{unauthorized, version_error};
pub(crate) use operations::Operations;

use pullproof_snapshot::ArmId;
use serde_json::Value;

use crate::estate::{Estate, Item};
use crate::faults::strike::Denied;
use crate::reply::Reply;
use crate::request::Request;
use path::Target;

/// One call, with what is needed to answer it.
pub(crate) struct Call<'a> {
    pub request: &'a Request,
    pub estate: &'a Estate,
    pub operations: &'a Operations,
    /// What the fault plan refuses on every call.
    pub denied: &'a [Denied],
    /// Scheme, host and port of the endpoint: links begin with it.
    pub base: &'a str,
    pub page_size: usize,
    pub api_version: &'a str,
}

/// What a call is about, for the log and the fault plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Subject {
    /// The resource type in the letters of the call.
    pub resource_type: Option<String>,
    /// The scope, parent or resource.
    pub scope: Option<String>,
    /// The actions that Azure checks.
    pub actions: Vec<String>,
    pub list: bool,
}

impl Call<'_> {
    /// The JSON text of an item, without the fields that the call's API version does not know.
    fn text(&self, item: &Item) -> Vec<u8> {
        let folded_type = self.estate.id(item).resource_type().unwrap_or_default();
        let unknown = versions::unknown_fields(&folded_type, self.api_version);
        if unknown.is_empty() {
            return self.estate.text(item);
        }
        let mut json = self.estate.json(item);
        if let Some(properties) = json.get_mut("properties").and_then(Value::as_object_mut) {
            properties.retain(|key, _| !unknown.contains(&key.as_str()));
        }
        json.to_string().into_bytes()
    }

    fn one(&self, item: &Item) -> Reply {
        let body = self.text(item);
        let reply = Reply::bytes(200, "application/json; charset=utf-8", body);
        match self.estate.json(item).get("etag").and_then(Value::as_str) {
            Some(etag) => reply.with("etag", etag),
            None => reply,
        }
    }
}

/// The type in the letters of an id.
pub(crate) fn written_type(id: &ArmId) -> String {
    let written = id.as_written();
    let Some(at) = written.to_ascii_lowercase().rfind("/providers/") else {
        return match written.split('/').filter(|part| !part.is_empty()).count() {
            0..=2 => "Microsoft.Resources/subscriptions".to_owned(),
            _ => "Microsoft.Resources/subscriptions/resourceGroups".to_owned(),
        };
    };
    let rest = written.get(at.saturating_add("/providers/".len())..).unwrap_or_default();
    let mut parts = rest.split('/');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for kind in parts.step_by(2) {
        out.push('/');
        out.push_str(kind);
    }
    out
}

/// What a request is about, before anybody answers it.
pub(crate) fn subject(request: &Request) -> Subject {
    let segments = request.segments();
    let post = request.method == "POST";
    let about = |resource_type: String, scope: &str, list: bool| {
        let verb = if post { "action" } else { "read" };
        Subject {
            actions: vec![format!("{resource_type}/{verb}")],
            resource_type: Some(resource_type),
            scope: Some(scope.to_owned()),
            list,
        }
    };
    match path::parse(&segments) {
        Some(Target::Get(id)) => about(written_type(&id), id.as_written(), false),
        Some(Target::Container(id)) => about(written_type(&id), id.as_written(), false),
        Some(Target::List { scope, parent, resource_type }) => {
            about(resource_type, parent.as_ref().unwrap_or(&scope).as_written(), true)
        }
        Some(Target::Collection { scope, name }) => {
            let kind = match (name.as_str(), scope.is_empty()) {
                ("subscriptions", _) => "Microsoft.Resources/subscriptions",
                ("tenants", _) => "Microsoft.Resources/tenants",
                ("resourcegroups", _) => "Microsoft.Resources/subscriptions/resourceGroups",
                ("locations", _) => "Microsoft.Resources/subscriptions/locations",
                (_, _) => "Microsoft.Resources/subscriptions/resources",
            };
            about(kind.to_owned(), if scope.is_empty() { "/" } else { &scope }, true)
        }
        Some(Target::Provider { scope, .. }) => {
            about("Microsoft.Resources/providers".to_owned(), &scope, true)
        }
        None => Subject::default(),
    }
}

/// ARM's answer.
pub(crate) fn answer(call: &Call<'_>) -> Reply {
    let segments = call.request.segments();
    if let Some(reply) = operations::poll(call, &segments) {
        return reply;
    }
    let Some(target) = path::parse(&segments) else { return errors::no_such_path(&call.request.path) };
    let version = call.request.parameter("api-version");
    let kind = subject(call.request).resource_type.unwrap_or_default();
    if let Some(reply) = version_error(version, &kind) {
        return reply;
    }
    if let Some(reply) = management_groups::answer(call, &segments) {
        return reply;
    }
    match (call.request.method.as_str(), target) {
        ("GET" | "HEAD", target) => get(call, target),
        ("POST", Target::List { parent: Some(of), resource_type, .. }) => {
            operations::start(call, &of, &resource_type)
        }
        (method, _) => errors::not_allowed(method),
    }
}

fn get(call: &Call<'_>, target: Target) -> Reply {
    match target {
        Target::Collection { scope, name } => containers::collection(call, &scope, &name),
        Target::Container(id) => containers::container(call, &id),
        Target::Provider { scope, namespace } => containers::providers(call, &scope, &namespace),
        Target::List { scope, parent, resource_type } => {
            list::list(call, &scope, parent.as_ref(), &resource_type)
        }
        Target::Get(id) => resource(call, &id),
    }
}

fn resource(call: &Call<'_>, id: &ArmId) -> Reply {
    if let Some(item) = call.estate.find(id).or_else(|| extension::definition(call.estate, id)) {
        return call.one(&item);
    }
    let action = format!("{}/read", written_type(id));
    if let Some(refusal) = call.estate.refusal(id) {
        return errors::unauthorized(&refusal, &action, id.as_written());
    }
    if let Some(reply) = containers::missing(call, id, &action) {
        return reply;
    }
    match id.parent() {
        Some(parent) if call.estate.find(&parent).is_none() => {
            errors::parent_not_found(&parent, &written_type(id))
        }
        _ => errors::resource_not_found(id),
    }
}
