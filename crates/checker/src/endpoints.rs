//! Which hosts a pull touches (registry-and-aks.md §12; A30–A58, A150–A155, A390–A397).

use std::collections::{BTreeMap, BTreeSet};

use pullproof_snapshot::declared::Registry as DeclaredRegistry;
use pullproof_snapshot::facts::presets;
use pullproof_snapshot::question::{EndpointRow, EndpointsAnswer, Missing, Reach, Role};

use crate::lookup::name::fold;
use crate::missing;
use crate::plain::Plain;
use crate::private_endpoints::{State, members, states};
use crate::registry::{HostName, Kind, find_by_name, normal_region, storage_suffix};
use crate::resources::{Resource, absent_for_sure};

const HTTPS: u16 = 443;

/// The hosts that a pull from a registry touches: an ARM id, an unambiguous name, or a declared registry's name.
/// `image_host` is the host that images name; absent: the login server. `None` where there is no such registry.
pub fn endpoints(plain: &Plain, registry: &str, image_host: Option<&str>) -> Option<EndpointsAnswer> {
    if let Some(row) = plain.declared.registries.iter().find(|row| row.name.eq_ignore_ascii_case(registry)) {
        return Some(of_declared(row));
    }
    find_by_name(plain, registry).map(|registry| of_registry(plain, &registry, image_host))
}

/// The hosts of a registry of the snapshot. `missing` is not empty exactly when the set may be incomplete.
fn of_registry(plain: &Plain, registry: &Resource, image_host: Option<&str>) -> EndpointsAnswer {
    let mut open = Vec::new();
    let answer = collect(plain, registry, image_host, &mut open).unwrap_or_else(|missing| {
        open.push(missing);
        EndpointsAnswer::default()
    });
    EndpointsAnswer { missing: open, ..answer }
}

fn collect(
    plain: &Plain,
    registry: &Resource,
    image_host: Option<&str>,
    open: &mut Vec<Missing>,
) -> Result<EndpointsAnswer, Missing> {
    let node = registry.node();
    let login = fold(node.text("/properties/loginServer").known()?.unwrap_or_default());
    // Whatever follows the first label is the suffix, in clouds that nobody lists too (A31, A32).
    let Some((label, suffix)) = login.split_once('.') else {
        let why = "its host names come from `loginServer` and from nothing else (A32)";
        return Err(missing::evidence(format!("loginServer of {}", registry.id), why));
    };
    let image_host = image_host.map_or_else(|| login.clone(), fold);
    let regional =
        HostName::parse(&image_host).filter(|host| host.kind == Kind::Geo).and_then(|host| host.region);
    let (found, unread) = members(plain, registry, &login);
    let private: BTreeSet<String> = found.into_iter().map(|member| member.host).collect();
    let door = public_door(registry)?;
    let reach = |host: &str| {
        let public_form = host.replacen(".privatelink.", ".", 1);
        // An approved endpoint that was not read has members for every host (A71).
        let elsewhere = door == Reach::None && !unread.is_empty();
        if private.contains(&public_form) || elsewhere { Reach::Private } else { door }
    };

    let login_reach = match &regional {
        Some(_) if !regional_enabled(registry, open)? => Reach::None, // A391
        _ => reach(&image_host),
    };
    let login_roles = vec![Role::Login, Role::Token]; // A6: the token service is the login host, a regional one too (A45)
    let mut answer = EndpointsAnswer::default();
    answer.endpoints.push(EndpointRow {
        host: image_host,
        port: HTTPS,
        roles: login_roles,
        reach: login_reach,
    });
    if !data_endpoints(plain, registry, open)? {
        match storage_suffix(suffix) {
            Some(storage) => answer.wildcards.push(format!("*.{storage}")), // A12, A395
            None => open.push(missing::evidence(
                format!("storage hosts of {}", registry.id),
                "its cloud is not listed (A31)",
            )),
        }
        return Ok(answer);
    }
    let listed = node.texts("/properties/dataEndpointHostNames");
    open.extend(listed.open);
    let listed: BTreeSet<String> = listed.known.into_iter().map(fold).collect();
    for region in regions(plain, registry, &listed, regional.as_deref(), open)? {
        let tail = format!(".{region}.data.{suffix}");
        // The list and the endpoints name the hosts; else they are derived from the login server's label (A33, A39).
        let host = listed.iter().chain(&private).find(|host| host.ends_with(&tail)).cloned();
        let host = host.unwrap_or_else(|| format!("{label}{tail}"));
        let reach = reach(&host);
        answer.endpoints.push(EndpointRow { host, port: HTTPS, roles: vec![Role::Data], reach });
    }
    Ok(answer)
}

/// How the registry's public endpoint is reached: not at all where it is closed, or admits nobody (A85–A87, A393).
fn public_door(registry: &Resource) -> Result<Reach, Missing> {
    let node = registry.node();
    let access = node.text("/properties/publicNetworkAccess").known()?.unwrap_or("Enabled"); // A111
    if access.eq_ignore_ascii_case("Disabled") {
        return Ok(Reach::None);
    }
    if !access.eq_ignore_ascii_case("Enabled") {
        let why = format!("publicNetworkAccess {access}: a network security perimeter is not modelled (A95)");
        return Err(missing::not_modelled(registry.id.to_string(), why));
    }
    let action = node.text("/properties/networkRuleSet/defaultAction").known()?.unwrap_or("Allow");
    let rules = |list: &str| {
        let items = node.list(list);
        !items.known.is_empty() || !items.open.is_empty()
    };
    let admits_somebody = action.eq_ignore_ascii_case("Allow")
        || rules("/properties/networkRuleSet/ipRules")
        || rules("/properties/networkRuleSet/virtualNetworkRules");
    Ok(if admits_somebody { Reach::Public } else { Reach::None })
}

