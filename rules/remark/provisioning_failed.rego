# METADATA
# title: The last change to a deciding resource failed
# description: |
#   The resource says `Failed` or `Canceled`. Its properties show what was asked for, which may not be in force:
#   the answer is about the configuration, and the network may still run the one before.
# custom:
#   id: PP8901
#   name: provisioning-failed
#   severity: warning
#   layer: remark
#   kinds: [provisioning-failed]
#   example: |
#     rt-nodes of contoso is Failed since an update was cut off by a lock.
#   remediation: |
#     Repeat the change (an empty update is often enough) until `provisioningState` is `Succeeded`, then audit
#     again:
#
#     - `az resource show --ids ID --query properties.provisioningState`
package pullproof.provisioning_failed

import rego.v1

findings contains {"message": input.message}
