# METADATA
# title: An appliance forwards to a private endpoint without SNAT
# description: |
#   The appliance stands in the network of the nodes and passes traffic on to a private endpoint with the nodes'
#   own addresses. In every recording of that placement the connection failed, because the endpoint answers the
#   node directly. It was never recorded for a registry, so the claim is undetermined, not disproven.
# related_resources:
# - ref: https://learn.microsoft.com/azure/private-link/inspect-traffic-with-azure-firewall
# custom:
#   id: PP8104
#   name: pe-no-snat-same-vnet
#   severity: warning
#   layer: remark
#   kinds: [pe-no-snat-same-vnet]
#   facts: [R90, R91, R92, R255]
#   example: |
#     nva-1 and the nodes of contoso are in one network; the endpoint's prefix is routed to nva-1, which does not
#     translate.
#   remediation: |
#     Translate the source address on the appliance, use an application rule of Azure Firewall, or tag the
#     appliance's interface so that the platform keeps the path symmetric:
#
#     - `az network nic update -g RG -n NIC --set tags.disableSnatOnPL=true`
#
#     Or leave the appliance out: without route-table policy on the endpoint's subnet its /32 route goes straight
#     there.
package pullproof.pe_no_snat_same_vnet

import rego.v1

findings contains {"message": input.message}
