//! ARM resource ids: parsed once, compared without regard to letter case (R12).

use std::fmt;
use std::sync::Arc;

/// An ARM id as Azure wrote it, with the folded form that comparisons use.
///
/// Two ids are equal exactly when they are equal without regard to ASCII letter case, a trailing slash and
/// doubled slashes. Cheap to clone.
#[derive(Clone)]
pub struct ArmId {
    written: Arc<str>,
    folded: Arc<str>,
}

impl ArmId {
    pub fn new(written: &str) -> Self {
        let folded = fold(written);
        let text: Arc<str> = written.into();
        let folded = if folded == *text { Arc::clone(&text) } else { folded.into() };
        Self { written: text, folded }
    }

    /// The id with the letters that its source used; for people.
    pub fn as_written(&self) -> &str {
        &self.written
    }

    /// The id in lower case without trailing or doubled slashes; for comparison and order.
    pub fn folded(&self) -> &str {
        &self.folded
    }

    /// The resource's own name: the last segment, as written.
    pub fn name(&self) -> &str {
        self.written.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
    }

    /// The folded id of the subscription that holds the resource, without `/subscriptions/`.
    pub fn subscription(&self) -> Option<&str> {
        segment_after(&self.folded, "subscriptions")
    }

    /// The folded name of the resource group that holds the resource.
    pub fn resource_group(&self) -> Option<&str> {
        segment_after(&self.folded, "resourcegroups")
    }

    /// The folded resource type, such as `microsoft.network/virtualnetworks/subnets`; of an extension resource
    /// the type of the extension. Subscriptions and resource groups have the types that ARM gives them.
    pub fn resource_type(&self) -> Option<String> {
        type_of(&self.folded)
    }

    /// The id that this one is a child of: for `…/virtualNetworks/a/subnets/b` that of `…/virtualNetworks/a`.
    /// `None` for top-level resources.
    pub fn parent(&self) -> Option<ArmId> {
        let provider = self.folded.rfind("/providers/")?;
        let tail: Vec<&str> = self.folded.get(provider + "/providers/".len()..)?.split('/').collect();
        if tail.len() < 5 {
            return None;
        }
        let written = self.written.trim_end_matches('/');
        let cut = written.rmatch_indices('/').nth(1)?.0;
        Some(ArmId::new(written.get(..cut)?))
    }

    /// True when `self` lies at or below `scope`, compared segment by segment (A305).
    pub fn is_within(&self, scope: &str) -> bool {
        within(&self.folded, &fold(scope))
    }
}

/// Lower case, without a trailing slash, with single slashes.
pub fn fold(id: &str) -> String {
    let id = id.trim();
    if !id.ends_with('/') && !id.contains("//") {
        return id.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(id.len());
    for c in id.chars() {
        if c == '/' && out.ends_with('/') {
            continue;
        }
        out.push(c.to_ascii_lowercase());
    }
    while out.len() > 1 && out.ends_with('/') {
        out.pop();
    }
    out
}

fn within(folded: &str, scope: &str) -> bool {
    scope == "/" || folded.strip_prefix(scope).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn segment_after<'a>(folded: &'a str, key: &str) -> Option<&'a str> {
    let mut parts = folded.split('/');
    parts.find(|p| *p == key)?;
    parts.next().filter(|p| !p.is_empty())
}

fn type_of(folded: &str) -> Option<String> {
    let Some(provider) = folded.rfind("/providers/") else {
        let parts: Vec<&str> = folded.split('/').filter(|p| !p.is_empty()).collect();
        return match parts.as_slice() {
            ["subscriptions", _] => Some("microsoft.resources/subscriptions".into()),
            ["subscriptions", _, "resourcegroups", _] => Some("microsoft.resources/resourcegroups".into()),
            _ => None,
        };
    };
    let mut parts = folded.get(provider + "/providers/".len()..)?.split('/');
    let mut out = parts.next()?.to_owned();
    let mut any = false;
    while let Some(kind) = parts.next() {
        any = true;
        out.push('/');
        out.push_str(kind);
        parts.next();
    }
    any.then_some(out)
}

impl PartialEq for ArmId {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.folded, &other.folded) || self.folded == other.folded
    }
}
impl Eq for ArmId {}
impl PartialOrd for ArmId {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for ArmId {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.folded.cmp(&other.folded)
    }
}
impl std::hash::Hash for ArmId {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.folded.hash(state);
    }
}
impl fmt::Debug for ArmId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}
impl fmt::Display for ArmId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUBNET: &str =
        "/subscriptions/S/resourceGroups/Rg/providers/Microsoft.Network/virtualNetworks/V/subnets/A";

    #[test]
    fn letter_case_and_slashes_do_not_matter() {
        assert_eq!(ArmId::new(SUBNET), ArmId::new(&format!("{}/", SUBNET.to_uppercase())));
    }

    #[test]
    fn parts() {
        let id = ArmId::new(SUBNET);
        assert_eq!(id.name(), "A");
        assert_eq!(id.subscription(), Some("s"));
        assert_eq!(id.resource_group(), Some("rg"));
        assert_eq!(id.resource_type().as_deref(), Some("microsoft.network/virtualnetworks/subnets"));
        assert_eq!(id.parent().map(|p| p.name().to_owned()).as_deref(), Some("V"));
        assert_eq!(id.parent().and_then(|p| p.parent()), None);
    }

    #[test]
    fn scopes_are_compared_by_segment() {
        let id = ArmId::new(SUBNET);
        assert!(id.is_within("/"));
        assert!(id.is_within("/Subscriptions/s"));
        assert!(!id.is_within("/subscriptions/s/resourceGroups/r"));
    }
}
