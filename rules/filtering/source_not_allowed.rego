# METADATA
# title: The registry's IP rules do not list the nodes' egress address
# description: |
#   The registry denies by default and compares the public address with which the nodes leave: of the NAT gateway,
#   the load balancer, the firewall or the proxy, never the node's own. Each of those addresses has to be listed,
#   because any of them may be used. IP rules have no say in traffic over a private endpoint.
# related_resources:
# - ref: https://learn.microsoft.com/azure/container-registry/container-registry-access-selected-networks
# custom:
#   id: PP2302
#   name: source-not-allowed
#   severity: error
#   layer: filtering
#   kinds: [source_not_allowed]
#   facts: [A86, A87, A88, F144, F147]
#   example: |
#     contosoreg lists 203.0.113.10. A second address, 203.0.113.11, was added to the NAT gateway: half of the
#     pulls fail with 403.
#   remediation: |
#     List every egress address or the whole prefix, or use a private endpoint:
#
#     - `az acr network-rule add -n REGISTRY --ip-address 203.0.113.11`
#
#     Terraform: `azurerm_container_registry.network_rule_set` with `ip_rule`.
package pullproof.source_not_allowed

import rego.v1

findings contains {"message": input.message}
