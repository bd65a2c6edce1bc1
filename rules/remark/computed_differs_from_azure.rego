# METADATA
# title: Azure's effective routes differ from the configuration that was read
# description: |
#   A recorded effective route table shows another next hop for an address than the configuration gives. One of the two
#   is older than the other, or Azure does something that is not understood here. Claims about packets to that address
#   stay undetermined until it is explained.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/diagnose-network-routing-problem
# custom:
#   id: PP8106
#   name: computed-differs-from-azure
#   severity: warning
#   layer: remark
#   kinds: [computed-differs-from-azure]
#   facts: [R234]
#   example: |
#     The effective routes of a virtual machine in snet-nodes send 10.0.2.4 to 10.0.1.4; the route table that was read
#     has no such route.
#   remediation: |
#     Collect configuration and effective routes at the same time:
#
#     - `az network nic show-effective-route-table -g RG -n NIC`
#
#     If they still differ, compare the table with the routes of the subnet, and tell us what is missing.
package pullproof.computed_differs_from_azure

import rego.v1

findings contains {"message": input.message}
