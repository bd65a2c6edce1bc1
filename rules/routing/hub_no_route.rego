# METADATA
# title: The virtual hub has no route for this traffic
# description: |
#   The spoke is connected to a virtual hub, and the route table that its connection is associated with has no
#   entry for the registry's address, or the registry's side has none for the nodes. A connection sends by its
#   associated table and is known only where it propagates; both directions must match. A default route stays in
#   its hub and reaches only connections with internet security on.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-wan/about-virtual-hub-routing
# custom:
#   id: PP1305
#   name: hub-no-route
#   severity: error
#   layer: routing
#   kinds: [hub_no_route]
#   facts: [R178, R179, R180, R187, R191]
#   example: |
#     The connection of contoso-aks is associated with rt-isolated. The registry's network propagates to the
#     Default table only.
#   remediation: |
#     Propagate the registry's connection to the table that the nodes use, and the nodes' to the table of the
#     registry (in Terraform `azurerm_virtual_hub_connection.routing`, in the CLI `az network vhub connection
#     update` of the extension `virtual-wan`). For internet traffic set `internet_security_enabled = true`.
package pullproof.hub_no_route

import rego.v1

findings contains {"message": input.message}
