# METADATA
# title: A network security group drops the pull
# description: |
#   A rule of the group at the node subnet, at the node's interface or at the receiving side matches first and
#   says `Deny`. Rules are tried by ascending priority and the first match ends the search; both levels, where
#   both have a group, must allow. What no rule names falls to the default rules: a private address that is not in
#   the `VirtualNetwork` tag is not `Internet` either and ends in `DenyAllOutBound`. Private endpoint addresses
#   are in no Azure service tag.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview
# - ref: https://learn.microsoft.com/azure/virtual-network/service-tags-overview
# custom:
#   id: PP2101
#   name: nsg-denies
#   severity: error
#   layer: filtering
#   kinds: [nsg_denies]
#   facts: [F2, F3, F4, F10, F13, F70, F83, F84]
#   example: |
#     nsg-nodes of contoso allows AzureContainerRegistry and denies the rest at 4000. The private endpoint is
#     10.10.4.5, which that tag does not hold.
#   remediation: |
#     Put an allow rule with a lower number before the one that decides, for TCP 443 from the node subnet to every
#     address of the registry (login and data):
#
#     - `az network nsg rule create -g RG --nsg-name NSG -n allow-registry --priority 200 --direction Outbound --access Allow --protocol Tcp --source-address-prefixes NODE_PREFIX --destination-address-prefixes 10.10.4.0/27 --destination-port-ranges 443`
#
#     Terraform: `azurerm_network_security_rule` (never mixed with inline `security_rule` blocks). Do not touch
#     the group that AKS manages in the node resource group.
package pullproof.nsg_denies

import rego.v1

findings contains {"message": input.message}
