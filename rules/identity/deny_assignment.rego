# METADATA
# title: A deny assignment takes the right to pull away
# description: |
#   A deny assignment matches the action and the identity at the registry's scope or above. It beats every role.
#   Users cannot create one directly; it comes from a managed application, a deployment stack or a platform
#   service.
# related_resources:
# - ref: https://learn.microsoft.com/azure/role-based-access-control/deny-assignments
# custom:
#   id: PP6104
#   name: deny-assignment
#   severity: error
#   layer: identity
#   kinds: [deny_assignment]
#   facts: [A309]
#   example: |
#     The deployment stack of contoso denies everything on its resource group to all principals but its own;
#     contosoreg is in it.
#   remediation: |
#     Change what created it: exclude the kubelet identity (deployment stack: excluded principals), or move the
#     registry out of the protected scope. Show them in the portal under access control, deny assignments.
package pullproof.deny_assignment

import rego.v1

findings contains {"message": input.message}
