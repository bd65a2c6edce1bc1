# METADATA
# title: The subnet does not show its private endpoint policy
# description: |
#   `privateEndpointNetworkPolicies` decides whether security groups and routes act on private endpoints. The
#   input does not show it, as older API versions leave it out, and it was taken as `Disabled`, which is the
#   default. If it is on, the subnet's security group filters the endpoint.
# related_resources:
# - ref: https://learn.microsoft.com/azure/private-link/disable-private-endpoint-network-policy
# custom:
#   id: PP8201
#   name: private-endpoint-policy-not-shown
#   severity: note
#   layer: remark
#   kinds: [private-endpoint-policy-not-shown]
#   facts: [F88, F89, F90]
#   example: |
#     The snapshot of contoso comes from a template export that leaves the property of snet-endpoints out.
#   remediation: |
#     Collect again with a current API version, or set it:
#
#     - `az network vnet subnet update -g RG --vnet-name VNET -n SUBNET --private-endpoint-network-policies Disabled`
#
#     Terraform: `azurerm_subnet.private_endpoint_network_policies`.
package pullproof.private_endpoint_policy_not_shown

import rego.v1

findings contains {"message": input.message}
