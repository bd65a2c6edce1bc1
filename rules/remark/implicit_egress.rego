# METADATA
# title: The subnet leaves by default outbound access
# description: |
#   No NAT gateway, load balancer rule or public address is configured, so Azure lends an address that nobody
#   chose. AKS no longer supports that since March 2026, members of a Standard load balancer and Flexible scale
#   sets do not get it, and the address may change, which breaks IP rules of a registry.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/ip-services/default-outbound-access
# custom:
#   id: PP8105
#   name: implicit-egress
#   severity: warning
#   layer: remark
#   kinds: [implicit-egress]
#   facts: [R207, R209, R215, A374]
#   example: |
#     snet-apps of contoso has no NAT gateway; its nodes have left by an address that no resource holds.
#   remediation: |
#     Give the subnet a method of its own:
#
#     - `az network vnet subnet update -g RG --vnet-name VNET -n SUBNET --nat-gateway NAT`
#
#     Terraform: `azurerm_subnet_nat_gateway_association`.
package pullproof.implicit_egress

import rego.v1

findings contains {"message": input.message}
