//! The traversals of an expression: the longest form of each, without the shorter ones that Terraform lists after it.

use serde_json::Value;

use crate::address::{Step, steps};

/// The traversals in `{"references": […]}`; nothing for a constant.
pub(crate) fn groups(expression: &Value) -> Vec<Vec<Step>> {
    let listed = expression.get("references").and_then(Value::as_array);
    let mut out = Vec::new();
    let mut last: Option<&str> = None;
    for text in listed.into_iter().flatten().filter_map(Value::as_str) {
        let shorter = last
            .is_some_and(|longer| longer.strip_prefix(text).is_some_and(|rest| rest.starts_with(['.', '['])));
        if shorter {
            continue;
        }
        last = Some(text);
        let path = steps(text);
        if !out.contains(&path) {
            out.push(path);
        }
    }
    out
}

/// True for an expression of a plan's configuration: constant, references, or neither.
pub(crate) fn is_expression(value: &Value) -> bool {
    value
        .as_object()
        .is_some_and(|o| o.is_empty() || o.contains_key("references") || o.contains_key("constant_value"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn shorter_forms_belong_to_the_longer_one() {
        let expression = json!({ "references": ["azurerm_vnet.a[0].id", "azurerm_vnet.a[0]", "azurerm_vnet.a",
            "azurerm_subnet.n", "each.key", "module.m[\"x\"].id", "module.m[\"x\"]", "module.m"] });
        let found = groups(&expression);
        let last: Vec<&str> = found.iter().filter_map(|g| g.last()).map(|s| s.name.as_str()).collect();
        assert_eq!(last, ["id", "n", "key", "id"]);
    }
}
