# METADATA
# title: The appliance's network interface does not forward
# description: |
#   The route's next hop is a network interface with `enableIPForwarding` off. Azure drops every packet there that
#   is not addressed to the interface itself; no setting inside the guest makes up for it. Network Watcher's next
#   hop still names the appliance, because it does not test it.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-networks-udr-overview
# - ref: https://learn.microsoft.com/azure/virtual-network/diagnose-network-routing-problem
# custom:
#   id: PP1201
#   name: ip-forwarding-off
#   severity: error
#   layer: routing
#   kinds: [ip_forwarding_off]
#   facts: [R43, R237]
#   example: |
#     nva-1 of contoso was rebuilt from an image. Its new interface nva-1-nic has IP forwarding off.
#   remediation: |
#     Switch it on at every interface that forwards, and in the guest:
#
#     - `az network nic update -g RG -n NIC --ip-forwarding true`
#
#     Terraform: `azurerm_network_interface.ip_forwarding_enabled = true` (`enable_ip_forwarding` in provider 3).
#     Scale sets: `ip_forwarding_enabled` of the `network_interface` block.
package pullproof.ip_forwarding_off

import rego.v1

findings contains {"message": input.message}
