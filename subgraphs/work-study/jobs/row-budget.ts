import { CodedError } from '../../../kernel/errors.js';
import type { JobSearchFound } from './search-result.js';

/**
 * Most rows of searches in one request: enough for a search in each of 160 communes with as many rows as the service
 * sends. A search below each row of another one would produce a tree of rows without a call for each.
 */
const MAX_ROWS = 100_000;

const counted = new WeakMap<object, number>();

/**
 * The result of a search, whose rows are counted towards the request whenever they are selected; other fields cost no
 * rows. Reading rows beyond the limit throws ANSWER_TOO_LARGE.
 */
export function countRows(found: JobSearchFound, { request }: { readonly request: object }): JobSearchFound {
  const spend = <T extends readonly unknown[] | null>(rows: T): T => {
    const total = (counted.get(request) ?? 0) + (rows?.length ?? 0);
    counted.set(request, total);
    if (total > MAX_ROWS) {
      throw new CodedError('ANSWER_TOO_LARGE', 'Nested searches return too many rows in total: nest fewer of them.');
    }
    return rows;
  };
  return {
    get jobs() {
      return spend(found.jobs);
    },
    get recruiters() {
      return spend(found.recruiters);
    },
    get warnings() {
      return found.warnings;
    },
    get truncated() {
      return found.truncated;
    },
  };
}
