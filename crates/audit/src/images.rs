//! Image references out of what people have at hand: one a line, or kubectl's JSON.

use std::collections::BTreeSet;

use serde_json::Value;

/// The image references in `text`, sorted, each once. JSON is searched for containers of any kind at any depth; other
/// text is one reference a line, `#` starts a comment.
///
/// # Errors
/// The text starts like JSON and is none.
pub fn from_text(text: &str) -> Result<Vec<String>, serde_json::Error> {
    let mut found = BTreeSet::new();
    if text.trim_start().starts_with(['{', '[']) {
        collect(&serde_json::from_str(text)?, &mut found);
    } else {
        let lines = text.lines().map(|l| l.split('#').next().unwrap_or_default().trim());
        found.extend(lines.filter(|l| !l.is_empty()).map(str::to_owned));
    }
    Ok(found.into_iter().collect())
}

fn collect(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| match item {
            Value::String(image) => {
                found.insert(image.clone());
            }
            other => collect(other, found),
        }),
        Value::Object(fields) => {
            for (key, inner) in fields {
                match (key.as_str(), inner) {
                    ("containers" | "initContainers" | "ephemeralContainers", Value::Array(containers)) => {
                        found
                            .extend(containers.iter().filter_map(|c| c["image"].as_str()).map(str::to_owned));
                    }
                    (_, Value::Object(_)) => collect(inner, found),
                    (_, Value::Array(items)) => {
                        items.iter().filter(|i| !i.is_string()).for_each(|i| collect(i, found))
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::from_text;

    #[test]
    fn lines_and_kubectl() {
        assert_eq!(
            from_text("b/c:1\n# no\n a.example/x # why\n").ok(),
            Some(vec!["a.example/x".into(), "b/c:1".into()])
        );
        let json = r#"{"items":[{"spec":{"template":{"spec":{"initContainers":[{"image":"i"}],
            "containers":[{"image":"c","args":["not-an-image"]}]}}}}]}"#;
        assert_eq!(from_text(json).ok(), Some(vec!["c".into(), "i".into()]));
    }
}
