import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compare } from './neighbour/compare.js';
import { FRESH_QUESTIONS, WORST_QUESTIONS } from './neighbour/worst-questions.js';
import { type MeteredStack, startMeteredStack } from './support/metered-stack.js';
import type { SmallQuestion } from './support/neighbour.js';
import { learnSmallQuestions } from './support/small-questions.js';

const SECONDS = 5;
/** How many times as long the slowest hundredth of the neighbours' answers may take as beside an ordinary caller. */
const SLOWER = 2;
/**
 * Pieces of the calibrating work, five to ten milliseconds each, within which nobody feels how many times as long it is:
 * a small query takes less than one millisecond, and the pauses of the garbage collector are everybody's.
 */
const UNFELT = 3;

let stack: MeteredStack;
let questions: readonly SmallQuestion[];

beforeAll(async () => {
  stack = await startMeteredStack();
  questions = await learnSmallQuestions(stack);
});

afterAll(() => stack?.close());

describe('Beside one caller who asks the worst that is legal, as often as they can,', () => {
  test.each([
    ['large answers', WORST_QUESTIONS],
    ['documents that nobody asked before', FRESH_QUESTIONS],
  ])('all others are answered right and hardly later: %s', async (_what, bodies) => {
    const { phases, ratios, noisyPieces, noise } = await compare(stack, questions, { bodies, seconds: SECONDS });
    expect(noise.answered).toBeGreaterThan(0);
    expect(Object.values(phases).flatMap(({ wrong }) => wrong)).toEqual([]);
    const isFelt = noisyPieces > UNFELT && ratios.toOrdinary > SLOWER;
    expect(isFelt, JSON.stringify({ phases, ratios, noisyPieces })).toBe(false);
  });
});
