# METADATA
# title: The registry refuses public access, and nodes use it
# description: |
#   `publicNetworkAccess` is `Disabled`. It closes the login, regional and data endpoints to everything but
#   approved private endpoints, and no IP rule and no trusted-service bypass changes that for AKS nodes. The name
#   resolves, TCP and TLS work, and the registry answers 403.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-access-selected-networks
# - ref: https://learn.microsoft.com/troubleshoot/azure/azure-kubernetes/extensions/cannot-pull-image-from-acr-to-aks-cluster
# custom:
#   id: PP2301
#   name: public-access-off
#   severity: error
#   layer: filtering
#   kinds: [public_access_off]
#   facts: [A85, A100, F143, D79]
#   example: |
#     contosoreg has public access disabled and a private endpoint in the hub. The nodes' resolver returns the
#     public address.
#   remediation: |
#     Use a private endpoint and let its names resolve to it (see PP3103), or open public access on purpose:
#
#     - `az acr update -n REGISTRY --public-network-enabled true --default-action Deny` with IP rules
#
#     Terraform: `azurerm_container_registry.public_network_access_enabled`.
package pullproof.public_access_off

import rego.v1

findings contains {"message": input.message}
