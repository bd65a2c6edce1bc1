//! Yes, no, or not known and why.

use pullproof_snapshot::question::Missing;

/// A three-valued answer. `Unknown` names everything that was needed and not known; it is never empty-handed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tri {
    Yes,
    No,
    Unknown(Vec<Missing>),
}

impl Tri {
    pub fn unknown(missing: Missing) -> Self {
        Self::Unknown(vec![missing])
    }

    /// No if any is no, else unknown if any is unknown, else yes.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Unknown(mut a), Self::Unknown(b)) => {
                for m in b {
                    if !a.contains(&m) {
                        a.push(m);
                    }
                }
                Self::Unknown(a)
            }
            (Self::Unknown(a), Self::Yes) | (Self::Yes, Self::Unknown(a)) => Self::Unknown(a),
            (Self::Yes, Self::Yes) => Self::Yes,
        }
    }

    /// Yes if any is yes, else unknown if any is unknown, else no.
    pub fn or(self, other: Self) -> Self {
        !((!self).and(!other))
    }
}

impl std::ops::Not for Tri {
    type Output = Self;
    fn not(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            unknown @ Self::Unknown(_) => unknown,
        }
    }
}

impl From<bool> for Tri {
    fn from(value: bool) -> Self {
        if value { Self::Yes } else { Self::No }
    }
}
