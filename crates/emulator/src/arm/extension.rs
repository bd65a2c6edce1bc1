//! Types that stand on any scope and are inherited downwards: role assignments, deny assignments, policies (A305).

use pullproof_snapshot::{ArmId, ResourceIx};
use serde_json::{Value, json};

use super::page::page;
use super::{Call, containers};
use crate::estate::{Estate, Item, Known};
use crate::reply::Reply;

const ROLE_DEFINITIONS: &str = "microsoft.authorization/roledefinitions";

/// One term of an OData `$filter` as these types take it.
#[derive(Debug, PartialEq, Eq)]
enum Term {
    /// At the scope or above it, not below.
    AtScope,
    /// At the scope only.
    AtExactScope,
    /// `field eq 'value'`, by JSON pointer.
    Is(&'static str, String),
}

/// Fields that `$filter` compares.
const FIELDS: &[(&str, &str)] = &[
    ("principalid", "/properties/principalId"),
    ("rolename", "/properties/roleName"),
    ("type", "/properties/type"),
    ("policytype", "/properties/policyType"),
    ("category", "/properties/metadata/category"),
    ("policydefinitionid", "/properties/policyDefinitionId"),
];

fn terms(filter: &str) -> Result<Vec<Term>, Reply> {
    let refused = |term: &str| {
        let message = format!(
            "The filter '{term}' is not supported. Supported filters are atScope(), atExactScope(), assignedTo('…') and comparisons with eq."
        );
        Reply::arm_error(400, "UnsupportedQuery", &message)
    };
    let mut out = Vec::new();
    for term in filter.split(" and ").map(str::trim).filter(|term| !term.is_empty()) {
        let folded = term.to_ascii_lowercase();
        let quoted = || term.split('\'').nth(1).map(str::to_owned);
        if folded == "atscope()" || folded == "atscopeandbelow()" {
            if folded == "atscope()" {
                out.push(Term::AtScope);
            }
        } else if folded == "atexactscope()" {
            out.push(Term::AtExactScope);
        } else if folded.starts_with("assignedto(") {
            let principal = quoted().ok_or_else(|| refused(term))?;
            out.push(Term::Is("/properties/principalId", principal));
        } else if let Some((field, _)) = folded.split_once(" eq ") {
            let pointer = FIELDS.iter().find(|(name, _)| *name == field.trim()).map(|(_, pointer)| *pointer);
            let (Some(pointer), Some(value)) = (pointer, quoted()) else { return Err(refused(term)) };
            out.push(Term::Is(pointer, value));
        } else {
            return Err(refused(term));
        }
    }
    Ok(out)
}

/// The scope that an extension resource stands on.
fn own_scope(id: &ArmId) -> ArmId {
    let folded = id.folded();
    let at = folded.rfind("/providers/").unwrap_or(0);
    ArmId::new(match folded.get(..at) {
        Some("") | None => "/",
        Some(scope) => scope,
    })
}

/// All of a type that apply at `scope` or below it; below a management group nothing is listed.
pub(super) fn list(call: &Call<'_>, scope: &ArmId, resource_type: &str) -> Reply {
    let (estate, action) = (call.estate, format!("{resource_type}/read"));
    let folded = resource_type.to_ascii_lowercase();
    let scope = if scope.folded().is_empty() { ArmId::new("/") } else { scope.clone() };
    if let Some(reply) = containers::missing(call, &scope, &action) {
        return reply;
    }
    let terms = match terms(call.request.parameter("$filter").unwrap_or_default()) {
        Ok(terms) => terms,
        Err(reply) => return reply,
    };
    let below = scope.subscription().is_some() && !terms.contains(&Term::AtScope);
    let exact = terms.contains(&Term::AtExactScope);
    let applies = |id: &ArmId| {
        let own = own_scope(id);
        match exact {
            true => own == scope,
            false => {
                own == scope
                    || estate.covers(own.folded(), &scope)
                    || (below && own.is_within(scope.folded()))
            }
        }
    };
    let fits = |item: &Item| {
        let json = estate.json(item);
        terms.iter().all(|term| match term {
            Term::Is(pointer, value) => json
                .pointer(pointer)
                .and_then(Value::as_str)
                .is_some_and(|text| text.eq_ignore_ascii_case(value)),
            Term::AtScope | Term::AtExactScope => true,
        })
    };
    let all = estate.layered().of_type(&folded);
    let here = all.into_iter().filter(|ix| applies(estate.layered().id(*ix)) || is_built_in(estate, *ix));
    let mut items: Vec<Item> = here.map(Item::Resource).collect();
    if terms.iter().any(|term| matches!(term, Term::Is(..))) {
        items.retain(fits);
    }
    let refused = match estate.known(scope.folded(), &folded) {
        Known::Whole { unread } => {
            items.extend(unread.into_iter().map(|id| estate.stub(id)));
            None
        }
        Known::Refused(refusal) => Some((refusal, action.as_str(), scope.as_written())),
    };
    page(call, &items, refused)
}

/// A role definition, whatever scope its id is written with: built-in roles are the same at every scope (A302).
pub(super) fn definition(estate: &Estate, id: &ArmId) -> Option<Item> {
    let kind = id.resource_type()?;
    if kind != ROLE_DEFINITIONS {
        return None;
    }
    let all = estate.layered().of_type(ROLE_DEFINITIONS).into_iter();
    let mut same = all.filter(|ix| estate.layered().id(*ix).name().eq_ignore_ascii_case(id.name()));
    same.find(|ix| is_built_in(estate, *ix)).map(Item::Resource)
}

/// True for a built-in role: it stands at every scope, whatever scope its id is written with.
fn is_built_in(estate: &Estate, ix: ResourceIx) -> bool {
    let layered = estate.layered();
    layered.resource_type(ix) == ROLE_DEFINITIONS
        && layered.json(ix).pointer("/properties/type").and_then(Value::as_str) == Some("BuiltInRole")
}

/// What the caller may do in a scope: read everything but what the snapshot's gaps say was refused.
pub(super) fn permissions(call: &Call<'_>, scope: &ArmId) -> Reply {
    if let Some(reply) = containers::missing(call, scope, "Microsoft.Authorization/permissions/read") {
        return reply;
    }
    let mut not_actions: Vec<String> = Vec::new();
    for gap in call.estate.layered().gaps() {
        let refused = matches!(gap.status, Some(401 | 403));
        let above = gap.scope.as_deref().is_some_and(|of| call.estate.covers(ArmId::new(of).folded(), scope));
        if refused && above {
            not_actions.extend(gap.types.iter().map(|kind| format!("{kind}/read")));
        }
    }
    for denied in call.denied {
        let above =
            denied.scope.as_deref().is_none_or(|of| call.estate.covers(ArmId::new(of).folded(), scope));
        if above {
            not_actions.push(format!("{}/read", denied.resource_type));
        }
    }
    not_actions.sort();
    not_actions.dedup();
    let permission = json!({"actions": ["*/read"], "notActions": not_actions});
    Reply::json(200, &json!({"value": [permission]}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_read_or_refused() {
        let read = terms("atScope() and principalId eq 'P'").unwrap_or_default();
        assert_eq!(read, [Term::AtScope, Term::Is("/properties/principalId", "P".into())]);
        assert!(terms("startswith(name,'x')").is_err());
    }

    #[test]
    fn an_assignment_of_the_tenant_stands_on_the_root() {
        let id = ArmId::new("/providers/Microsoft.Authorization/roleAssignments/r");
        assert_eq!(own_scope(&id).folded(), "/");
    }
}
