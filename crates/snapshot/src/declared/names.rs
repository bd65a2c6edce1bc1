//! Names in place of ids: `pairs`, `vnet =`, `members =`, `connections =`, and names on the command line.

use crate::layered::Layered;
use crate::place::ResourceIx;

/// Why a name stands for no resource.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    #[error("`{name}` names nothing in the input{}", hint(near))]
    NotFound {
        name: String,
        /// Names of the right type that look like it.
        near: Vec<String>,
    },
    #[error("`{name}` is ambiguous; give the id: {}", candidates.join(", "))]
    Ambiguous {
        name: String,
        /// Ids, in order.
        candidates: Vec<String>,
    },
}

fn hint(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(", ")) }
}

/// The resource of one of `types` that `name` (an ARM id, or a name; letter case aside) stands for.
///
/// An id counts exactly when the resource exists and has one of the types. A name may be written with parents
/// (`vnet/subnet`) to tell children apart.
pub fn resolve(layered: &Layered, name: &str, types: &[&str]) -> Result<ResourceIx, ResolveError> {
    let not_found = |near| ResolveError::NotFound { name: name.to_owned(), near };
    if name.starts_with('/') {
        let found = layered.find(name);
        return found
            .filter(|ix| types.iter().any(|t| t.eq_ignore_ascii_case(layered.resource_type(*ix))))
            .ok_or_else(|| not_found(Vec::new()));
    }
    let wanted: Vec<String> = name.to_ascii_lowercase().split('/').rev().map(str::to_owned).collect();
    let of_types: Vec<ResourceIx> = types.iter().flat_map(|t| layered.of_type(t)).collect();
    let matching: Vec<ResourceIx> =
        of_types.iter().copied().filter(|ix| fits(layered.id(*ix).folded(), &wanted)).collect();
    match matching.as_slice() {
        [only] => Ok(*only),
        [] => {
            let names: Vec<&str> = of_types.iter().map(|ix| layered.id(*ix).name()).collect();
            let near = super::schema::nearest(name, &names);
            Err(not_found(near.into_iter().map(str::to_owned).collect()))
        }
        several => {
            let mut candidates: Vec<String> =
                several.iter().map(|ix| layered.id(*ix).as_written().to_owned()).collect();
            candidates.sort();
            Err(ResolveError::Ambiguous { name: name.to_owned(), candidates })
        }
    }
}

/// True when the names at the end of a folded id are `wanted`, own name first.
fn fits(folded: &str, wanted: &[String]) -> bool {
    let mut names = folded.rsplit('/').step_by(2);
    wanted.iter().all(|w| names.next() == Some(w.as_str()))
}
