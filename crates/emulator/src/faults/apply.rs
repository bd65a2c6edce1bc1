//! What a fault does to the reply.

use std::time::Duration;

use serde_json::Value;

use super::plan::Then;
use crate::reply::Reply;
use crate::request::Request;

/// The reply in the real one's place, where the fault gives one.
pub(crate) fn instead(then: &Then, action: &str, scope: &str) -> Option<Reply> {
    match then {
        Then::Throttle { retry_after } => {
            let message =
                "The request was throttled: too many requests have been made in a given amount of time.";
            Some(
                Reply::arm_error(429, "TooManyRequests", message)
                    .with("retry-after", retry_after.to_string()),
            )
        }
        Then::ServerError { status, retry_after } => {
            let (code, message) = match status {
                502 => (
                    "BadGatewayConnection",
                    "The network connectivity issue encountered; cannot fulfill the request.",
                ),
                503 => ("ServiceUnavailable", "The service is temporarily unavailable."),
                504 => (
                    "GatewayTimeout",
                    "The gateway did not receive a response within the specified time period.",
                ),
                _ => ("InternalServerError", "An error occurred."),
            };
            let reply = Reply::arm_error(*status, code, message).with("x-ms-failure-cause", "service");
            Some(match retry_after {
                Some(seconds) => reply.with("retry-after", seconds.to_string()),
                None => reply,
            })
        }
        Then::Forbidden => {
            Some(crate::arm::unauthorized(&crate::estate::Refusal::unauthorized(), action, scope))
        }
        Then::Reset
        | Then::Slow { .. }
        | Then::Truncate { .. }
        | Then::ContentType { .. }
        | Then::PagingLoop
        | Then::ForeignLink { .. }
        | Then::ExpireTokens => None,
    }
}

/// The real reply, spoilt.
pub(crate) fn spoil(then: &Then, request: &Request, base: &str, mut reply: Reply) -> Reply {
    match then {
        Then::Reset => reply.wire.reset = true,
        Then::Slow { milliseconds } => reply.wire.delay = Duration::from_millis(*milliseconds),
        Then::Truncate { bytes } => reply.wire.cut_after = Some(*bytes),
        Then::ContentType { value, body } => {
            let html =
                "<!DOCTYPE html><html><body><h2>Our services aren't available right now</h2></body></html>";
            reply.body = body.as_deref().unwrap_or(html).as_bytes().to_vec();
            reply = reply.with("content-type", value.clone());
        }
        Then::PagingLoop => {
            let here = format!("{base}{}?{}", request.path, request.query_text);
            let token = request.json().pointer("/options/$skipToken").cloned();
            change_json(&mut reply, |json| {
                if json.contains_key("value") {
                    json.insert("nextLink".into(), Value::from(here.clone()));
                } else if json.contains_key("data") {
                    json.insert("$skipToken".into(), token.clone().unwrap_or_else(|| Value::from("bG9vcA")));
                }
            });
        }
        Then::ForeignLink { host } => {
            let moved = |link: &str| link.strip_prefix(base).map(|rest| format!("{host}{rest}"));
            for (name, value) in &mut reply.headers {
                if matches!(name.as_str(), "location" | "azure-asyncoperation")
                    && let Some(link) = moved(value)
                {
                    *value = link;
                }
            }
            change_json(&mut reply, |json| {
                if let Some(link) = json.get("nextLink").and_then(Value::as_str).and_then(moved) {
                    json.insert("nextLink".into(), Value::from(link));
                }
            });
        }
        Then::Throttle { .. } | Then::ServerError { .. } | Then::Forbidden | Then::ExpireTokens => {}
    }
    reply
}

fn change_json(reply: &mut Reply, change: impl FnOnce(&mut serde_json::Map<String, Value>)) {
    if let Ok(Value::Object(mut json)) = serde_json::from_slice(&reply.body) {
        change(&mut json);
        reply.body = Value::Object(json).to_string().into_bytes();
    }
}
