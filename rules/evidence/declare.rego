# METADATA
# title: No configuration shows it; somebody has to state it
# description: |
#   Azure has no resource for this: the rules of an appliance, what is behind a gateway, what a DNS server outside
#   Azure answers, the hosts of a registry that is not an ACR. Until it is stated in `pullproof.toml` the claim is
#   undetermined; once it is, every proof that reads it lists it as an assumption.
# custom:
#   id: PP7103
#   name: declare
#   severity: warning
#   layer: evidence
#   kinds: [declare]
#   facts: [R44, R146, D103, A150]
#   example: |
#     The default route of contoso goes to the appliance 10.0.1.4. Nothing in Azure says what it forwards.
#   remediation: |
#     Ask whoever runs the device, and write it down in `pullproof.toml` (`[[appliance]]`, `[[site]]`,
#     `[[dns_server]]`, `[[registry]]`, `[[public_name]]`), with `by`, `on` and `expires`. The tables are in
#     docs/declared.md.
package pullproof.declare

import rego.v1

findings contains {"message": sprintf("not declared: %s; %s", [input.message, input.remedy])}
