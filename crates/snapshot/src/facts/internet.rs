//! The edges of the tag `Internet` (F68–F72), which has no published list.

use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    not_public: Vec<String>,
    contested: Vec<String>,
}

const TEXT: &str = include_str!("../../facts/internet.toml");
static FILE: LazyLock<File> = LazyLock::new(|| super::embedded(TEXT));

/// IPv4 prefixes that are never public and never in the tag (F70, F83).
pub fn not_public() -> &'static [String] {
    &FILE.not_public
}

/// Public IPv4 prefixes of which recordings disagree whether the tag holds them.
pub fn contested() -> &'static [String] {
    &FILE.contested
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lists_are_there() {
        assert!(toml::from_str::<File>(TEXT).is_ok());
        assert!(not_public().iter().any(|p| p == "10.0.0.0/8"));
        assert!(contested().iter().any(|p| p == "25.0.0.0/8"));
    }
}
