import { Agent, type Dispatcher } from 'undici';

/** The connection pool that all subgraphs over HTTP share. */
export type Pool = Dispatcher;

/** Enough for 500 recorded calls and 1,000 errors. */
const MIN_BYTES = 4 * 1024 * 1024;

/** Subgraph responses are larger than what clients see: they have keys, type names, errors and recorded calls. */
const RESPONSE_FACTOR = 2;

/** Creates the pool. Requests have their own deadlines; undici's default timeouts only end what hangs. */
export function createPool(maxResponseBytes: number): Pool {
  return new Agent({
    connections: 128,
    connect: { timeout: 3_000 },
    maxResponseSize: Math.max(MIN_BYTES, RESPONSE_FACTOR * maxResponseBytes),
  });
}
