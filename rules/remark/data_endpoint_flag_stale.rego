# METADATA
# title: The registry lists no data endpoint although they are in force
# description: |
#   Dedicated data endpoints are in force (an approved private endpoint or the flag switches them on), and the
#   registry's list of their names is empty. The names were derived from its regions. The snapshot may be older
#   than the endpoint.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-dedicated-data-endpoints
# custom:
#   id: PP8401
#   name: data-endpoint-flag-stale
#   severity: note
#   layer: remark
#   kinds: [data-endpoint-flag-stale]
#   facts: [A37, A40, A56]
#   example: |
#     dataEndpointHostNames of contosoreg is empty in a snapshot that was taken right after the private endpoint.
#   remediation: |
#     Collect again. If the list stays empty, switch the flag on:
#
#     - `az acr update -n REGISTRY --data-endpoint-enabled true`
#
#     Terraform: `azurerm_container_registry.data_endpoint_enabled = true`.
package pullproof.data_endpoint_flag_stale

import rego.v1

findings contains {"message": input.message}
