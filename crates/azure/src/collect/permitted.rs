//! Whether the caller may read a type in whole subscriptions. Resource Graph leaves out what may not be read without a
//! word (D44a), and no rows would pass for evidence that nothing is there; a list of ARM is refused.

use futures::StreamExt;
use serde::Deserialize;

use super::Run;
use super::state::types_of;
use crate::error::Failure;
use crate::progress::Event;
use crate::types::{READS, ReadType};

/// What one role grants.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Granted {
    actions: Vec<String>,
    not_actions: Vec<String>,
}

impl Run<'_> {
    /// Splits rows into those that the caller may read in every one of these subscriptions, and the others.
    pub(super) async fn permitted(
        &self,
        rows: Vec<&'static ReadType>,
        scopes: &[String],
    ) -> (Vec<&'static ReadType>, Vec<&'static ReadType>) {
        let asked = futures::stream::iter(scopes.iter().map(|scope| self.granted(scope)));
        let granted: Vec<Result<Vec<Granted>, Failure>> =
            asked.buffer_unordered(self.concurrency.max(1)).collect().await;
        if let Some(Err(failure)) = granted.iter().find(|granted| granted.is_err()) {
            let text = format!(
                "what may be read is not known ({}): ARM is asked in place of Resource Graph",
                failure.code
            );
            (self.client.progress)(&Event::Note(&text));
        }
        rows.into_iter().partition(|row| {
            granted.iter().all(|granted| {
                let granted = granted.as_ref().map_or(&[][..], Vec::as_slice);
                types_of(row).iter().all(|kind| allows(granted, &format!("{kind}/read")))
            })
        })
    }

    async fn granted(&self, scope: &str) -> Result<Vec<Granted>, Failure> {
        let operation = READS.iter().find(|operation| operation.path.ends_with("/permissions"));
        let (path, version) = operation.map_or(("", ""), |o| (o.path, o.api_version));
        let url = self.client.url(&format!("{scope}/{path}"), &[("api-version", version)])?;
        let mut out = Vec::new();
        let each = |page: &[&serde_json::value::RawValue]| {
            for raw in page {
                let row = serde_json::from_str(raw.get());
                out.push(row.map_err(|error| Failure::new("InvalidAnswer", error.to_string()))?);
            }
            Ok(())
        };
        self.client.list(url, each).await?;
        Ok(out)
    }
}

/// An action is allowed when one role grants it and does not take it out again itself.
fn allows(granted: &[Granted], action: &str) -> bool {
    let any = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, action));
    granted.iter().any(|role| any(&role.actions) && !any(&role.not_actions))
}

/// `*` stands for any text, letter case does not matter.
fn matches(pattern: &str, action: &str) -> bool {
    let (pattern, action) = (pattern.to_ascii_lowercase(), action.to_ascii_lowercase());
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| action.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at.saturating_add(part.len())..).unwrap_or_default();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_roles_write_them() {
        let read = "Microsoft.Network/privateDnsZones/A/read";
        for good in ["*", "*/read", "Microsoft.Network/*", "microsoft.network/privatednszones/*/READ", read] {
            assert!(matches(good, read), "{good}");
        }
        for bad in ["", "*/write", "Microsoft.Net", "Microsoft.Network/privateDnsZones/read", "read"] {
            assert!(!matches(bad, read), "{bad}");
        }
    }

    #[test]
    fn a_role_takes_out_of_itself_only() {
        let role = |actions: &[&str], not: &[&str]| Granted {
            actions: actions.iter().map(ToString::to_string).collect(),
            not_actions: not.iter().map(ToString::to_string).collect(),
        };
        let holed = role(&["*/read"], &["Microsoft.Network/routeTables/read"]);
        assert!(!allows(&[], "a/read"));
        assert!(!allows(std::slice::from_ref(&holed), "Microsoft.Network/routeTables/read"));
        assert!(allows(&[holed, role(&["Microsoft.Network/*"], &[])], "Microsoft.Network/routeTables/read"));
    }
}
