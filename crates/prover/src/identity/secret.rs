//! Pull secrets of declared registries (A311, CONTRACT §2).

use pullproof_snapshot::declared::Registry;
use pullproof_snapshot::facts::presets;

use crate::blocker::BlockerKind;
use crate::missing::declare;
use crate::outcome::{Basis, Blocker, Outcome};

/// Whether pulls from a declared registry are let in, by what is declared about secrets.
pub(super) fn declared(table: &Registry, basis: &mut Basis) -> (Outcome, &'static str) {
    basis.assume(format!("registry:{}", table.name));
    let open = |what: String, key: &str| {
        Outcome::open(declare(
            what,
            "secrets are in Kubernetes, not in Azure Resource Manager (A311)",
            format!("add {key} to [[registry]] name = \"{}\"", table.name),
        ))
    };
    let anonymous = table.preset.as_deref().and_then(presets::find).is_some_and(|p| p.anonymous);
    match (table.pull_secret, table.pull_secret_valid) {
        (Some(false), _) => (Outcome::Holds, "anonymous pulls are enough"),
        (None, _) if anonymous => (Outcome::Holds, "the registry needs no token"),
        (Some(true), Some(true)) => (Outcome::Holds, "the pull secret is valid"),
        (Some(true), Some(false)) => {
            let blocker = Blocker {
                kind: BlockerKind::SecretInvalid,
                message: format!("the pull secret for {} is not valid", table.name),
                remedy: "renew the secret in the namespaces that pull from the registry".into(),
                facts: vec!["A311"],
                evidence: Vec::new(),
            };
            (Outcome::fails(blocker), "the pull secret is not valid")
        }
        (Some(true), None) => (
            open(format!("whether the pull secret for {} is valid", table.name), "pull_secret_valid"),
            "not known",
        ),
        (None, _) => (
            open(format!("whether pulls from {} need a secret, and have one", table.name), "pull_secret"),
            "not known",
        ),
    }
}
