import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOSTILE_REQUESTS } from './hostile-requests.js';
import { type MeteredStack, startMeteredStack } from './support/metered-stack.js';
import { type Received, send } from './support/send.js';
import { learnSmallOperations } from './support/small-operations.js';
import { openWatch, type Watch } from './support/watch.js';

/** Pieces of the calibrating work, of about ten milliseconds each. */
const LONGEST_STALL = 10;
/** What a refusal may grow to, garbage included, and what it may leave behind. */
const PEAK_MB = 64;
const HELD_MB = 8;
const REFUSAL_BYTES = 4_000;

let stack: MeteredStack;
let watch: Watch;

beforeAll(async () => {
  stack = await startMeteredStack();
  watch = await openWatch(stack.server, await learnSmallOperations(stack));
});

afterAll(() => stack?.close());

describe('A hostile request hurts nobody', () => {
  test.each(HOSTILE_REQUESTS)('$name', async ({ sent, status, code, errors = 1, bytes = REFUSAL_BYTES }) => {
    const seen = await watch(() => send(stack.server.url, sent));
    const reported = errorsOf(seen.result);
    expect({ status: seen.result.status, code: reported[0]?.extensions?.code ?? null }).toEqual({ status, code });
    expect(seen.result.headers['x-content-type-options']).toBe('nosniff');
    expect(reported.length).toBeLessThanOrEqual(errors);
    expect(seen.result.bytes).toBeLessThanOrEqual(bytes);
    expect(seen.stall).toBeLessThan(LONGEST_STALL);
    expect(seen.peakMb).toBeLessThan(PEAK_MB);
    expect(seen.heldMb).toBeLessThan(HELD_MB);
    expect(seen.neighbour.wrong).toEqual([]);
  });
});

interface ReportedError {
  readonly extensions?: { readonly code?: string };
}

function errorsOf({ text }: Received): readonly ReportedError[] {
  const { errors = [] } = JSON.parse(text) as { errors?: ReportedError[] };
  return errors;
}
