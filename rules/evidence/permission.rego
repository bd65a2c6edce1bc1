# METADATA
# title: Something that decides could not be read
# description: |
#   Azure refused to show a resource that the answer depends on (403), or a whole subscription could not be read.
#   The audit does not guess: the claim stays undetermined until it is read. What was refused and does not matter
#   is not listed here.
# custom:
#   id: PP7101
#   name: permission
#   severity: warning
#   layer: evidence
#   kinds: [permission]
#   facts: [D44, D44a, A305]
#   example: |
#     The reader of contoso has no access to the connectivity subscription, so the hub's firewall policy was not
#     read.
#   remediation: |
#     Give the identity that collects `Reader` at the scope named in the finding, and collect again:
#
#     - `az role assignment create --assignee-object-id OBJECT_ID --assignee-principal-type ServicePrincipal --role Reader --scope SCOPE`
#
#     Effective routes and rules need more than Reader:
#     `Microsoft.Network/networkInterfaces/effectiveRouteTable/action` and
#     `.../effectiveNetworkSecurityGroups/action`.
package pullproof.permission

import rego.v1

findings contains {"message": sprintf("not readable: %s; %s", [input.message, input.remedy])}
