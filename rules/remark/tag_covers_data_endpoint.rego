# METADATA
# title: A rule by service tag is taken to cover a data endpoint
# description: |
#   The addresses of dedicated data endpoints are taken to be in the tag AzureContainerRegistry. That was seen in
#   two regions and agrees with the documentation; it is not stated for each region. Storage hosts are never in
#   that tag.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/service-tags-overview
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-dedicated-data-endpoints
# custom:
#   id: PP8202
#   name: tag-covers-data-endpoint
#   severity: note
#   layer: remark
#   kinds: [tag-covers-data-endpoint]
#   facts: [A53, A58, F84]
#   example: |
#     nsg-nodes of contoso allows AzureContainerRegistry; the data host is contosoreg.westeurope.data.azurecr.io.
#   remediation: |
#     Nothing has to change. To be independent of it use a private endpoint, or look the host up and compare it
#     with the tag's list:
#
#     - `az network list-service-tags --location westeurope`
package pullproof.tag_covers_data_endpoint

import rego.v1

findings contains {"message": input.message}
