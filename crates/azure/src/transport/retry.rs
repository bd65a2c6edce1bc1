//! The policies of the pipeline: trying again, and the bearer token.

use std::sync::Arc;
use std::time::{Duration, Instant};

use azure_core::credentials::TokenCredential;
use azure_core::error::ErrorKind;
use azure_core::http::headers::Headers;
use azure_core::http::policies::{Policy, PolicyResult};
use azure_core::http::{AsyncRawResponse, Context, Request, StatusCode};
use ring::rand::{SecureRandom, SystemRandom};
use serde::Deserialize;
use serde::de::IgnoredAny;
use tokio::sync::Mutex;

use super::throttle::Throttle;
use super::{Limits, header};
use crate::credential::Maker;
use crate::error::{Error, Failure};
use crate::progress::{Event, Progress, Source};

/// The first pause; doubled with each try.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// The longest pause where Azure asks for none.
const OWN_PAUSE: Duration = Duration::from_secs(30);

/// The token of the run.
pub(super) struct Tokens {
    maker: Maker,
    audience: String,
    credential: Mutex<Arc<dyn TokenCredential>>,
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tokens")
    }
}

impl Tokens {
    pub(super) fn new(maker: Maker) -> Result<Self, Error> {
        let credential = Mutex::new(maker.make()?);
        Ok(Self { audience: maker.endpoints.audience(), maker, credential })
    }

    /// A token that is good for now; credentials keep theirs and renew it before its time is over.
    async fn token(&self) -> azure_core::Result<String> {
        let credential = Arc::clone(&*self.credential.lock().await);
        let token = credential.get_token(&[&self.audience], None).await?;
        Ok(token.token.secret().to_owned())
    }

    /// Azure refused the token before its time: a new credential knows nothing of the old one.
    async fn renew(&self) {
        if let Ok(made) = self.maker.make() {
            *self.credential.lock().await = made;
        }
    }
}

/// Sets the bearer token, only ever for the ARM endpoint.
#[derive(Debug)]
pub(super) struct Authorize(pub Arc<Tokens>);

#[async_trait::async_trait]
impl Policy for Authorize {
    async fn send(&self, ctx: &Context, request: &mut Request, next: &[Arc<dyn Policy>]) -> PolicyResult {
        let Some((first, rest)) = next.split_first() else {
            return Err(azure_core::Error::with_message(ErrorKind::Other, "a pipeline without transport"));
        };
        if !self.0.maker.endpoints.owns(request.url()) {
            return Err(azure_core::Error::with_message(ErrorKind::Other, "no token for another host"));
        }
        let token = self
            .0
            .token()
            .await
            .map_err(|error| azure_core::Error::with_message(ErrorKind::Credential, error.to_string()))?;
        request.insert_header("authorization", format!("Bearer {token}"));
        first.send(ctx, request, rest).await
    }
}

/// Tries again: after 429, 408 and 5xx, after a connection that broke, after an answer that is cut or is no JSON, and
/// once after a token that ended early. Waits as long as Azure asks, and a little at random.
pub(super) struct Persist {
    source: Source,
    limits: Limits,
    until: Instant,
    tokens: Arc<Tokens>,
    progress: Progress,
    throttle: Throttle,
    random: SystemRandom,
}

impl std::fmt::Debug for Persist {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Persist").field("source", &self.source).finish_non_exhaustive()
    }
}

/// What one try gave.
enum Try {
    Done(StatusCode, Headers, azure_core::Bytes),
    /// May go well another time.
    Again {
        why: String,
        pause: Option<Duration>,
        last: PolicyResult,
    },
    Never(azure_core::Error),
}

impl Persist {
    pub(super) fn new(
        source: Source,
        limits: Limits,
        until: Instant,
        tokens: Arc<Tokens>,
        progress: Progress,
    ) -> Self {
        let throttle = Throttle::new(limits.concurrency);
        Self { source, limits, until, tokens, progress, throttle, random: SystemRandom::new() }
    }

