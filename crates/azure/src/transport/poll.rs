//! Asynchronous operations: 202 with `Location` or `Azure-AsyncOperation`, asked until it is over.

use std::time::Duration;

use azure_core::http::{Method, Url};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Answer, Client, retry};
use crate::error::Failure;
use crate::progress::Source;

/// Between polls, where Azure does not say.
const PAUSE: Duration = Duration::from_secs(2);
/// Polls of one operation, at most.
const MOST: usize = 600;

#[derive(Deserialize)]
struct Status<'a> {
    #[serde(default)]
    status: Option<String>,
    #[serde(borrow, default)]
    properties: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<Detail>,
}

#[derive(Deserialize)]
struct Detail {
    #[serde(default)]
    code: String,
    #[serde(default)]
    message: String,
}

impl Client {
    /// POSTs, and follows the operation to its result.
    pub(crate) async fn post(&self, url: Url, body: Option<Vec<u8>>) -> Result<Vec<u8>, Failure> {
        let answer = self.call(Source::Arm, Method::Post, url, body).await?;
        self.follow(answer).await
    }

    /// The result of an operation whose first answer is `answer`.
    pub(crate) async fn follow(&self, mut answer: Answer) -> Result<Vec<u8>, Failure> {
        let mut location = None;
        let mut operation = None;
        for _ in 0..MOST {
            if let Some(link) = answer.header("location") {
                location = Some(self.link(link)?);
            }
            if let Some(link) = answer.header("azure-asyncoperation") {
                operation = Some(self.link(link)?);
            }
            let status: Option<Status<'_>> =
                operation.as_ref().and_then(|_| serde_json::from_slice(&answer.body).ok());
            let state = status.as_ref().and_then(|s| s.status.clone()).unwrap_or_default();
            match state.to_ascii_lowercase().as_str() {
                "succeeded" => {
                    let output = status.and_then(|s| s.properties).map(|raw| raw.get().as_bytes().to_vec());
                    return match (output, location) {
                        (Some(output), _) => Ok(output),
                        (None, Some(location)) => Ok(self.get(location).await?.body.to_vec()),
                        (None, None) => Ok(answer.body.to_vec()),
                    };
                }
                "failed" | "canceled" | "cancelled" => {
                    let detail = status.and_then(|s| s.error);
                    let (code, message) = detail.map_or_else(Default::default, |d| (d.code, d.message));
                    let code = if code.is_empty() { format!("Operation{state}") } else { code };
                    return Err(Failure { status: Some(answer.status), code, message });
                }
                _ if answer.status != 202 && state.is_empty() => return Ok(answer.body.to_vec()),
                _ => {}
            }
            let Some(link) = operation.clone().or_else(|| location.clone()) else {
                return Err(Failure::new("InvalidAnswer", "202 without Location or Azure-AsyncOperation"));
            };
            let pause = retry::pause(&answer.headers).unwrap_or(PAUSE);
            let deadline = tokio::time::Instant::from_std(self.until);
            tokio::select! {
                () = self.cancel.cancelled() => return Err(Failure::new("Cancelled", "the run was ended")),
                () = tokio::time::sleep_until(deadline) => {
                    return Err(Failure::new("Deadline", "the time for the whole run is over"));
                }
                () = tokio::time::sleep(pause) => {}
            }
            answer = self.get(link).await?;
        }
        Err(Failure::new("Timeout", format!("the operation is not over after {MOST} polls")))
    }
}
