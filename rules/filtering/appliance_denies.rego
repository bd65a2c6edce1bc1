# METADATA
# title: The appliance does not let the pull through
# description: |
#   The `[[appliance]]` entry says what the appliance forwards, and this flow is not in it. What no entry names
#   counts as dropped. Azure shows nothing of the appliance's own rules, so this stands and falls with what was
#   declared.
# custom:
#   id: PP2203
#   name: appliance-denies
#   severity: error
#   layer: filtering
#   kinds: [appliance_denies]
#   facts: [R44, R46]
#   example: |
#     The appliance 10.0.1.4 of contoso forwards 10.20.0.0/22. Pool apps was put into 10.20.8.0/24.
#   remediation: |
#     Allow the node subnet and TCP 443 to the registry on the appliance, then add it to `forwards` of the
#     `[[appliance]]`. If the entry is wrong, correct it.
package pullproof.appliance_denies

import rego.v1

findings contains {"message": input.message}
