"""Asks the Azure CLI for what the snapshot holds, checks the answers, and keeps them as files for `pullproof audit`.

    azure_cli.py AZ FIXTURE OUT           AZ: the `az` to call, logged in at the emulator
    azure_cli.py --compare A.json B.json  two JSON reports: the same verdicts?
"""

import json
import os
import subprocess
import sys

GRAPH_TABLES = ["resources", "networkresources", "dnsresources", "authorizationresources", "resourcecontainers"]

# What Resource Graph has no rows of, by parent: (parent type, collection, API version).
CHILDREN = [
    ("microsoft.containerservice/managedclusters", "agentPools", "2024-05-01"),
    ("microsoft.network/privateendpoints", "privateDnsZoneGroups", "2024-05-01"),
    ("microsoft.network/dnsforwardingrulesets", "forwardingRules", "2022-07-01"),
    ("microsoft.network/dnsforwardingrulesets", "virtualNetworkLinks", "2022-07-01"),
]


def az(*arguments):
    command = [AZ, *arguments, "--output", "json"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{' '.join(arguments)}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def save(name, value):
    with open(os.path.join(OUT, name + ".json"), "w") as file:
        json.dump(value, file)


def check(what, found, expected):
    found, expected = sorted(found), sorted(expected)
    if found != expected:
        sys.exit(f"{what}: the CLI returned {found}, the snapshot has {expected}")
    print(f"{what}: {len(found)} as in the snapshot")


def ids(resources):
    return [resource["id"].lower() for resource in resources]


def graph():
    """Resource Graph by Microsoft's Python client, with the CLI's token: the extension of the CLI is not on PyPI."""
    from azure.core.credentials import AccessToken
    from azure.mgmt.resourcegraph import ResourceGraphClient
    from azure.mgmt.resourcegraph.models import QueryRequest, QueryRequestOptions

    class Credential:
        def get_token(self, *scopes, **kwargs):
            token = az("account", "get-access-token")
            return AccessToken(token["accessToken"], token["expires_on"])

    base = os.environ["PULLPROOF_ARM_ENDPOINT"]
    client = ResourceGraphClient(
        Credential(), base_url=base, credential_scopes=["https://management.core.windows.net/.default"]
    )
    answers = {}
    for table in GRAPH_TABLES:
        rows, token = [], None
        while True:
            options = QueryRequestOptions(skip_token=token, top=20, result_format="objectArray")
            answer = client.resources(QueryRequest(query=f"{table} | order by id asc", options=options))
            rows += answer.data
            token = answer.skip_token
            if not token:
                break
        if len(rows) != answer.total_records:
            sys.exit(f"{table}: {len(rows)} rows of {answer.total_records}")
        answers[table] = rows
    return answers


def listed(subscriptions, zones):
    """Lists that may be empty, in the native form, which can say that nothing is there (CONTRACT: completeness)."""
    records = [f"Microsoft.Network/privateDnsZones/{kind}" for kind in ("A", "AAAA", "CNAME", "MX", "PTR", "SOA", "SRV", "TXT")]
    lists = [(f"{zone}/ALL?api-version=2024-06-01", zone, records) for zone in zones]
    for subscription in subscriptions:
        for kind in ("denyAssignments", "roleAssignments"):
            scope = f"/subscriptions/{subscription}"
            kind = f"Microsoft.Authorization/{kind}"
            lists.append((f"{scope}/providers/{kind}?api-version=2022-04-01", scope, [kind]))
    lines, complete = [{"pullproof": "snapshot/v1"}], []
    for url, scope, types in lists:
        answer = az("rest", "--method", "get", "--url", url)
        if "nextLink" in answer:
            sys.exit(f"{url}: more than one page")
        lines += answer["value"]
        complete.append({"scope": scope, "types": types})
    lines.append({"pullproof": "end", "complete": complete, "resources": len(lines) - 1})
    with open(os.path.join(OUT, "listed.ndjson"), "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return lines


def main(fixture):
    resources = []
    with open(os.path.join(fixture, "snapshot.ndjson")) as file:
        for line in file:
            value = json.loads(line)
            if "pullproof" not in value:
                resources.append(value)
    subscriptions = sorted({r["id"].split("/")[2] for r in resources if r["id"].startswith("/subscriptions/")})

    def of(kind, subscription=None):
        prefix = f"/subscriptions/{subscription}/" if subscription else "/"
        return [r for r in resources if r["type"].lower() == kind and r["id"].startswith(prefix)]

    check("az account list", [a["id"] for a in az("account", "list")], subscriptions)
    for subscription in subscriptions:
        found = az("network", "vnet", "list", "--subscription", subscription)
        check("az network vnet list", ids(found), ids(of("microsoft.network/virtualnetworks", subscription)))
        save(f"vnets-{subscription}", found)
    for kind, command in (
        ("microsoft.containerservice/managedclusters", ["aks", "show"]),
        ("microsoft.containerregistry/registries", ["acr", "show"]),
    ):
        for resource in of(kind):
            parts = resource["id"].split("/")
            found = az(*command, "--subscription", parts[2], "-g", parts[4], "-n", parts[8])
            check(f"az {' '.join(command)}", ids([found]), ids([resource]))
            save(f"{command[0]}-{parts[8]}", found)
    links = of("microsoft.network/privatednszones/virtualnetworklinks")
    for zone in of("microsoft.network/privatednszones"):
        parts = zone["id"].split("/")
        where = ["--subscription", parts[2], "-g", parts[4], "-z", parts[8]]
        found = az("network", "private-dns", "link", "vnet", "list", *where)
        expected = [link for link in links if link["id"].lower().startswith(zone["id"].lower() + "/")]
        check("az network private-dns link vnet list", ids(found), ids(expected))
        if found:
            save(f"links-{parts[4]}-{parts[8]}", found)

    answers = graph()
    vnets = [row for row in answers["resources"] if row["type"] == "microsoft.network/virtualnetworks"]
    check("Resource Graph: virtual networks", ids(vnets), ids(of("microsoft.network/virtualnetworks")))
    check(
        "Resource Graph: record sets of type A",
        ids(row for row in answers["dnsresources"] if row["type"].endswith("/a")),
        ids(of("microsoft.network/privatednszones/a")),
    )
    rows = sum(answers.values(), [])
    save("graph", {"data": rows, "count": len(rows), "total_records": len(rows)})
    for parent_type, collection, version in CHILDREN:
        for parent in of(parent_type):
            url = f"{parent['id']}/{collection}?api-version={version}"
            found = az("rest", "--method", "get", "--url", url)
            below = f"{parent_type}/{collection}".lower()
            expected = [r for r in of(below) if r["id"].lower().startswith(parent["id"].lower() + "/")]
            check(f"az rest …/{collection}", ids(found["value"]), ids(expected))
            if found["value"]:
                save(f"{collection}-{parent['id'].split('/')[8]}", found)
    found = listed(subscriptions, [zone["id"] for zone in of("microsoft.network/privatednszones")])
    records = [r for r in found if "/privatednszones/" in r.get("type", "").lower()]
    check("az rest …/ALL", ids(records), ids(of("microsoft.network/privatednszones/a") + of("microsoft.network/privatednszones/soa")))


def compare(first, second):
    def verdicts(path):
        with open(path) as file:
            report = json.load(file)
        return {
            (a["cluster"].lower(), a["node_pool"], a["subnet"].lower(), a["registry"].lower()):
                (a["verdict"], a["first_failing_layer"])
            for a in report["audits"]
        }

    a, b = verdicts(first), verdicts(second)
    for key in sorted(set(a) | set(b)):
        same = "same" if a.get(key) == b.get(key) else "DIFFERENT"
        names = " ".join(part.split("/")[-1] for part in key)
        print(f"{same}: {names}: {a.get(key)} of the snapshot, {b.get(key)} of the client's output")
    if a != b or not a:
        sys.exit("the verdicts differ")


if __name__ == "__main__":
    if sys.argv[1] == "--compare":
        compare(sys.argv[2], sys.argv[3])
    else:
        AZ, OUT = sys.argv[1], sys.argv[3]
        main(sys.argv[2])
