# METADATA
# title: The private endpoint's connection is not approved
# description: |
#   Only a connection in state `Approved` carries traffic. An endpoint has an address, and often a correct DNS
#   record, while it is `Pending`, `Rejected` or `Disconnected`, so everything looks right and packets go nowhere.
#   Where the endpoint and the registry say different things, the registry is right.
# related_resources:
# - ref: https://learn.microsoft.com/azure/private-link/private-endpoint-overview
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-private-endpoints
# custom:
#   id: PP2303
#   name: endpoint-not-approved
#   severity: error
#   layer: filtering
#   kinds: [endpoint_not_approved]
#   facts: [A75, A99a, D76, F95, R88]
#   example: |
#     pe-contosoreg was created from another subscription by manual request; nobody has approved it.
#   remediation: |
#     Approve it at the registry, with rights on the registry; a `Disconnected` endpoint has to be created again:
#
#     - `az acr private-endpoint-connection list -r REGISTRY`
#     - `az acr private-endpoint-connection approve -r REGISTRY -n CONNECTION`
#
#     Terraform: `azurerm_private_endpoint.private_service_connection.is_manual_connection = false`, where the
#     rights suffice.
package pullproof.endpoint_not_approved

import rego.v1

findings contains {"message": sprintf("%s%s", [input.message, next])}

states := {lower(e.value) | some e in input.evidence; is_string(e.value)}

default next := ""

next := "; approve it at the registry" if {
	"pending" in states
	not "disconnected" in states
	not "rejected" in states
}

next := "; it has to be created again" if "disconnected" in states
