# METADATA
# title: The next hop of a route is out of the subnet's reach
# description: |
#   A route names an appliance whose address is neither in the virtual network, nor in a directly peered one, nor
#   in a connected virtual hub. Azure takes such a route and then drops what matches it: a next hop must be
#   reachable without a gateway and without a second peering.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-networks-udr-overview
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-network-peering-overview
# custom:
#   id: PP1003
#   name: next-hop-not-reachable
#   severity: error
#   layer: routing
#   kinds: [next_hop_not_reachable]
#   facts: [R37, R38, R39, R40, R41]
#   example: |
#     The spoke of contoso sends 0.0.0.0/0 to 10.50.0.4, a firewall in another spoke of the same hub. The two
#     spokes are not peered.
#   remediation: |
#     Point the route at an appliance in this network or in a directly peered one (usually the hub's), or peer
#     with the network that holds it:
#
#     - `az network route-table route update -g RG --route-table-name RT -n ROUTE --next-hop-ip-address IP`
#
#     Terraform: `azurerm_route.next_hop_in_ip_address`.
package pullproof.next_hop_not_reachable

import rego.v1

findings contains {"message": input.message}
