# METADATA
# title: A service endpoint policy refuses the registry's storage
# description: |
#   Without dedicated data endpoints layers come from storage accounts that Microsoft owns. A service endpoint
#   policy for Microsoft.Storage on the node subnet admits only the accounts that it lists, and those are never
#   among them. The manifest is read, and each layer fails with 403 `AuthorizationFailure`.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-network-service-endpoints-overview
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-dedicated-data-endpoints
# custom:
#   id: PP2103
#   name: service-endpoint-policy
#   severity: error
#   layer: filtering
#   kinds: [service_endpoint_policy]
#   facts: [A93, A94, R100]
#   example: |
#     snet-apps of contoso has the policy sep-storage, which lists the subscription's own accounts. Pulls stop at
#     the first layer.
#   remediation: |
#     Switch dedicated data endpoints on, so that layers no longer come from storage (Premium), or take the policy
#     off the node subnet:
#
#     - `az acr update -n REGISTRY --data-endpoint-enabled true`
#
#     Terraform: `azurerm_container_registry.data_endpoint_enabled = true`,
#     `azurerm_subnet.service_endpoint_policy_ids`.
package pullproof.service_endpoint_policy

import rego.v1

findings contains {"message": input.message}
