//! Calls to Azure Resource Manager and Resource Graph on the pipeline of `azure_core`.
//!
//! What lives here: one call with its retries ([`Client::call`]), the policies of the pipeline ([`retry`]), how many
//! at once ([`throttle`]), lists of pages ([`page`]), asynchronous operations ([`poll`]). What may not: which calls
//! are made.

pub(crate) mod page;
pub(crate) mod poll;
mod retry;
mod throttle;

use std::sync::Arc;
use std::time::{Duration, Instant};

use azure_core::Bytes;
use azure_core::http::headers::Headers;
use azure_core::http::{
    AsyncRawResponse, ClientOptions, Context, HttpClient, Method, Pipeline, Request, RetryOptions, Transport,
    Url,
};

use crate::cloud::{Endpoints, is_loopback};
use crate::credential::{Auth, Maker, Principal};
use crate::error::{Error, Failure};
use crate::progress::{Cancel, Event, Progress, Source};
use retry::{Authorize, Persist, Tokens};

/// Limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Calls at once, at most.
    pub concurrency: usize,
    /// Tries of one call.
    pub tries: u32,
    /// One try, its whole answer included.
    pub call: Duration,
    /// The whole run; what was read by then becomes a partial snapshot.
    pub overall: Duration,
    /// The longest pause before a try, whatever Azure asks for.
    pub pause: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            concurrency: 32,
            tries: 6,
            call: Duration::from_secs(90),
            overall: Duration::from_secs(3600),
            pause: Duration::from_secs(120),
        }
    }
}

/// An answer with status 200 to 299.
pub(crate) struct Answer {
    pub status: u16,
    pub headers: Headers,
    pub body: Bytes,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

pub(crate) fn header<'a>(headers: &'a Headers, name: &str) -> Option<&'a str> {
    headers.iter().find(|(key, _)| key.as_str().eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// What a run asks with.
pub(crate) struct Client {
    pub endpoints: Endpoints,
    arm: Pipeline,
    graph: Pipeline,
    pub cancel: Cancel,
    pub until: Instant,
    pub progress: Progress,
}

impl Client {
    pub(crate) fn new(
        endpoints: Endpoints,
        (auth, principal): (Auth, Option<Principal>),
        limits: Limits,
        progress: Progress,
        cancel: Cancel,
    ) -> Result<Self, Error> {
        // TLS by rustls on ring: builds in seconds with a C compiler only, no CMake, no system OpenSSL.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let plain = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(20))
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| Error::Client(error.to_string()))?;
        let http = Loopback { inner: plain.clone(), plain: plain_hosts(&endpoints) };
        let transport = Transport::new(Arc::new(http));
        let maker = Maker {
            auth,
            principal,
            endpoints: endpoints.clone(),
            transport: transport.clone(),
            client: plain,
            progress: Arc::clone(&progress),
        };
        let tokens = Arc::new(Tokens::new(maker)?);
        let until = Instant::now().checked_add(limits.overall).unwrap_or_else(Instant::now);
        let pipeline = |source: Source| {
            let persist = Persist::new(source, limits, until, Arc::clone(&tokens), Arc::clone(&progress));
            let options = ClientOptions {
                retry: RetryOptions::none(),
                transport: Some(transport.clone()),
                ..ClientOptions::default()
            };
            Pipeline::new(
                Some("pullproof"),
                Some(env!("CARGO_PKG_VERSION")),
                options,
                vec![Arc::new(persist)],
                vec![Arc::new(Authorize(Arc::clone(&tokens)))],
                None,
            )
        };
        let (arm, graph) = (pipeline(Source::Arm), pipeline(Source::Graph));
        Ok(Self { endpoints, arm, graph, cancel, until, progress })
    }

    /// The URL of a path at the ARM endpoint.
    pub(crate) fn url(&self, path: &str, query: &[(&str, &str)]) -> Result<Url, Failure> {
        let wrong = |why: String| Failure::new("InvalidAnswer", format!("{path}: {why}"));
        let mut url = self.endpoints.arm.clone();
        let base = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{base}{path}"));
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        if self.endpoints.owns(&url) { Ok(url) } else { Err(wrong("leaves the ARM endpoint".into())) }
    }

    /// A link that an answer carries, if it stays at the ARM endpoint.
    pub(crate) fn link(&self, text: &str) -> Result<Url, Failure> {
        let url = self.endpoints.arm.join(text);
        let url = url.map_err(|error| Failure::new("InvalidAnswer", format!("link {text:?}: {error}")))?;
        if self.endpoints.owns(&url) {
            return Ok(url);
        }
        let host = url.host_str().unwrap_or_default();
        Err(Failure::new("ForeignHost", format!("a link leads away from the ARM endpoint, to {host}")))
    }

    /// Makes one call, with its retries, until it is answered or given up.
    pub(crate) async fn call(
        &self,
        source: Source,
        method: Method,
        url: Url,
        body: Option<Vec<u8>>,
    ) -> Result<Answer, Failure> {
        let path = url.path().to_owned();
        let mut request = Request::new(url, method);
        request.insert_header("accept", "application/json");
        if let Some(body) = body {
            request.insert_header("content-type", "application/json");
            request.set_body(body);
        }
        let pipeline = if source == Source::Arm { &self.arm } else { &self.graph };
        let context = Context::new();
        let options = azure_core::http::PipelineSendOptions { skip_checks: true, ..Default::default() };
        let started = Instant::now();
        let deadline = tokio::time::Instant::from_std(self.until);
        let answer = tokio::select! {
            biased;
            () = self.cancel.cancelled() => return Err(Failure::new("Cancelled", "the run was ended")),
            () = tokio::time::sleep_until(deadline) => {
                return Err(Failure::new("Deadline", "the time for the whole run is over"));
            }
            answer = pipeline.send(&context, &mut request, Some(options)) => answer,
        };
        let answer = answer.map_err(retry::failure)?;
        let (status, headers, body) = answer.deconstruct();
        let status = u16::from(status);
        (self.progress)(&Event::Call {
            source,
            method: if method == Method::Get { "GET" } else { "POST" },
            path: &path,
            status,
            request: header(&headers, "x-ms-request-id").unwrap_or_default(),
            took: started.elapsed(),
        });
        let body: Bytes = body.into();
        if (200..300).contains(&status) {
            return Ok(Answer { status, headers, body });
        }
        Err(retry::refusal(status, &body))
    }

    /// GETs. Where the cloud does not have the API version, the newest one that it says it has is taken.
    pub(crate) async fn get(&self, url: Url) -> Result<Answer, Failure> {
        match self.call(Source::Arm, Method::Get, url.clone(), None).await {
            Err(failure) => {
                let Some(version) = newest_version(&failure) else { return Err(failure) };
                let path = url.path();
                let text = format!("{path}: read with API version {version}: {}", failure.code);
                (self.progress)(&Event::Note(&text));
                let others = url.query_pairs().filter(|(key, _)| key != "api-version");
                let others: Vec<(String, String)> = others.map(|(k, v)| (k.into(), v.into())).collect();
                let mut again = url.clone();
                again.query_pairs_mut().clear().extend_pairs(others).append_pair("api-version", &version);
                self.call(Source::Arm, Method::Get, again, None).await
            }
            answer => answer,
        }
    }
}

