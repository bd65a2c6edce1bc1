//! Conditions of role assignments (A308): operators, functions, actions and attributes are kept, the texts that they
//! are compared with are names.

use super::names::{Known, Names};

/// A part of a condition.
#[derive(Debug, PartialEq)]
enum Part<'c> {
    /// Operators, brackets, space; kept.
    Plain(&'c str),
    /// A word outside texts and brackets.
    Word(&'c str),
    /// What stands in `[…]`.
    Attribute(&'c str),
    /// What stands in `'…'`.
    Text(&'c str),
}

/// Words of the language; others that begin like these are variants of them.
const WORDS: &[&str] = &[
    "and",
    "or",
    "not",
    "exists",
    "notexists",
    "actionmatches",
    "subactionmatches",
    "suboperationmatches",
    "@request",
    "@resource",
    "@principal",
    "@environment",
    "true",
    "false",
];
const FAMILIES: &[&str] = &["string", "bool", "guid", "datetime", "numeric", "timeofday", "forany", "forall"];

fn parts(condition: &str) -> Vec<Part<'_>> {
    let mut out = Vec::new();
    let mut rest = condition;
    while let Some(first) = rest.chars().next() {
        let quoted = |close: char| {
            let inner = rest.get(1..)?;
            let end = inner.find(close)?;
            Some((inner.get(..end)?, inner.get(end..)?.get(close.len_utf8()..)?))
        };
        let is_word = |c: char| c.is_alphanumeric() || "@_:-.".contains(c);
        match first {
            '\'' => match quoted('\'') {
                Some((text, after)) => {
                    out.extend([Part::Plain("'"), Part::Text(text), Part::Plain("'")]);
                    rest = after;
                }
                None => {
                    out.push(Part::Text(rest));
                    rest = "";
                }
            },
            '[' => match quoted(']') {
                Some((text, after)) => {
                    out.extend([Part::Plain("["), Part::Attribute(text), Part::Plain("]")]);
                    rest = after;
                }
                None => {
                    out.push(Part::Text(rest));
                    rest = "";
                }
            },
            c if is_word(c) => {
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
                out.push(Part::Word(word));
                rest = after;
            }
            c => {
                let (plain, after) = rest.split_at_checked(c.len_utf8()).unwrap_or((rest, ""));
                out.push(Part::Plain(plain));
                rest = after;
            }
        }
    }
    out
}

fn is_language(word: &str) -> bool {
    let folded = word.to_ascii_lowercase();
    WORDS.contains(&folded.as_str()) || FAMILIES.iter().any(|family| folded.starts_with(family))
}

fn is_microsofts(text: &str) -> bool {
    text.get(..10).is_some_and(|start| start.eq_ignore_ascii_case("microsoft."))
}

impl Names {
    pub(super) fn condition(&self, condition: &str) -> String {
        parts(condition)
            .into_iter()
            .map(|part| match part {
                Part::Plain(text) => text.to_owned(),
                Part::Word(word) if is_language(word) => word.to_owned(),
                Part::Attribute(text) | Part::Text(text) if is_microsofts(text) => text.to_owned(),
                Part::Word(text) | Part::Attribute(text) | Part::Text(text) => self.name(text),
            })
            .collect()
    }
}

impl Known {
    /// Learns how the names begin that a condition lets through.
    pub(super) fn see_condition(&mut self, condition: &str) {
        let mut begins = false;
        for part in parts(condition) {
            match part {
                Part::Word(word) => begins = word.to_ascii_lowercase().contains("startswith"),
                Part::Text(text) if !is_microsofts(text) => {
                    self.see_wildcard(text);
                    let last = text.rsplit('/').next().unwrap_or_default();
                    if begins && !last.is_empty() {
                        let label = last.rsplit('.').next().unwrap_or_default();
                        self.before_wildcard.insert(label.to_ascii_lowercase());
                    }
                }
                Part::Plain(_) | Part::Attribute(_) | Part::Text(_) => {}
            }
        }
    }
}
