# METADATA
# title: Running nodes are older than a change
# description: |
#   The audit speaks of a node that is created now. Nodes that run already keep what they started with until they are
#   re-imaged: the resolvers of the virtual network, the version and the subnet of their pool. Pulls on them may work
#   where new nodes fail, or fail where new nodes work.
# related_resources:
# - ref: https://learn.microsoft.com/azure/aks/node-image-upgrade
# - ref: https://learn.microsoft.com/azure/aks/localdns-custom
# custom:
#   id: PP8902
#   name: stale-nodes
#   severity: warning
#   layer: remark
#   kinds: [stale-nodes]
#   facts: [A186]
#   example: |
#     A plan takes the resolver 10.0.0.4 off vnet-spoke. Nodes that run keep asking it; the next scale-out asks Azure.
#   remediation: |
#     Re-image the pool after the change, and look at pulls on its new nodes:
#
#     - `az aks nodepool upgrade -g RG --cluster-name CLUSTER -n POOL --node-image-only`
package pullproof.stale_nodes

import rego.v1

findings contains {"message": input.message}
