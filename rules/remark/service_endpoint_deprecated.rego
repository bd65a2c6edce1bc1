# METADATA
# title: The registry is reached by a service endpoint
# description: |
#   Service endpoints of Container Registry have stayed in preview, cannot be combined with private endpoints, and
#   are on the way out; the Terraform provider has dropped them. Layers from storage do not use them. The path
#   works today.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-private-endpoints
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-network-service-endpoints-overview
# custom:
#   id: PP8403
#   name: service-endpoint-deprecated
#   severity: warning
#   layer: remark
#   kinds: [service-endpoint-deprecated]
#   facts: [A90, A91, A372]
#   example: |
#     contosoreg has a virtual network rule for snet-apps of contoso.
#   remediation: |
#     Move to a private endpoint: create it, let the names resolve to it, then remove the rule:
#
#     - `az acr network-rule remove -n REGISTRY --subnet SUBNET_ID`
#
#     Terraform: `azurerm_private_endpoint`.
package pullproof.service_endpoint_deprecated

import rego.v1

findings contains {"message": input.message}
