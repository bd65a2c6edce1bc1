//! Names → ARM ids.

use std::collections::BTreeMap;

use crate::error::ScenarioError;

/// Every resource of the scenario by type and name; a name may be qualified as `<resource group>/<name>`.
#[derive(Default)]
pub(crate) struct Names {
    by_type: BTreeMap<&'static str, BTreeMap<String, Vec<String>>>,
}

impl Names {
    /// Records a resource under its name and under its qualified name. Twice the same id is an error.
    pub(crate) fn add(
        &mut self,
        kind: &'static str,
        name: &str,
        resource_group: &str,
        id: &str,
    ) -> Result<(), ScenarioError> {
        let names = self.by_type.entry(kind).or_default();
        for key in [name.to_lowercase(), format!("{resource_group}/{name}").to_lowercase()] {
            let ids = names.entry(key).or_default();
            if ids.iter().any(|known| known.eq_ignore_ascii_case(id)) {
                return Err(ScenarioError::invalid(kind, format!("\"{name}\" is there twice")));
            }
            ids.push(id.to_owned());
        }
        Ok(())
    }

    /// The id that a reference stands for: an id itself, a name, or a qualified name.
    pub(crate) fn find(
        &self,
        kind: &'static str,
        reference: &str,
        place: &str,
    ) -> Result<String, ScenarioError> {
        if reference.starts_with('/') {
            return Ok(reference.to_owned());
        }
        let names = self.by_type.get(kind);
        match names.and_then(|n| n.get(&reference.to_lowercase())).map(Vec::as_slice) {
            Some([id]) => Ok(id.clone()),
            Some(several @ [_, _, ..]) => Err(ScenarioError::invalid(
                place,
                format!("\"{reference}\" is ambiguous; write one of these: {}", several.join(", ")),
            )),
            _ => {
                let known: Vec<&str> = names.into_iter().flat_map(|n| n.keys()).map(String::as_str).collect();
                let hint = if known.is_empty() {
                    String::new()
                } else {
                    format!("; there are {}", known.join(", "))
                };
                Err(ScenarioError::Unresolved { place: place.into(), kind, name: reference.into(), hint })
            }
        }
    }

    pub(crate) fn try_find(&self, kind: &'static str, reference: &str) -> Option<String> {
        self.find(kind, reference, "").ok()
    }
}
