//! From an argument's path to its bytes in a block: attributes, nested blocks, dynamic blocks, objects.

use std::ops::Range;

use hcl_edit::Span;
use hcl_edit::expr::{Expression, ObjectKey};
use hcl_edit::structure::{Attribute, Block, Body};
use serde_json::Value;

use crate::address::{Key, Step};

/// The bytes of what decides the argument at `path` in a block: the attribute, else the nested block that would hold it,
/// else the `for_each` of the dynamic block that made none. `None`: the block writes nothing of it.
pub(super) fn span(body: &Body, path: &[Step], value: &Value) -> Option<Range<usize>> {
    let (step, rest) = path.split_first()?;
    let number = step.keys.iter().find_map(|key| match key {
        Key::Number(number) => usize::try_from(*number).ok(),
        Key::Text(_) | Key::Any => None,
    });
    if let Some(attribute) = body.get_attribute(&step.name) {
        return inside(&attribute.value, number, rest).or_else(|| attribute.span());
    }
    let items = value.get(&step.name);
    let item = match items {
        Some(Value::Array(items)) => items.get(number.unwrap_or_default()),
        Some(object @ Value::Object(_)) => Some(object),
        _ => None,
    };
    let nested = nested(body, &step.name);
    let Some(item) = item else {
        // There is no such element: a dynamic block that made none decides, or the only static one.
        let empty = nested.iter().find_map(|nested| nested.for_each);
        return match (empty, nested.as_slice()) {
            (Some(for_each), _) => for_each.span(),
            (None, [only]) => span(only.body, rest, &Value::Null).or_else(|| only.block.span()),
            (None, _) => None,
        };
    };
    let chosen = choose(&nested, item, number.unwrap_or_default())?;
    span(chosen.body, rest, item).or_else(|| chosen.block.span())
}

/// A nested block as it is written, or the content of a dynamic one.
struct Nested<'b> {
    block: &'b Block,
    body: &'b Body,
    for_each: Option<&'b Attribute>,
}

fn nested<'b>(body: &'b Body, name: &str) -> Vec<Nested<'b>> {
    body.blocks()
        .filter_map(|block| {
            if block.has_ident(name) && block.labels.is_empty() {
                return Some(Nested { block, body: &block.body, for_each: None });
            }
            let dynamic = block.has_ident("dynamic")
                && block.labels.first().is_some_and(|label| label.as_str() == name);
            let content = dynamic.then(|| block.body.get_blocks("content").next()).flatten()?;
            let for_each = block.body.get_attribute("for_each");
            Some(Nested { block: content, body: &content.body, for_each })
        })
        .collect()
}

/// The block that an element comes from: the one with the most constants in common and none that differs; of equals the
/// one at the same position. Elements of a set do not keep the order of the configuration.
fn choose<'n, 'b>(nested: &'n [Nested<'b>], item: &Value, position: usize) -> Option<&'n Nested<'b>> {
    let scores: Vec<Option<usize>> = nested.iter().map(|nested| common(nested.body, item)).collect();
    let best = scores.iter().flatten().max();
    let Some(best) = best else {
        // A provider may write a constant in its own way: of one block there is no doubt.
        return if let [only] = nested { Some(only) } else { nested.get(position) };
    };
    let is_best = |at: usize| scores.get(at).copied().flatten() == Some(*best);
    if is_best(position) {
        return nested.get(position);
    }
    // More elements than blocks: a dynamic one made them.
    let all = || nested.iter().enumerate().filter(|(at, _)| is_best(*at)).map(|(_, nested)| nested);
    all().find(|nested| nested.for_each.is_some()).or_else(|| all().next())
}

/// How many constants a block and an element have in common; `None` where one differs.
fn common(body: &Body, item: &Value) -> Option<usize> {
    let mut count: usize = 0;
    for attribute in body.attributes() {
        let (Some(constant), Some(there)) = (constant(&attribute.value), item.get(attribute.key.as_str()))
        else {
            continue;
        };
        let text = match there {
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => there.to_string(),
            _ => continue,
        };
        if !text.eq_ignore_ascii_case(&constant) {
            return None;
        }
        count = count.saturating_add(1);
    }
    Some(count)
}

fn constant(expression: &Expression) -> Option<String> {
    match expression {
        Expression::String(text) => Some(text.as_str().to_owned()),
        Expression::Bool(flag) => Some(flag.value().to_string()),
        Expression::Number(number) => Some(number.value().to_string()),
        _ => None,
    }
}

/// A path inside an expression: objects, lists of objects, and the argument of `jsonencode`.
fn inside(expression: &Expression, number: Option<usize>, path: &[Step]) -> Option<Range<usize>> {
    let (step, rest) = path.split_first()?;
    match expression {
        Expression::Array(items) => inside(items.get(number?)?, None, path),
        Expression::Parenthesis(inner) => inside(inner.inner(), number, path),
        Expression::FuncCall(call) if call.name.name.as_str() == "jsonencode" => {
            inside(call.args.get(0)?, number, path)
        }
        Expression::Object(object) => {
            let (key, value) = object.iter().find(|(key, _)| key_text(key).as_deref() == Some(&step.name))?;
            let number = step.keys.iter().find_map(|key| match key {
                Key::Number(number) => usize::try_from(*number).ok(),
                Key::Text(_) | Key::Any => None,
            });
            inside(value.expr(), number, rest).or_else(|| {
                let (from, to) = (key_span(key)?, value.expr().span()?);
                Some(from.start..to.end)
            })
        }
        _ => None,
    }
}

fn key_text(key: &ObjectKey) -> Option<String> {
    match key {
        ObjectKey::Ident(ident) => Some(ident.as_str().to_owned()),
        ObjectKey::Expression(Expression::Variable(name)) => Some(name.as_str().to_owned()),
        ObjectKey::Expression(expression) => expression.as_str().map(str::to_owned),
    }
}

fn key_span(key: &ObjectKey) -> Option<Range<usize>> {
    match key {
        ObjectKey::Ident(ident) => ident.span(),
        ObjectKey::Expression(expression) => expression.span(),
    }
}
