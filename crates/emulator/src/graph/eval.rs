//! What an expression is for a row.

use std::cmp::Ordering;

use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::QueryError;
use super::parse::Expr;
use super::row::Row;

type Evaluated = Result<Value, QueryError>;

/// Moments are texts in RFC 3339, in UTC, to the nanosecond: they compare as texts.
fn moment(at: OffsetDateTime) -> Value {
    let utc = at.to_offset(time::UtcOffset::UTC);
    let seconds = utc.replace_nanosecond(0).unwrap_or(utc).format(&Rfc3339).unwrap_or_default();
    Value::from(format!("{}.{:09}Z", seconds.trim_end_matches('Z'), utc.nanosecond()))
}

fn parsed_moment(text: &str) -> Option<OffsetDateTime> {
    let text = text.trim().replace(' ', "T");
    let whole = if text.len() == 10 { format!("{text}T00:00:00Z") } else { text };
    OffsetDateTime::parse(&whole, &Rfc3339)
        .or_else(|_| OffsetDateTime::parse(&format!("{whole}Z"), &Rfc3339))
        .ok()
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}

/// The order of two values, where they have one.
pub(super) fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64()?.partial_cmp(&b.as_f64()?),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Null, Value::Null) => Some(Ordering::Equal),
        (Value::Null, _) => Some(Ordering::Less),
        (_, Value::Null) => Some(Ordering::Greater),
        (a, b) => Some(text(a).cmp(&text(b))),
    }
}

pub(super) fn truth(expr: &Expr, row: &Row<'_>) -> Result<bool, QueryError> {
    match expr {
        Expr::And(a, b) => Ok(truth(a, row)? && truth(b, row)?),
        Expr::Or(a, b) => Ok(truth(a, row)? || truth(b, row)?),
        other => Ok(eval(other, row)?.as_bool().unwrap_or(false)),
    }
}

pub(super) fn eval(expr: &Expr, row: &Row<'_>) -> Evaluated {
    Ok(match expr {
        Expr::Literal(value) => value.clone(),
        Expr::Span(seconds) => Value::from(*seconds),
        Expr::Column(name) => row.get(name),
        Expr::Member(of, name) => match (eval(of, row)?, eval(name, row)?) {
            (Value::Object(fields), Value::String(name)) => fields.get(&name).cloned().unwrap_or_default(),
            (Value::Array(items), Value::Number(index)) => {
                let index = index.as_u64().and_then(|index| usize::try_from(index).ok());
                index.and_then(|index| items.get(index)).cloned().unwrap_or_default()
            }
            _ => Value::Null,
        },
        Expr::And(..) | Expr::Or(..) => Value::Bool(truth(expr, row)?),
        Expr::Between(of, from, to) => {
            let (of, from, to) = (eval(of, row)?, eval(from, row)?, eval(to, row)?);
            let inside = matches!(order(&of, &from), Some(Ordering::Greater | Ordering::Equal))
                && matches!(order(&of, &to), Some(Ordering::Less | Ordering::Equal));
            Value::Bool(inside)
        }
        Expr::In { of, list, fold, negated } => {
            let of = eval(of, row)?;
            let mut found = false;
            for element in list {
                found |= match element {
                    // Lists of types are long, and every row is held against them.
                    Expr::Literal(literal) => same(&of, literal, *fold),
                    element => same(&of, &eval(element, row)?, *fold),
                };
            }
            Value::Bool(found != *negated)
        }
        Expr::Binary(operator, a, b) => binary(operator, &eval(a, row)?, &eval(b, row)?, b)?,
        Expr::Call(name, arguments) => call(name, arguments, row)?,
    })
}

fn same(a: &Value, b: &Value, fold: bool) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::String(a), Value::String(b)) => a == b || (fold && a.eq_ignore_ascii_case(b)),
        (a, b) if fold => text(a).eq_ignore_ascii_case(&text(b)),
        (a, b) => text(a) == text(b),
    }
}

