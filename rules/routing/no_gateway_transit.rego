# METADATA
# title: The spoke may not use the hub's gateway
# description: |
#   The network behind the gateway is reached from the spoke only if the hub's half of the peering has
#   `allowGatewayTransit` and the spoke's half has `useRemoteGateways`. Without the pair the spoke learns no
#   gateway routes, and its prefixes are not announced to the other side, so both directions fail. A Basic VPN
#   gateway cannot do it at all.
# related_resources:
# - ref: https://learn.microsoft.com/azure/vpn-gateway/vpn-gateway-peering-gateway-transit
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-network-manage-peering
# custom:
#   id: PP1301
#   name: no-gateway-transit
#   severity: error
#   layer: routing
#   kinds: [no_gateway_transit]
#   facts: [R118, R119, R120, R121, R240]
#   example: |
#     spoke-to-hub of contoso-aks has useRemoteGateways off. The registry at 172.24.8.20 is behind the hub's VPN
#     gateway.
#   remediation: |
#     Hub first, then spoke (the spoke must have no gateway of its own):
#
#     - `az network vnet peering update -g RG --vnet-name HUB -n hub-to-spoke --allow-gateway-transit true`
#     - `az network vnet peering update -g RG --vnet-name SPOKE -n spoke-to-hub --use-remote-gateways true`
#
#     Terraform: `azurerm_virtual_network_peering.allow_gateway_transit` and `.use_remote_gateways`.
package pullproof.no_gateway_transit

import rego.v1

findings contains {"message": input.message}
