//! Makers of [`Missing`], one a kind: what would settle an open question, and how to get it.

use pullproof_snapshot::question::{Missing, MissingKind};

fn missing(
    kind: MissingKind,
    what: impl Into<String>,
    why: impl Into<String>,
    remedy: impl Into<String>,
) -> Missing {
    Missing {
        kind,
        what: what.into(),
        why: why.into(),
        remedy: remedy.into(),
        holds_if: None,
        breaks_if: None,
    }
}

/// Something that exists and could not be read.
pub(crate) fn permission(
    what: impl Into<String>,
    why: impl Into<String>,
    remedy: impl Into<String>,
) -> Missing {
    missing(MissingKind::Permission, what, why, remedy)
}

/// Something that no configuration shows and a person can state in `pullproof.toml`.
pub(crate) fn declare(what: impl Into<String>, why: impl Into<String>, remedy: impl Into<String>) -> Missing {
    missing(MissingKind::Declare, what, why, remedy)
}

/// Something that Azure knows and the input does not hold.
pub(crate) fn evidence(
    what: impl Into<String>,
    why: impl Into<String>,
    remedy: impl Into<String>,
) -> Missing {
    missing(MissingKind::Evidence, what, why, remedy)
}

/// A fact on which the sources disagree; `fact` is its number.
pub(crate) fn contested(fact: &str, what: impl Into<String>, remedy: impl Into<String>) -> Missing {
    missing(MissingKind::Contested, what, format!("the sources disagree ({fact})"), remedy)
}

/// A construct that this version detects and does not follow.
pub(crate) fn not_modelled(what: impl Into<String>, why: impl Into<String>) -> Missing {
    missing(
        MissingKind::NotModelled,
        what,
        why,
        "record what Azure computes for it, or check this path by hand",
    )
}

/// Another claim has to be settled first.
pub(crate) fn depends_on(what: impl Into<String>) -> Missing {
    missing(
        MissingKind::DependsOn,
        what,
        "the packet's way is not known beyond that point",
        "settle that first",
    )
}

/// A budget ran out.
pub(crate) fn too_complex(what: impl Into<String>) -> Missing {
    missing(MissingKind::TooComplex, what, "the search was cut off", "ask about a smaller part")
}

/// The two ends of an open question.
pub(crate) trait Ends {
    fn holds_if(self, text: impl Into<String>) -> Self;
    fn breaks_if(self, text: impl Into<String>) -> Self;
}

impl Ends for Missing {
    fn holds_if(mut self, text: impl Into<String>) -> Self {
        self.holds_if = Some(text.into());
        self
    }

    fn breaks_if(mut self, text: impl Into<String>) -> Self {
        self.breaks_if = Some(text.into());
        self
    }
}

impl crate::prover::Prover<'_> {
    /// A value of the input that is not known; `what` names the field for people.
    pub(crate) fn unknown(&self, symbol: pullproof_network::SymbolIx, what: impl Into<String>) -> Missing {
        use pullproof_network::Why;
        let what = what.into();
        let symbols = &self.network.symbols;
        let (name, why, text) =
            symbols.get(symbol).map_or(("", Why::Missing, ""), |s| (&*s.name, s.why, &*s.text));
        let (why, remedy) = match why {
            Why::Hole => (
                format!("the value `{name}` is not known yet: {text}"),
                "apply the plan, or give the value in the configuration",
            ),
            Why::Conflict => (
                format!("the inline and the standalone form of the resource differ ({name})"),
                "collect both at the same time",
            ),
            Why::Malformed => {
                (format!("it could not be understood: {text}"), "correct the input, or collect it again")
            }
            Why::Missing => {
                ("the input does not hold it".to_owned(), "collect the resource with all of its properties")
            }
        };
        evidence(what, why, remedy)
    }

    /// A reference to a resource that was not read.
    pub(crate) fn not_read(&self, id: &pullproof_snapshot::ArmId, what: impl Into<String>) -> Missing {
        let kind = id.resource_type().unwrap_or_default();
        match self.network.layered.absence(id.folded(), &kind) {
            pullproof_snapshot::Absence::Evidence { .. } => evidence(
                what,
                format!("{} is referred to and is not in the input, which claims to be complete", id.name()),
                "collect again: the reference and the resource do not fit together",
            ),
            pullproof_snapshot::Absence::NoEvidence(why) => {
                permission(what, why, format!("let pullproof read {id}, or add it to the input"))
            }
        }
    }
}
