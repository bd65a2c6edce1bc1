# METADATA
# title: Another claim has to be settled first
# description: |
#   This claim is about what another one would find: without an answer of the resolver there is no address to walk
#   to, and beyond an open hop there is no packet to follow. It is never proven about nothing. Settle the claim
#   that it names; this one follows by itself.
# custom:
#   id: PP7301
#   name: depends-on
#   severity: note
#   layer: evidence
#   kinds: [depends_on]
#   example: |
#     The lookup of contosoreg.azurecr.io ends at a DNS server that nobody has described, so there is no address
#     to route to.
#   remediation: |
#     See to the finding for the claim that it names, and run again.
package pullproof.depends_on

import rego.v1

findings contains {"message": sprintf("waits for another answer: %s", [input.message])}
