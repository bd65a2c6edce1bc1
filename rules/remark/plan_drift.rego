# METADATA
# title: The plan and the base contradict each other
# description: |
#   The plan creates what the base has already, or changes or destroys what the base does not have. One of the two is
#   not what Azure holds today, so a verdict on both together can be about an estate that will not exist; an apply may
#   fail half-way.
# related_resources:
# - ref: https://developer.hashicorp.com/terraform/cli/commands/plan#refresh-false
# custom:
#   id: PP8501
#   name: plan-drift
#   severity: warning
#   layer: remark
#   kinds: [drift]
#   facts: []
#   example: |
#     The plan of contoso updates the link of privatelink.azurecr.io to vnet-spoke; the base has no such link.
#   remediation: |
#     Collect the base again and plan with a fresh state. What exists already and is to be managed is imported:
#
#     Terraform: an `import` block, or `terraform import ADDRESS ID`.
package pullproof.plan_drift

import rego.v1

findings contains {"message": sprintf("%s; %s", [input.message, input.remedy])}
