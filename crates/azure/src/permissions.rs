//! The least that a caller has to be allowed: a custom role, made from the table of what is read.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::shape::{RECORD_TYPES, RECORDS};
use crate::types::{EFFECTIVE, READS, TYPES};

/// The actions that reading takes, in order; with those of `--effective`, which let Azure compute.
pub fn actions(effective: bool) -> BTreeSet<String> {
    let mut out: BTreeSet<String> = TYPES.iter().map(|row| row.action().into_owned()).collect();
    // By Resource Graph a row is read by its own type, whatever list ARM has it in; record sets by their kinds.
    out.extend(TYPES.iter().map(|row| format!("{}/read", row.name)));
    let zones = RECORDS.rsplit_once('/').map_or(RECORDS, |(zones, _)| zones);
    out.extend(RECORD_TYPES.iter().map(|kind| format!("{zones}/{kind}/read")));
    out.extend(READS.iter().map(|operation| operation.action.to_owned()));
    if effective {
        out.extend(EFFECTIVE.iter().map(|operation| operation.action.to_owned()));
    }
    out
}

/// The role, as `az role definition create --role-definition @FILE` takes it. `scopes` are ARM ids of subscriptions,
/// resource groups or management groups: where it may be assigned.
pub fn role(scopes: &[String], effective: bool) -> Value {
    json!({
        "Name": if effective { "pullproof reader with effective routes" } else { "pullproof reader" },
        "IsCustom": true,
        "Description": "Reads the configuration that image pulls depend on.",
        "Actions": actions(effective),
        "NotActions": [],
        "DataActions": [],
        "NotDataActions": [],
        "AssignableScopes": scopes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_role_reads_and_nothing_else() {
        let only = |action: &String| action.ends_with("/read") && !action.contains('*');
        assert!(actions(false).iter().all(only));
        let more: Vec<String> = actions(true).difference(&actions(false)).cloned().collect();
        assert!(!more.is_empty() && more.iter().all(|action| action.ends_with("/action")), "{more:?}");
        let role = role(&["/subscriptions/s".into()], false);
        assert_eq!(role["AssignableScopes"], json!(["/subscriptions/s"]));
    }
}
