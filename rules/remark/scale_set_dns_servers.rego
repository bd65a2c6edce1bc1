# METADATA
# title: A node scale set has DNS servers of its own
# description: |
#   Somebody has set DNS servers on the scale set in the node resource group. They win over the network's list
#   until AKS next reconciles the pool and takes them away. What resolves today may not after the next upgrade.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-networks-name-resolution-for-vms-and-role-instances
# custom:
#   id: PP8303
#   name: scale-set-dns-servers
#   severity: warning
#   layer: remark
#   kinds: [scale-set-dns-servers]
#   facts: [D6, D15]
#   example: |
#     aks-apps-vmss of contoso carries dnsServers [10.0.2.4]; the network has another list.
#   remediation: |
#     Set the servers on the virtual network, then upgrade the node image so that every node is built from it:
#
#     - `az network vnet update -g RG -n VNET --dns-servers 10.0.2.4`
#     - `az aks nodepool upgrade -g RG --cluster-name CLUSTER -n POOL --node-image-only`
package pullproof.scale_set_dns_servers

import rego.v1

findings contains {"message": input.message}
