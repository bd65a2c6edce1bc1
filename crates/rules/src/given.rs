//! What a rule hands back for one cause: a set (or list) of objects with a `message`.

use regorus::Value;

use crate::metadata::Word;

/// One finding as the rule words it.
#[derive(Debug, PartialEq)]
pub(crate) struct Given {
    pub message: String,
    pub severity: Option<Word>,
    pub resource: Option<String>,
    pub pointer: Option<String>,
}

/// Reads the value of `findings`. Undefined is no finding.
///
/// # Errors
/// It is no set of objects with a non-empty text `message` and, where given, texts `severity`, `resource`, `pointer`;
/// another field, or a severity that there is not.
pub(crate) fn read(value: &Value) -> Result<Vec<Given>, String> {
    match value {
        Value::Undefined => Ok(Vec::new()),
        Value::Set(items) => items.iter().map(one).collect(),
        Value::Array(items) => items.iter().map(one).collect(),
        other => Err(format!("`findings` is {other}, not a set of objects with a `message`")),
    }
}

fn one(item: &Value) -> Result<Given, String> {
    let Value::Object(fields) = item else {
        return Err(format!("`findings` holds {item}, which is no object with a `message`"));
    };
    let mut given = Given { message: String::new(), severity: None, resource: None, pointer: None };
    for (key, value) in fields.iter() {
        let (Value::String(key), Value::String(text)) = (key, value) else {
            return Err(format!("`findings` holds {item}: {key} is no text"));
        };
        let text = text.to_string();
        match key.as_ref() {
            "message" => given.message = text,
            "severity" => {
                given.severity =
                    Some(Word::parse(&text).ok_or_else(|| {
                        format!("its severity `{text}` is none of error, warning, note, off")
                    })?);
            }
            "resource" => given.resource = Some(text),
            "pointer" => given.pointer = Some(text),
            other => {
                return Err(format!(
                    "`findings` holds an object with `{other}`; message, severity, resource and pointer are read"
                ));
            }
        }
    }
    if given.message.is_empty() {
        return Err(format!("`findings` holds {item}, which has no `message`"));
    }
    Ok(given)
}
