# METADATA
# title: DNS servers forward the name in a circle
# description: |
#   Following the forwarders leads back to a server that has already been asked for this name. A common shape: a
#   forwarding ruleset is linked to the network of the inbound endpoint that its rule points at. The lookup ends
#   in SERVFAIL or a time-out.
# related_resources:
# - ref: https://learn.microsoft.com/azure/dns/private-resolver-endpoints-rulesets
# custom:
#   id: PP3204
#   name: resolver-loop
#   severity: error
#   layer: resolution
#   kinds: [resolver_loop]
#   facts: [D94, D98, D125, D176]
#   example: |
#     The ruleset of contoso forwards azurecr.io. to the inbound endpoint 10.0.3.4 and is linked to the hub, where
#     that endpoint lives.
#   remediation: |
#     Unlink the ruleset from the network of its own target, or drop the rule and link the private zone there
#     instead:
#
#     - `az dns-resolver vnet-link delete -g RG --ruleset-name RULESET -n LINK` (extension `dns-resolver`)
#
#     Terraform: `azurerm_private_dns_resolver_virtual_network_link`,
#     `azurerm_private_dns_resolver_forwarding_rule`.
package pullproof.resolver_loop

import rego.v1

findings contains {"message": input.message}
