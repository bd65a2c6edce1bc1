# METADATA
# title: The nodes have no way out to public addresses
# description: |
#   The registry is used by its public address, the route says `Internet`, and the subnet has no address to leave
#   with: no NAT gateway, no load balancer with outbound rules, no public address on the nodes, and default
#   outbound access is off or does not apply. Routes with next hop `Internet` do not help there. Storage of the
#   same region may still answer, so that a part of the pull works.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/ip-services/default-outbound-access
# - ref: https://learn.microsoft.com/azure/aks/egress-outboundtype
# custom:
#   id: PP1501
#   name: no-egress
#   severity: error
#   layer: routing
#   kinds: [no_egress]
#   facts: [R202, R206, R207, R212, R213, R219, A185]
#   example: |
#     Subnet snet-apps of contoso has defaultOutboundAccess off. The cluster has outbound type none.
#   remediation: |
#     Give the subnet a NAT gateway, or send the default route to a firewall with egress, or use a private
#     endpoint of the registry:
#
#     - `az network nat gateway create -g RG -n NAT --pip-addresses PIP`
#     - `az network vnet subnet update -g RG --vnet-name VNET -n SUBNET --nat-gateway NAT`
#
#     Terraform: `azurerm_nat_gateway`, `azurerm_nat_gateway_public_ip_association`,
#     `azurerm_subnet_nat_gateway_association`; cluster: `network_profile.outbound_type`.
package pullproof.no_egress

import rego.v1

findings contains {"message": input.message}
