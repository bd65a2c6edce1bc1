# METADATA
# title: Layers come from storage accounts that nobody can name
# description: |
#   Without dedicated data endpoints the registry sends nodes to storage accounts of Microsoft, many and changing.
#   Only a rule for the whole of `*.blob.core.windows.net`, or for the Storage tag, lets them through, which also
#   lets any other account through.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-dedicated-data-endpoints
# custom:
#   id: PP8404
#   name: storage-wildcard
#   severity: warning
#   layer: remark
#   kinds: [storage-wildcard]
#   facts: [A12, A13, A375, A395]
#   example: |
#     contosoreg has no data endpoints; the firewall of contoso allows *.blob.core.windows.net.
#   remediation: |
#     Switch dedicated data endpoints on (Premium), and allow the new hosts before you do:
#
#     - `az acr update -n REGISTRY --data-endpoint-enabled true`
#
#     Terraform: `azurerm_container_registry.data_endpoint_enabled = true`.
package pullproof.storage_wildcard

import rego.v1

findings contains {"message": input.message}
