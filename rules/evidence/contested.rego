# METADATA
# title: The sources disagree about how Azure behaves here
# description: |
#   Documentation and recorded behaviour contradict each other on a point that decides this claim. Each reading
#   was tried, and they end differently, so the claim is undetermined. It is not a fault in your configuration,
#   but a path that rests on it may stop working.
# custom:
#   id: PP7201
#   name: contested
#   severity: warning
#   layer: evidence
#   kinds: [contested]
#   facts: [R112, R255, R257, F71]
#   example: |
#     A peering of contoso has virtual network access off and an explicit allow rule. The documents say that it
#     works, two reports that it does not.
#   remediation: |
#     Change the configuration so that it no longer hangs on that point (the finding names the fact and a way
#     round), or record what happens on a test machine in the same subnet.
package pullproof.contested

import rego.v1

findings contains {"message": sprintf("contested: %s; %s", [input.message, input.remedy])}
