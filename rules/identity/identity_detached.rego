# METADATA
# title: The kubelet identity is not attached to the nodes
# description: |
#   The identity has the role, but the scale set or machine of the pool does not carry it. The metadata service
#   then answers `Identity not found`, and the pull goes on without credentials. It happens when somebody edits
#   the scale set in the node resource group.
# related_resources:
# - ref: https://learn.microsoft.com/troubleshoot/azure/azure-kubernetes/extensions/cannot-pull-image-from-acr-to-aks-cluster
# custom:
#   id: PP6202
#   name: identity-detached
#   severity: error
#   layer: identity
#   kinds: [identity_detached]
#   facts: [A7, A301]
#   example: |
#     aks-apps-vmss of contoso carries a monitoring identity only; aks-apps-agentpool was removed by a script.
#   remediation: |
#     Let AKS put it back by reconciling the cluster (`az aks update -g RG -n CLUSTER` without other options), and
#     keep scripts out of the node resource group. To bridge the time:
#
#     - `az vmss identity assign -g NODE_RG -n VMSS --identities IDENTITY_ID`
package pullproof.identity_detached

import rego.v1

findings contains {"message": input.message}
