//! What an ARM path asks for.

use pullproof_snapshot::ArmId;

/// A path in ARM's grammar: a scope, and possibly a resource type with names below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// `/subscriptions`, `/tenants`, …, or a scope's own collection (`resourceGroups`, `resources`, `locations`).
    Collection { scope: String, name: String },
    /// A subscription or resource group itself.
    Container(ArmId),
    /// A resource provider, or all of them where `namespace` is empty.
    Provider { scope: String, namespace: String },
    /// All of a type in a scope, or below a parent.
    List { scope: ArmId, parent: Option<ArmId>, resource_type: String },
    /// One resource.
    Get(ArmId),
}

/// `Microsoft.Network/virtualNetworks` of a type, out of alternating types and names.
fn type_of(namespace: &str, rest: &[String]) -> String {
    let mut out = namespace.to_owned();
    for part in rest.iter().step_by(2) {
        out.push('/');
        out.push_str(part);
    }
    out
}

fn is(segment: Option<&String>, name: &str) -> bool {
    segment.is_some_and(|segment| segment.eq_ignore_ascii_case(name))
}

fn joined(segments: &[String]) -> String {
    segments.iter().fold(String::new(), |path, segment| path + "/" + segment)
}

/// `None` where the path is none of ARM's.
pub(crate) fn parse(segments: &[String]) -> Option<Target> {
    match segments.iter().rposition(|segment| segment.eq_ignore_ascii_case("providers")) {
        None => container(segments),
        Some(at) => provider(segments.get(..at)?, segments.get(at.checked_add(1)?..)?, segments),
    }
}

fn container(segments: &[String]) -> Option<Target> {
    let collection = |scope: &[String], name: &String| {
        Some(Target::Collection { scope: joined(scope), name: name.to_ascii_lowercase() })
    };
    match segments {
        [name] if is(Some(name), "subscriptions") || is(Some(name), "tenants") => collection(&[], name),
        [key, _] if is(Some(key), "subscriptions") => Some(Target::Container(ArmId::new(&joined(segments)))),
        [key, _, name] if is(Some(key), "subscriptions") => collection(segments.get(..2)?, name),
        [key, _, groups, _] if is(Some(key), "subscriptions") && is(Some(groups), "resourceGroups") => {
            Some(Target::Container(ArmId::new(&joined(segments))))
        }
        [key, _, groups, _, name] if is(Some(key), "subscriptions") && is(Some(groups), "resourceGroups") => {
            collection(segments.get(..4)?, name)
        }
        _ => None,
    }
}

fn provider(scope: &[String], rest: &[String], all: &[String]) -> Option<Target> {
    // A resource as scope (`…/virtualNetworks/x/subnets/y/providers/…`) is as good as any other.
    let scope_id = joined(scope);
    match rest {
        [] => Some(Target::Provider { scope: scope_id, namespace: String::new() }),
        [namespace] => Some(Target::Provider { scope: scope_id, namespace: namespace.clone() }),
        [namespace, types @ ..] if types.len() % 2 == 0 => {
            debug_assert!(!namespace.is_empty());
            Some(Target::Get(ArmId::new(&joined(all))))
        }
        [namespace, types @ ..] => {
            let parent = (types.len() > 1).then(|| {
                let upto = all.len().saturating_sub(1);
                ArmId::new(&joined(all.get(..upto).unwrap_or_default()))
            });
            Some(Target::List {
                scope: ArmId::new(&scope_id),
                parent,
                resource_type: type_of(namespace, types),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(path: &str) -> Option<Target> {
        let segments: Vec<String> = path.split('/').filter(|s| !s.is_empty()).map(str::to_owned).collect();
        parse(&segments)
    }

    #[test]
    fn lists_of_a_scope_and_of_a_parent_differ() {
        let scope = "/subscriptions/s/resourceGroups/g";
        let list = target(&format!("{scope}/providers/Microsoft.Network/virtualNetworks"));
        let Some(Target::List { scope: of, parent: None, resource_type }) = list else { panic!("{list:?}") };
        assert_eq!((of, resource_type.as_str()), (ArmId::new(scope), "Microsoft.Network/virtualNetworks"));

        let list = target(&format!("{scope}/providers/Microsoft.Network/virtualNetworks/v/subnets"));
        let Some(Target::List { parent: Some(parent), resource_type, .. }) = list else { panic!("{list:?}") };
        assert_eq!(parent.name(), "v");
        assert_eq!(resource_type, "Microsoft.Network/virtualNetworks/subnets");
    }

    #[test]
    fn an_extension_has_a_resource_as_its_scope() {
        let subnet =
            "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/a";
        let list = target(&format!("{subnet}/providers/Microsoft.Authorization/roleAssignments"));
        let Some(Target::List { scope, parent: None, .. }) = list else { panic!("{list:?}") };
        assert_eq!(scope, ArmId::new(subnet));
    }

    #[test]
    fn what_is_no_path_of_arm_is_none() {
        assert_eq!(target("/"), None);
        assert_eq!(target("/subscriptions/s/resourceGroups/g/x/y"), None);
    }
}
