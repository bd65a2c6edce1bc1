# METADATA
# title: The pull secret will be refused
# description: |
#   The cluster pulls with a secret, and it is expired, disabled or without the right: the service principal's
#   password ran out, the token's scope map lacks `content/read`, or the admin user is off. The registry answers
#   401, and the kubelet may show the anonymous attempt that follows.
# related_resources:
# - ref: https://learn.microsoft.com/troubleshoot/azure/azure-kubernetes/extensions/cannot-pull-image-from-acr-to-aks-cluster
# - ref: https://learn.microsoft.com/azure/aks/cluster-container-registry-integration
# custom:
#   id: PP6204
#   name: secret-invalid
#   severity: error
#   layer: identity
#   kinds: [secret_invalid]
#   facts: [A9, A311]
#   example: |
#     The token ci-pull of contosoreg is disabled; the pull secret regcred still holds it.
#   remediation: |
#     Issue a new credential and update the secret in every namespace, or go over to the kubelet identity:
#
#     - `az acr token credential generate -r REGISTRY -n TOKEN`
#     - `az aks update -g RG -n CLUSTER --attach-acr REGISTRY`
#
#     If the declaration is out of date, correct `pull_secret_valid` of the `[[registry]]`.
package pullproof.secret_invalid

import rego.v1

findings contains {"message": input.message}
