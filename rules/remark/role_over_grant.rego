# METADATA
# title: Pulls rest on a role that grants more than they need
# description: |
#   The kubelet identity may pull because of a broad role, such as Reader, Contributor or Owner on the registry or
#   above. It works, and ends when somebody tidies up, or when the registry goes over to repository permissions,
#   where those roles count no longer.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-rbac-built-in-roles-directory-reference
# custom:
#   id: PP8601
#   name: role-over-grant
#   severity: note
#   layer: remark
#   kinds: [role-over-grant]
#   facts: [A302, A303, A316]
#   example: |
#     The kubelet identity of contoso is Contributor on the subscription; it has no AcrPull.
#   remediation: |
#     Assign the narrow role on the registry, then take the broad one away:
#
#     - `az role assignment create --assignee-object-id OBJECT_ID --assignee-principal-type ServicePrincipal --role AcrPull --scope REGISTRY_ID`
#
#     Terraform: `azurerm_role_assignment`.
package pullproof.role_over_grant

import rego.v1

findings contains {"message": input.message}
