# METADATA
# title: The certificate does not carry the host's name
# description: |
#   The name in the image reference has to be in the certificate, over a private endpoint too. Pulling by the
#   `privatelink` name, by an address or by an own alias fails, because ACR serves `*.azurecr.io` and the like:
#   DNS may lead elsewhere, the name must stay.
# related_resources:
# - ref: https://learn.microsoft.com/azure/private-link/private-endpoint-dns
# custom:
#   id: PP5102
#   name: name-mismatch
#   severity: error
#   layer: trust
#   kinds: [name_mismatch]
#   facts: [A350, A351, D64]
#   example: |
#     The images of contoso are named contosoreg.privatelink.azurecr.io/team/app. The certificate is for
#     *.azurecr.io.
#   remediation: |
#     Use the login server's name in image references:
#
#     - `az acr show -n REGISTRY --query loginServer`
#
#     For a registry of your own: issue a certificate with the name, and correct `certificate.names` of the
#     `[[registry]]`.
package pullproof.name_mismatch

import rego.v1

findings contains {"message": input.message}