    async fn once(&self, ctx: &Context<'_>, request: &mut Request, next: &[Arc<dyn Policy>]) -> Try {
        let Some((first, rest)) = next.split_first() else {
            return Try::Never(azure_core::Error::with_message(
                ErrorKind::Other,
                "a pipeline without transport",
            ));
        };
        let _permit = self.throttle.permit().await;
        let whole = async {
            let (status, headers, body) = first.send(ctx, request, rest).await?.deconstruct();
            Ok::<_, azure_core::Error>((status, headers, body.collect().await?))
        };
        match tokio::time::timeout(self.limits.call, whole).await {
            Err(_) => {
                let why = format!("no whole answer within {} s", self.limits.call.as_secs());
                let last = azure_core::Error::with_message(ErrorKind::Io, why.clone());
                Try::Again { why, pause: None, last: Err(last) }
            }
            Ok(Err(error)) if matches!(error.kind(), ErrorKind::Io | ErrorKind::Connection) => {
                Try::Again { why: "the connection broke".into(), pause: None, last: Err(error) }
            }
            Ok(Err(error)) => Try::Never(error),
            Ok(Ok((status, headers, body))) => self.judge(status, headers, body),
        }
    }

    fn judge(&self, status: StatusCode, headers: Headers, body: azure_core::Bytes) -> Try {
        self.heed(&headers);
        let code = u16::from(status);
        let asked = pause(&headers);
        if matches!(code, 408 | 429 | 500..=599) && code != 501 {
            if code == 429 {
                self.throttle.too_many(asked.unwrap_or(FIRST_PAUSE).min(self.limits.pause));
            }
            let why = format!("status {code}");
            let last = Ok(AsyncRawResponse::from_bytes(status, headers, body));
            return Try::Again { why, pause: asked, last };
        }
        if code == 200
            && let Err(why) = is_json(&headers, &body)
        {
            let last = azure_core::Error::with_message(ErrorKind::DataConversion, why.clone());
            return Try::Again { why, pause: None, last: Err(last) };
        }
        if (200..300).contains(&code) {
            self.throttle.well();
        }
        Try::Done(status, headers, body)
    }

    /// What Azure says about calls that are left.
    fn heed(&self, headers: &Headers) {
        for (name, value) in headers.iter() {
            let name = name.as_str();
            let counts = name.starts_with("x-ms-ratelimit-remaining-") && name.ends_with("reads");
            if (counts || name == "x-ms-user-quota-remaining")
                && let Ok(left) = value.as_str().trim().parse()
            {
                let resets = header(headers, "x-ms-user-quota-resets-after").and_then(clock);
                let resets = resets.filter(|_| !counts).map(|wait| wait.min(self.limits.pause));
                self.throttle.left(left, resets);
            }
        }
    }

    /// The pause before try number `tried` + 1, with up to a quarter more at random.
    fn wait(&self, tried: u32, asked: Option<Duration>) -> Duration {
        let own = FIRST_PAUSE.saturating_mul(1_u32.checked_shl(tried.saturating_sub(1)).unwrap_or(u32::MAX));
        let base = asked.unwrap_or(own.min(OWN_PAUSE)).min(self.limits.pause);
        let mut byte = [0_u8; 1];
        let _ = self.random.fill(&mut byte);
        base.saturating_add(base.saturating_mul(u32::from(byte[0])) / 1024)
    }
}

#[async_trait::async_trait]
impl Policy for Persist {
    async fn send(&self, ctx: &Context, request: &mut Request, next: &[Arc<dyn Policy>]) -> PolicyResult {
        let mut renewed = false;
        let mut tried = 0;
        loop {
            tried += 1;
            let (why, asked, last) = match self.once(ctx, request, next).await {
                Try::Done(status, _, _) if u16::from(status) == 401 && !renewed => {
                    renewed = true;
                    self.tokens.renew().await;
                    tried -= 1;
                    continue;
                }
                Try::Done(status, headers, body) => {
                    return Ok(AsyncRawResponse::from_bytes(status, headers, body));
                }
                Try::Never(error) => return Err(error),
                Try::Again { why, pause, last } => (why, pause, last),
            };
            let pause = self.wait(tried, asked);
            let left = self.until.saturating_duration_since(Instant::now());
            if tried >= self.limits.tries || pause >= left {
                return last;
            }
            let path = request.url().path().to_owned();
            (self.progress)(&Event::Retry { source: self.source, path: &path, why: &why, pause });
            tokio::time::sleep(pause).await;
            request.body_mut().reset().await?;
        }
    }
}

