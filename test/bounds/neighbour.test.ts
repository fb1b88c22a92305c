import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runs } from '../runs.js';
import { compare, MANY_ADDRESSES } from './neighbour/compare.js';
import { closedByServer, sendAndLeave } from './neighbour/never-reading-client.js';
import { FRESH_DOCUMENTS, WORST_OPERATIONS } from './neighbour/worst-operations.js';
import { type MeteredStack, startMeteredStack } from './support/metered-stack.js';
import type { SmallOperation } from './support/neighbour.js';
import { queryBody, send } from './support/send.js';
import { learnSmallOperations } from './support/small-operations.js';
import { openWatch } from './support/watch.js';

const SECONDS = runs(3);
const ROUNDS = 5;
/**
 * How many times as long the slowest hundredth of the neighbours' answers may take as without the caller. On a quiet
 * machine it is below twice, which `npm run bench:neighbour` holds it to; here other work runs on the same cores.
 */
const SLOWER = 5;

/** Also how long a client may take nothing, which is waited for. */
const DEADLINE_MS = '5000';

let stack: MeteredStack;
let operations: readonly SmallOperation[];

beforeAll(async () => {
  stack = await startMeteredStack({ ...MANY_ADDRESSES, REQUEST_DEADLINE_MS: DEADLINE_MS });
  operations = await learnSmallOperations(stack);
});

afterAll(() => stack?.close());

describe('Beside one caller who asks the worst that is legal, as often as they can,', () => {
  test('large lists and new documents in turns, all others are answered right and hardly later', async () => {
    const bodies = [...WORST_OPERATIONS, ...FRESH_DOCUMENTS, ...FRESH_DOCUMENTS];
    const plan = { bodies, seconds: SECONDS, rounds: ROUNDS, limit: SLOWER };
    const { alone, beside, ratio, noise } = await compare(stack, operations, plan);
    expect(noise.answered).toBeGreaterThan(0);
    expect([...alone.wrong, ...beside.wrong]).toEqual([]);
    expect(ratio, JSON.stringify({ alone, beside })).toBeLessThan(SLOWER);
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

const CLIENTS = 3;
const ALIASES = 70;
/** Of what is left when nobody is left: caches that the queries filled, and garbage of the moment. */
const LEFT_MB = 24;

/** Fourteen megabytes or so of descriptions, from one call that the cache has. */
const LARGE = queryBody(
  `{ missions(first: 500) { nodes { ${Array.from({ length: ALIASES }, (_, alias) => `a${alias}: descriptionHtml`).join(' ')} } } }`,
);

test('Clients that ask and never read lose their connections and their responses, and others are served meanwhile', async () => {
  const { server } = stack;
  // More than the system takes from us on its own, or nothing would be left unread.
  expect((await send(server.url, { body: LARGE })).bytes).toBeGreaterThan(10e6);
  const watch = await openWatch(server, operations);
  const seen = await watch(async () => {
    const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => sendAndLeave(server.url, LARGE)));
    for (const socket of sockets) await closedByServer(socket);
  });
  expect(seen.heldMb).toBeLessThan(LEFT_MB);
  expect(seen.neighbour.wrong).toEqual([]);
  expect(seen.neighbour.requests).toBeGreaterThan(0);
});
