import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compare, MANY_ADDRESSES } from './neighbour/compare.js';
import { FRESH_DOCUMENTS, WORST_OPERATIONS } from './neighbour/worst-operations.js';
import { type MeteredStack, startMeteredStack } from './support/metered-stack.js';
import type { SmallOperation } from './support/neighbour.js';
import { queryBody, send } from './support/send.js';
import { learnSmallOperations } from './support/small-operations.js';

const SECONDS = 5;
const ROUNDS = 5;
/**
 * How many times as long the slowest hundredth of the neighbours' answers may take as without the caller. On a quiet
 * machine it is below twice, which `npm run bench:neighbour` holds it to; here other work runs on the same cores.
 */
const SLOWER = 4;

let stack: MeteredStack;
let operations: readonly SmallOperation[];

beforeAll(async () => {
  stack = await startMeteredStack(MANY_ADDRESSES);
  operations = await learnSmallOperations(stack);
});

afterAll(() => stack?.close());

describe('Beside one caller who asks the worst that is legal, as often as they can,', () => {
  test('large lists and new documents in turns, all others are answered right and hardly later', async () => {
    const bodies = [...WORST_OPERATIONS, ...FRESH_DOCUMENTS, ...FRESH_DOCUMENTS];
    const plan = { bodies, seconds: SECONDS, rounds: ROUNDS };
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
