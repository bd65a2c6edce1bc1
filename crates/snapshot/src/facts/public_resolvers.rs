//! Resolvers that anybody may ask (D106, D115).

use std::net::IpAddr;
use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    addresses: Vec<IpAddr>,
}

const TEXT: &str = include_str!("../../facts/public_resolvers.toml");
static FILE: LazyLock<File> = LazyLock::new(|| super::embedded(TEXT));

/// Addresses of resolvers that say what public DNS says and know no private zone.
pub fn all() -> &'static [IpAddr] {
    &FILE.addresses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_there_and_names_each_once() {
        assert!(toml::from_str::<File>(TEXT).is_ok());
        let mut sorted = all().to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        assert!(!sorted.is_empty() && sorted.len() == all().len());
    }
}
