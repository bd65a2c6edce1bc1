# METADATA
# title: No route to the registry's address
# description: |
#   No route of the node subnet covers the address, or the one that does drops it. Azure sends private addresses
#   that no virtual network, peering or gateway covers to `None`, silently. The kubelet sees no refusal, only `i/o
#   timeout` after half a minute for each attempt.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-networks-udr-overview
# - ref: https://learn.microsoft.com/azure/virtual-network/diagnose-network-routing-problem
# custom:
#   id: PP1001
#   name: no-route
#   severity: error
#   layer: routing
#   kinds: [no_route]
#   facts: [R13, R15, R17, R20, R21]
#   example: |
#     The harbor registry of contoso answers at 172.24.8.20. Neither the virtual network of the nodes nor the
#     gateway knows 172.24.0.0/16, so the built-in route 172.16.0.0/12 → None takes the packet.
#   remediation: |
#     Bring the prefix to the node subnet: peer with the network that holds it, or let a gateway or a virtual hub
#     announce it, or route it to an appliance that knows the way:
#
#     - `az network route-table route create -g RG --route-table-name RT -n to-registry --address-prefix PREFIX --next-hop-type VirtualAppliance --next-hop-ip-address IP`
#
#     Terraform: `azurerm_route`. Check afterwards with the effective routes of a network interface in the subnet.
package pullproof.no_route

import rego.v1

findings contains {"message": input.message}
