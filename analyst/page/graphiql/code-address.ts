import { markLinked } from '../request/linked-writes.js';
import type { CodeText } from '../state/code.js';
import { readShareFragment } from '../state/sharing.js';

/**
 * The query of an address: `#query=…&variables=…`, or a link of this page with a query. Null for any other. It is not
 * run; a mutation in it asks before its first run.
 */
export function readCodeFragment(fragment: string): CodeText | null {
  const search = new URLSearchParams(fragment.slice(1));
  const query = search.get('query');
  const variables = search.get('variables') ?? '';
  const linked = readShareFragment(fragment) ?? (query === null ? null : { query, variables });
  if (linked !== null) markLinked(linked.query);
  return linked;
}
