# METADATA
# title: A peering has virtual network access off
# description: |
#   With `allowVirtualNetworkAccess` off the peer is not in the `VirtualNetwork` tag, so the default rules of
#   security groups no longer admit its traffic. The route stays and the peering says `Connected`, which hides it.
#   Whether an explicit rule suffices is contested.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-network-manage-peering
# custom:
#   id: PP8102
#   name: peering-without-access
#   severity: warning
#   layer: remark
#   kinds: [peering-access-off]
#   facts: [F64, R112]
#   example: |
#     spoke-to-shared of contoso has access off.
#   remediation: |
#     If it is not meant:
#
#     - `az network vnet peering update -g RG --vnet-name VNET -n PEERING --allow-vnet-access true`
#
#     Terraform: `azurerm_virtual_network_peering.allow_virtual_network_access`.
package pullproof.peering_without_access

import rego.v1

findings contains {"message": input.message}
