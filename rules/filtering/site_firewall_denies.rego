# METADATA
# title: The other site's firewall drops the pull
# description: |
#   The `filter` of the `[[site]]` does not admit the flow between the node subnet and the registry. Routes are
#   right on both sides, and the packet ends at the site's edge.
# custom:
#   id: PP2204
#   name: site-firewall-denies
#   severity: error
#   layer: filtering
#   kinds: [site_firewall_denies]
#   facts: [A154, R146]
#   example: |
#     The firewall of site dc admits 10.18.0.0/22 to the registry 172.24.8.20. The new pool is in 10.18.8.0/24.
#   remediation: |
#     Have the site's firewall admit TCP 443 from every node subnet (new pools included) to the registry's hosts,
#     then correct `filter` of the `[[site]]`.
package pullproof.site_firewall_denies

import rego.v1

findings contains {"message": input.message}
