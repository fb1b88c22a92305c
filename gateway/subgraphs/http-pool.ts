import { Agent, type Dispatcher } from 'undici';

/** The connections that all subgraphs over HTTP share. */
export type Pool = Dispatcher;

/** A ledger of five hundred calls and a thousand errors have room in any case. */
const LEAST_BYTES = 4 * 1024 * 1024;

/** What a subgraph sends beside what clients see: keys, names of types, its errors and its ledger. */
const BESIDE_ANSWER = 2;

/** Opens the pool. Deadlines are the requests' own; its timers only bury what hangs. */
export function createPool(maxAnswerBytes: number): Pool {
  return new Agent({
    connections: 128,
    connect: { timeout: 3_000 },
    maxResponseSize: Math.max(LEAST_BYTES, BESIDE_ANSWER * maxAnswerBytes),
  });
}
