# METADATA
# title: The other site has no route back to the nodes
# description: |
#   The request reaches the site, but `routes_to_azure` of the site does not cover the node subnet, so the answer
#   goes elsewhere. Pods and other subnets may work while a new pool does not. The connection attempt times out,
#   or stalls in the TLS handshake.
# related_resources:
# - ref: https://learn.microsoft.com/azure/vpn-gateway/vpn-gateway-vpn-faq
# custom:
#   id: PP1304
#   name: site-no-return-route
#   severity: error
#   layer: routing
#   kinds: [site_no_return_route]
#   facts: [R145, R146, R147, A154]
#   example: |
#     The site dc of contoso routes 10.18.0.0/22 to Azure. Pool apps was put into 10.18.8.0/24.
#   remediation: |
#     On the site: route the node prefix back into the tunnel or circuit (static route, or accept it from BGP),
#     and correct `routes_to_azure` of the `[[site]]` once it is true. Where the node prefix must not be
#     announced, send the traffic through a firewall that translates the source address.
package pullproof.site_no_return_route

import rego.v1

findings contains {"message": input.message}
