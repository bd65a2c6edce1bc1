# METADATA
# title: The answer has no route back to the nodes
# description: |
#   The request arrives, and the subnet or device that answers has no route for the node's address. Azure looks
#   the way back up on its own, from the answering side; nothing makes it follow the way that the request took.
#   The pull times out although every hop towards the registry is right.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-networks-udr-overview
# - ref: https://learn.microsoft.com/azure/virtual-network/diagnose-network-routing-problem
# custom:
#   id: PP1401
#   name: no-return-route
#   severity: error
#   layer: routing
#   kinds: [no_return_route]
#   facts: [R2, R146, R171, R172, R235]
#   example: |
#     The firewall of contoso sends requests on to 10.10.4.0/24. The table of its own subnet lacks the spoke
#     10.20.0.0/22.
#   remediation: |
#     Add the node prefix where the answer starts: peering, propagated gateway route, or a user route:
#
#     - `az network route-table route create -g RG --route-table-name RT -n to-nodes --address-prefix NODE_PREFIX --next-hop-type VirtualAppliance --next-hop-ip-address IP`
#
#     Terraform: `azurerm_route`.
package pullproof.no_return_route

import rego.v1

findings contains {"message": input.message}
