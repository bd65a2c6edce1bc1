//! One page of a list, with the link to the next.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::Call;
use super::errors;
use crate::estate::{Item, Refusal};
use crate::reply::Reply;

/// What a skip token holds, before it is made opaque.
const AT: &str = "at:";

/// The largest `$top` that is taken; more is cut down to it.
const MAX_TOP: usize = 1000;

/// Where the next page begins; `Err` where the token is none of ours.
fn start(call: &Call<'_>) -> Result<usize, Reply> {
    let Some(token) = call.request.parameter("$skiptoken") else { return Ok(0) };
    let text = URL_SAFE_NO_PAD.decode(token).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let at = text.as_deref().and_then(|text| text.strip_prefix(AT)?.parse().ok());
    at.ok_or_else(|| Reply::arm_error(400, "InvalidSkipToken", "The provided skip token is invalid."))
}

/// The link to the page that begins at `at`: the same call with an opaque token.
fn link(call: &Call<'_>, at: usize) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (key, value) in &call.request.query {
        if !key.eq_ignore_ascii_case("$skiptoken") {
            query.append_pair(key, value);
        }
    }
    query.append_pair("$skiptoken", &URL_SAFE_NO_PAD.encode(format!("{AT}{at}")));
    format!("{}{}?{}", call.base, call.request.path, query.finish())
}

/// The page of `items` that the call asks for.
///
/// `refused`: the list cannot be answered whole. What is there is served, and the link behind it leads to the refusal,
/// so that nobody takes the pages for all there is. An empty list is refused at once.
pub(crate) fn page(call: &Call<'_>, items: &[Item], refused: Option<(Refusal, &str, &str)>) -> Reply {
    let from = match start(call) {
        Ok(from) => from,
        Err(reply) => return reply,
    };
    let top = call.request.parameter("$top").and_then(|top| top.parse::<usize>().ok());
    let size = top.map_or(call.page_size, |top| top.clamp(1, MAX_TOP)).max(1);
    let to = from.saturating_add(size).min(items.len());
    let now = items.get(from..to).unwrap_or_default();
    if now.is_empty()
        && let Some((refusal, action, scope)) = &refused
    {
        return errors::unauthorized(refusal, action, scope);
    }
    let mut body = b"{\"value\":[".to_vec();
    for (i, item) in now.iter().enumerate() {
        if i > 0 {
            body.push(b',');
        }
        body.extend(call.text(item));
    }
    body.push(b']');
    if to < items.len() || refused.is_some() {
        body.extend(b",\"nextLink\":");
        body.extend(serde_json::Value::from(link(call, to)).to_string().into_bytes());
    }
    body.push(b'}');
    Reply::bytes(200, "application/json; charset=utf-8", body)
}
