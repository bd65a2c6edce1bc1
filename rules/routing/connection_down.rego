# METADATA
# title: The connection to the other site is down
# description: |
#   The only connection that carries the registry's prefix does not say `Connected`, or its circuit is not
#   provisioned. Nodes have no working route to the site at the time of the snapshot, whatever the route tables
#   say.
# related_resources:
# - ref: https://learn.microsoft.com/azure/vpn-gateway/vpn-gateway-vpn-faq
# custom:
#   id: PP1303
#   name: connection-down
#   severity: error
#   layer: routing
#   kinds: [connection_down]
#   facts: [R8, R132]
#   example: |
#     cn-dc of contoso says NotConnected since the pre-shared key was changed on one side.
#   remediation: |
#     Find out why it is down (key, peer address, policies), then check:
#
#     - `az network vpn-connection show -g RG -n CONNECTION --query connectionStatus`
#     - `az network express-route show -g RG -n CIRCUIT --query serviceProviderProvisioningState`
package pullproof.connection_down

import rego.v1

findings contains {"message": input.message}
