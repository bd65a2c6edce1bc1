# METADATA
# title: The record points at an address that no endpoint has
# description: |
#   The name resolves to a private address, and no approved private endpoint of the registry has it. It is what is
#   left of an endpoint that was deleted or rebuilt, or a record written by hand. Nodes connect to nothing, or to
#   a stranger.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-private-endpoints
# - ref: https://learn.microsoft.com/azure/private-link/private-endpoint-dns
# custom:
#   id: PP3104
#   name: stale-record
#   severity: error
#   layer: resolution
#   kinds: [stale_record]
#   facts: [D72, D75, A99, A100]
#   example: |
#     contosoreg in privatelink.azurecr.io says 10.10.4.5. The endpoint has been 10.10.4.7 since it was recreated.
#   remediation: |
#     Take the stale value out and put the right one in, then let a zone group keep it:
#
#     - `az network private-dns record-set a remove-record -g RG -z privatelink.azurecr.io -n contosoreg -a 10.10.4.5`
#     - `az network private-dns record-set a add-record -g RG -z privatelink.azurecr.io -n contosoreg -a 10.10.4.7`
#
#     Terraform: drop `azurerm_private_dns_a_record` for `azurerm_private_endpoint.private_dns_zone_group`.
package pullproof.stale_record

import rego.v1

findings contains {"message": input.message}