/// `Retry-After` in seconds, or the milliseconds of `x-ms-retry-after-ms` and `retry-after-ms`.
pub(crate) fn pause(headers: &Headers) -> Option<Duration> {
    let number = |name: &str| header(headers, name)?.trim().parse::<f64>().ok().filter(|n| *n >= 0.0);
    let milliseconds = number("x-ms-retry-after-ms").or_else(|| number("retry-after-ms"));
    let seconds = milliseconds.map(|n| n / 1000.0).or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// `hh:mm:ss`.
fn clock(text: &str) -> Option<Duration> {
    let parts: Option<Vec<u64>> = text.trim().split(':').map(|part| part.parse().ok()).collect();
    let seconds = parts?.iter().fold(0_u64, |sum, part| sum.saturating_mul(60).saturating_add(*part));
    Some(Duration::from_secs(seconds))
}

/// An answer with status 200 is JSON, whole, and says so.
fn is_json(headers: &Headers, body: &[u8]) -> Result<(), String> {
    let kind = header(headers, "content-type").unwrap_or("application/json");
    if !kind.to_ascii_lowercase().contains("json") {
        return Err(format!("an answer of type {kind}, not JSON"));
    }
    if body.is_empty() {
        return Ok(());
    }
    match serde_json::from_slice::<IgnoredAny>(body) {
        Ok(_) => Ok(()),
        Err(error) if error.is_eof() => Err("the answer breaks off".into()),
        Err(error) => Err(format!("the answer is no JSON: {error}")),
    }
}

/// What the pipeline's error says.
pub(super) fn failure(error: azure_core::Error) -> Failure {
    let text = error.to_string();
    let code = match error.kind() {
        ErrorKind::Credential => "Credential",
        ErrorKind::DataConversion => "InvalidAnswer",
        ErrorKind::Io if text.starts_with("no whole answer") => "Timeout",
        ErrorKind::Io | ErrorKind::Connection => "Connection",
        _ => "Failed",
    };
    Failure::new(code, text)
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Body {
    error: Option<Detail>,
    #[serde(flatten)]
    flat: Detail,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Detail {
    code: Option<String>,
    message: Option<String>,
}

/// ARM's error body: `{"error":{"code","message"}}`, or the two without the wrapping.
pub(super) fn refusal(status: u16, body: &[u8]) -> Failure {
    let body: Body = serde_json::from_slice(body).unwrap_or_default();
    let detail = body.error.unwrap_or(body.flat);
    Failure {
        status: Some(status),
        code: detail.code.unwrap_or_else(|| format!("Status{status}")),
        message: detail.message.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_read_as_azure_writes_them() {
        let of = |name: &'static str, value: &'static str| {
            let mut headers = Headers::new();
            headers.insert(name, value);
            pause(&headers)
        };
        assert_eq!(of("retry-after", "17"), Some(Duration::from_secs(17)));
        assert_eq!(of("x-ms-retry-after-ms", "1500"), Some(Duration::from_millis(1500)));
        assert_eq!(of("retry-after", "-1"), None);
        assert_eq!(of("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"), None);
        assert_eq!(clock("00:01:05"), Some(Duration::from_secs(65)));
    }

    #[test]
    fn both_forms_of_error_bodies_are_read() {
        let wrapped = refusal(403, br#"{"error":{"code":"AuthorizationFailed","message":"no"}}"#);
        assert_eq!((wrapped.code.as_str(), wrapped.message.as_str()), ("AuthorizationFailed", "no"));
        assert_eq!(refusal(404, br#"{"code":"NotFound","message":"m"}"#).code, "NotFound");
        assert_eq!(refusal(502, b"<html>").code, "Status502");
    }
}
