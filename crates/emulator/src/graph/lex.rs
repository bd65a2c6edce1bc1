//! KQL's tokens, as far as they come up here.

use super::QueryError;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name, keyword or operator word; in its letters.
    Word(String),
    Text(String),
    Number(f64),
    /// A timespan such as `7d`, in seconds.
    Span(f64),
    /// Punctuation and operators.
    Sign(&'static str),
}

/// Longest first.
const SIGNS: &[&str] = &[
    "==", "=~", "!=", "!~", "<=", ">=", "<", ">", "=", "(", ")", "[", "]", ",", "|", ".", "+", "-", "*", "/",
    ";", ":",
];

const UNITS: &[(&str, f64)] = &[("ms", 0.001), ("d", 86400.0), ("h", 3600.0), ("m", 60.0), ("s", 1.0)];

/// The tokens of a query. Comments (`//` to the end of the line) are dropped.
pub(super) fn tokens(query: &str) -> Result<Vec<Token>, QueryError> {
    let mut out = Vec::new();
    let mut rest = query;
    while let Some(c) = rest.chars().next() {
        let after = |n: usize| rest.get(n..).unwrap_or_default();
        if c.is_whitespace() {
            rest = after(c.len_utf8());
        } else if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", after);
        } else if c == '\'' || c == '"' {
            let (text, used) = quoted(rest, c)?;
            out.push(Token::Text(text));
            rest = after(used);
        } else if c == '@' && rest.get(1..2).is_some_and(|q| q == "'" || q == "\"") {
            let quote = if rest.starts_with("@'") { '\'' } else { '"' };
            let end = after(2).find(quote).ok_or_else(|| QueryError("a string without an end".into()))?;
            out.push(Token::Text(after(2).get(..end).unwrap_or_default().to_owned()));
            rest = after(end.saturating_add(3));
        } else if c.is_ascii_digit() {
            let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(rest.len());
            out.push(number(rest.get(..length).unwrap_or_default())?);
            rest = after(length);
        } else if c.is_alphabetic() || c == '_' || c == '$' {
            let length =
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
            let mut word = rest.get(..length).unwrap_or_default().to_owned();
            rest = after(length);
            // `in~`, `!in~`, `project-away`, `mv-expand`.
            if word.eq_ignore_ascii_case("in") && rest.starts_with('~') {
                word.push('~');
                rest = rest.get(1..).unwrap_or_default();
            } else if matches!(word.as_str(), "project" | "mv") && rest.starts_with('-') {
                let tail = rest.get(1..).unwrap_or_default();
                let length = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
                word = format!("{word}-{}", tail.get(..length).unwrap_or_default());
                rest = tail.get(length..).unwrap_or_default();
            }
            // A date in `datetime(…)` stands there bare.
            let date =
                word.eq_ignore_ascii_case("datetime").then(|| rest.trim_start().strip_prefix('(')).flatten();
            out.push(Token::Word(word));
            if let Some((date, tail)) = date.and_then(|date| date.split_once(')')) {
                out.extend([Token::Sign("("), Token::Text(date.trim().trim_matches(['\'', '"']).to_owned())]);
                out.push(Token::Sign(")"));
                rest = tail;
            }
        } else if c == '!' && rest.get(1..2).is_some_and(|next| next.starts_with(char::is_alphabetic)) {
            let tail = after(1);
            let mut length = tail.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(tail.len());
            if tail.get(length..).is_some_and(|tail| tail.starts_with('~')) {
                length = length.saturating_add(1);
            }
            out.push(Token::Word(format!("!{}", tail.get(..length).unwrap_or_default())));
            rest = tail.get(length..).unwrap_or_default();
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            out.push(Token::Sign(sign));
            rest = after(sign.len());
        } else {
            return Err(QueryError(format!("the character '{c}' is not understood")));
        }
    }
    Ok(out)
}

fn quoted(rest: &str, quote: char) -> Result<(String, usize), QueryError> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => text.extend(chars.next().map(|(_, escaped)| match escaped {
                'n' => '\n',
                't' => '\t',
                other => other,
            })),
            c if c == quote => return Ok((text, at.saturating_add(c.len_utf8()))),
            c => text.push(c),
        }
    }
    Err(QueryError("a string without an end".into()))
}

fn number(text: &str) -> Result<Token, QueryError> {
    if let Ok(number) = text.parse() {
        return Ok(Token::Number(number));
    }
    let unit = UNITS.iter().find_map(|(unit, seconds)| {
        let number: f64 = text.strip_suffix(unit)?.parse().ok()?;
        Some(Token::Span(number * seconds))
    });
    unit.ok_or_else(|| QueryError(format!("'{text}' is no number")))
}
