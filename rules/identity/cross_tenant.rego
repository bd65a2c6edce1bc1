# METADATA
# title: The registry is in another Entra tenant than the cluster
# description: |
#   A managed identity exists in one tenant, and the registry trusts its own. A role across tenants cannot make a
#   kubelet identity pull; another subscription of the same tenant is fine.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/authenticate-aks-cross-tenant
# custom:
#   id: PP6203
#   name: cross-tenant
#   severity: error
#   layer: identity
#   kinds: [cross_tenant]
#   facts: [A312, A313]
#   example: |
#     The cluster is in the tenant of contoso, the registry in that of fabrikam.
#   remediation: |
#     Use a multi-tenant application as the cluster's service principal, a pull secret with a token of the
#     registry, or import the images into a registry of the own tenant:
#
#     - `az acr import -n REGISTRY --source SOURCE_REGISTRY/IMAGE:TAG --username USER --password PASSWORD`
package pullproof.cross_tenant

import rego.v1

findings contains {"message": input.message}
