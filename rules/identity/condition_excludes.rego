# METADATA
# title: The role's condition leaves the repository out
# description: |
#   The assignment holds only under a condition on the repository's name, and the image's repository does not meet
#   it. The token is issued without the right, and the pull is refused for this repository while others work.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-rbac-abac-repository-permissions
# custom:
#   id: PP6103
#   name: condition-excludes
#   severity: error
#   layer: identity
#   kinds: [condition_excludes]
#   facts: [A304, A308]
#   example: |
#     The assignment for contosoreg has StringStartsWithIgnoreCase 'team-a/'. The image is team-b/app.
#   remediation: |
#     Widen the condition or add an assignment for the repository; a prefix needs the trailing slash. Terraform:
#     `azurerm_role_assignment.condition` with `condition_version = "2.0"`.
package pullproof.condition_excludes

import rego.v1

findings contains {"message": input.message}
