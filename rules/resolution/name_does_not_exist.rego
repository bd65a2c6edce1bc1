# METADATA
# title: The registry's name does not exist for the nodes
# description: |
#   The resolver that the node uses answers NXDOMAIN. That is final: no other server is asked, however many are
#   listed. The usual cause is a zone `privatelink.azurecr.io` linked to the resolver's network that lacks this
#   registry's record: as soon as a registry has one private endpoint anywhere, its public name leads into that
#   zone. Pod lookups prove nothing here; the node asks on its own.
# related_resources:
# - ref: https://learn.microsoft.com/azure/private-link/private-endpoint-dns
# - ref: https://learn.microsoft.com/azure/dns/private-dns-fallback
# custom:
#   id: PP3101
#   name: name-does-not-exist
#   severity: error
#   layer: resolution
#   kinds: [name_does_not_exist]
#   facts: [D11, D46, D50, D77, A82]
#   example: |
#     Two teams of contoso have a zone privatelink.azurecr.io each. The nodes' network is linked to the one
#     without contosoreg.
#   remediation: |
#     Bring the record into the zone that the resolver sees (one record for the login host, one for each
#     `contosoreg.REGION.data`), best by a zone group of the endpoint:
#
#     - `az network private-endpoint dns-zone-group create -g RG --endpoint-name PE -n default --zone-name privatelink.azurecr.io --private-dns-zone ZONE_ID`
#     - `az network private-dns record-set a add-record -g RG -z privatelink.azurecr.io -n contosoreg -a 10.10.4.5`
#
#     Where public access is meant: `--resolution-policy NxDomainRedirect` on the link. Terraform:
#     `azurerm_private_endpoint.private_dns_zone_group`, `azurerm_private_dns_a_record`.
package pullproof.name_does_not_exist

import rego.v1

findings contains {"message": input.message}
