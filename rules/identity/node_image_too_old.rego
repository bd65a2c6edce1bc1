# METADATA
# title: The node image hands no credential to regional hosts
# description: |
#   The kubelet hands the identity of the nodes only to hosts that its patterns match. Up to node image 202607.29 these
#   hold the registry's global host, not its regional ones (`<registry>.<region>.geo.azurecr.io`): pulls through a
#   regional host are anonymous there, and refused.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-geo-replication
# - ref: https://learn.microsoft.com/azure/aks/node-image-upgrade
# custom:
#   id: PP6205
#   name: node-image-too-old
#   severity: error
#   layer: identity
#   kinds: [node_image_too_old]
#   facts: [A10, A11]
#   example: |
#     Images were moved to contosoreg.westeurope.geo.azurecr.io. Pool app still runs AKSUbuntu-2204gen2containerd-202505.14.0.
#   remediation: |
#     Upgrade the node image, before images name the regional host:
#
#     - `az aks nodepool upgrade -g RG --cluster-name CLUSTER -n POOL --node-image-only`
#
#     or let images name the login server, or give the pods an `imagePullSecrets` entry.
package pullproof.node_image_too_old

import rego.v1

findings contains {"message": input.message}
