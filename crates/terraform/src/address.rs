//! Resource addresses and references as Terraform writes them: `module.spoke["weu"].azurerm_subnet.nodes[0].id`.

use std::fmt;

/// What stands in brackets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    Number(u64),
    Text(String),
    /// `[*]`, or a key that is not known.
    Any,
}

impl Key {
    /// The key as text, as it is compared with names; none for `[*]`.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Number(number) => Some(number.to_string()),
            Self::Text(text) => Some(text.clone()),
            Self::Any => None,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "[{number}]"),
            Self::Text(text) => write!(f, "[{text:?}]"),
            Self::Any => f.write_str("[*]"),
        }
    }
}

/// One name of a traversal, with the keys behind it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    pub name: String,
    pub keys: Vec<Key>,
}

/// A module instance on the way to a resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleStep {
    pub name: String,
    pub key: Option<Key>,
}

/// The steps of an address or reference; dots and brackets inside quotes do not count.
pub fn steps(text: &str) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::new();
    let mut chars = text.chars().peekable();
    let mut name = String::new();
    let mut open = true;
    while let Some(c) = chars.next() {
        match c {
            '.' => {
                if open {
                    out.push(Step { name: std::mem::take(&mut name), keys: Vec::new() });
                }
                open = true;
            }
            '[' => {
                if open {
                    out.push(Step { name: std::mem::take(&mut name), keys: Vec::new() });
                    open = false;
                }
                let mut inner = String::new();
                let mut quoted = false;
                while let Some(c) = chars.next() {
                    match c {
                        '"' => {
                            quoted = !quoted;
                            inner.push(c);
                        }
                        '\\' if quoted => {
                            inner.push(c);
                            inner.extend(chars.next());
                        }
                        ']' if !quoted => break,
                        _ => inner.push(c),
                    }
                }
                if let Some(step) = out.last_mut() {
                    step.keys.push(key(&inner));
                }
            }
            _ => name.push(c),
        }
    }
    if open && !name.is_empty() {
        out.push(Step { name, keys: Vec::new() });
    }
    out
}

fn key(inner: &str) -> Key {
    if inner.starts_with('"') {
        return serde_json::from_str(inner).map_or(Key::Any, Key::Text);
    }
    inner.parse().map_or(Key::Any, Key::Number)
}

/// The module instances in front of a resource address.
pub fn modules(address: &[Step]) -> Vec<ModuleStep> {
    address
        .chunks(2)
        .map_while(|pair| match pair {
            [word, name] if word.name == "module" => {
                Some(ModuleStep { name: name.name.clone(), key: name.keys.first().cloned() })
            }
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_hold_dots_and_quotes() {
        let found = steps(r#"module.spoke["w.e\"u"].azurerm_subnet.nodes[0].id"#);
        let names: Vec<&str> = found.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["module", "spoke", "azurerm_subnet", "nodes", "id"]);
        assert_eq!(found.get(1).map(|s| s.keys.clone()), Some(vec![Key::Text("w.e\"u".into())]));
        assert_eq!(found.get(3).map(|s| s.keys.clone()), Some(vec![Key::Number(0)]));
        let module = ModuleStep { name: "spoke".into(), key: Some(Key::Text("w.e\"u".into())) };
        assert_eq!(modules(&found), [module]);
    }

    #[test]
    fn a_splat_is_any_key() {
        let found = steps("azurerm_x.y[*].ip[0].address");
        assert_eq!(found.get(1).map(|s| s.keys.clone()), Some(vec![Key::Any]));
        assert_eq!(found.last().map(|s| s.name.as_str()), Some("address"));
    }
}
