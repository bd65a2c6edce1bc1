# METADATA
# title: The load balancer in front of the appliances has no rule for 443
# description: |
#   The next hop is the front end of an internal load balancer, and no rule of it takes TCP 443. A front end
#   delivers only the ports that a rule names; everything else is dropped silently. Ping or another port may work
#   and mislead.
# related_resources:
# - ref: https://learn.microsoft.com/azure/load-balancer/load-balancer-ha-ports-overview
# custom:
#   id: PP1203
#   name: load-balancer-no-rule
#   severity: error
#   layer: routing
#   kinds: [load_balancer_no_rule]
#   facts: [R165, R166]
#   example: |
#     ilb-nva of contoso has rules for 80 and 8443. Pulls need 443.
#   remediation: |
#     Add an HA-ports rule (protocol `All`, ports 0) on a Standard internal load balancer:
#
#     - `az network lb rule create -g RG --lb-name LB -n ha --protocol All --frontend-port 0 --backend-port 0 --frontend-ip-name FE --backend-pool-name POOL --probe-name PROBE`
#
#     Terraform: `azurerm_lb_rule` with `protocol = "All"`, `frontend_port = 0`, `backend_port = 0`.
package pullproof.load_balancer_no_rule

import rego.v1

findings contains {"message": input.message}
