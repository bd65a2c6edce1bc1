//! Conditions of role assignments on repositories (A308): enough of the language to decide what the documentation
//! shows, and to see where it does not.

use super::permission::{Tri, matches};
use crate::missing::not_modelled;

/// The attribute that holds the repository's name.
const REPOSITORY: &str = "microsoft.containerregistry/registries/repositories:name";

/// Deepest nesting that is read.
const DEEPEST: usize = 64;

/// Whether the condition lets `action` on `repository` (absent: some repository that is not known).
pub(super) fn allows(condition: &str, action: &str, repository: Option<&str>) -> Tri {
    let unknown = || {
        Tri::Perhaps(not_modelled(
            "the condition of a role assignment",
            format!("it is not of a documented form (A308): {condition}"),
        ))
    };
    let Some(tokens) = tokens(condition) else { return unknown() };
    let mut reader = Reader { tokens: &tokens, at: 0, action, repository };
    match reader.or(0) {
        Some(value) if reader.at == tokens.len() => value,
        _ => unknown(),
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Open,
    Close,
    Not,
    And,
    Or,
    /// A word: a function, an operator, `@Request[…]`.
    Word(String),
    /// `'text'`.
    Text(String),
    /// `{`, `}` and `,` around lists of texts.
    Begin,
    End,
    Comma,
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut out = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => {}
            '(' => out.push(Token::Open),
            ')' => out.push(Token::Close),
            '{' => out.push(Token::Begin),
            '}' => out.push(Token::End),
            ',' => out.push(Token::Comma),
            '!' => out.push(Token::Not),
            '&' => {
                chars.next_if_eq(&'&')?;
                out.push(Token::And);
            }
            '|' => {
                chars.next_if_eq(&'|')?;
                out.push(Token::Or);
            }
            '\'' => {
                let mut value = String::new();
                loop {
                    match chars.next()? {
                        '\'' if chars.next_if_eq(&'\'').is_some() => value.push('\''),
                        '\'' => break,
                        other => value.push(other),
                    }
                }
                out.push(Token::Text(value));
            }
            first => {
                let mut word = String::from(first);
                let mut brackets = usize::from(first == '[');
                while let Some(next) = chars.peek().copied() {
                    match next {
                        '[' => brackets += 1,
                        ']' => brackets = brackets.saturating_sub(1),
                        c if brackets == 0 && (c.is_whitespace() || "(){},'!&|".contains(c)) => break,
                        _ => {}
                    }
                    word.push(next);
                    chars.next();
                }
                out.push(match word.to_ascii_uppercase().as_str() {
                    "AND" => Token::And,
                    "OR" => Token::Or,
                    "NOT" => Token::Not,
                    _ => Token::Word(word),
                });
            }
        }
    }
    Some(out)
}

