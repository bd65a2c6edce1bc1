//! ARM's errors, in the words that Azure uses \[recorded: http/notfound-404, denied-401-403\].

use pullproof_snapshot::ArmId;

use super::versions;
use crate::estate::Refusal;
use crate::reply::Reply;

/// Types whose absence their own provider reports; the rest is found missing by the gateway.
const PROVIDER_REPORTS: &[&str] =
    &["/subnets", "/virtualnetworkpeerings", "/routes", "/securityrules", "/defaultsecurityrules"];

pub(crate) fn unauthorized(refusal: &Refusal, action: &str, scope: &str) -> Reply {
    let message = format!(
        "The client 'pullproof' with object id '00000000-0000-0000-0000-000000000002' does not have authorization to \
         perform action '{action}' over scope '{scope}' or the scope is invalid. If access was recently granted, \
         please refresh your credentials."
    );
    Reply::arm_error(refusal.status, &refusal.code, &message)
}

pub(crate) fn resource_not_found(id: &ArmId) -> Reply {
    let folded_type = id.resource_type().unwrap_or_default();
    if PROVIDER_REPORTS.iter().any(|end| folded_type.ends_with(end)) {
        return Reply::provider_error(404, "NotFound", &format!("Resource {} not found.", id.as_written()));
    }
    match folded_type.as_str() {
        "microsoft.authorization/roleassignments" => Reply::provider_error(
            404,
            "RoleAssignmentNotFound",
            &format!("The role assignment '{}' is not found.", id.name()),
        ),
        "microsoft.authorization/roledefinitions" => Reply::provider_error(
            404,
            "RoleDefinitionDoesNotExist",
            &format!("The specified role definition with ID '{}' does not exist.", id.name()),
        ),
        _ => {
            let written = id.as_written();
            let path = written.rfind("/providers/").and_then(|at| written.get(at..)).unwrap_or(written);
            let path = path.trim_start_matches("/providers/");
            let group = written.split('/').nth(4).unwrap_or_default();
            let message = format!(
                "The Resource '{path}' under resource group '{group}' was not found. For more details please go to \
                 https://aka.ms/ARMResourceNotFoundFix"
            );
            Reply::arm_error(404, "ResourceNotFound", &message)
        }
    }
}

pub(crate) fn parent_not_found(parent: &ArmId, resource_type: &str) -> Reply {
    let kind = resource_type.split_once('/').map_or(resource_type, |(_, kind)| kind);
    let message = format!(
        "Failed to perform 'read' on resource(s) of type '{kind}', because the parent resource '{}' could not be found.",
        parent.as_written()
    );
    Reply::arm_error(404, "ParentResourceNotFound", &message)
}

pub(crate) fn group_not_found(name: &str) -> Reply {
    Reply::arm_error(404, "ResourceGroupNotFound", &format!("Resource group '{name}' could not be found."))
}

pub(crate) fn subscription_not_found(name: &str) -> Reply {
    Reply::arm_error(404, "SubscriptionNotFound", &format!("The subscription '{name}' could not be found."))
}

pub(crate) fn no_such_type(resource_type: &str, version: &str) -> Reply {
    let namespace = resource_type.split('/').next().unwrap_or_default();
    let message = format!(
        "The resource type could not be found in the namespace '{namespace}' for api version '{version}'."
    );
    Reply::arm_error(404, "InvalidResourceType", &message)
}

pub(crate) fn not_allowed(method: &str) -> Reply {
    let message = format!("The emulator serves a snapshot: {method} is not answered here.");
    Reply::arm_error(405, "MethodNotAllowed", &message)
}

pub(crate) fn no_such_path(path: &str) -> Reply {
    Reply::arm_error(
        404,
        "NotFound",
        &format!("No operation of Azure Resource Manager matches the path '{path}'."),
    )
}

/// What is wrong with the API version of a call on a folded type, if anything is.
pub(crate) fn version_error(version: Option<&str>, resource_type: &str) -> Option<Reply> {
    let Some(version) = version.filter(|version| !version.is_empty()) else {
        let message = "The api-version query parameter (?api-version=) is required for all requests.";
        return Some(Reply::arm_error(400, "MissingApiVersionParameter", message));
    };
    let known = versions::of(&resource_type.to_ascii_lowercase());
    if !versions::is_well_formed(version) {
        let supported = known.join(",");
        let message =
            format!("The api-version '{version}' is invalid. The supported versions are '{supported}'.");
        return Some(Reply::arm_error(400, "InvalidApiVersionParameter", &message));
    }
    if versions::serves(&resource_type.to_ascii_lowercase(), version) {
        return None;
    }
    let newest_first: Vec<&str> = known.iter().rev().copied().collect();
    let kind = resource_type.split_once('/').map_or(resource_type, |(_, kind)| kind);
    let message = format!(
        "No registered resource provider found for location '' and API version '{version}' for type '{kind}'. The \
         supported api-versions are '{}'.",
        newest_first.join(", ")
    );
    Some(Reply::arm_error(400, "NoRegisteredProviderFound", &message))
}
