//! What the snapshot is evidence of: an emulator must never say "nothing is there" where the snapshot does not.

use pullproof_snapshot::{ArmId, Gap};

use super::Estate;

/// Whether a list of a type in a scope can be answered whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// It can; these resources of the type are there and could not be read.
    Whole { unread: Vec<ArmId> },
    /// It cannot: the caller of the snapshot's time was refused, or the snapshot does not say.
    Refused(Refusal),
}

/// Why something is not answered, in Azure's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub status: u16,
    pub code: String,
}

impl Refusal {
    fn of(gap: &Gap) -> Self {
        let status = gap.status.filter(|status| *status >= 400).unwrap_or(403);
        let code = gap.code.clone().unwrap_or_else(|| "AuthorizationFailed".to_owned());
        Self { status, code }
    }

    /// What Azure answers to whoever may not read something.
    pub fn unauthorized() -> Self {
        Self { status: 403, code: "AuthorizationFailed".to_owned() }
    }
}

impl Estate {
    /// Whether a list of `folded_type` in `scope` can be answered whole.
    pub fn known(&self, scope: &str, folded_type: &str) -> Known {
        if self.layered.absence(scope, folded_type).is_evidence() {
            return Known::Whole { unread: Vec::new() };
        }
        let id = ArmId::new(scope);
        if let Some(gap) = self.layered.gaps().iter().find(|gap| self.concerns(gap, &id, folded_type)) {
            return Known::Refused(Refusal::of(gap));
        }
        let unread: Vec<ArmId> = self.unread(&id, folded_type).collect();
        let stated = self.layered.base().complete().scopes(folded_type);
        if !unread.is_empty() && stated.iter().any(|stated| self.covers(stated, &id)) {
            return Known::Whole { unread };
        }
        Known::Refused(Refusal::unauthorized())
    }

    /// Why this one resource, which is not in the snapshot, cannot be read; `None` where the snapshot is evidence that
    /// it does not exist.
    pub fn refusal(&self, id: &ArmId) -> Option<Refusal> {
        let folded_type = id.resource_type().unwrap_or_default();
        let about = |gap: &&Gap| gap.resource.as_deref().is_some_and(|of| ArmId::new(of) == *id);
        if let Some(gap) = self.layered.gaps().iter().find(about) {
            return Some(Refusal::of(gap));
        }
        match self.known(id.folded(), &folded_type) {
            Known::Whole { .. } => None,
            Known::Refused(refusal) => Some(refusal),
        }
    }

    /// Resources of a type within a scope that are there and could not be read.
    fn unread<'a>(&'a self, scope: &'a ArmId, folded_type: &'a str) -> impl Iterator<Item = ArmId> + 'a {
        let gaps = self.layered.gaps().iter().filter(|gap| gap.scope.is_none());
        let ids = gaps.filter_map(|gap| gap.resource.as_deref()).map(ArmId::new);
        ids.filter(move |id| {
            id.is_within(scope.folded())
                && id.resource_type().as_deref() == Some(folded_type)
                && self.layered.find(id.folded()).is_none()
        })
    }

    /// Whether a gap of a whole scope takes the type out of `scope`, of a part of it, or of what lies above it.
    fn concerns(&self, gap: &Gap, scope: &ArmId, folded_type: &str) -> bool {
        let Some(gap_scope) = gap.scope.as_deref().map(ArmId::new) else { return false };
        let listed = gap.types.is_empty()
            || gap.types.iter().any(|of| {
                let of = of.to_ascii_lowercase();
                of == "*" || ArmTypes(folded_type).are_within(&of)
            });
        listed && (gap_scope.is_within(scope.folded()) || self.covers(gap_scope.folded(), scope))
    }

    /// Whether `above` is `scope` or lies above it: by path, by management group, or as the tenant.
    pub(crate) fn covers(&self, above: &str, scope: &ArmId) -> bool {
        scope.is_within(above)
            || scope
                .subscription()
                .is_some_and(|subscription| self.layered.base().scopes_above(subscription).contains(&above))
            || self.groups_above(scope).iter().any(|group| group == above)
    }
}

/// A folded resource type among types.
struct ArmTypes<'a>(&'a str);

impl ArmTypes<'_> {
    /// A type and everything below it.
    fn are_within(&self, of: &str) -> bool {
        self.0.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}