/// The newest API version that is no preview, where a refusal lists those that are supported.
fn newest_version(failure: &Failure) -> Option<String> {
    const CODES: [&str; 3] =
        ["InvalidApiVersionParameter", "NoRegisteredProviderFound", "InvalidResourceType"];
    if !CODES.contains(&failure.code.as_str()) {
        return None;
    }
    let message = failure.message.to_ascii_lowercase();
    let list = message.rsplit_once("versions are '")?.1;
    let list = list.split('\'').next()?.split(',').map(str::trim);
    let is_version = |text: &&str| text.len() == 10 && text.chars().all(|c| c.is_ascii_digit() || c == '-');
    list.filter(is_version).max().map(str::to_owned)
}

/// Hosts that are spoken to in plain HTTP: those on loopback that were given so.
fn plain_hosts(endpoints: &Endpoints) -> Vec<(String, Option<u16>)> {
    [&endpoints.arm, &endpoints.authority]
        .into_iter()
        .filter(|url| url.scheme() == "http" && is_loopback(url))
        .map(|url| (url.host_str().unwrap_or_default().to_owned(), url.port()))
        .collect()
}

/// The HTTP client; speaks plain HTTP to the hosts that were given so on loopback, and to nobody else.
#[derive(Debug)]
struct Loopback {
    inner: reqwest::Client,
    plain: Vec<(String, Option<u16>)>,
}

#[async_trait::async_trait]
impl HttpClient for Loopback {
    async fn execute_request(&self, request: &Request) -> azure_core::Result<AsyncRawResponse> {
        let url = request.url();
        let plain = url.scheme() == "https"
            && self.plain.iter().any(|(host, port)| url.host_str() == Some(host) && url.port() == *port);
        if !plain {
            return self.inner.execute_request(request).await;
        }
        let mut request = request.clone();
        let _ = request.url_mut().set_scheme("http");
        self.inner.execute_request(&request).await
    }
}

#[cfg(test)]
#[path = "recorded_tests.rs"]
mod recorded;
