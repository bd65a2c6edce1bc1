# METADATA
# title: A user-defined route drops the traffic
# description: |
#   A route of the subnet's own table with next hop `None`, or one that leads nowhere, is the longest match for
#   the registry's address. User routes win over learned and system routes of the same length, so a drop that was
#   meant for something else also hides a working peering or gateway route. Nothing is logged; the pull times out.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-networks-udr-overview
# custom:
#   id: PP1002
#   name: user-route-drops
#   severity: error
#   layer: routing
#   kinds: [user_route_drops]
#   facts: [R21, R50, R51, R59, R60]
#   example: |
#     Table rt-nodes of contoso holds 10.10.0.0/16 → None to keep the nodes out of the old hub. The registry's
#     private endpoint has moved to 10.10.4.5.
#   remediation: |
#     Delete the route, narrow it, or add a longer one for the registry's addresses:
#
#     - `az network route-table route delete -g RG --route-table-name RT -n ROUTE`
#     - `az network route-table route update -g RG --route-table-name RT -n ROUTE --address-prefix PREFIX`
#
#     Terraform: `azurerm_route.next_hop_type`, or the inline `route` block of `azurerm_route_table` (not both on
#     one table).
package pullproof.user_route_drops

import rego.v1

findings contains {"message": input.message}
