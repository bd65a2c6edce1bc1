# METADATA
# title: A DNS server of the list cannot serve nodes
# description: |
#   The address can never answer a node: a firewall whose DNS proxy is off, the cluster's own DNS service address,
#   a loopback address, or a machine that is stopped. A node needs DNS before it joins the cluster, and only the
#   first three servers of the list are used at all.
# related_resources:
# - ref: https://learn.microsoft.com/azure/firewall/dns-settings
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-networks-name-resolution-for-vms-and-role-instances
# custom:
#   id: PP3203
#   name: resolver-not-usable
#   severity: error
#   layer: resolution
#   kinds: [resolver_not_usable]
#   facts: [D8, D114, D117, D119]
#   example: |
#     The networks of contoso point at the firewall 10.0.1.4. Its policy has DNS settings, but the proxy is not
#     enabled.
#   remediation: |
#     Enable the proxy, or put a server into the list that answers:
#
#     - `az network firewall policy update -g RG -n POLICY --enable-dns-proxy true` (extension `azure-firewall`)
#     - `az network vnet update -g RG -n VNET --dns-servers 10.0.2.4`
#
#     Terraform: `azurerm_firewall_policy` block `dns`, `proxy_enabled = true`.
package pullproof.resolver_not_usable

import rego.v1

findings contains {"message": input.message}
