//! Everything that is served of the contoso estate, read by Microsoft's own models.

mod client;

use azure_mgmt_authorization::package_2022_04_01::models as authorization;
use azure_mgmt_network::package_2024_03::models as network;
use client::{NETWORK, PLATFORM, PROD, contoso, get, list, start};
use pullproof_snapshot::Layered;

#[test]
fn single_resources_fit_their_models() {
    let snapshot = contoso();
    let layered = Layered::new(std::sync::Arc::clone(&snapshot));
    let emulator = start(snapshot);
    let mut read = 0;
    for ix in layered.resources() {
        let id = layered.id(ix);
        let kind = layered.resource_type(ix);
        let version = match kind {
            kind if kind.starts_with("microsoft.network/privatedns") => "2024-06-01",
            kind if kind.starts_with("microsoft.network/dns") => "2022-07-01",
            kind if kind.starts_with("microsoft.network/") => NETWORK,
            kind if kind.starts_with("microsoft.containerregistry/") => "2023-07-01",
            kind if kind.starts_with("microsoft.containerservice/") => "2024-05-01",
            kind if kind.starts_with("microsoft.authorization/") => "2022-04-01",
            _ => continue,
        };
        let answer = get(&emulator, &format!("{id}?api-version={version}"));
        assert_eq!(answer.status, 200, "{id}: {}", String::from_utf8_lossy(&answer.body));
        pullproof_scenario::check_shape(&answer.json()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(answer.json(), *layered.json(ix), "{id}");
        read += 1;
    }
    assert!(read > 50, "{read}");
}

#[test]
fn lists_fit_their_models() {
    let emulator = start(contoso());
    let vnets = list(&emulator, PROD, "Microsoft.Network/virtualNetworks", NETWORK);
    let vnets: network::VirtualNetworkListResult = serde_json::from_value(vnets.json()).expect("a list");
    assert_eq!((vnets.value.len(), vnets.next_link), (2, None));
    let assignments = list(&emulator, PLATFORM, "Microsoft.Authorization/roleAssignments", "2022-04-01");
    let assignments: authorization::RoleAssignmentListResult =
        serde_json::from_value(assignments.json()).expect("a list");
    assert_eq!(assignments.value.len(), 5);
    let refused = list(&emulator, PLATFORM, "Microsoft.Network/bastionHosts", NETWORK);
    let error: network::CloudError = serde_json::from_value(refused.json()).expect("an error");
    assert_eq!(error.error.and_then(|body| body.code).as_deref(), Some("AuthorizationFailed"));
}