fn binary(operator: &str, a: &Value, b: &Value, right: &Expr) -> Evaluated {
    let (left_folded, right_folded) = (text(a).to_ascii_lowercase(), text(b).to_ascii_lowercase());
    let plain = operator.trim_start_matches('!');
    let holds = match plain {
        "==" => same(a, b, false),
        "=~" => same(a, b, true),
        "=" => !same(a, b, false),
        "~" => !same(a, b, true),
        "<" => order(a, b) == Some(Ordering::Less),
        ">" => order(a, b) == Some(Ordering::Greater),
        "<=" => matches!(order(a, b), Some(Ordering::Less | Ordering::Equal)),
        ">=" => matches!(order(a, b), Some(Ordering::Greater | Ordering::Equal)),
        "contains" => left_folded.contains(&right_folded),
        "contains_cs" => text(a).contains(&text(b)),
        "startswith" => left_folded.starts_with(&right_folded),
        "endswith" => left_folded.ends_with(&right_folded),
        "has" => {
            let mut words = left_folded.split(|c: char| !c.is_alphanumeric());
            words.any(|word| word == right_folded)
                || (right_folded.contains(|c: char| !c.is_alphanumeric())
                    && left_folded.contains(&right_folded))
        }
        "+" | "-" => return sum(operator, a, b, right),
        other => return Err(QueryError(format!("the operator '{other}' is not supported"))),
    };
    let word = plain.starts_with(char::is_alphabetic);
    Ok(Value::Bool(holds != (word && operator.starts_with('!'))))
}

/// Numbers, and moments with timespans.
fn sum(operator: &str, a: &Value, b: &Value, right: &Expr) -> Evaluated {
    let sign = if operator == "-" { -1.0 } else { 1.0 };
    if let (Some(at), Expr::Span(seconds)) = (a.as_str().and_then(parsed_moment), right) {
        return Ok(at
            .checked_add(time::Duration::seconds_f64(sign * seconds))
            .map(moment)
            .unwrap_or_default());
    }
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => Ok(Value::from(sign.mul_add(b, a))),
        _ => Ok(Value::Null),
    }
}

fn call(name: &str, arguments: &[Expr], row: &Row<'_>) -> Evaluated {
    let mut values = Vec::new();
    for argument in arguments {
        values.push(eval(argument, row)?);
    }
    let first = values.first().cloned().unwrap_or_default();
    Ok(match name {
        "tolower" => Value::from(text(&first).to_ascii_lowercase()),
        "toupper" => Value::from(text(&first).to_ascii_uppercase()),
        "tostring" => Value::from(text(&first)),
        "trim" => Value::from(text(values.get(1).unwrap_or(&first)).trim()),
        "strlen" => Value::from(text(&first).chars().count()),
        "strcat" => Value::from(values.iter().map(text).collect::<String>()),
        "isnull" => Value::Bool(first.is_null()),
        "isnotnull" => Value::Bool(!first.is_null()),
        "isempty" => Value::Bool(is_empty(&first)),
        "isnotempty" => Value::Bool(!is_empty(&first)),
        "not" => Value::Bool(!first.as_bool().unwrap_or(false)),
        "array_length" => first.as_array().map(|items| Value::from(items.len())).unwrap_or_default(),
        "toint" | "tolong" => text(&first).parse::<i64>().map(Value::from).unwrap_or_default(),
        "tobool" | "toboolean" => match text(&first).to_ascii_lowercase().as_str() {
            "true" | "1" => Value::Bool(true),
            "false" | "0" => Value::Bool(false),
            _ => Value::Null,
        },
        "iff" | "iif" => match first.as_bool() {
            Some(true) => values.get(1).cloned().unwrap_or_default(),
            _ => values.get(2).cloned().unwrap_or_default(),
        },
        "coalesce" => values.into_iter().find(|value| !is_empty(value)).unwrap_or_default(),
        "parse_json" | "todynamic" => match &first {
            Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
            other => other.clone(),
        },
        "bag_keys" => match &first {
            Value::Object(fields) => Value::from(fields.keys().cloned().collect::<Vec<_>>()),
            _ => Value::Null,
        },
        "split" => {
            let by = values.get(1).map(text).unwrap_or_default();
            let whole = text(&first);
            let parts: Vec<Value> = whole.split(by.as_str()).map(Value::from).collect();
            Value::Array(parts)
        }
        "todatetime" | "datetime" => first.as_str().and_then(parsed_moment).map(moment).unwrap_or_default(),
        "now" => moment(OffsetDateTime::now_utc()),
        "ago" => {
            let seconds = first.as_f64().unwrap_or_default();
            let at = OffsetDateTime::now_utc().checked_sub(time::Duration::seconds_f64(seconds));
            at.map(moment).unwrap_or_default()
        }
        other => return Err(QueryError(format!("the function '{other}' is not supported"))),
    })
}
