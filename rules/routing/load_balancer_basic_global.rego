# METADATA
# title: A Basic load balancer is out of reach across regions
# description: |
#   The path crosses a global (cross-region) peering and ends at the front end of a Basic internal load balancer.
#   Such front ends are unreachable from the other region; within one region the same configuration works.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-network-troubleshoot-peering-issues
# custom:
#   id: PP1205
#   name: load-balancer-basic-global
#   severity: error
#   layer: routing
#   kinds: [load_balancer_basic_global]
#   facts: [R111]
#   example: |
#     The appliances of contoso stand behind a Basic load balancer in West Europe. The new cluster is in North
#     Europe.
#   remediation: |
#     Replace it with a Standard load balancer (the SKU cannot be changed in place), or use an appliance in the
#     nodes' region. Terraform: `azurerm_lb.sku = "Standard"` creates it anew; plan for another front-end address.
package pullproof.load_balancer_basic_global

import rego.v1

findings contains {"message": input.message}