/// A44; responses of API versions without the field leave it open, which matters only here (A117).
fn regional_enabled(registry: &Resource, open: &mut Vec<Missing>) -> Result<bool, Missing> {
    match registry.node().text("/properties/regionalEndpoints").known()? {
        Some(state) => Ok(state.eq_ignore_ascii_case("Enabled")),
        None => {
            let what = format!("regionalEndpoints of {}", registry.id);
            open.push(missing::evidence(
                what,
                "an image names a regional host, and the field was not read (A117)",
            ));
            Ok(true)
        }
    }
}

/// Dedicated data endpoints are in force exactly when the flag is set, the host list is not empty, or a private
/// endpoint is approved (A37, A56).
fn data_endpoints(plain: &Plain, registry: &Resource, open: &mut Vec<Missing>) -> Result<bool, Missing> {
    let node = registry.node();
    if node.flag("/properties/dataEndpointEnabled").known()? == Some(true) {
        return Ok(true);
    }
    let listed = node.texts("/properties/dataEndpointHostNames");
    if !listed.known.is_empty() {
        return Ok(true);
    }
    let states = states(plain, registry)?;
    if !states.is_empty() && !states.contains(&State::Approved) {
        let what = format!("data endpoints of {}", registry.id);
        let why =
            "private endpoints exist and none is approved: whether they switch data endpoints on is open";
        open.push(missing::contested("A37", what, why));
    }
    Ok(states.contains(&State::Approved))
}

/// The regions whose data endpoint a pull may be sent to: every replica that the global name routes to, home included
/// (A41–A43, A115, A392); for a regional image host that region alone.
fn regions(
    plain: &Plain,
    registry: &Resource,
    listed: &BTreeSet<String>,
    regional: Option<&str>,
    open: &mut Vec<Missing>,
) -> Result<BTreeSet<String>, Missing> {
    if let Some(region) = regional {
        return Ok(BTreeSet::from([region.to_owned()]));
    }
    let home = registry.node().text("/location").known()?.map(normal_region).unwrap_or_default();
    let mut out = BTreeSet::from([home]);
    let premium =
        registry.node().text("/sku/name").known()?.is_none_or(|sku| sku.eq_ignore_ascii_case("Premium"));
    for replication in registry.children(plain, "replications") {
        let node = replication.node();
        let region = node.text("/location").known()?.unwrap_or(replication.id.name());
        let region = normal_region(region);
        let serves = node.flag("/properties/regionEndpointEnabled").known()?.unwrap_or(true);
        let creating = node
            .text("/properties/provisioningState")
            .known()?
            .is_some_and(|state| state.eq_ignore_ascii_case("Creating"));
        match (serves, creating) {
            (false, _) => {
                out.remove(&region);
            }
            (true, true) => {} // A115: a future endpoint
            (true, false) => {
                out.insert(region);
            }
        }
    }
    // Only Premium registries have replicas (A36).
    let read =
        absent_for_sure(plain, registry.id.folded(), "microsoft.containerregistry/registries/replications");
    if let (true, Err(missing)) = (premium, read) {
        let of_host = |host: &String| HostName::parse(host).and_then(|host| host.region);
        out.extend(listed.iter().filter_map(of_host)); // one host a region (A38)
        open.push(missing);
    }
    Ok(out)
}

/// A declared registry: its hosts, or its preset's. A role that no host carries is put on the login host and listed in
/// `missing` (CONTRACT §2, A150).
fn of_declared(row: &DeclaredRegistry) -> EndpointsAnswer {
    let mut answer = EndpointsAnswer::default();
    let mut hosts: BTreeMap<(String, u16), Vec<Role>> = BTreeMap::new();
    let preset = row.preset.as_deref().and_then(presets::find);
    for host in preset.into_iter().flat_map(|preset| &preset.hosts) {
        hosts.entry((fold(&host.host), HTTPS)).or_default().extend_from_slice(&host.roles);
    }
    for host in &row.hosts {
        hosts.entry((fold(&host.host), host.port)).or_default().extend_from_slice(&host.roles);
    }
    let carried: BTreeSet<Role> = hosts.values().flatten().copied().collect();
    let first = row.hosts.first().map(|host| (fold(&host.host), host.port));
    let login =
        hosts.iter().find(|(_, roles)| roles.contains(&Role::Login)).map(|(key, _)| key.clone()).or(first);
    let Some(login) = login else {
        let what = format!("hosts of the registry {}", row.name);
        answer.missing.push(missing::declare(
            what,
            "none is declared",
            "list them in its [[registry]] table",
        ));
        return answer;
    };
    for role in [Role::Login, Role::Token, Role::Data] {
        // Where pulls are anonymous there is no token to be had (A151).
        let needless = role == Role::Token && preset.is_some_and(|preset| preset.anonymous);
        if !carried.contains(&role) && !needless {
            hosts.entry(login.clone()).or_default().push(role);
            let word = format!("{role:?}").to_lowercase();
            let what = format!("{word} host of the registry {}", row.name);
            let why = format!("no declared host carries the role; taken to be {} (A150)", login.0);
            answer.missing.push(missing::declare(
                what,
                why,
                "give a host this role in the [[registry]] table",
            ));
        }
    }
    for ((host, port), mut roles) in hosts {
        roles.sort_unstable();
        roles.dedup();
        if host.starts_with('*') {
            answer.wildcards.push(host);
        } else {
            answer.endpoints.push(EndpointRow { host, port, roles, reach: Reach::Public });
        }
    }
    answer
}

#[cfg(test)]
#[path = "endpoints_tests.rs"]
mod endpoints_tests;
