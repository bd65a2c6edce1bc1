# METADATA
# title: Azure Firewall drops the pull
# description: |
#   No rule of the firewall on the path allows the flow, or one denies it first. Network rules are tried before
#   application rules whatever their priorities, the parent policy's groups before the child's, and what nothing
#   matches is denied. A pull needs two hosts: a rule for `*.azurecr.io` covers login and data endpoints, not
#   `*.blob.core.windows.net`. The tag AzureKubernetesService does not hold your registry.
# related_resources:
# - ref: https://learn.microsoft.com/azure/firewall/rule-processing
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-firewall-access-rules
# custom:
#   id: PP2201
#   name: firewall-denies
#   severity: error
#   layer: filtering
#   kinds: [firewall_denies]
#   facts: [F113, F114, F116, F119, F122, F129, A196]
#   example: |
#     The policy of contoso has the FQDN tag AzureKubernetesService and nothing else: system images come, the
#     contosoreg images end in `EOF`.
#   remediation: |
#     Allow both hosts over HTTPS from the node subnets: an application rule for `contosoreg.azurecr.io` and
#     `*.data.azurecr.io` (or `*.blob.core.windows.net` without data endpoints), or a network rule for the
#     addresses of the private endpoint, port 443. Terraform: `azurerm_firewall_policy_rule_collection_group`.
#     CLI: `az network firewall policy rule-collection-group collection` (extension `azure-firewall`).
package pullproof.firewall_denies

import rego.v1

findings contains {"message": input.message}
