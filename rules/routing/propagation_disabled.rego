# METADATA
# title: Gateway routes do not reach the node subnet
# description: |
#   The subnet's route table switches the propagation of gateway routes off. Everything that a VPN gateway,
#   ExpressRoute, Route Server or virtual hub would announce is then missing in this subnet only, while a machine
#   in the next subnet reaches the registry. Nothing else in the table brings the prefix back.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-networks-udr-overview
# custom:
#   id: PP1005
#   name: propagation-disabled
#   severity: error
#   layer: routing
#   kinds: [propagation_disabled]
#   facts: [R28, R72, R73, R183]
#   example: |
#     contoso set disableBgpRoutePropagation on rt-nodes to stop a learned default route. The route to
#     172.24.0.0/16, where the registry stands, went with it.
#   remediation: |
#     Switch propagation on again, or add the missing prefixes as user routes (next hop `VirtualNetworkGateway`
#     works for a VPN gateway only, never for ExpressRoute):
#
#     - `az network route-table update -g RG -n RT --disable-bgp-route-propagation false`
#
#     Terraform: `azurerm_route_table.bgp_route_propagation_enabled = true`.
package pullproof.propagation_disabled

import rego.v1

findings contains {"message": input.message}
