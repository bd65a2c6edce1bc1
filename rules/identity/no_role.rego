# METADATA
# title: The kubelet identity may not pull from the registry
# description: |
#   No role assignment gives the identity that pulls the right to read. It is the kubelet identity of the cluster,
#   not the cluster's own identity and not the person who deploys. Network and DNS are fine then; the token
#   request is refused, and the event speaks of an anonymous token and 401.
# related_resources:
# - ref: https://learn.microsoft.com/azure/aks/cluster-container-registry-integration
# - ref: https://learn.microsoft.com/troubleshoot/azure/azure-kubernetes/extensions/cannot-pull-image-from-acr-to-aks-cluster
# custom:
#   id: PP6101
#   name: no-role
#   severity: error
#   layer: identity
#   kinds: [no_role]
#   facts: [A8, A300, A302, A304, A305]
#   example: |
#     The cluster identity of contoso has AcrPull on contosoreg; the kubelet identity aks-apps-agentpool has
#     nothing.
#   remediation: |
#     Assign the role that the registry's mode asks for (AcrPull, or Container Registry Repository Reader in ABAC
#     mode):
#
#     - `az aks show -g RG -n CLUSTER --query identityProfile.kubeletidentity.objectId -o tsv`
#     - `az role assignment create --assignee-object-id OBJECT_ID --assignee-principal-type ServicePrincipal --role AcrPull --scope REGISTRY_ID`
#
#     Terraform: `azurerm_role_assignment` with `azurerm_kubernetes_cluster.kubelet_identity[0].object_id`.
package pullproof.no_role

import rego.v1

findings contains {"message": input.message}
