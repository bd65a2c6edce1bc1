# METADATA
# title: The role does not count in the registry's permission mode
# description: |
#   With `roleAssignmentMode` AbacRepositoryPermissions the registry ignores AcrPull, AcrPush and the data rights
#   of Owner, Contributor and Reader; with the legacy mode the repository roles do not count. The assignment is
#   there and grants nothing. The switch also makes cached credentials invalid.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-rbac-abac-repository-permissions
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-rbac-built-in-roles-directory-reference
# custom:
#   id: PP6102
#   name: wrong-role-mode
#   severity: error
#   layer: identity
#   kinds: [wrong_role_mode]
#   facts: [A302, A303, A304]
#   example: |
#     contosoreg was switched to ABAC for one team. The kubelet identities of the other clusters still have
#     AcrPull only.
#   remediation: |
#     Assign the role of the mode, before switching:
#
#     - `az role assignment create --assignee-object-id OBJECT_ID --assignee-principal-type ServicePrincipal --role "Container Registry Repository Reader" --scope REGISTRY_ID`
#
#     or go back: `az acr update -n REGISTRY --role-assignment-mode rbac`. `az aks update --attach-acr` assigns
#     AcrPull and does not help in ABAC mode.
package pullproof.wrong_role_mode

import rego.v1

findings contains {"message": input.message}
