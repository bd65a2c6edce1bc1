//! Conditions of role assignments (A308): actions and repository names joined by AND, OR and NOT. Everything else is
//! unknown.

use pullproof_snapshot::ArmId;

use super::assignments::matches;
use crate::missing;
use crate::tri::Tri;

/// Whether the condition holds for an action on a repository. `None`: which repository is not known.
pub(super) fn holds(text: &str, action: &str, repository: Option<&str>, of: &ArmId) -> Tri {
    let unread =
        |why: &str| Tri::unknown(missing::not_modelled(format!("condition of {of}"), why.to_owned()));
    let Some(tokens) = tokens(text) else { return unread("it has parts that are not followed (A308)") };
    let mut reader = Reader { tokens: &tokens, at: 0, action, repository, of };
    match reader.any() {
        Some(value) if reader.at == tokens.len() => value,
        _ => unread("it has a form that is not followed (A308)"),
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Open,
    Close,
    Not,
    And,
    Or,
    /// `ActionMatches{'…'}`
    Action(String),
    /// `@Request[…]` or `@Resource[…]`
    Attribute(String),
    Word(String),
    Text(String),
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            '!' => (Token::Not, 1),
            '\'' => {
                let end = rest.get(1..)?.find('\'')?;
                (Token::Text(rest.get(1..=end)?.to_owned()), end + 2)
            }
            '@' => {
                let end = rest.find(']')?;
                (Token::Attribute(rest.get(1..=end)?.to_ascii_lowercase()), end + 1)
            }
            '&' if rest.starts_with("&&") => (Token::And, 2),
            '|' if rest.starts_with("||") => (Token::Or, 2),
            c if c.is_ascii_alphabetic() => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != ':').unwrap_or(rest.len());
                let word = rest.get(..end)?;
                if word.eq_ignore_ascii_case("ActionMatches") {
                    let body = rest.get(end..)?.strip_prefix("{'")?;
                    let length = body.find("'}")?;
                    (Token::Action(body.get(..length)?.to_owned()), end + length + 4)
                } else {
                    let token = match word.to_ascii_uppercase().as_str() {
                        "AND" => Token::And,
                        "OR" => Token::Or,
                        "NOT" => Token::Not,
                        _ => Token::Word(word.to_ascii_lowercase()),
                    };
                    (token, end)
                }
            }
            _ => return None,
        };
        out.push(token);
        rest = rest.get(length..)?.trim_start();
    }
    Some(out)
}

/// Nested deeper than any real condition.
const DEEPEST: usize = 512;

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    action: &'a str,
    repository: Option<&'a str>,
    of: &'a ArmId,
}

impl Reader<'_> {
    fn next(&mut self, wanted: &Token) -> bool {
        let hit = self.tokens.get(self.at) == Some(wanted);
        self.at += usize::from(hit);
        hit
    }

    fn any(&mut self) -> Option<Tri> {
        let mut out = self.every()?;
        while self.next(&Token::Or) {
            out = out.or(self.every()?);
        }
        Some(out)
    }

    fn every(&mut self) -> Option<Tri> {
        let mut out = self.one()?;
        while self.next(&Token::And) {
            out = out.and(self.one()?);
        }
        Some(out)
    }

    fn one(&mut self) -> Option<Tri> {
        if self.tokens.len() > DEEPEST {
            return None;
        }
        if self.next(&Token::Not) {
            return self.one().map(|value| !value);
        }
        if self.next(&Token::Open) {
            let value = self.any()?;
            return self.next(&Token::Close).then_some(value);
        }
        match self.tokens.get(self.at)?.clone() {
            Token::Action(pattern) => {
                self.at += 1;
                Some(matches(&pattern, self.action).into())
            }
            Token::Attribute(name) => {
                let (Token::Word(operator), Token::Text(value)) =
                    (self.tokens.get(self.at + 1)?, self.tokens.get(self.at + 2)?)
                else {
                    return None;
                };
                self.at += 3;
                self.compare(&name, operator, value)
            }
            _ => None,
        }
    }

    fn compare(&self, name: &str, operator: &str, value: &str) -> Option<Tri> {
        if !name.ends_with("[microsoft.containerregistry/registries/repositories:name]") {
            return None;
        }
        let Some(repository) = self.repository else {
            let what = format!("repositories that are pulled, for the condition of {}", self.of);
            return Some(Tri::unknown(missing::declare(
                what,
                "no image is named",
                "name the images (--images)",
            )));
        };
        let (here, there) = (repository.to_ascii_lowercase(), value.to_ascii_lowercase());
        Some(Tri::from(match operator {
            "stringequalsignorecase" => here == there,
            "stringequals" => repository == value,
            "stringstartswithignorecase" => here.starts_with(&there),
            "stringstartswith" => repository.starts_with(value),
            _ => return None,
        }))
    }
}