/// Reads an expression and evaluates it as it goes.
struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    action: &'a str,
    repository: Option<&'a str>,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at = self.at.saturating_add(1);
        token
    }

    fn take(&mut self, token: &Token) -> bool {
        let here = self.tokens.get(self.at) == Some(token);
        if here {
            self.at += 1;
        }
        here
    }

    fn or(&mut self, depth: usize) -> Option<Tri> {
        let mut value = self.and(depth)?;
        while self.take(&Token::Or) {
            let other = self.and(depth)?;
            value = value.or(|| other);
        }
        Some(value)
    }

    fn and(&mut self, depth: usize) -> Option<Tri> {
        let mut value = self.term(depth)?;
        while self.take(&Token::And) {
            let other = self.term(depth)?;
            value = value.and(|| other);
        }
        Some(value)
    }

    fn term(&mut self, depth: usize) -> Option<Tri> {
        if depth > DEEPEST {
            return None;
        }
        match self.next()? {
            Token::Not => Some(self.term(depth + 1)?.not()),
            Token::Open => {
                let value = self.or(depth + 1)?;
                self.take(&Token::Close).then_some(value)
            }
            Token::Word(word) if word.eq_ignore_ascii_case("ActionMatches") => {
                let patterns = self.texts()?;
                let any = patterns.iter().any(|pattern| matches(pattern, self.action));
                Some(if any { Tri::Yes } else { Tri::No })
            }
            Token::Word(word) => self.attribute(&word),
            _ => None,
        }
    }

    /// `@Request[attribute] Operator 'value'`, or a list of values of which one has to fit.
    fn attribute(&mut self, word: &str) -> Option<Tri> {
        let attribute = word.split_once('[')?.1.strip_suffix(']')?;
        let Token::Word(operator) = self.next()? else { return None };
        let values = match self.tokens.get(self.at) {
            Some(Token::Text(_)) => match self.next()? {
                Token::Text(value) => vec![value],
                _ => return None,
            },
            _ => self.texts()?,
        };
        let on_repository =
            word.to_ascii_lowercase().starts_with("@request[") && attribute.eq_ignore_ascii_case(REPOSITORY);
        let lower = |s: &str| s.to_ascii_lowercase();
        let fits: fn(&str, &str) -> bool = match operator.to_ascii_lowercase().as_str() {
            "stringequals" => |name, value| name == value,
            "stringequalsignorecase" => |name, value| name.eq_ignore_ascii_case(value),
            "stringstartswith" => |name, value| name.starts_with(value),
            "stringstartswithignorecase" => {
                |name, value| name.to_ascii_lowercase().starts_with(&value.to_ascii_lowercase())
            }
            _ => return Some(unsure(&operator)),
        };
        if !on_repository {
            return Some(unsure(&lower(word)));
        }
        let Some(repository) = self.repository else {
            return Some(Tri::Perhaps(crate::missing::declare(
                "which repositories are pulled",
                "a role is assigned for some repositories only (A308)",
                "give the images: [audit] images, or --images",
            )));
        };
        Some(if values.iter().any(|value| fits(repository, value)) { Tri::Yes } else { Tri::No })
    }

    /// `{'a', 'b'}`.
    fn texts(&mut self) -> Option<Vec<String>> {
        if !self.take(&Token::Begin) {
            return None;
        }
        let mut out = Vec::new();
        loop {
            match self.next()? {
                Token::Text(value) => out.push(value),
                Token::Comma => {}
                Token::End => return Some(out),
                _ => return None,
            }
        }
    }
}

fn unsure(what: &str) -> Tri {
    Tri::Perhaps(not_modelled(
        "the condition of a role assignment",
        format!("`{what}` is none of the documented forms (A308)"),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::permission::{CONTENT, PULL};
    use super::*;

    fn documented(operator: &str, value: &str) -> String {
        format!(
            "((!(ActionMatches{{'Microsoft.ContainerRegistry/registries/repositories/content/read'}}) AND \
             !(ActionMatches{{'Microsoft.ContainerRegistry/registries/repositories/metadata/read'}})) OR \
             (@Request[Microsoft.ContainerRegistry/registries/repositories:name] {operator} '{value}'))"
        )
    }

    #[test]
    fn conditions_of_the_documented_form_decide() {
        let one = documented("StringEqualsIgnoreCase", "team/App");
        assert_eq!(allows(&one, CONTENT.text, Some("team/app")), Tri::Yes);
        assert_eq!(allows(&one, CONTENT.text, Some("team/app2")), Tri::No);
        let prefix = documented("StringStartsWithIgnoreCase", "Team/");
        assert_eq!(allows(&prefix, CONTENT.text, Some("team/app2")), Tri::Yes);
        // Another action is not restricted.
        assert_eq!(allows(&one, PULL.text, Some("other")), Tri::Yes);
        // Which repository is pulled is not known.
        assert!(matches!(allows(&one, CONTENT.text, None), Tri::Perhaps(_)));
    }

    #[test]
    fn several_are_joined_by_or() {
        let text = format!("{} OR {}", documented("StringEquals", "a"), documented("StringEquals", "b"));
        assert_eq!(allows(&text, CONTENT.text, Some("b")), Tri::Yes);
        assert_eq!(allows(&text, CONTENT.text, Some("c")), Tri::No);
    }

    #[test]
    fn other_forms_are_not_guessed_at() {
        for odd in [
            documented("StringLike", "team*"),
            "(@Environment[UtcNow] DateTimeLessThan '2027-01-01T00:00:00.0Z')".into(),
            "((((".into(),
            "'unterminated".into(),
            String::new(),
            format!("{}true", "(".repeat(500)),
        ] {
            assert!(matches!(allows(&odd, CONTENT.text, Some("a")), Tri::Perhaps(_)), "{odd}");
        }
    }
}
