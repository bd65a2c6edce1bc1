//! The emulator: which part answers a request, and what all answers have in common.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use pullproof_snapshot::{Layered, Snapshot};

use crate::arm::{self, Operations, Subject};
use crate::call_log::{Call, Endpoint, Log};
use crate::estate::Estate;
use crate::faults::apply::{instead, spoil};
use crate::faults::change::{Changed, epochs};
use crate::faults::strike::{Asked, Denied, Faults};
use crate::faults::{Fault, FaultPlan, Part, Then};
use crate::graph::{self, GraphCall};
use crate::identity::token::{Mint, Unfit};
use crate::identity::{self, Credentials};
use crate::metadata;
use crate::options::{Options, Quota};
use crate::reply::Reply;
use crate::request::Request;
use crate::server::{Answer, Certificate, Listening, listen};

/// What Azure allows a subscription in an hour; answers count down from it \[recorded\].
const GLOBAL_READS: u64 = 16_500;

/// Why an emulator cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot listen on {address}: {source}")]
    Listen { address: SocketAddr, source: io::Error },
    #[error("cannot make a certificate: {0}")]
    Certificate(Box<dyn std::error::Error + Send + Sync>),
    #[error(
        "change {place} of the fault plan: the snapshot has no resource of its own with the id {resource}"
    )]
    NoSuchResource { place: usize, resource: String },
}

/// A snapshot served as Azure. It ends when dropped.
pub struct Emulator {
    shared: Arc<Shared>,
    listening: Listening,
    authority_pem: Option<String>,
}

impl Emulator {
    /// Serves `snapshot` from now on.
    pub fn start(snapshot: Arc<Snapshot>, faults: FaultPlan, options: Options) -> Result<Self, StartError> {
        let layered = Layered::new(snapshot);
        for (i, change) in faults.change.iter().enumerate() {
            if layered.find(&change.resource).is_none() {
                let place = i.saturating_add(1);
                return Err(StartError::NoSuchResource { place, resource: change.resource.clone() });
            }
        }
        let address = options.listen;
        let certificate = options.tls.then(|| Certificate::new(address.ip())).transpose();
        let certificate = certificate.map_err(StartError::Certificate)?;
        let (acceptor, authority_pem) = match certificate {
            Some(certificate) => (Some(certificate.acceptor), Some(certificate.authority_pem)),
            None => (None, None),
        };
        let mut made = None;
        let listening = listen(address, acceptor, |address| {
            let shared = Arc::new(Shared::new(&layered, faults, options, address));
            made = Some(Arc::clone(&shared));
            shared
        });
        match (listening, made) {
            (Ok(listening), Some(shared)) => Ok(Self { shared, listening, authority_pem }),
            (Err(source), _) => Err(StartError::Listen { address, source }),
            (Ok(_), None) => Err(StartError::Listen { address, source: io::ErrorKind::Other.into() }),
        }
    }

    pub fn address(&self) -> SocketAddr {
        self.listening.address
    }

    /// Scheme, host and port: the ARM endpoint and the authority both.
    pub fn base_url(&self) -> &str {
        &self.shared.base
    }

    /// The certificate that clients have to trust, PEM; only with TLS.
    pub fn authority_pem(&self) -> Option<&str> {
        self.authority_pem.as_deref()
    }

    /// The credentials that are taken, the tenant filled in.
    pub fn credentials(&self) -> &Credentials {
        &self.shared.options.credentials
    }

    /// A bearer token for the ARM endpoint, as the token endpoint would give it.
    pub fn token(&self) -> String {
        self.shared.mint.make(&self.shared.base).text
    }

    /// The calls so far, in their order.
    pub fn calls(&self) -> Vec<Call> {
        self.shared.log.calls()
    }

    /// Ends it; connections are closed.
    pub fn stop(self) {
        drop(self);
    }
}

/// A state of the estate, from a number of calls on.
struct State {
    after: u64,
    estate: Estate,
    changed: Vec<Changed>,
}

/// What the threads share.
struct Shared {
    states: Vec<State>,
    options: Options,
    base: String,
    mint: Mint,
    faults: Faults,
    denied: Vec<Denied>,
    operations: Operations,
    log: Log,
    number: AtomicU64,
    /// Calls to ARM and Resource Graph: what changes are counted by.
    reads: AtomicU64,
    window: Mutex<(Instant, u32)>,
}

