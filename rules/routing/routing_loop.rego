# METADATA
# title: Routes send the packet in a circle
# description: |
#   Following the routes leads back to a device and subnet that the packet has already left. The usual cause: the
#   appliance's own subnet is bound to the same route table as the nodes, so the appliance sends the packet to
#   itself. Azure ends it when its time to live runs out.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-networks-udr-overview
# custom:
#   id: PP1006
#   name: routing-loop
#   severity: error
#   layer: routing
#   kinds: [routing_loop]
#   facts: [R45, R175]
#   example: |
#     rt-spokes with 0.0.0.0/0 → 10.0.1.4 is bound to the node subnet of contoso and to the subnet of the
#     appliance 10.0.1.4.
#   remediation: |
#     Give the appliance's subnet a table of its own (or none), without the route to itself:
#
#     - `az network vnet subnet update -g RG --vnet-name VNET -n SUBNET --route-table RT_OF_THE_APPLIANCE`
#
#     Terraform: `azurerm_subnet_route_table_association`.
package pullproof.routing_loop

import rego.v1

findings contains {"message": input.message}
