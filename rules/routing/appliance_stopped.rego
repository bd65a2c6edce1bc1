# METADATA
# title: The appliance on the path is stopped
# description: |
#   The virtual machine that should forward the packet, or the firewall, is stopped or deallocated. The route goes
#   on pointing at it, so nothing takes another way. Everything behind it times out at once.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-networks-udr-overview
# custom:
#   id: PP1202
#   name: appliance-stopped
#   severity: error
#   layer: routing
#   kinds: [appliance_stopped]
#   facts: [R33, R43, R44]
#   example: |
#     A saving script of contoso deallocates nva-1 at night. The node pool scales out at 02:00 and no new node can
#     pull.
#   remediation: |
#     Start it, and take it out of the schedule that stopped it; better, put two behind an internal load balancer
#     with a health probe:
#
#     - `az vm start -g RG -n VM`
package pullproof.appliance_stopped

import rego.v1

findings contains {"message": input.message}
