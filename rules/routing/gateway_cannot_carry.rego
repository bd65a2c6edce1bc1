# METADATA
# title: The gateway cannot carry this traffic
# description: |
#   The route ends at a gateway that has no way for it: a user route to `VirtualNetworkGateway` where only
#   ExpressRoute exists or where both kinds coexist, a policy-based gateway without a matching selector, a local
#   network gateway that does not list the prefix, or transit between connections that is off. Static VPN carries
#   exactly the prefixes that its local network gateway lists.
# related_resources:
# - ref: https://learn.microsoft.com/azure/vpn-gateway/vpn-gateway-vpn-faq
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-networks-udr-overview
# custom:
#   id: PP1302
#   name: gateway-cannot-carry
#   severity: error
#   layer: routing
#   kinds: [gateway_cannot_carry]
#   facts: [R47, R49, R129, R136, R137, R149]
#   example: |
#     lng-dc of contoso lists 172.24.0.0/21. The registry is at 172.24.8.20, just outside of it.
#   remediation: |
#     List the registry's prefix, or let BGP announce it:
#
#     - `az network local-gateway update -g RG -n LNG --local-address-prefixes 172.24.0.0/16`
#
#     Terraform: `azurerm_local_network_gateway.address_space`. For ExpressRoute remove the user route and let
#     propagation bring the prefix.
package pullproof.gateway_cannot_carry

import rego.v1

findings contains {"message": input.message}
