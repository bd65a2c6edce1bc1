# METADATA
# title: Peerings are not transitive; no path through the hub
# description: |
#   Two networks that are peered with the same hub do not reach each other through it. Without user routes to a
#   forwarding appliance in the hub, or a peering of their own, the packet has no route, and Azure returns no
#   error.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-network-peering-overview
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-networks-udr-overview
# custom:
#   id: PP1105
#   name: not-transitive
#   severity: error
#   layer: routing
#   kinds: [not_transitive]
#   facts: [R39, R76, R105, R115, R172]
#   example: |
#     Nodes are in spoke contoso-aks, the registry's private endpoint in spoke contoso-shared. Both are peered
#     with the hub, not with each other.
#   remediation: |
#     Peer the two networks, or route through the hub's firewall in both directions, or put a private endpoint of
#     the registry into the nodes' network:
#
#     - `az network vnet peering create -g RG --vnet-name SPOKE_A -n a-to-b --remote-vnet SPOKE_B_ID --allow-vnet-access` (and b-to-a)
#
#     Terraform: two `azurerm_virtual_network_peering`, or an `azurerm_route` in the tables of both spokes.
package pullproof.not_transitive

import rego.v1

findings contains {"message": input.message}
