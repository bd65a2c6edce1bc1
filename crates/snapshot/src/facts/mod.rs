//! Facts about Azure that prover and checker both read: data without logic, one file a kind under `facts/`.
//!
//! What lives here: typed readers of those files. What may not: decisions. Each function names the facts it hands out.
//!
//! Read in any order: [`clouds`], [`fqdn_tags`], [`internet`], [`presets`], [`public_resolvers`], [`reserved_names`],
//! [`roles`], [`service_tags`], [`settled`], [`tripwires`].

pub mod clouds;
pub mod fqdn_tags;
pub mod internet;
pub mod presets;
pub mod public_resolvers;
pub mod reserved_names;
pub mod roles;
pub mod service_tags;
pub mod settled;
pub mod tripwires;

/// Reads an embedded file. An embedded file that cannot be read is caught by the tests of its module; here it is empty.
fn embedded<T: serde::de::DeserializeOwned + Default>(text: &str) -> T {
    toml::from_str(text).unwrap_or_default()
}
