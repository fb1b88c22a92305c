import type { GraphqlRequest, QueryResult } from '../responses/query-result.js';
import { combine } from './combine.js';

/** The service whose quota is used up, and the time until its reset. */
export interface Waiting {
  readonly service: string;
  readonly seconds: number;
}

/** How to send requests and wait. */
export interface FetchOptions {
  readonly signal: AbortSignal;
  send(request: GraphqlRequest, signal: AbortSignal): Promise<QueryResult>;
  /** Resolves after a time; rejects when the signal aborts. */
  wait(seconds: number, signal: AbortSignal): Promise<void>;
}

/** How often one page waits for a quota. It gets further each time, because the gateway caches what was fetched. */
const WAITS = 10;

/** If a quota resets later than this, it is not waited for. */
const MAX_WAIT_SECONDS = 15 * 60;

/** Fetches a page, again after each wait for a quota; returns the last result if waiting does not help. */
export async function fetchWhenAllowed(
  request: GraphqlRequest,
  { send, wait, signal }: FetchOptions,
  onWait: (waiting: Waiting) => void,
): Promise<QueryResult> {
  let result = await send(request, signal);
  for (let waits = 0; waits < WAITS; waits += 1) {
    const waiting = quotaToWaitFor(result);
    if (waiting === null) break;
    onWait(waiting);
    await wait(waiting.seconds, signal);
    result = combine(result, await send(request, signal));
  }
  return result;
}

function quotaToWaitFor({ response: { errors = [] } }: QueryResult): Waiting | null {
  const spent = errors.flatMap(({ extensions }) => (extensions?.code === 'RATE_LIMITED' ? [extensions] : []));
  const seconds = Math.max(...spent.map(({ retryAfterSeconds }) => retryAfterSeconds ?? Infinity));
  if (spent.length === 0 || seconds > MAX_WAIT_SECONDS) return null;
  return { service: spent[0]?.service ?? 'a source', seconds: Math.max(1, seconds) };
}
