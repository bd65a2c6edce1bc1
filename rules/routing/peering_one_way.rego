# METADATA
# title: A peering carries traffic in one direction only
# description: |
#   The route towards the registry exists, and the way back does not. With peered subnets (`peerCompleteVnets`
#   off) only the subnets that are listed take part: a node subnet that is not listed gets routes and no answers.
#   The handshake never completes, so the pull times out as if nothing were there.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-network-manage-peering
# custom:
#   id: PP1104
#   name: peering-one-way
#   severity: error
#   layer: routing
#   kinds: [peering_one_way]
#   facts: [R122, R123, R126, R235]
#   example: |
#     The peering of contoso lists snet-system in localSubnetNames. Pool apps lives in snet-apps and holds the
#     routes as well, but its packets are dropped.
#   remediation: |
#     Add the subnet to both halves, or peer the complete networks (the link's type cannot be changed in place:
#     delete it and create it again):
#
#     - `az network vnet peering update -g RG --vnet-name VNET -n PEERING --local-subnet-names snet-system snet-apps`
#
#     Terraform: `azurerm_virtual_network_peering.local_subnet_names`, `remote_subnet_names`,
#     `peer_complete_virtual_networks_enabled`.
package pullproof.peering_one_way

import rego.v1

findings contains {"message": input.message}
