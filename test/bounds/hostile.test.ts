import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOSTILE_REQUESTS } from './hostile-requests.js';
import { type MeteredStack, startMeteredStack } from './support/metered-stack.js';
import type { SmallOperation } from './support/neighbour.js';
import { queryBody, type Received, send } from './support/send.js';
import { learnSmallOperations } from './support/small-operations.js';
import { openWatch, type Watch } from './support/watch.js';

/** Pieces of the calibrating work, of about ten milliseconds each: three times what the slowest of them takes. */
const LONGEST_STALL = 20;
/** What a refusal may grow to, garbage included, and what it may leave behind. */
const PEAK_MB = 80;
const HELD_MB = 8;
const REFUSAL_BYTES = 4_000;

/** Most of what is watched runs once: V8 would spend more on optimizing it than it saves, and stalls would be no longer. */
const FLAGS = ['--interrupt-budget=1000000'];

/** On a busy machine all the responses have to be made within it. */
const DEADLINE_MS = '20000';

let stack: MeteredStack;
let smallOperations: readonly SmallOperation[];

beforeAll(async () => {
  stack = await startMeteredStack({ REQUEST_DEADLINE_MS: DEADLINE_MS }, FLAGS);
  smallOperations = await learnSmallOperations(stack);
  // What caches hold is bounded elsewhere.
  await send(stack.server.url, { body: queryBody('{ missions(first: 5869) { nodes { description } } }') });
});

afterAll(() => stack?.close());

describe('A hostile request hurts nobody', () => {
  let watch: Watch;
  beforeAll(async () => {
    watch = await openWatch(stack.server, smallOperations);
  });

  test.each(HOSTILE_REQUESTS)('$name', async (request) => {
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

interface ReportedError {
  readonly extensions?: { readonly code?: string };
}

function errorsOf({ text, headers }: Received): readonly ReportedError[] {
  if (String(headers['content-type']).startsWith('text/csv')) return [];
  const { errors = [] } = JSON.parse(text) as { errors?: ReportedError[] };
  return errors;
}
