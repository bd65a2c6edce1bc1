//! `/metadata/endpoints`: what a client of a custom cloud asks first.

use serde_json::json;

use crate::reply::Reply;
use crate::request::Request;

/// The answer where the request is for the cloud's endpoints.
pub(crate) fn answer(request: &Request, base: &str, tenant: &str) -> Option<Reply> {
    let segments = request.segments();
    let [first, second] = segments.as_slice() else { return None };
    if !first.eq_ignore_ascii_case("metadata") || !second.eq_ignore_ascii_case("endpoints") {
        return None;
    }
    let audiences = [base, "https://management.azure.com/", "https://management.core.windows.net/"];
    if request.parameter("api-version").unwrap_or_default() < "2018-05-01" {
        let body = json!({
            "galleryEndpoint": base,
            "graphEndpoint": base,
            "portalEndpoint": base,
            "authentication": {"loginEndpoint": base, "audiences": audiences},
        });
        return Some(Reply::json(200, &body));
    }
    let host = base.split("://").nth(1).unwrap_or_default();
    let cloud = json!({
        "name": "PullproofEmulator",
        "portal": base,
        "authentication": {
            "loginEndpoint": base, "audiences": audiences, "tenant": tenant, "identityProvider": "AAD",
        },
        "resourceManager": base,
        "graph": base,
        "graphAudience": base,
        "microsoftGraphResourceId": base,
        "activeDirectoryDataLake": base,
        "gallery": base,
        "batch": base,
        "media": base,
        "sqlManagement": base,
        "vmImageAliasDoc": base,
        "suffixes": {
            "acrLoginServer": "azurecr.io", "keyVaultDns": "vault.azure.net", "storage": "core.windows.net",
            "sqlServerHostname": "database.windows.net", "azureFrontDoorEndpointSuffix": host,
        },
    });
    let one = request.parameter("api-version").unwrap_or_default() >= "2022-09-01";
    Some(Reply::json(200, &if one { cloud } else { json!([cloud]) }))
}
