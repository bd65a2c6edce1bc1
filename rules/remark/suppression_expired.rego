# METADATA
# title: A suppression has expired
# description: |
#   A `[[suppress]]` of `pullproof.toml` was to hold until a date that has come. It covers nothing any more: the finding
#   counts again, and fails the run where it did before.
# custom:
#   id: PP8903
#   name: suppression-expired
#   severity: warning
#   layer: remark
#   kinds: [suppression-expired]
#   example: |
#     contoso accepted PP6101 for its test cluster until March, when Harbor was to get a public certificate. It is April.
#   remediation: |
#     Mend what it covered and remove the table. Where that takes longer, take the decision again: a new `expires`, and a
#     `reason` that says why.
package pullproof.suppression_expired

import rego.v1

findings contains {"message": sprintf("%s; %s", [input.message, input.remedy])}
