# METADATA
# title: Another identity than the node's has the role
# description: |
#   The role is held by an identity that does not pull: the cluster's control-plane identity, the identity of an
#   add-on, or a kubelet identity that was replaced. Nodes ask the metadata service for the kubelet identity's
#   token, so the registry sees somebody without a role.
# related_resources:
# - ref: https://learn.microsoft.com/azure/aks/cluster-container-registry-integration
# custom:
#   id: PP6201
#   name: wrong-identity
#   severity: error
#   layer: identity
#   kinds: [wrong_identity]
#   facts: [A300, A301, A302]
#   example: |
#     The assignment on contosoreg is for id-aks-control. The kubelet of contoso runs as id-aks-kubelet.
#   remediation: |
#     Assign the role to `identityProfile.kubeletidentity`, and take it from the other one if it has no use for
#     it:
#
#     - `az aks show -g RG -n CLUSTER --query identityProfile.kubeletidentity.objectId -o tsv`
#
#     Terraform: `azurerm_kubernetes_cluster.kubelet_identity[0].object_id`, not `identity[0].principal_id`.
package pullproof.wrong_identity

import rego.v1

findings contains {"message": input.message}
