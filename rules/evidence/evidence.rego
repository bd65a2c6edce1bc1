# METADATA
# title: Azure knows it, and the input does not hold it
# description: |
#   The answer hangs on something that can be collected, but is not in the snapshot: learned routes of a gateway,
#   the list behind a service tag, the node resource group, a value that a plan knows only after the apply. The
#   finding says for which value the claim holds and for which it breaks.
# custom:
#   id: PP7102
#   name: evidence
#   severity: warning
#   layer: evidence
#   kinds: [evidence]
#   facts: [R130, R131, R208, R234, F78, D169]
#   example: |
#     The nodes of contoso reach the registry over ExpressRoute. Its learned routes are in no resource; the
#     snapshot has no effective routes.
#   remediation: |
#     Collect what the finding names, or add it to the snapshot by hand:
#
#     - `az network nic show-effective-route-table -g RG -n NIC`
#     - `az network list-service-tags --location westeurope`
#
#     For a plan: write the value down instead of leaving it to the apply, or audit again afterwards.
package pullproof.evidence

import rego.v1

findings contains {"message": sprintf("not in the input: %s; %s", [input.message, input.remedy])}
