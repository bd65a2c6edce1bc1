# METADATA
# title: The registry's name has no IPv4 address for the nodes
# description: |
#   The name exists in the zone that answers, but without an A record: another type stands there, or the name
#   exists only because there is something below it. The answer is empty, not an error, so fallback to the
#   internet does not happen either. For the node it is the same as a name that does not exist.
# related_resources:
# - ref: https://learn.microsoft.com/azure/private-link/private-endpoint-dns
# custom:
#   id: PP3102
#   name: name-has-no-address
#   severity: error
#   layer: resolution
#   kinds: [name_has_no_address]
#   facts: [D40, D49]
#   example: |
#     privatelink.azurecr.io of contoso holds contosoreg.westeurope.data, and nothing for contosoreg itself but a
#     TXT record.
#   remediation: |
#     Add the A record:
#
#     - `az network private-dns record-set a add-record -g RG -z privatelink.azurecr.io -n contosoreg -a 10.10.4.5`
#
#     Terraform: `azurerm_private_dns_a_record`, or the endpoint's `private_dns_zone_group`.
package pullproof.name_has_no_address

import rego.v1

findings contains {"message": input.message}
