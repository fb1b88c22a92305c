/** What a snippet needs to know. */
export interface SnippetInput {
  /** Address of the rows in a format. */
  readonly address: (format: 'csv' | 'geojson') => string;
  /** File name for tools that write one. */
  readonly file: string;
  /** Columns of codes: digits that are not numbers, such as postal codes. */
  readonly codes: readonly string[];
  /** Columns of numbers, which are written with a decimal point. */
  readonly numbers: readonly string[];
}

/** A few lines that read the rows with a tool. */
export interface Snippet {
  readonly name: string;
  /** Whether the tests run it, if the tool is installed. */
  readonly isTested: boolean;
  write(input: SnippetInput): string;
}

/** The snippets offered with a data link. */
export const SNIPPETS: readonly Snippet[] = [
  {
    name: 'curl',
    isTested: true,
    write: ({ address, file }) => `curl --fail --silent --show-error --output ${file} '${address('csv')}'\n`,
  },
  {
    name: 'pandas',
    isTested: true,
    write: ({ address, codes }) => {
      const types = codes.map((code) => `${JSON.stringify(code)}: str`).join(', ');
      return `import pandas as pd\n\nrows = pd.read_csv("${address('csv')}", dtype={${types}})\nprint(rows)\n`;
    },
  },
  {
    name: 'R',
    isTested: true,
    write: ({ address, codes }) => {
      const types = codes.map((code) => `${JSON.stringify(code)} = "character"`).join(', ');
      return `rows <- read.csv("${address('csv')}", check.names = FALSE, fileEncoding = "UTF-8"${
        types === '' ? '' : `,\n  colClasses = c(${types})`
      })\nprint(rows)\n`;
    },
  },
  {
    name: 'DuckDB',
    isTested: true,
    write: ({ address, file, codes }) => {
      const types = codes.map((code) => `${sql(code)}: 'VARCHAR'`).join(', ');
      // Of a long file, DuckDB would judge quotes and types by its start, and fail at the first quote or `# incomplete`.
      const form = `delim = ',', quote = '"', escape = '"', header = true, sample_size = -1`;
      const read = `FROM read_csv(${sql(file)}, ${form}${types === '' ? '' : `, types = {${types}}`})`;
      return `from urllib.request import urlretrieve\nimport duckdb\n\nurlretrieve("${address('csv')}", "${file}")\nduckdb.sql(${JSON.stringify(read)}).show()\n`;
    },
  },
  {
    name: 'JavaScript',
    isTested: true,
    write: ({ address }) => `const response = await fetch("${address('geojson')}");
if (!response.ok) throw new Error(await response.text());
const { features } = await response.json();
const rows = features.map(({ properties }) => properties);
console.log(rows);
`,
  },
  {
    name: 'Excel (Power Query)',
    isTested: false,
    write: ({ address, codes, numbers }) => {
      const texts = codes.map((code) => `{${powerQuery(code)}, type text}`);
      const types = [...texts, ...numbers.map((name) => `{${powerQuery(name)}, type number}`)].join(', ');
      return `let
    Source = Csv.Document(Web.Contents("${address('csv')}"), [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]),
    Rows = Table.PromoteHeaders(Source, [PromoteAllScalars = true]),
    Typed = Table.TransformColumnTypes(Rows, {${types}}, "en-US")
in
    Typed\n`;
    },
  },
];

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

function sql(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** In Power Query, `#(` starts an escape sequence, and has to be escaped itself. */
function powerQuery(text: string): string {
  return `"${text.replaceAll('"', '""').replaceAll('#(', '#(#)(')}"`;
}
