"""Rows and other responses from Passerelle with Python's standard library alone. Each `# %%` starts a notebook cell."""

# %% Where the gateway is
import collections
import csv
import io
import json
import os
import urllib.error
import urllib.parse
import urllib.request

GATEWAY = os.environ.get("GATEWAY_URL", "http://127.0.0.1:4000")


def send(request):
    """The response to a request; a refusal is raised with the gateway's own message."""
    try:
        return urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as refused:
        raise RuntimeError(f"HTTP {refused.code}: {refused.read().decode()}") from None


# %% Rows: the address that "Copy data link" on the analyst page copies. pd.read_csv(data_link(...)) reads it in pandas.
def data_link(query, variables=None, **choice):
    """The address that returns the rows of a query, such as data_link(query, pages="all", order="title")."""
    parameters = {"query": query, "variables": json.dumps(variables or {}), "format": "csv", **choice}
    return f"{GATEWAY}/graphql?{urllib.parse.urlencode(parameters)}"


def read_rows(link):
    """The rows of a data link. Prints what is missing, so that a file that is not the whole list does not look it."""
    with send(link) as response:
        for header in ("x-passerelle-errors", "x-passerelle-incomplete", "x-passerelle-omitted-lists"):
            if response.headers.get(header, "0") != "0":
                print(f"{header}: {response.headers[header]}")
        rows = list(csv.DictReader(io.StringIO(response.read().decode())))
    # Such a file also says so in its last line, which is no row.
    return [row for row in rows if not next(iter(row.values())).startswith("# incomplete:")]


MISSIONS = """query Missions($first: Int = 500, $after: String) {
  missions(first: $first, after: $after) {
    nodes { id title domain departmentName organizationName location { lon lat } }
  }
}"""

missions = read_rows(data_link(MISSIONS, pages="all"))
print(f"missions: {len(missions)}")
print(f"domains: {len(collections.Counter(mission['domain'] for mission in missions))}")


# %% Other responses, for data that is not a table. A source that is down leaves nulls and errors; the rest is valid.
def ask(query, variables=None):
    """The data of a query. Prints its errors, each with the field that it made null."""
    body = json.dumps({"query": query, "variables": variables or {}}).encode()
    headers = {"content-type": "application/json"}
    with send(urllib.request.Request(f"{GATEWAY}/graphql", body, headers)) as response:
        answer = json.load(response)
    for error in answer.get("errors", []):
        print(f"{error['extensions']['code']} at {error.get('path')}: {error['message']}")
    return answer["data"]


communes = ask("query($name: String!) { communesByName(name: $name, first: 3) { id nom } }", {"name": "Saint Denis"})
print(f"first commune: {communes['communesByName'][0]['nom']}")

counts = ask("{ missionCounts(by: [DEPARTMENT]) { counted complete groups { key label count } } }")["missionCounts"]
print(f"counted: {counts['counted']}, complete: {counts['complete']}")
