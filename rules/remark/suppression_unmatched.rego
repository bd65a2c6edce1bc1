# METADATA
# title: A suppression covers nothing
# description: |
#   A `[[suppress]]` of `pullproof.toml` names a rule, or a rule and a resource, of which there is no finding in this
#   run. Left in place it covers the next finding that happens to fit, which nobody has accepted. A run over a part of
#   the estate (`--cluster`, `--registry`) may leave out what it is for.
# custom:
#   id: PP8904
#   name: suppression-unmatched
#   severity: warning
#   layer: remark
#   kinds: [suppression-unmatched]
#   example: |
#     contoso has mended peering vnet-hub/to-spoke; the suppression of PP1101 at it still stands.
#   remediation: |
#     Remove the table. Where the resource was renamed, give its new ARM id as `resource`.
package pullproof.suppression_unmatched

import rego.v1

findings contains {"message": sprintf("%s; %s", [input.message, input.remedy])}
