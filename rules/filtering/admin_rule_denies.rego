# METADATA
# title: A security admin rule drops the pull
# description: |
#   A rule of Azure Virtual Network Manager is tried before every security group, and its `Deny` is final: no
#   group can allow the packet again. Such rules belong to a central team and do not show at the subnet, so the
#   groups look right while the traffic is dropped.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network-manager/concept-security-admins
# custom:
#   id: PP2102
#   name: admin-rule-denies
#   severity: error
#   layer: filtering
#   kinds: [admin_rule_denies]
#   facts: [F100, F101, F102, F104, F108]
#   example: |
#     The landing zone of contoso denies outbound traffic to Internet by an admin rule at 1000. nsg-nodes allows
#     443 and is never asked.
#   remediation: |
#     Ask the owner of the network manager for an `Allow` or `AlwaysAllow` rule with a lower number for the node
#     networks, and have it deployed: only deployed configurations count. Terraform:
#     `azurerm_network_manager_admin_rule` and `azurerm_network_manager_deployment` (`scope_access =
#     "SecurityAdmin"`).
package pullproof.admin_rule_denies

import rego.v1

findings contains {"message": input.message}
