//! Queries of Resource Graph, page by page.

use std::collections::BTreeSet;

use azure_core::http::Method;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::error::Failure;
use crate::progress::Source;
use crate::transport::Client;
use crate::types::READS;

/// Rows of a page, at most.
const PAGE: u64 = 1000;
/// Subscriptions in one query.
pub(crate) const SUBSCRIPTIONS: usize = 200;
/// Pages of one query, at most.
const MOST: usize = 10_000;

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    data: Vec<&'a RawValue>,
    #[serde(default, rename = "totalRecords")]
    total: Option<u64>,
    #[serde(default, rename = "resultTruncated")]
    truncated: Option<Value>,
    #[serde(default, rename = "$skipToken")]
    token: Option<String>,
}

impl Client {
    /// Runs a query over subscriptions; over all that can be seen where none is named. `each` gets the rows of every page that came, also of those before a failure.
    pub(crate) async fn query(
        &self,
        query: &str,
        subscriptions: &[String],
        mut each: impl FnMut(&[&RawValue]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let operation = READS.first().copied();
        let (path, version) = operation.map_or(("", ""), |operation| (operation.path, operation.api_version));
        let (mut token, mut rows): (Option<String>, u64) = (None, 0);
        let mut seen = BTreeSet::new();
        for _ in 0..MOST {
            let mut options = json!({
                "resultFormat": "objectArray", "$top": PAGE,
                // Roles that are inherited count too (A305).
                "authorizationScopeFilter": "AtScopeAboveAndBelow",
            });
            if let (Some(token), Some(options)) = (&token, options.as_object_mut()) {
                options.insert("$skipToken".into(), json!(token));
            }
            let mut body = json!({"query": query, "options": options});
            if let (false, Some(body)) = (subscriptions.is_empty(), body.as_object_mut()) {
                body.insert("subscriptions".into(), json!(subscriptions));
            }
            let url = self.url(path, &[("api-version", version)])?;
            let answer = self.call(Source::Graph, Method::Post, url, Some(body.to_string().into())).await?;
            let page: Page<'_> = serde_json::from_slice(&answer.body)
                .map_err(|error| Failure::new("InvalidAnswer", format!("not a page of rows: {error}")))?;
            each(&page.data)?;
            rows = rows.saturating_add(page.data.len() as u64);
            let next = page.token.filter(|token| !token.is_empty());
            let Some(next) = next else {
                let cut = page.truncated.is_some_and(|v| v == true || v.as_str() == Some("true"));
                return if cut || page.total.is_some_and(|total| rows < total) {
                    Err(Failure::new("ResultTruncated", "Resource Graph cut the answer short"))
                } else {
                    Ok(())
                };
            };
            // A token that came before would bring the same rows again.
            if !seen.insert(next.clone()) {
                return Err(Failure::new("PagingLoop", "a skip token leads back to a page that was read"));
            }
            token = Some(next);
        }
        Err(Failure::new("PagingLoop", format!("more than {MOST} pages")))
    }
}
