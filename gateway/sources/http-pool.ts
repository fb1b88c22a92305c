import { Agent, type Dispatcher } from 'undici';

/** The connections that all subgraphs over HTTP share. */
export type Pool = Dispatcher;

/** No answer of a subgraph is larger than the largest that the services may send (DESIGN 6). */
const ANSWER_BYTES = 64 * 1024 * 1024;

/** Opens the pool. Deadlines are the requests' own; its timers only bury what hangs. */
export function createPool(): Pool {
  return new Agent({ connections: 128, connect: { timeout: 3_000 }, maxResponseSize: ANSWER_BYTES });
}
