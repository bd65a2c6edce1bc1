//! Open points of the fact sheets that are settled for now (DESIGN §2, contested facts).

use std::sync::LazyLock;

use serde::Deserialize;

/// Which reading of a contested fact the code follows.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settled {
    /// `RU…`, `FU…`, `DU…` or `AU…`.
    pub fact: String,
    pub reading: String,
    pub reason: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    settled: Vec<Settled>,
}

const TEXT: &str = include_str!("../../facts/settled.toml");
static FILE: LazyLock<File> = LazyLock::new(|| super::embedded(TEXT));

/// What is settled about an open point. `None`: it is an unknown whose values are the listed readings.
pub fn find(fact: &str) -> Option<&'static Settled> {
    FILE.settled.iter().find(|settled| settled.fact == fact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settled_points_are_found_and_open_ones_are_not() {
        assert!(toml::from_str::<File>(TEXT).is_ok());
        assert!(find("DU11").is_some());
        assert!(find("RU8").is_none());
    }
}
