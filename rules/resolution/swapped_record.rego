# METADATA
# title: The records of login and data host are mixed up
# description: |
#   A private endpoint has one address for each host. The record of this host holds the address of another one of
#   the same registry. The connection opens, and the service behind that address does not serve the name, so TLS
#   or the request fails. It happens when records are written by hand, because the data member often has the lower
#   address.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-private-endpoints
# custom:
#   id: PP3106
#   name: swapped-record
#   severity: error
#   layer: resolution
#   kinds: [swapped_record]
#   facts: [D66, D69, D75, D179]
#   example: |
#     contosoreg says 10.10.4.5 and contosoreg.westeurope.data says 10.10.4.6; the endpoint has them the other way
#     round.
#   remediation: |
#     Write each record from the endpoint's interface, not by order, or use a zone group:
#
#     - `az network private-endpoint show -g RG -n PE --query customDnsConfigs`
#     - `az network private-dns record-set a update -g RG -z privatelink.azurecr.io -n contosoreg --set aRecords[0].ipv4Address=10.10.4.6`
#
#     Terraform: `azurerm_private_endpoint.private_dns_zone_group`.
package pullproof.swapped_record

import rego.v1

findings contains {"message": input.message}
