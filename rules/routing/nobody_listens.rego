# METADATA
# title: Nothing serves the address that the nodes connect to
# description: |
#   The packet is delivered into the network that owns the address, but no network interface, private endpoint or
#   load balancer there has it. The name usually still resolves to a private endpoint that was deleted or rebuilt.
#   Nodes time out, or are refused by whoever got the address next.
# related_resources:
# - ref: https://learn.microsoft.com/azure/private-link/private-endpoint-overview
# - ref: https://learn.microsoft.com/azure/private-link/private-endpoint-dns
# custom:
#   id: PP1008
#   name: nobody-listens
#   severity: error
#   layer: routing
#   kinds: [nobody_listens]
#   facts: [R11, R25, R42, D75]
#   example: |
#     contosoreg.azurecr.io resolves to 10.10.4.5. The private endpoint was recreated and has 10.10.4.7; the
#     record was written by hand.
#   remediation: |
#     Correct the record, best by a DNS zone group that keeps it right:
#
#     - `az network private-endpoint dns-zone-group create -g RG --endpoint-name PE -n default --zone-name privatelink.azurecr.io --private-dns-zone ZONE_ID`
#
#     Terraform: the `private_dns_zone_group` block of `azurerm_private_endpoint`.
package pullproof.nobody_listens

import rego.v1

findings contains {"message": input.message}
