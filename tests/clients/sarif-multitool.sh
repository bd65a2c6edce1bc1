#!/usr/bin/env bash
# Microsoft's SARIF validator over what we write: for any reader, for GitHub, for Advanced Security of Azure DevOps.
#
#   tests/clients/sarif-multitool.sh [PULLPROOF]      the binary; target/debug/pullproof where none is given
#
# Installs @microsoft/sarif-multitool from npm (TOOL, default below target/), and validates a run with findings, a clean
# run and a run with 5,000 findings under the rule kinds Sarif, Gh and Ado. The validator exits with 0 whatever it finds, so
# its output file is read: an error, or a warning that is not named below, fails. Not part of CI: it needs npm.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
pullproof=$(realpath "${1:-$root/target/debug/pullproof}")
tool=${TOOL:-$root/target/sarif-multitool}
work=$(mktemp -d)
trap '[ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT
export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1

if [ ! -d "$tool/node_modules" ]; then
    mkdir -p "$tool"
    npm install --silent --prefix "$tool" @microsoft/sarif-multitool
fi
validator=$(ls "$tool"/node_modules/@microsoft/sarif-multitool-*/Sarif.Multitool)
chmod u+x "$validator"

cp "$root"/fixtures/contoso/{snapshot.ndjson,pullproof.toml} "$work"
cp "$root"/fixtures/contoso/ServiceTags_*.json "$work/tags.json"
cd "$work"

sarif() { # FILE ARGUMENTS…
    local file=$1 code=0
    shift
    "$pullproof" audit snapshot.ndjson tags.json --quiet --format sarif -o "$file" "$@" 2>/dev/null || code=$?
    [ "$code" -ne 2 ] && [ "$code" -ne 5 ]
}

sarif findings.sarif
GITHUB_ACTIONS=true sarif github.sarif
TF_BUILD=True SYSTEM_COLLECTIONURI=https://dev.azure.com/contoso/ BUILD_DEFINITIONNAME=network \
    SYSTEM_TEAMPROJECTID=11111111-1111-4111-8111-111111111111 SYSTEM_DEFINITIONID=12 SYSTEM_PHASENAME=plan \
    SYSTEM_PHASEID=22222222-2222-4222-8222-222222222222 BUILD_SOURCEBRANCH=refs/heads/main BUILD_BUILDID=345 \
    sarif azdo.sarif
sarif clean.sarif --cluster aks-prod --registry contosoprod
# 5,000 findings of one cause: a rule of one's own that says it so often.
mkdir rules
cat >rules/many.rego <<'REGO'
# METADATA
# title: Said many times
# description: A finding a number.
# custom:
#   id: CT900
#   name: many-times
#   severity: note
#   layer: remark
#   kinds: [untrusted_issuer]
#   remediation: None.
package contoso.many

import rego.v1

findings contains {"message": sprintf("%d: %s", [i, input.message])} if some i in numbers.range(1, 5000)
REGO
GITHUB_ACTIONS=true sarif many.sarif --rules rules
TF_BUILD='' sarif plain-many.sarif --rules rules

failed=0
for file in *.sarif; do
    # The kinds of the consumer that the log is for: an Azure DevOps run has a name that only its pipeline knows.
    kinds='Sarif;Gh'
    [ "$file" = azdo.sarif ] && kinds='Sarif;Gh;Ado'
    "$validator" validate "$file" --rule-kind "$kinds" --output "$file.validated" --log ForceOverwrite >/dev/null
    python3 - "$file" "$file.validated" <<'PYTHON' || failed=1
import collections, json, sys

# Said of every log, and no fault: there is no page to link to yet (SARIF2005); results need no snippet where no source
# was read (SARIF2010), and a code flow's steps may share a place (SARIF2002 asks for arguments of fixed messages).
ALLOWED = {"SARIF2002", "SARIF2005", "SARIF2010"}
log, found = (json.load(open(name)) for name in sys.argv[1:3])
run = found["runs"][0]
count = collections.Counter((r["ruleId"], r.get("level", "warning")) for r in run.get("results", []))
for invocation in run.get("invocations", []):
    assert invocation["executionSuccessful"], "the validator did not end well"
bad = {k: n for k, n in count.items() if k[1] == "error" or k[1] == "warning" and k[0] not in ALLOWED}
print(f"{sys.argv[1]}: {len(log['runs'][0]['results'])} results;", dict(count) or "nothing said")
sys.exit(bool(bad))
PYTHON
done
exit "$failed"
