import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compare, MANY_ADDRESSES } from './neighbour/compare.js';
import { FRESH_DOCUMENTS, WORST_OPERATIONS } from './neighbour/worst-operations.js';
import { type MeteredStack, startMeteredStack } from './support/metered-stack.js';
import type { SmallOperation } from './support/neighbour.js';
import { learnSmallOperations } from './support/small-operations.js';

const SECONDS = 5;
/** How many times as long the slowest hundredth of the neighbours' answers may take as without the caller. */
const SLOWER = 2;
/** By how much two measurements differ. */
const UNSURE = 1.1;
/** Of a core: with less of it the server shares the machine with other work, whose turns are in all its waits. */
const QUIET_SHARE = 0.75;
const SLOWER_ON_A_BUSY_MACHINE = 4;

let stack: MeteredStack;
let operations: readonly SmallOperation[];

beforeAll(async () => {
  stack = await startMeteredStack(MANY_ADDRESSES);
  operations = await learnSmallOperations(stack);
});

afterAll(() => stack?.close());

describe('Beside one caller who asks the worst that is legal, as often as they can,', () => {
  test('large lists and new documents in turns, all others are answered right and at most twice as late', async () => {
    const bodies = [...WORST_OPERATIONS, ...FRESH_DOCUMENTS, ...FRESH_DOCUMENTS];
    const { alone, beside, ratio, noise } = await compare(stack, operations, { bodies, seconds: SECONDS });
    expect(noise.answered).toBeGreaterThan(0);
    expect([...alone.wrong, ...beside.wrong]).toEqual([]);
    const isQuiet = Math.min(alone.share, beside.share) > QUIET_SHARE;
    if (!isQuiet) console.log(`The server got ${beside.share.toFixed(2)} of a core: waits may be four times as long.`);
    const most = isQuiet ? SLOWER * UNSURE : SLOWER_ON_A_BUSY_MACHINE;
    expect(ratio, JSON.stringify({ alone, beside })).toBeLessThanOrEqual(most);
  });
});