impl Shared {
    fn new(layered: &Layered, plan: FaultPlan, mut options: Options, address: SocketAddr) -> Self {
        let states: Vec<State> = epochs(layered, &plan.change)
            .into_iter()
            .map(|epoch| State {
                after: epoch.after,
                estate: Estate::new(epoch.layered),
                changed: epoch.changed,
            })
            .collect();
        if options.credentials.tenant.is_empty() {
            options.credentials.tenant =
                states.first().map(|s| s.estate.tenant().to_owned()).unwrap_or_default();
        }
        let scheme = if options.tls { "https" } else { "http" };
        let mint =
            Mint::new(options.token_lifetime, &options.credentials.tenant, &options.credentials.client_id);
        let faults = Faults::new(plan);
        Self {
            denied: faults.denied(),
            states,
            base: format!("{scheme}://{address}"),
            mint,
            faults,
            operations: Operations::default(),
            log: Log::default(),
            number: AtomicU64::new(0),
            reads: AtomicU64::new(0),
            window: Mutex::new((Instant::now(), 0)),
            options,
        }
    }
}

/// A request, sorted out.
struct Sorted {
    endpoint: Endpoint,
    subject: Subject,
    types: Vec<String>,
    /// For the log.
    query: String,
}

fn sort_out(request: &Request) -> Sorted {
    let segments: Vec<String> = request.segments().iter().map(|part| part.to_ascii_lowercase()).collect();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let graph = matches!(segments.as_slice(), ["providers", "microsoft.resourcegraph", "resources"]);
    let query = request.query_text.clone();
    if graph && request.method == "POST" {
        let kql = request.json().get("query").and_then(|q| q.as_str().map(str::to_owned)).unwrap_or_default();
        let types = graph::named_types(&kql);
        let mut actions = vec!["Microsoft.ResourceGraph/resources/read".to_owned()];
        actions.extend(types.iter().map(|kind| format!("{kind}/read")));
        let resource_type = Some("Microsoft.ResourceGraph/resources".to_owned());
        let subject = Subject { resource_type, scope: None, actions, list: true };
        return Sorted { endpoint: Endpoint::ResourceGraph, subject, types, query: kql };
    }
    let endpoint = match segments.as_slice() {
        ["metadata", "endpoints"] => Endpoint::Metadata,
        ["subscriptions" | "providers" | "tenants", ..] => Endpoint::Arm,
        [_, "oauth2", ..] | ["metadata" | "msi", ..] => Endpoint::Identity,
        [_, "discovery" | ".well-known", ..] | [_, "v2.0", ..] => Endpoint::Identity,
        _ => Endpoint::Arm,
    };
    let subject = if endpoint == Endpoint::Arm { arm::subject(request) } else { Subject::default() };
    Sorted { endpoint, types: subject.resource_type.iter().cloned().collect(), subject, query }
}

impl Answer for Shared {
    fn answer(&self, request: Request) -> Reply {
        let number = self.number.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let sorted = sort_out(&request);
        let part = match sorted.endpoint {
            Endpoint::Arm => Some(Part::Arm),
            Endpoint::ResourceGraph => Some(Part::Graph),
            Endpoint::Identity => Some(Part::Token),
            Endpoint::Metadata => None,
        };
        let struck = part.map(|part| {
            self.faults.strike(&Asked {
                part,
                method: &request.method,
                path: &request.path,
                types: &sorted.types,
                scope: sorted.subject.scope.as_deref(),
            })
        });
        let struck: Vec<(String, &Fault)> = struck.unwrap_or_default();
        let mut reply = self.reply(&request, &sorted, &struck);
        for (_, fault) in &struck {
            reply = spoil(&fault.then, &request, &self.base, reply);
        }
        reply = self.common(number, &request, sorted.endpoint, reply);
        self.log.push(Call {
            number,
            endpoint: sorted.endpoint,
            method: request.method,
            path: request.path,
            query: sorted.query,
            types: sorted.types,
            actions: sorted.subject.actions,
            status: reply.status,
            bytes: reply.body.len(),
            faults: struck.into_iter().map(|(name, _)| name).collect(),
        });
        reply
    }
}

impl Shared {
    fn reply(&self, request: &Request, sorted: &Sorted, struck: &[(String, &Fault)]) -> Reply {
        let graph = sorted.endpoint == Endpoint::ResourceGraph;
        for (_, fault) in struck {
            if fault.then == Then::ExpireTokens {
                self.mint.expire_all();
            }
            // Resource Graph does not say what it leaves out.
            let silent = graph && fault.then == Then::Forbidden && fault.resource_type.is_some();
            let action = sorted.subject.actions.first().map(String::as_str).unwrap_or_default();
            let scope = sorted.subject.scope.as_deref().unwrap_or("/");
            if let Some(reply) = instead(&fault.then, action, scope).filter(|_| !silent) {
                return reply;
            }
        }
        let credentials = &self.options.credentials;
        let state = self.state(sorted.endpoint);
        let Some(state) = state else {
            return metadata::answer(request, &self.base, &credentials.tenant)
                .or_else(|| identity::answer(request, &self.mint, credentials, &self.base))
                .unwrap_or_else(|| Reply::arm_error(404, "NotFound", "The emulator has no such endpoint."));
        };
        if let Some(reply) = self.let_in(request) {
            return reply;
        }
        if graph {
            let mut denied = self.denied.clone();
            denied.extend(struck.iter().filter_map(|(_, fault)| Denied::of(fault)));
            let call = GraphCall {
                request,
                estate: &state.estate,
                changed: &state.changed,
                denied: &denied,
                payload_limit: self.options.graph_payload_limit,
            };
            return self.quota(|| graph::answer(&call));
        }
        arm::answer(&arm::Call {
            request,
            estate: &state.estate,
            operations: &self.operations,
            denied: &self.denied,
            base: &self.base,
            page_size: self.options.page_size,
            api_version: request.parameter("api-version").unwrap_or_default(),
        })
    }

