import { CodedError } from '../../../schema/errors.js';

/**
 * Rows of searches in one request: a search in each of 160 communes, with as many rows as the service sends. A search
 * below each row of another one makes a tree of rows without a call for each of them.
 */
const MOST_ROWS = 100_000;

const counted = new WeakMap<object, number>();

/** Counts rows of a search towards its request. Throws ANSWER_TOO_LARGE beyond what one request may have. */
export function spendRows({ request }: { readonly request: object }, rows: number): void {
  const total = (counted.get(request) ?? 0) + rows;
  counted.set(request, total);
  if (total > MOST_ROWS) throw new CodedError('ANSWER_TOO_LARGE', 'Searches below searches have too many rows in all.');
}
