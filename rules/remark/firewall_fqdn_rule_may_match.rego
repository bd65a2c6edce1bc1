# METADATA
# title: A firewall rule by another name may match the address
# description: |
#   A network rule with host names matches by the addresses that the firewall resolves them to. If another name of
#   the rule has the same address as the registry, the rule decides this flow too. It was taken not to match.
# related_resources:
# - ref: https://learn.microsoft.com/azure/firewall/rule-processing
# custom:
#   id: PP8204
#   name: firewall-fqdn-rule-may-match
#   severity: note
#   layer: remark
#   kinds: [firewall-fqdn-rule-may-match]
#   facts: [F123, F139]
#   example: |
#     A network rule of contoso names files.contoso.example. If it has the address of the registry's front end,
#     the rule applies to pulls.
#   remediation: |
#     Use application rules for web hosts, and keep name-based network rules for what needs them; or put a rule
#     for the registry before it.
package pullproof.firewall_fqdn_rule_may_match

import rego.v1

findings contains {"message": input.message}
