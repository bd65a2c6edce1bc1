# METADATA
# title: It is not known whether IP rules count for layers in storage
# description: |
#   Layers are fetched from storage by a signed URL. No source says that the registry's IP rules are enforced
#   there, and none that they are not; admission was taken to hold. The login host refuses an address that is not
#   listed in any case.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-access-selected-networks
# custom:
#   id: PP8405
#   name: storage-acl-unknown
#   severity: note
#   layer: remark
#   kinds: [storage-acl-unknown]
#   facts: [F148, A395]
#   example: |
#     contosoreg denies by default and has no data endpoints.
#   remediation: |
#     Nothing has to change. To be independent of it switch dedicated data endpoints on, or use a private
#     endpoint.
package pullproof.storage_acl_unknown

import rego.v1

findings contains {"message": input.message}
