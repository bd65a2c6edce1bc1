//! Service endpoint policies: which storage accounts a subnet's service endpoint lets through (R100, A93).

use pullproof_snapshot::ArmId;

use crate::json::{Node, is};
use crate::missing;
use crate::plain::Plain;
use crate::tri::Tri;
use crate::vnet::Subnet;

/// Does the subnet's endpoint to `service` admit the host? Yes where no policy is bound. The storage behind a registry
/// is in no subscription of a customer, so that policies that list only resources deny it; one that lists a service
/// alias may admit it.
pub fn admits(plain: &Plain, subnet: &Subnet, service: &str, host: Option<&str>) -> Tri {
    if !is(service, "Microsoft.Storage") && !is(service, "Microsoft.Storage.Global") {
        return Tri::Yes;
    }
    let policies = subnet.node().references("/properties/serviceEndpointPolicies");
    if policies.known.is_empty() && policies.open.is_empty() {
        return Tri::Yes;
    }
    let mut answer = if policies.open.is_empty() { Tri::No } else { Tri::Unknown(policies.open) };
    for policy in policies.known {
        answer = answer.or(of_policy(plain, &policy, host));
    }
    answer
}

fn of_policy(plain: &Plain, policy: &ArmId, host: Option<&str>) -> Tri {
    let json = match plain.read(policy) {
        Ok((_, json)) => json,
        Err(missing) => return Tri::unknown(missing),
    };
    let definitions = Node::new(&json, policy).list("/properties/serviceEndpointPolicyDefinitions");
    let mut answer = if definitions.open.is_empty() { Tri::No } else { Tri::Unknown(definitions.open) };
    for definition in definitions.known {
        let resources = Node::new(definition, policy).references("/properties/serviceResources");
        for missing in resources.open {
            answer = answer.or(Tri::unknown(missing));
        }
        for resource in resources.known {
            answer = answer.or(listed(plain, policy, &resource, host));
        }
    }
    answer
}

/// One entry: a service alias, an account, or a group or subscription of accounts.
fn listed(plain: &Plain, policy: &ArmId, entry: &ArmId, host: Option<&str>) -> Tri {
    if entry.folded().starts_with("/services/") {
        return Tri::unknown(missing::evidence(
            format!("whether {entry} holds the storage of the registry"),
            format!("a service alias in {} (R100)", policy.name()),
        ));
    }
    let Some(host) = host else {
        let what = "the storage account of the connection";
        return Tri::unknown(missing::evidence(what, "a policy compares it (R100)"));
    };
    let account = host.split('.').next().unwrap_or_default();
    let accounts = plain.layered.of_type("Microsoft.Storage/storageAccounts");
    accounts
        .into_iter()
        .map(|ix| plain.layered.id(ix))
        .any(|id| id.is_within(entry.folded()) && id.name().eq_ignore_ascii_case(account))
        .into()
}
