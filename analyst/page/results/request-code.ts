/** The request itself as code, by tool; never with a key. */
export const REQUEST_CODE: Readonly<Record<'curl' | 'fetch' | 'Python', (address: string, body: string) => string>> = {
  curl: (address, body) =>
    `curl ${address} \\\n  --header 'content-type: application/json' \\\n  --data-binary '${body.replaceAll("'", "'\\''")}'\n`,
  fetch: (address, body) => `const response = await fetch(${JSON.stringify(address)}, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: ${JSON.stringify(body)},
});
console.log(JSON.stringify(await response.json(), null, 2));
`,
  Python: (address, body) => `import json
from urllib.request import Request, urlopen

body = ${JSON.stringify(body)}.encode()
request = Request(${JSON.stringify(address)}, body, {"content-type": "application/json"})
print(json.dumps(json.load(urlopen(request)), indent=2))
`,
};
