//! The text behind an assumption's name, and where it is declared (V12).

use pullproof_snapshot::Declared;

use crate::model::AssumptionText;

/// What `name` (the form is described at `prover::Assumption`) says, for people.
pub fn text(name: &str, declared: &Declared) -> AssumptionText {
    let (kind, rest) = name.split_once(':').unwrap_or((name, ""));
    let table = |key: &str, found: Option<usize>| {
        found.and_then(|i| declared.lines.get(&format!("{key}.{i}")).copied())
    };
    let (text, line) = match kind {
        "site" => {
            let (site, unfiltered) = rest.split_once('/').map_or((rest, false), |(s, _)| (s, true));
            let found = declared.sites.iter().position(|s| s.name == site);
            let text = if unfiltered {
                format!("nothing in the network {site} filters these packets")
            } else {
                format!("the network {site} announces and routes as declared")
            };
            (text, table("site", found))
        }
        "dns_server" => {
            let found = declared.dns_servers.iter().position(|s| s.address.to_string() == rest);
            (format!("the resolver {rest} answers as declared"), table("dns_server", found))
        }
        "appliance" => {
            let found = declared.appliances.iter().position(|a| a.address.to_string() == rest);
            (format!("the appliance {rest} forwards as declared"), table("appliance", found))
        }
        "registry" => {
            let found = declared.registries.iter().position(|r| r.name == rest);
            (format!("the registry {rest} is as declared"), table("registry", found))
        }
        "public_name" => {
            let found = declared.public_names.iter().position(|n| n.host.eq_ignore_ascii_case(rest));
            (format!("public DNS answers for {rest} as declared"), table("public_name", found))
        }
        "trust" => {
            let found = declared.trusts.iter().position(|t| t.presented_by.to_string() == rest);
            (format!("{rest} presents certificates as declared"), table("trust", found))
        }
        "service_principal" => {
            let found = declared.service_principals.iter().position(|s| s.name == rest);
            (format!("the service principal {rest} is as declared"), table("service_principal", found))
        }
        "input-complete" => {
            ("the input holds everything of its subscriptions (take it back with --partial)".to_owned(), None)
        }
        "preview" => (format!("{rest} is in preview at Azure and works as documented"), None),
        "automation" => (format!("{rest} runs as configured"), None),
        "settled" => (format!("the open point {rest} is as it is settled for now"), None),
        "login-server" => (format!("the registry's login server is {rest}, derived from its name"), None),
        "in-force" => (format!("{rest} is still updating and will end as configured"), None),
        _ => (rest.to_owned(), None),
    };
    let file = line.is_some().then(|| declared.file.clone());
    AssumptionText { text, file, line }
}
