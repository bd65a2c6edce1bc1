# METADATA
# title: The load balancer on the path has no backend
# description: |
#   A rule of the load balancer matches, but its pool is empty or holds only members that cannot take the packet.
#   The front end's address exists and answers nothing.
# related_resources:
# - ref: https://learn.microsoft.com/azure/load-balancer/load-balancer-ha-ports-overview
# custom:
#   id: PP1204
#   name: load-balancer-no-backend
#   severity: error
#   layer: routing
#   kinds: [load_balancer_no_backend]
#   facts: [R165, R166]
#   example: |
#     Pool nva-pool of contoso lost its members when the scale set was replaced. The route still points at the
#     front end 10.0.1.10.
#   remediation: |
#     Put the appliances' interfaces back into the pool:
#
#     - `az network nic ip-config address-pool add -g RG --nic-name NIC --ip-config-name IPCONFIG --lb-name LB --address-pool POOL`
#
#     Terraform: `azurerm_network_interface_backend_address_pool_association`.
package pullproof.load_balancer_no_backend

import rego.v1

findings contains {"message": input.message}
