# METADATA
# title: The firewall has classic rules that do not count
# description: |
#   A firewall policy is attached, so the rule collections on the firewall itself are ignored. An allow rule for
#   the registry that stands there does nothing, and whoever reads it is misled.
# related_resources:
# - ref: https://learn.microsoft.com/azure/firewall/rule-processing
# custom:
#   id: PP8203
#   name: firewall-classic-rules-unused
#   severity: warning
#   layer: remark
#   kinds: [firewall-classic-rules-unused]
#   facts: [F115, F116]
#   example: |
#     fw-hub of contoso moved to a policy; the old collection allow-acr is still on the firewall.
#   remediation: |
#     Move what is needed into the policy and delete the rest. Terraform:
#     `azurerm_firewall_application_rule_collection` and `azurerm_firewall_network_rule_collection` give way to
#     `azurerm_firewall_policy_rule_collection_group`.
package pullproof.firewall_classic_rules_unused

import rego.v1

findings contains {"message": input.message}
