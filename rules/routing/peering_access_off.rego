# METADATA
# title: A peering does not allow virtual network access
# description: |
#   `allowVirtualNetworkAccess` is off on a half of the peering that the packet crosses. The peer then leaves the
#   `VirtualNetwork` tag, and the default rules of the security groups drop the traffic in one direction. The
#   peering itself still says `Connected`, and its route is still there.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-network-manage-peering
# custom:
#   id: PP1103
#   name: peering-access-off
#   severity: error
#   layer: routing
#   kinds: [peering_access_off]
#   facts: [R112, R113, F64, F70]
#   example: |
#     The hub's half hub-to-spoke of contoso was created without access, to keep the old spoke out. The nodes use
#     the same link.
#   remediation: |
#     Switch it on, on both halves:
#
#     - `az network vnet peering update -g RG --vnet-name VNET -n PEERING --allow-vnet-access true`
#
#     Terraform: `azurerm_virtual_network_peering.allow_virtual_network_access = true`. If the switch is meant,
#     allow the node subnet by address in the security groups and test it: documentation and reports from the
#     field disagree on whether that is enough.
package pullproof.peering_access_off

import rego.v1

findings contains {"message": input.message}
