# METADATA
# title: The search was cut off before it found an answer
# description: |
#   The number of distinct cases, hops or branches went over the budget, so neither a proof nor a counterexample
#   stands. Nothing is known to be wrong. It happens with very long rule lists of overlapping prefixes, or many
#   equal next hops.
# custom:
#   id: PP7203
#   name: too-complex
#   severity: warning
#   layer: evidence
#   kinds: [too_complex]
#   example: |
#     A security group of contoso has 900 rules with single addresses and ports on both sides.
#   remediation: |
#     Audit a smaller part (`--cluster`, `--pool`), or simplify the rules named in the finding: use prefixes
#     instead of single addresses.
package pullproof.too_complex

import rego.v1

findings contains {"message": sprintf("cut off: %s; %s", [input.message, input.remedy])}
