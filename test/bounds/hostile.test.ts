import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IS_LONG, runs } from '../runs.js';
import { HOSTILE_REQUESTS } from './hostile-requests.js';
import { compare, MANY_ADDRESSES } from './neighbour/compare.js';
import { closedByServer, sendAndLeave } from './neighbour/never-reading-client.js';
import { FRESH_DOCUMENTS, WORST_OPERATIONS } from './neighbour/worst-operations.js';
import { type MeteredStack, startMeteredStack } from './support/metered-stack.js';
import type { SmallOperation } from './support/neighbour.js';
import { queryBody, type Received, send } from './support/send.js';
import { learnSmallOperations } from './support/small-operations.js';
import { openWatch, type Watch } from './support/watch.js';

/** In units of the calibrating work, of about ten milliseconds each: three times the slowest of these requests. */
const LONGEST_STALL = 20;
/** Peak memory of a refusal, garbage included, and what it may leave behind. */
const PEAK_MB = 80;
const HELD_MB = 8;
const REFUSAL_BYTES = 4_000;

/** Long enough for a busy machine to make each response. */
const DEADLINE_MS = '20000';

let stack: MeteredStack;
let smallOperations: readonly SmallOperation[];

beforeAll(async () => {
  stack = await startMeteredStack({ ...MANY_ADDRESSES, REQUEST_DEADLINE_MS: DEADLINE_MS });
  smallOperations = await learnSmallOperations(stack);
  // Fills the caches, whose contents are bounded elsewhere.
  await send(stack.server.url, { body: queryBody('{ missions(first: 5869) { nodes { description } } }') });
});

afterAll(() => stack?.close());

const SECONDS = runs(2);
const ROUNDS = 3;
/**
 * How many times as long the slowest hundredth of the neighbours' responses may take as without the caller. On a quiet
 * machine it is about twice, which `npm run bench:neighbour` checks, and up to five times while other tests run on the
 * same cores; turns of 20 ms instead of half a millisecond make it eleven, and work without turns sixty.
 */
const SLOWER = 8;

describe('Beside one caller who asks the worst that is legal, as often as they can,', () => {
  test('large lists and new documents in turns, all others are answered right and hardly later', async () => {
    const bodies = [...WORST_OPERATIONS, ...FRESH_DOCUMENTS, ...FRESH_DOCUMENTS];
    const plan = { bodies, seconds: SECONDS, rounds: ROUNDS, limit: SLOWER };
    const { alone, beside, ratio, noise } = await compare(stack, smallOperations, plan);
    expect(noise.answered).toBeGreaterThan(0);
    expect([...alone.wrong, ...beside.wrong]).toEqual([]);
    expect(ratio, JSON.stringify({ alone, beside })).toBeLessThan(SLOWER);
  });
});

describe('A hostile request hurts nobody', () => {
  let watch: Watch;
  beforeAll(async () => {
    watch = await openWatch(stack.server, smallOperations);
  });

  test.for(HOSTILE_REQUESTS)('$name', async (request, { skip }) => {
    skip(!IS_LONG && request.isLong === true);
    const { sent, status, code, errors = 1, bytes = REFUSAL_BYTES, peakMb = PEAK_MB } = request;
    const seen = await watch(() => send(stack.server.url, sent));
    const reported = errorsOf(seen.result);
    expect({ status: seen.result.status, code: reported[0]?.extensions?.code ?? null }).toEqual({ status, code });
    expect(seen.result.headers['x-content-type-options']).toBe('nosniff');
    expect(reported.length).toBeLessThanOrEqual(errors);
    expect(seen.result.bytes).toBeLessThanOrEqual(bytes);
    expect(seen.stall).toBeLessThan(LONGEST_STALL);
    expect(seen.peakMb).toBeLessThan(peakMb);
    expect(seen.heldMb).toBeLessThan(HELD_MB);
    expect(seen.neighbour.wrong).toEqual([]);
  });
});

test('What only introspects, and what the library has to execute, is answered too', async () => {
  const dataOf = async (query: string) =>
    JSON.parse((await send(stack.server.url, { body: queryBody(query) })).text).data;
  const introspected = { s: { queryType: { siret: 'Query' } }, siret: 'Query' };
  const query = 's: __schema { queryType { siret: name } } siret: __typename';
  expect(await dataOf(`{ ${query} }`)).toEqual(introspected);
  const mixed = await dataOf(`{ ${query} commune(insee: "76540") { siret: nom } }`);
  expect(mixed).toEqual({ ...introspected, commune: { siret: 'Rouen' } });
});

/** A client may read nothing for this many times what one response takes now, but for at least `LEAST_IDLE_MS`. */
const LARGE_RESPONSES = 10;
const LEAST_IDLE_MS = 3_000;
const CLIENTS = 3;
const ALIASES = 70;
/** What remains when the clients are gone: caches that the queries filled, and current garbage. */
const LEFT_MB = 24;
/** Between two queries of the neighbour, while the clients time out. */
const PATIENT_MS = 100;

/** About fourteen megabytes of descriptions, from one cached call. */
const LARGE = queryBody(
  `{ missions(first: 500) { nodes { ${Array.from({ length: ALIASES }, (_, alias) => `a${alias}: descriptionHtml`).join(' ')} } } }`,
);

test.runIf(IS_LONG)(
  'Clients that ask and never read lose their connections and their responses, and others are served meanwhile',
  async () => {
    const startedAt = performance.now();
    // More than the system's buffers take, so that something is left unread.
    expect((await send(stack.server.url, { body: LARGE })).bytes).toBeGreaterThan(10e6);
    const idleMs = Math.max(LEAST_IDLE_MS, LARGE_RESPONSES * (performance.now() - startedAt));
    const server = await stack.startServer({ REQUEST_DEADLINE_MS: String(Math.ceil(idleMs)) });
    await send(server.url, { body: LARGE });
    const watch = await openWatch(server, smallOperations, PATIENT_MS);
    const seen = await watch(async () => {
      const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => sendAndLeave(server.url, LARGE)));
      for (const socket of sockets) await closedByServer(socket);
    });
    expect(seen.heldMb).toBeLessThan(LEFT_MB);
    expect(seen.neighbour.wrong).toEqual([]);
    expect(seen.neighbour.requests).toBeGreaterThan(0);
  },
);

interface ReportedError {
  readonly extensions?: { readonly code?: string };
}

function errorsOf({ text, headers }: Received): readonly ReportedError[] {
  if (String(headers['content-type']).startsWith('text/csv')) return [];
  const { errors = [] } = JSON.parse(text) as { errors?: ReportedError[] };
  return errors;
}
