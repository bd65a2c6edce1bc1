# METADATA
# title: A peering does not carry the new address space yet
# description: |
#   The address space of a peered network has changed and the link was not synchronised. Azure goes on routing the
#   prefixes that were peered, so the part where the nodes or the registry are is missing. Old subnets work, new
#   ones do not, which looks like a fault of the new node pool.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/update-virtual-network-peering-address-space
# custom:
#   id: PP1102
#   name: peering-not-synced
#   severity: error
#   layer: routing
#   kinds: [peering_not_synced]
#   facts: [R107, R108, R239]
#   example: |
#     contoso added 10.20.8.0/22 to the spoke for a second node pool. The hub's link still lists 10.20.0.0/22
#     under remoteAddressSpace.
#   remediation: |
#     Synchronise the link in every network that is peered with the changed one:
#
#     - `az network vnet peering sync -g RG --vnet-name VNET -n PEERING`
#
#     Terraform: put the remote address space into `triggers` of `azurerm_virtual_network_peering`, so that a
#     change runs the sync.
package pullproof.peering_not_synced

import rego.v1

findings contains {"message": input.message}
