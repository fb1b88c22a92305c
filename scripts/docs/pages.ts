import type { ERRORS } from '../../kernel/errors.js';
import { FAMILIES } from '../../runtime/configuration/configuration-reader.js';
import type { VARIABLE_GROUPS } from '../../runtime/configuration/configuration-variables.js';

/** The page of all environment variables, from their table. */
export function configurationPage(groups: typeof VARIABLE_GROUPS): string {
  const sections = Object.entries(groups).map(([group, variables]) => {
    const rows = variables.map(({ name, byDefault, meaning }) => [`\`${name}\``, byDefault, meaning]);
    return `## ${group}\n\n${table(['Variable', 'Default', 'Meaning'], rows)}`;
  });
  const families = FAMILIES.map((prefix) => `\`${prefix}\``);
  const last = families.pop();
  return `# Configuration

For operators; ${DERIVED}

Everything is set by environment variables, which are read once at startup. All mistakes are reported together, without the values. An unknown name that begins with ${families.join(', ')} or ${last} is a mistake, and so is one that looks like a misspelling of a known name (\`CORS_ORIGIN\`), unless it may be meant for another program (\`HOSTS\`, \`LOGLEVEL\`). \`npm start -- --help\` prints the same table.

${sections.join('\n\n')}
`;
}

/** The page of all error codes, from their table. */
export function errorsPage(errors: typeof ERRORS): string {
  const rows = Object.entries(errors).map(([code, { meaning, httpStatus, retry }]) => [
    `\`${code}\``,
    meaning,
    String(httpStatus),
    retry,
  ]);
  return `# Errors

For authors of clients; ${DERIVED}

A source that fails nulls its own fields; the rest of the response is unaffected. Each error has a \`message\`, a \`path\` if it belongs to a field, and \`extensions\`: \`code\`, \`requestId\`, and where they apply \`service\`, \`retryAfterSeconds\` and \`argument\`, the path of the argument that is refused: each mistake in a field's arguments is an error of its own. Read \`code\`, not the HTTP status: the status below is that of a request that was refused as a whole. An error with a \`path\` comes with 200, even if all of \`data\` is null, except in a [data link](analysts.md#3-exporting-results): if the error leaves it without rows, it has the status below.

${table(['Code', 'Meaning', 'Status of a whole request', 'Does a retry help?'], rows)}

GraphQL's and Apollo Server's own codes are unchanged: \`GRAPHQL_PARSE_FAILED\`, \`GRAPHQL_VALIDATION_FAILED\`, \`OPERATION_RESOLUTION_FAILURE\`, \`PERSISTED_QUERY_NOT_FOUND\`, \`BAD_REQUEST\`. Retired codes are never used again.
`;
}

/** The line under the title of a derived page ends so: nobody should edit it by hand. */
const DERIVED = 'derived from the code by `npm run docs:build`: change it there.';

/** A Markdown table; cells may hold any text. */
function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(headings), `|${headings.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** A text as the content of a table cell: one line, escaped. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim();
}

/**
 * The page with a derived section replaced: the text between the mark with its name and the end mark after it. Throws an
 * Error if a mark is missing.
 */
export function withDerived(page: string, name: string, text: string): string {
  const [start, end] = [`<!-- derived: ${name} -->\n\n`, '\n\n<!-- end of derived -->'];
  const from = page.indexOf(start);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`The page has lost its marks: ${start.trim()} and ${end.trim()}.`);
  return `${page.slice(0, from)}${start}${text}${page.slice(to)}`;
}
