# METADATA
# title: The record points at an address that is not this registry's
# description: |
#   The answer is an address of something else: an endpoint of another registry, a wildcard record, or a second
#   endpoint of the same registry that this subnet cannot reach, because two zone groups wrote to one zone and the
#   last one won. The connection fails, or the host that answers shows another certificate.
# related_resources:
# - ref: https://learn.microsoft.com/azure/private-link/private-endpoint-dns
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-private-endpoints
# custom:
#   id: PP3105
#   name: foreign-record
#   severity: error
#   layer: resolution
#   kinds: [foreign_record]
#   facts: [D52, D74, D75, D78, A83]
#   example: |
#     Two clusters of contoso each have an endpoint for contosoreg and share one zone. Creating the second one
#     turned the first cluster's record over.
#   remediation: |
#     Give each network its own zone with its own endpoint's addresses, or use one endpoint that all networks
#     reach. Remove wildcard records from `privatelink.azurecr.io`:
#
#     - `az network private-dns record-set a delete -g RG -z privatelink.azurecr.io -n '*'`
#
#     Terraform: one `azurerm_private_dns_zone` for each isolated network.
package pullproof.foreign_record

import rego.v1

findings contains {"message": input.message}
