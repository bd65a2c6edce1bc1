# METADATA
# title: Something on the path is missing while the apply runs
# description: |
#   A link, route, record, peering, endpoint, firewall or role assignment is destroyed before it is made again. Between
#   the two, pulls that need it fail, whatever the verdict after the apply; an apply that stops there leaves it missing.
# related_resources:
# - ref: https://developer.hashicorp.com/terraform/language/meta-arguments/lifecycle#create_before_destroy
# custom:
#   id: PP8502
#   name: gap-during-apply
#   severity: warning
#   layer: remark
#   kinds: [gap-during-apply]
#   facts: []
#   example: |
#     The plan of contoso replaces the private endpoint pe-contosoreg, deleted first.
#   remediation: |
#     Change it in place where Azure can, or let the new one be made first, under another name:
#
#     Terraform: `lifecycle { create_before_destroy = true }`.
package pullproof.gap_during_apply

import rego.v1

findings contains {"message": sprintf("%s; %s", [input.message, input.remedy])}
