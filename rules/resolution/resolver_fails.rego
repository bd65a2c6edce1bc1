# METADATA
# title: The DNS server answers with a failure
# description: |
#   The resolver can be reached and answers SERVFAIL or REFUSED for the registry's name: its own upstream is out
#   of reach, or it does not forward this name. The node tries the next server in its list; with LocalDNS it does
#   not. No server of the list gives an answer.
# related_resources:
# - ref: https://learn.microsoft.com/azure/dns/dns-private-resolver-overview
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-networks-name-resolution-for-vms-and-role-instances
# custom:
#   id: PP3202
#   name: resolver-fails
#   severity: error
#   layer: resolution
#   kinds: [resolver_fails]
#   facts: [D12, D26, D107, D112, D149]
#   example: |
#     The on-premises server of contoso forwards azurecr.io to 168.63.129.16, which nothing outside Azure can
#     reach.
#   remediation: |
#     Forward to something that lives in a virtual network (a Private Resolver's inbound endpoint, a DNS machine,
#     the firewall's proxy), and see that the server reaches it on port 53. If the declaration is wrong, correct
#     `forwards` or `default` of the `[[dns_server]]`.
package pullproof.resolver_fails

import rego.v1

findings contains {"message": input.message}
