# METADATA
# title: A device on the path presents its own certificate
# description: |
#   Something between node and registry ends TLS and signs again: Azure Firewall with TLS inspection, a proxy, or
#   an appliance. The nodes see its authority in place of the registry's and do not trust it. Login and data hosts
#   are both affected.
# related_resources:
# - ref: https://learn.microsoft.com/azure/aks/custom-certificate-authority
# - ref: https://learn.microsoft.com/azure/aks/http-proxy
# custom:
#   id: PP5103
#   name: intercepted
#   severity: error
#   layer: trust
#   kinds: [intercepted]
#   facts: [A352, A353, F120, F137]
#   example: |
#     The application rule for *.azurecr.io in the policy of contoso has TLS inspection on. The cluster does not
#     know Contoso Inspection CA.
#   remediation: |
#     Take the registry's hosts out of inspection (`terminate_tls = false` in the rule), or give the nodes the
#     authority:
#
#     - `az aks update -g RG -n CLUSTER --custom-ca-trust-certificates FILE`
#
#     For a proxy: `httpProxyConfig.trustedCa`. Terraform: `azurerm_firewall_policy_rule_collection_group`,
#     `azurerm_kubernetes_cluster.http_proxy_config.trusted_ca`.
package pullproof.intercepted

import rego.v1

findings contains {"message": input.message}
