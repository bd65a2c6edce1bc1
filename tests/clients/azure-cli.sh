#!/usr/bin/env bash
# The Azure CLI against the emulator: the same client that users have, pointed at a custom cloud on loopback.
#
#   tests/clients/azure-cli.sh [PULLPROOF]      the binary; target/debug/pullproof where none is given
#
# Installs azure-cli and azure-mgmt-resourcegraph from PyPI into a virtual environment (VENV, default below target/;
# a minute or two the first time), serves fixtures/contoso over TLS, logs in with a service principal, compares what
# the CLI returns with the snapshot, and audits what it returned. Not part of CI: it needs PyPI.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
pullproof=${1:-$root/target/debug/pullproof}
venv=${VENV:-$root/target/azure-cli-venv}
fixture=$root/fixtures/contoso
work=$(mktemp -d)
emulator=
trap '[ -z "$emulator" ] || kill "$emulator"; [ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT

if [ ! -x "$venv/bin/az" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet azure-cli azure-mgmt-resourcegraph
fi
az=$venv/bin/az

"$pullproof" emulate "$fixture/snapshot.ndjson" "$fixture"/ServiceTags_*.json --tls \
    --authority-file "$work/authority.pem" >"$work/settings" &
emulator=$!
for _ in $(seq 50); do [ -s "$work/settings" ] && break; sleep 0.1; done
set -a; . "$work/settings"; set +a

# What the CLI trusts: the usual authorities, and the emulator's.
cat "$("$venv/bin/python" -c 'import certifi; print(certifi.where())')" "$work/authority.pem" >"$work/bundle.pem"
export REQUESTS_CA_BUNDLE=$work/bundle.pem SSL_CERT_FILE=$work/bundle.pem
export AZURE_CONFIG_DIR=$work/azure AZURE_CORE_COLLECT_TELEMETRY=false AZURE_CORE_NO_COLOR=true
export AZURE_CORE_INSTANCE_DISCOVERY=false AZURE_CORE_ONLY_SHOW_ERRORS=true
unset AZURE_AUTHORITY_HOST IDENTITY_ENDPOINT IDENTITY_HEADER

"$az" cloud register --name emulator \
    --endpoint-resource-manager "$PULLPROOF_ARM_ENDPOINT" \
    --endpoint-management "$PULLPROOF_ARM_ENDPOINT" \
    --endpoint-active-directory "$PULLPROOF_ARM_ENDPOINT" \
    --endpoint-active-directory-resource-id https://management.core.windows.net/ \
    --endpoint-active-directory-graph-resource-id "$PULLPROOF_ARM_ENDPOINT/" \
    --suffix-acr-login-server-endpoint .azurecr.io --output none
"$az" cloud set --name emulator --output none
"$az" login --service-principal --username "$AZURE_CLIENT_ID" --password "$AZURE_CLIENT_SECRET" \
    --tenant "$AZURE_TENANT_ID" --output none
echo "logged in"

out=$work/out
mkdir "$out"
"$venv/bin/python" "$root/tests/clients/azure_cli.py" "$az" "$fixture" "$out"

report() { "$pullproof" audit "$@" --config "$fixture/pullproof.toml" --format json || true; }
report "$fixture/snapshot.ndjson" "$fixture"/ServiceTags_*.json >"$work/of-snapshot.json"
report "$out" "$fixture"/ServiceTags_*.json >"$work/of-client.json"
"$venv/bin/python" "$root/tests/clients/azure_cli.py" --compare "$work/of-snapshot.json" "$work/of-client.json"
