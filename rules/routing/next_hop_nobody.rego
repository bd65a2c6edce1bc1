# METADATA
# title: The next hop of a route is an address that nobody has
# description: |
#   The address lies in a network that was read completely, and no network interface, load balancer front end or
#   firewall there has it. Packets for it vanish. It happens when a firewall is rebuilt and comes back with
#   another address, or when a table is copied between regions.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-networks-udr-overview
# custom:
#   id: PP1004
#   name: next-hop-nobody
#   severity: error
#   layer: routing
#   kinds: [next_hop_nobody]
#   facts: [R37, R42, R237]
#   example: |
#     Route default in rt-nodes of contoso still says 10.0.1.4; the firewall of the hub was recreated and has
#     10.0.1.5 now.
#   remediation: |
#     Set the next hop to the address that the appliance has:
#
#     - `az network firewall show -g RG -n FW --query 'ipConfigurations[0].privateIPAddress'` (extension `azure-firewall`)
#     - `az network route-table route update -g RG --route-table-name RT -n ROUTE --next-hop-ip-address IP`
#
#     Terraform: take `next_hop_in_ip_address` from `azurerm_firewall.ip_configuration[0].private_ip_address`
#     instead of writing it down.
package pullproof.next_hop_nobody

import rego.v1

findings contains {"message": input.message}
