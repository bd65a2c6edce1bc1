# METADATA
# title: The image names a regional endpoint that is off
# description: |
#   The image reference uses a regional host such as `contosoreg.westeurope.geo.azurecr.io`, and the registry has
#   regional endpoints disabled. The host does not exist then, and the lookup fails.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-geo-replication
# custom:
#   id: PP4102
#   name: regional-endpoint-off
#   severity: error
#   layer: endpoints
#   kinds: [regional_endpoint_off]
#   facts: [A30, A44, A376, A391]
#   example: |
#     The deployment of contoso names contosoreg.westeurope.geo.azurecr.io/team/app:1.2; regionalEndpoints is
#     Disabled.
#   remediation: |
#     Use the global login host in the image reference, or switch regional endpoints on (Premium, preview; each
#     costs the private endpoint one more address and one more record):
#
#     - `az acr update -n REGISTRY --regional-endpoints enabled`
package pullproof.regional_endpoint_off

import rego.v1

findings contains {"message": input.message}
