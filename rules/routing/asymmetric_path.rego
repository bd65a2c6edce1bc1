# METADATA
# title: The answer takes another way than the request
# description: |
#   The request goes through a stateful device and the answer passes it by, or passes through another one. A
#   device that saw only one half of the handshake drops the rest: Azure Firewall, appliances and security groups
#   all work that way. The usual cause is a route in one direction that is shorter than the peering or endpoint
#   route of the other.
# related_resources:
# - ref: https://learn.microsoft.com/azure/private-link/inspect-traffic-with-azure-firewall
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-networks-udr-overview
# custom:
#   id: PP1402
#   name: asymmetric-path
#   severity: error
#   layer: routing
#   kinds: [asymmetric_path]
#   facts: [R90, R125, R160, R163, R164, R255]
#   example: |
#     Nodes of contoso send 10.0.0.0/8 to the firewall. The answer comes back over the longer peering route
#     10.20.0.0/22, past it.
#   remediation: |
#     Make both directions use the same device: give the gateway's or the far subnet's table a user route for the
#     node prefix, at least as long as the route it has to beat; or take the inspection route away; or translate
#     the source address (application rules of Azure Firewall always do). For a private endpoint behind an
#     appliance see the tag `disableSnatOnPL`. Terraform: `azurerm_route` in both tables.
package pullproof.asymmetric_path

import rego.v1

findings contains {"message": input.message}
