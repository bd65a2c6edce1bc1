# METADATA
# title: The nodes cannot reach their DNS server
# description: |
#   The server that the network hands out has no working path from the node subnet on port 53, there or back.
#   Every lookup waits about five seconds for each dead server; with all of them dead no name resolves and no pull
#   starts. UDP and TCP are needed. 168.63.129.16 is not affected by routes or ordinary rules.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-networks-name-resolution-for-vms-and-role-instances
# - ref: https://learn.microsoft.com/azure/aks/outbound-rules-control-egress
# custom:
#   id: PP3201
#   name: resolver-unreachable
#   severity: error
#   layer: resolution
#   kinds: [resolver_unreachable]
#   facts: [D9, D12, D115, D133, D142]
#   example: |
#     vnet-aks of contoso uses 10.18.1.4 on the other side of the gateway. The node subnet does not learn that
#     prefix.
#   remediation: |
#     Open the path to the server (route, security groups, firewall rules for UDP and TCP 53, and back), or change
#     the list:
#
#     - `az network vnet update -g RG -n VNET --dns-servers 10.0.2.4`
#
#     Running nodes keep the old list: upgrade the pool's node image afterwards. Terraform:
#     `azurerm_virtual_network.dns_servers` or `azurerm_virtual_network_dns_servers`.
package pullproof.resolver_unreachable

import rego.v1

findings contains {"message": input.message}
