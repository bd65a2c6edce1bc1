# METADATA
# title: The endpoint's DNS list differs from its addresses
# description: |
#   `customDnsConfigs` of the private endpoint names an address that its network interface does not have. The
#   interface is right. Whoever writes records from that list writes wrong ones.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-private-endpoints
# custom:
#   id: PP8302
#   name: pe-dns-drift
#   severity: warning
#   layer: remark
#   kinds: [pe-dns-drift]
#   facts: [A73, A74, D69]
#   example: |
#     customDnsConfigs of pe-contosoreg says 10.10.4.5 for contosoreg.azurecr.io; the interface has 10.10.4.7.
#   remediation: |
#     Take addresses from the interface, and let a zone group write the records:
#
#     - `az network private-endpoint show -g RG -n PE --query networkInterfaces`
#
#     Terraform: `azurerm_private_endpoint.private_dns_zone_group`.
package pullproof.pe_dns_drift

import rego.v1

findings contains {"message": input.message}
