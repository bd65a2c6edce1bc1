//! What an answer lacks, in words: one constructor a kind (CONTRACT §3, `missing`).

use pullproof_snapshot::ArmId;
use pullproof_snapshot::hole::Hole;
use pullproof_snapshot::question::{Missing, MissingKind};

fn new(kind: MissingKind, what: String, why: String, remedy: String) -> Missing {
    Missing { kind, what, why, remedy, holds_if: None, breaks_if: None }
}

/// A resource that something refers to and the snapshot does not hold.
pub fn resource(id: &ArmId) -> Missing {
    new(
        MissingKind::Permission,
        id.as_written().to_owned(),
        "referred to, but not in the snapshot".into(),
        "read this resource too".into(),
    )
}

/// Resources whose absence is no evidence.
pub fn unread(what: &str, why: String) -> Missing {
    new(MissingKind::Permission, what.to_owned(), why, "read this type in this scope too".into())
}

/// A value that stands in the JSON as not known.
pub fn hole(of: &ArmId, pointer: &str, hole: &Hole<'_>) -> Missing {
    new(
        MissingKind::Evidence,
        hole.name.to_owned(),
        format!("{of}#{pointer}: {}", hole.why.unwrap_or("not known yet")),
        String::new(),
    )
}

/// A value that is not one of its field's.
pub fn malformed(of: &ArmId, pointer: &str) -> Missing {
    new(
        MissingKind::Evidence,
        format!("{of}#{pointer}"),
        "the value is not one that this field can have".into(),
        "correct the input".into(),
    )
}

pub fn declare(what: impl Into<String>, why: impl Into<String>, remedy: impl Into<String>) -> Missing {
    new(MissingKind::Declare, what.into(), why.into(), remedy.into())
}

pub fn evidence(what: impl Into<String>, why: impl Into<String>) -> Missing {
    new(MissingKind::Evidence, what.into(), why.into(), String::new())
}

/// Sources disagree, or nobody has seen it; `fact` is the number of the open point.
pub fn contested(fact: &str, what: impl Into<String>, why: impl Into<String>) -> Missing {
    new(MissingKind::Contested, what.into(), format!("{} ({fact})", why.into()), String::new())
}

pub fn not_modelled(what: impl Into<String>, why: impl Into<String>) -> Missing {
    new(MissingKind::NotModelled, what.into(), why.into(), String::new())
}

pub fn depends_on(what: impl Into<String>, why: impl Into<String>) -> Missing {
    new(MissingKind::DependsOn, what.into(), why.into(), String::new())
}

pub fn too_complex(what: impl Into<String>) -> Missing {
    new(MissingKind::TooComplex, what.into(), String::new(), String::new())
}
