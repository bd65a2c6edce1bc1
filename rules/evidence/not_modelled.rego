# METADATA
# title: A construct on the path is not modelled
# description: |
#   The configuration uses a feature that this version detects and does not follow: route maps, NAT rules on a
#   gateway, an appliance inside a virtual hub, FastPath. Rather than ignore it, the claims that it could touch
#   are undetermined.
# custom:
#   id: PP7202
#   name: not-modelled
#   severity: warning
#   layer: evidence
#   kinds: [not_modelled]
#   facts: [R139, R161, R200]
#   example: |
#     The hub connection of contoso has an inbound route map.
#   remediation: |
#     Record what Azure computes for it (effective routes of a node subnet's interface, or of the hub), or check
#     this path by hand. If the feature is not needed on this path, leave it out.
package pullproof.not_modelled

import rego.v1

findings contains {"message": sprintf("not modelled: %s; %s", [input.message, input.remedy])}
