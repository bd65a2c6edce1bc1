# METADATA
# title: The nodes do not trust the registry's certificate
# description: |
#   The certificate that will be served is issued by an authority that is not in the trust store of the nodes. TCP
#   opens, and the pull ends with `x509: certificate signed by unknown authority`. AKS takes own authorities for
#   Linux pools only; certificates copied onto nodes by hand are gone with the next image.
# related_resources:
# - ref: https://learn.microsoft.com/azure/aks/custom-certificate-authority
# custom:
#   id: PP5101
#   name: untrusted-issuer
#   severity: error
#   layer: trust
#   kinds: [untrusted_issuer]
#   facts: [A188, A353, A354, A355]
#   example: |
#     harbor.contoso.example has a certificate of the authority Contoso Root CA. The cluster has no custom
#     certificates.
#   remediation: |
#     Give the cluster the authority (up to ten, base64 PEM; the pools are rebuilt), or use a publicly trusted
#     certificate; for Windows pools only the latter works:
#
#     - `az aks update -g RG -n CLUSTER --custom-ca-trust-certificates FILE`
#
#     Terraform: `azurerm_kubernetes_cluster.custom_ca_trust_certificates_base64`.
package pullproof.untrusted_issuer

import rego.v1

findings contains {"message": input.message}
