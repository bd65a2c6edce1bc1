# METADATA
# title: The registry's tier does not have what the path needs
# description: |
#   Private endpoints, IP rules, dedicated data endpoints and geo-replication exist in tier Premium only. After a
#   downgrade they stop working, or the apply fails; a Basic or Standard registry is reachable by its public
#   address alone.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-skus
# custom:
#   id: PP2305
#   name: sku-too-low
#   severity: error
#   layer: filtering
#   kinds: [sku_too_low]
#   facts: [A36, A70, A373]
#   example: |
#     The plan of contoso sets sku to Standard for saving. The registry has a private endpoint that every cluster
#     uses.
#   remediation: |
#     Keep, or go back to, Premium:
#
#     - `az acr update -n REGISTRY --sku Premium`
#
#     Terraform: `azurerm_container_registry.sku = "Premium"`.
package pullproof.sku_too_low

import rego.v1

findings contains {"message": input.message}
