# METADATA
# title: A replica of the registry is being created
# description: |
#   A replica in state Creating does not serve yet and is not part of the proof. Once it does, Azure may send any
#   node to it, and its data host has to resolve and be reachable from every node subnet.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-geo-replication
# custom:
#   id: PP8402
#   name: replica-not-ready
#   severity: warning
#   layer: remark
#   kinds: [replica-not-ready]
#   facts: [A41, A77, A115]
#   example: |
#     contosoreg is being replicated to northeurope. The private endpoint has no record for
#     contosoreg.northeurope.data yet.
#   remediation: |
#     Audit again when it is ready, before nodes need it:
#
#     - `az acr replication list -r REGISTRY -o table`
#
#     With records kept by hand add the one for the new data host.
package pullproof.replica_not_ready

import rego.v1

findings contains {"message": input.message}
