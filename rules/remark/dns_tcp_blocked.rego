# METADATA
# title: A DNS server is reached over UDP but not over TCP
# description: |
#   Lookups start over UDP, and go over TCP when an answer is truncated or LocalDNS is told to force it. TCP 53 to
#   this server is blocked, so short answers work and long ones fail, now and then and hard to find.
# related_resources:
# - ref: https://learn.microsoft.com/azure/virtual-network/virtual-networks-name-resolution-for-vms-and-role-instances
# custom:
#   id: PP8301
#   name: dns-tcp-blocked
#   severity: warning
#   layer: remark
#   kinds: [dns-tcp-blocked]
#   facts: [D112, D133, F42]
#   example: |
#     nsg-hub of contoso allows UDP 53 to 10.0.2.4. TCP 53 falls to the deny rule.
#   remediation: |
#     Allow both protocols on port 53 on the whole way (security groups, firewall network rules):
#
#     - `az network nsg rule update -g RG --nsg-name NSG -n RULE --protocol '*'`
package pullproof.dns_tcp_blocked

import rego.v1

findings contains {"message": input.message}
