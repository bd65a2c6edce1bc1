# METADATA
# title: The private endpoint has no address for this host
# description: |
#   A private endpoint serves one address for each host: the login host, the data host of each replica, and
#   regional hosts where they are on. This host has none, so the endpoint does not admit it. It happens when a
#   replica was added while the endpoint has static addresses, or when the endpoint was made for another registry.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-private-endpoints
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-geo-replication
# custom:
#   id: PP2304
#   name: endpoint-no-member
#   severity: error
#   layer: filtering
#   kinds: [endpoint_no_member]
#   facts: [A71, A74, A76, A77, A100]
#   example: |
#     contosoreg was replicated to northeurope. The endpoint has members for westeurope only, so layers from the
#     new replica fail.
#   remediation: |
#     Give the endpoint the member (with static addresses: an ipConfiguration each), or create it again with
#     dynamic addresses and a DNS zone group; check that the endpoint's subnet has free addresses:
#
#     - `az network private-endpoint show -g RG -n PE --query ipConfigurations`
#
#     Terraform: `azurerm_private_endpoint.ip_configuration` with `member_name = "registry_data_northeurope"`.
package pullproof.endpoint_no_member

import rego.v1

findings contains {"message": input.message}
