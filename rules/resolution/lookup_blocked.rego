# METADATA
# title: A DNS security policy blocks the registry's name
# description: |
#   A rule of the policy that is linked to the resolver's network says `Block` for this name or for `.`, and no
#   rule with a lower number allows it. The lookup fails although zones and servers are right. A policy acts where
#   Azure DNS is asked; with a DNS server in the hub that is the hub's network.
# related_resources:
# - ref: https://learn.microsoft.com/azure/dns/dns-security-policy
# custom:
#   id: PP3205
#   name: lookup-blocked
#   severity: error
#   layer: resolution
#   kinds: [lookup_blocked]
#   facts: [D128, D129, D130, D131, D132]
#   example: |
#     The policy of contoso blocks `.` and allows microsoft.com. and azmk8s.io.; azurecr.io. is not among them.
#   remediation: |
#     Add an `Allow` rule with a lower number, with a domain list that holds `azurecr.io.` (and
#     `blob.core.windows.net.` without data endpoints). CLI: `az dns-resolver policy dns-security-rule` and `az
#     dns-resolver domain-list` (extension `dns-resolver`).
package pullproof.lookup_blocked

import rego.v1

findings contains {"message": input.message}
