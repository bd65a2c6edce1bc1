# METADATA
# title: An appliance stands in the subnet whose route table names it
# description: |
#   The next hop of a route lies in the subnet that the table is bound to. The appliance's own packets then match
#   the route as well, and may be sent back to it. It works only as long as the appliance's traffic never matches.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-networks-udr-overview
# custom:
#   id: PP8103
#   name: appliance-in-routed-subnet
#   severity: warning
#   layer: remark
#   kinds: [appliance-in-routed-subnet]
#   facts: [R45, R175]
#   example: |
#     The appliance 10.20.0.4 of contoso is in snet-apps, whose table sends 0.0.0.0/0 to 10.20.0.4.
#   remediation: |
#     Put the appliance into a subnet of its own, with its own table or none. Terraform: `azurerm_subnet`,
#     `azurerm_subnet_route_table_association`.
package pullproof.appliance_in_routed_subnet

import rego.v1

findings contains {"message": input.message}
