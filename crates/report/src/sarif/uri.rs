//! File names as URIs relative to the checkout: code scanning shows nothing else, and a path outside it says more about
//! the machine than about the finding.

use std::path::{Component, Path, PathBuf};

/// What file names are relative to.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The working directory; relative names start there.
    pub working: Option<PathBuf>,
    /// The top of the checkout, where it is another folder.
    pub root: Option<PathBuf>,
}

impl Places {
    /// The name of a file of the checkout, relative to its top; `None` where the file is not in it.
    fn inside(&self, file: &str) -> Option<String> {
        let slashed = file.replace('\\', "/");
        let drive = slashed.as_bytes().get(1) == Some(&b':');
        if drive && self.working.is_none() {
            return None;
        }
        let path = Path::new(if cfg!(windows) { file } else { &slashed });
        let relative = match &self.working {
            Some(working) => {
                let whole = normal(&working.join(path))?;
                let root = normal(self.root.as_ref().unwrap_or(working))?;
                whole.strip_prefix(root).ok()?.to_path_buf()
            }
            None if path.is_absolute() => return None,
            None => normal(path)?,
        };
        let text = relative.to_str()?.replace('\\', "/");
        (!text.is_empty()).then_some(text)
    }

    /// Whether the file is in the checkout.
    pub(crate) fn holds(&self, file: &str) -> bool {
        self.inside(file).is_some()
    }

    /// The name relative to the top of the checkout; of a file outside it, its bare name.
    pub fn name(&self, file: &str) -> String {
        self.inside(file).unwrap_or_else(|| {
            file.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or("input").to_owned()
        })
    }

    /// The same as a URI.
    pub fn uri(&self, file: &str) -> String {
        encoded(&self.name(file))
    }
}

/// Without `.` and `..`; `None` where `..` leads above the start.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => out.push(part),
        }
    }
    Some(out)
}

fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(char::from(byte))
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(working: &str, root: &str) -> Places {
        Places { working: Some(working.into()), root: Some(root.into()) }
    }

    #[test]
    fn names_are_relative_to_the_top_of_the_checkout() {
        let here = places("/src/infra", "/src");
        assert_eq!(here.uri("./west europe.ndjson"), "infra/west%20europe.ndjson");
        assert_eq!(here.uri("../main.tf"), "main.tf");
        assert_eq!(here.uri("/src/infra/a:b.tf"), "infra/a%3Ab.tf");
    }

    #[test]
    fn a_path_outside_the_checkout_is_not_shown() {
        let here = places("/src/infra", "/src");
        for file in ["/home/somebody/estate.ndjson", "../../estate.ndjson", "/src-of-others/estate.ndjson"] {
            assert_eq!(here.inside(file), None, "{file}");
            assert_eq!(here.uri(file), "estate.ndjson");
        }
        let nowhere = Places::default();
        assert_eq!(nowhere.uri(r"C:\audits\hub.ndjson"), "hub.ndjson");
        assert_eq!(nowhere.uri("/data/hub.ndjson"), "hub.ndjson");
        assert_eq!(nowhere.uri("../hub.ndjson"), "hub.ndjson");
        assert_eq!(nowhere.uri("./a/../hub.ndjson"), "hub.ndjson");
    }
}
