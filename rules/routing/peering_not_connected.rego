# METADATA
# title: A peering on the path is not connected
# description: |
#   A peering is two resources, one in each virtual network. Traffic flows only while both halves say `Connected`.
#   `Initiated` means that the other half is missing; `Disconnected` means that it was deleted or its network
#   rebuilt. The nodes then have no route to the registry's private endpoint or to the network behind it, and a
#   pull ends in a time-out although the name resolves.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-network-troubleshoot-peering-issues
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-network-manage-peering
# custom:
#   id: PP1101
#   name: peering-not-connected
#   severity: error
#   layer: routing
#   kinds: [peering_not_connected]
#   facts: [R103, R104, R106]
#   example: |
#     The spoke of contoso was deleted and created again: the hub's half still points at the old one and says
#     `Disconnected`.
#   remediation: |
#     `Initiated`: create the half that is missing. `Disconnected`: delete the half that is left and create both
#     again; it cannot be repaired in place.
#
#     - `az network vnet peering delete -g RG --vnet-name HUB -n hub-to-spoke`
#     - `az network vnet peering create -g RG --vnet-name HUB -n hub-to-spoke --remote-vnet SPOKE_ID --allow-vnet-access`
#
#     Terraform: one `azurerm_virtual_network_peering` for each direction.
package pullproof.peering_not_connected

import rego.v1

findings contains {"message": sprintf("%s%s", [input.message, next])}

states := {lower(e.value) | some e in input.evidence; is_string(e.value)}

default next := ""

next := "; create the half in the other network" if {
	"initiated" in states
	not "disconnected" in states
}

next := "; delete what is left of it and create both halves again" if "disconnected" in states
