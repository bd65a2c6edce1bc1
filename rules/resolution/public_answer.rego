# METADATA
# title: The name resolves to the public address, not to the endpoint
# description: |
#   The registry is meant to be reached by its private endpoint, and the resolver never enters the private zone.
#   Azure DNS answers from the zones that are linked to the network of whoever asks it: with a DNS server,
#   firewall or Private Resolver in the hub that is the hub, not the spoke. Peering does not pass links on. The
#   nodes then meet the registry's firewall (403) or a blocked way out.
# related_resources:
# - ref: https://learn.microsoft.com/azure/private-link/private-endpoint-dns-integration
# - ref: https://learn.microsoft.com/azure/dns/private-dns-virtual-network-links
# custom:
#   id: PP3103
#   name: public-answer
#   severity: error
#   layer: resolution
#   kinds: [public_answer]
#   facts: [D27, D29, D45, D79, D105, D108]
#   example: |
#     The spoke of contoso uses the DNS server 10.0.2.4 in the hub. The zone is linked to the spoke; the hub has
#     no link.
#   remediation: |
#     Link the zone to the network from which Azure DNS is asked:
#
#     - `az network private-dns link vnet create -g RG -z privatelink.azurecr.io -n hub -v HUB_VNET_ID -e false`
#
#     On own servers forward `azurecr.io` (the public name, not `privatelink.azurecr.io`) to 168.63.129.16, or to
#     an inbound endpoint. Terraform: `azurerm_private_dns_zone_virtual_network_link`.
package pullproof.public_answer

import rego.v1

findings contains {"message": input.message}
