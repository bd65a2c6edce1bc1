# METADATA
# title: The firewall cannot resolve the registry's name
# description: |
#   For an application rule the firewall looks the name up itself, in its own resolver, and connects to the
#   address that it gets; the address that the node asked for does not count. A name that it cannot resolve is
#   denied. If it gets the public address of a registry without public access, the registry refuses.
# related_resources:
# - ref: https://learn.microsoft.com/azure/firewall/dns-details
# - ref: https://learn.microsoft.com/azure/firewall/dns-settings
# custom:
#   id: PP2202
#   name: firewall-cannot-resolve
#   severity: error
#   layer: filtering
#   kinds: [firewall_cannot_resolve]
#   facts: [F121, D121, D123, D177]
#   example: |
#     Zone privatelink.azurecr.io of contoso is linked to the spokes only. The firewall stands in the hub and
#     finds no record.
#   remediation: |
#     Let the firewall's resolver see the zone: link it to the network of AzureFirewallSubnet, or set the policy's
#     DNS servers to ones that know it (a secured hub needs that, a zone cannot be linked to it):
#
#     - `az network private-dns link vnet create -g RG -z privatelink.azurecr.io -n hub -v HUB_VNET_ID -e false`
#
#     Terraform: `azurerm_private_dns_zone_virtual_network_link`, `azurerm_firewall_policy` block `dns`. Or use a
#     network rule for the endpoint's addresses instead.
package pullproof.firewall_cannot_resolve

import rego.v1

findings contains {"message": input.message}
