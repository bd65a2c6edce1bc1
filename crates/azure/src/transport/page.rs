//! Lists of pages: `nextLink` to the end, only at the ARM endpoint, never in a circle.

use std::collections::BTreeSet;

use azure_core::http::Url;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Answer, Client};
use crate::error::Failure;

/// Pages of one list, at most; ends a list that grows without end.
const MOST: usize = 20_000;

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow, default)]
    value: Option<Vec<&'a RawValue>>,
    #[serde(default, rename = "nextLink")]
    next: Option<String>,
}

impl Client {
    /// Reads a list. `each` gets the elements of every page that came, also of those before a failure.
    pub(crate) async fn list(
        &self,
        first: Url,
        mut each: impl FnMut(&[&RawValue]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut seen = BTreeSet::new();
        let mut next = Some(first);
        while let Some(url) = next.take() {
            if !seen.insert(url.to_string()) {
                return Err(Failure::new("PagingLoop", "a nextLink leads back to a page that was read"));
            }
            if seen.len() > MOST {
                return Err(Failure::new("PagingLoop", format!("more than {MOST} pages")));
            }
            let answer = self.get(url).await?;
            if let Some(link) = page(&answer, &mut each)?.filter(|link| !link.is_empty()) {
                next = Some(self.link(&link)?);
            }
        }
        Ok(())
    }
}

fn page(
    answer: &Answer,
    each: &mut impl FnMut(&[&RawValue]) -> Result<(), Failure>,
) -> Result<Option<String>, Failure> {
    if answer.body.is_empty() && answer.status == 204 {
        return Ok(None);
    }
    let page: Page<'_> = serde_json::from_slice(&answer.body)
        .map_err(|error| Failure::new("InvalidAnswer", format!("not a page of a list: {error}")))?;
    let Some(value) = page.value else {
        return Err(Failure::new("InvalidAnswer", "an answer without `value` is no list"));
    };
    each(&value)?;
    Ok(page.next)
}
