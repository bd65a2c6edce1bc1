# METADATA
# title: A host that every pull needs is not served
# description: |
#   A pull touches more hosts than the one in the image name: the login host, the token host, and one data host
#   for each replica that may serve, because Azure picks the replica. This one is not served on any way that the
#   nodes have, so manifests arrive and layers fail. An audit that stops at the manifest would call it good.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-geo-replication
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-dedicated-data-endpoints
# custom:
#   id: PP4101
#   name: host-missing
#   severity: error
#   layer: endpoints
#   kinds: [host_missing]
#   facts: [A37, A38, A41, A42, A76, D61]
#   example: |
#     contosoreg is replicated to westeurope and northeurope. The endpoint was made before the second replica and
#     has static addresses.
#   remediation: |
#     Make every replica's data host reachable, or take the replica out of global routing:
#
#     - `az acr show-endpoints -n REGISTRY`
#     - `az acr replication update -r REGISTRY -n northeurope --global-endpoint-routing false`
#
#     Terraform: `azurerm_container_registry.georeplications`, `azurerm_private_endpoint.ip_configuration`.
package pullproof.host_missing

import rego.v1

findings contains {"message": input.message}
