import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compare } from './neighbour/compare.js';
import { FRESH_DOCUMENTS, WORST_OPERATIONS } from './neighbour/worst-operations.js';
import { type MeteredStack, startMeteredStack } from './support/metered-stack.js';
import type { SmallOperation } from './support/neighbour.js';
import { learnSmallOperations } from './support/small-operations.js';

const SECONDS = 3;
/** How many times as long the slowest hundredth of the neighbours' answers may take as without the caller. */
const SLOWER = 2;
/**
 * Pieces of the calibrating work, five to ten milliseconds each, within which nobody feels how many times as long it is:
 * a small query takes less than one millisecond, and the pauses of the garbage collector are everybody's.
 */
const UNFELT = 2;

let stack: MeteredStack;
let operations: readonly SmallOperation[];

beforeAll(async () => {
  stack = await startMeteredStack();
  operations = await learnSmallOperations(stack);
});

afterAll(() => stack?.close());

describe('Beside one caller who asks the worst that is legal, as often as they can,', () => {
  test('large lists and new documents in turns, all others are answered right and hardly later', async () => {
    const bodies = [...WORST_OPERATIONS, ...FRESH_DOCUMENTS, ...FRESH_DOCUMENTS];
    const { phases, ratios, noisyPieces, noise } = await compare(stack, operations, { bodies, seconds: SECONDS });
    expect(noise.answered).toBeGreaterThan(0);
    expect(Object.values(phases).flatMap(({ wrong }) => wrong)).toEqual([]);
    const isFelt = noisyPieces > UNFELT && ratios.toQuiet > SLOWER;
    expect(isFelt, JSON.stringify({ phases, ratios, noisyPieces })).toBe(false);
  });
});
