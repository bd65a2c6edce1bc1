# METADATA
# title: A peering lags behind an address space
# description: |
#   The address space that was peered differs from the one that the remote network has now, or the link says that
#   it is not in sync. Pulls do not depend on the missing part today. A node pool or an endpoint that is put there
#   will be out of reach.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/update-virtual-network-peering-address-space
# custom:
#   id: PP8101
#   name: peering-not-in-sync
#   severity: warning
#   layer: remark
#   kinds: [peering-not-in-sync]
#   facts: [R107, R108]
#   example: |
#     The hub of contoso got 10.0.8.0/22. The spokes' links still carry 10.0.0.0/21 only.
#   remediation: |
#     Synchronise the link:
#
#     - `az network vnet peering sync -g RG --vnet-name VNET -n PEERING`
#
#     Terraform: `triggers` of `azurerm_virtual_network_peering`.
package pullproof.peering_not_in_sync

import rego.v1

findings contains {"message": input.message}
