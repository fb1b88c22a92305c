import type { ERRORS } from '../../kernel/errors.js';
import { DERIVED, table } from './markdown.js';

/** The page of all error codes, from their table. */
export function errorsPage(errors: typeof ERRORS): string {
  const rows = Object.entries(errors).map(([code, { meaning, httpStatus, retry }]) => [
    `\`${code}\``,
    meaning,
    String(httpStatus),
    retry,
  ]);
  return `# Errors

${DERIVED}

A source that fails nulls its own fields; the rest of the response is unaffected. Each error has a \`message\`, a \`path\` if it belongs to a field, and \`extensions\`: \`code\`, \`requestId\`, and where they apply \`service\` and \`retryAfterSeconds\`. Read \`code\`, not the HTTP status: the status below is that of a request that was refused as a whole. An error with a \`path\` comes with 200, even if all of \`data\` is null, except in a [data link](analysts.md#3-exporting-results): if the error leaves it without rows, it has the status below.

${table(['Code', 'Meaning', 'Status of a whole request', 'Does a retry help?'], rows)}

GraphQL's and Apollo Server's own codes are unchanged: \`GRAPHQL_PARSE_FAILED\`, \`GRAPHQL_VALIDATION_FAILED\`, \`OPERATION_RESOLUTION_FAILURE\`, \`PERSISTED_QUERY_NOT_FOUND\`, \`BAD_REQUEST\`. Retired codes are never used again.
`;
}
