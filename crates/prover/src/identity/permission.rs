//! What a role lets do (A302, A304).

use pullproof_network::model::identity::{Permission, RoleReference};
use pullproof_network::{List, Network, Ref};
use pullproof_snapshot::facts::roles;

use crate::missing::permission as unread_permission;
use crate::outcome::Missing;
use crate::unread::unknown_value;

/// A permission that a pull needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Need {
    pub text: &'static str,
    pub data: bool,
}

/// A pull with `LegacyRegistryPermissions` (A304).
pub(super) const PULL: Need = Need { text: "Microsoft.ContainerRegistry/registries/pull/read", data: false };
/// A pull with `AbacRepositoryPermissions` (A304).
pub(super) const CONTENT: Need =
    Need { text: "Microsoft.ContainerRegistry/registries/repositories/content/read", data: true };

/// Yes, no, or what would tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tri {
    Yes,
    No,
    Perhaps(Missing),
}

impl Tri {
    pub fn and(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::No => Self::No,
            Self::Yes => other(),
            perhaps @ Self::Perhaps(_) => match other() {
                Self::No => Self::No,
                Self::Yes | Self::Perhaps(_) => perhaps,
            },
        }
    }

    pub fn or(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::Yes => Self::Yes,
            Self::No => other(),
            perhaps @ Self::Perhaps(_) => match other() {
                Self::Yes => Self::Yes,
                Self::No | Self::Perhaps(_) => perhaps,
            },
        }
    }

    pub fn not(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
            perhaps @ Self::Perhaps(_) => perhaps,
        }
    }
}

/// Whether the role has the permission: as its definition that was read says, else as the built-in role is known.
pub(super) fn role_has(network: &Network, role: &RoleReference, need: Need) -> Tri {
    if let Ref::Here(ix) = &role.definition {
        let definition = &network.role_definitions[*ix];
        let named = || format!("the permissions of role {}", definition.id.name());
        let found = has(network, &definition.permissions, need, &named);
        if found != Tri::No || !definition.permissions.items.is_empty() {
            return found;
        }
    }
    if let Some(builtin) = roles::find(&role.guid) {
        let (allowed, except) = match need.data {
            true => (&builtin.data_actions, &builtin.not_data_actions),
            false => (&builtin.actions, &builtin.not_actions),
        };
        let covers = |list: &[String]| list.iter().any(|pattern| matches(pattern, need.text));
        return if covers(allowed) && !covers(except) { Tri::Yes } else { Tri::No };
    }
    Tri::Perhaps(unread_permission(
        format!("the role definition {}", role.guid),
        "it is no built-in role that is known, and its definition was not read (A306)",
        "read Microsoft.Authorization/roleDefinitions",
    ))
}

/// Whether some element grants the permission: its actions match and its exceptions do not.
pub(super) fn has(
    network: &Network,
    permissions: &List<Permission>,
    need: Need,
    named: &dyn Fn() -> String,
) -> Tri {
    let mut out = match permissions.open {
        Some(symbol) => Tri::Perhaps(unknown_value(network, symbol, named())),
        None => Tri::No,
    };
    for element in permissions {
        let (allowed, except) = match need.data {
            true => (&element.data_actions, &element.not_data_actions),
            false => (&element.actions, &element.not_actions),
        };
        let covered = |list: &List<Box<str>>| {
            if list.iter().any(|pattern| matches(pattern, need.text)) {
                return Tri::Yes;
            }
            list.open.map_or(Tri::No, |symbol| Tri::Perhaps(unknown_value(network, symbol, named())))
        };
        let conditional = || match element.condition.known() {
            Some(None) => Tri::Yes,
            Some(Some(text)) if text.trim().is_empty() => Tri::Yes,
            _ => Tri::Perhaps(crate::missing::not_modelled(
                named(),
                "the role grants it under a condition of its own",
            )),
        };
        let grants = covered(allowed).and(|| covered(except).not()).and(conditional);
        out = out.or(|| grants);
    }
    out
}

/// `*` spans segments; letter case does not matter (A304).
pub(super) fn matches(pattern: &str, action: &str) -> bool {
    let (pattern, action) = (pattern.trim().to_ascii_lowercase(), action.to_ascii_lowercase());
    let mut parts = pattern.split('*');
    let Some(rest) = parts.next().and_then(|first| action.strip_prefix(first)) else { return false };
    let mut rest = rest;
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_span_segments() {
        assert!(matches("*", PULL.text));
        assert!(matches("*/read", PULL.text));
        assert!(matches("microsoft.containerregistry/registries/*", PULL.text));
        assert!(matches("Microsoft.ContainerRegistry/*/pull/read", PULL.text));
        assert!(!matches("Microsoft.ContainerRegistry/registries/push/*", PULL.text));
        assert!(!matches("Microsoft.ContainerRegistry/registries/pull", PULL.text));
        assert!(!matches("*/write", PULL.text));
        assert!(!matches("a*b*b", "ab"));
    }
}