    /// The estate as this call sees it; `None` for calls that see none.
    fn state(&self, endpoint: Endpoint) -> Option<&State> {
        if !matches!(endpoint, Endpoint::Arm | Endpoint::ResourceGraph) {
            return None;
        }
        let before = self.reads.fetch_add(1, Ordering::Relaxed);
        self.states.iter().rfind(|state| state.after <= before)
    }

    /// 401 where the request carries no bearer token that fits.
    fn let_in(&self, request: &Request) -> Option<Reply> {
        let header = request.header("authorization").unwrap_or_default();
        let token =
            header.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("bearer ")).and(header.get(7..));
        let (code, message) = match token.map(|token| self.mint.check(token.trim(), &self.base)) {
            None => (
                "AuthenticationFailed",
                "Authentication failed. The 'Authorization' header is missing.".to_owned(),
            ),
            Some(Ok(())) => return None,
            Some(Err(Unfit::NotOurs)) => {
                ("InvalidAuthenticationToken", "The access token is invalid.".to_owned())
            }
            Some(Err(Unfit::OtherAudience)) => (
                "InvalidAuthenticationTokenAudience",
                "The access token has been obtained for wrong audience or resource.".to_owned(),
            ),
            Some(Err(Unfit::Expired { at })) => (
                "ExpiredAuthenticationToken",
                format!("The access token expiry UTC time '{at}' is earlier than current UTC time."),
            ),
        };
        let tenant = &self.options.credentials.tenant;
        let challenge = format!(
            "Bearer authorization_uri=\"{}/{tenant}\", error=\"invalid_token\", error_description=\"{message}\"",
            self.base
        );
        Some(Reply::arm_error(401, code, &message).with("www-authenticate", challenge))
    }

    /// Resource Graph's answer with its quota, or its refusal.
    fn quota(&self, answer: impl FnOnce() -> Reply) -> Reply {
        let quota = self.options.graph_quota.unwrap_or(Quota::AZURE);
        let (left, resets) = {
            let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
            if window.0.elapsed() >= quota.window {
                *window = (Instant::now(), 0);
            }
            window.1 = window.1.saturating_add(1);
            (quota.calls.checked_sub(window.1), quota.window.saturating_sub(window.0.elapsed()))
        };
        let seconds = resets.as_secs().saturating_add(u64::from(resets.subsec_nanos() > 0));
        let after = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
        let reply = match (left, self.options.graph_quota) {
            (None, Some(_)) => {
                let message = "Client application has been throttled and should not attempt to repeat the request until an amount of time has elapsed.";
                Reply::arm_error(429, "RateLimiting", message).with("retry-after", seconds.to_string())
            }
            _ => answer(),
        };
        // Where nothing is refused, nobody is told to wait.
        let left = if self.options.graph_quota.is_some() { left.unwrap_or(0) } else { quota.calls };
        reply.with("x-ms-user-quota-remaining", left.to_string()).with("x-ms-user-quota-resets-after", after)
    }

    /// What every answer of Azure has.
    fn common(&self, number: u64, request: &Request, endpoint: Endpoint, reply: Reply) -> Reply {
        let id = format!("00000000-0000-4000-a000-{number:012x}");
        let correlation = request.header("x-ms-correlation-request-id").unwrap_or(&id).to_owned();
        let mut reply = reply
            .with("x-ms-request-id", id.clone())
            .with("x-ms-correlation-request-id", correlation)
            .with("x-content-type-options", "nosniff");
        if let Some(client) = request.header("x-ms-client-request-id")
            && request.header("x-ms-return-client-request-id").is_some_and(|v| v.eq_ignore_ascii_case("true"))
        {
            reply = reply.with("x-ms-client-request-id", client);
        }
        if matches!(endpoint, Endpoint::Arm | Endpoint::ResourceGraph) {
            let left = GLOBAL_READS.saturating_sub(self.reads.load(Ordering::Relaxed));
            let kind = if request.method == "GET" { "global-reads" } else { "writes" };
            let name = format!("x-ms-ratelimit-remaining-subscription-{kind}");
            reply = reply
                .with(&name, left.to_string())
                .with("x-ms-routing-request-id", format!("EMULATOR:20260101T000000Z:{id}"));
        }
        reply
    }
}
