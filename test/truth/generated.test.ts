import { env } from 'node:process';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runs } from '../runs.js';
import { SHAPES, type Shape } from '../scenarios/stack.js';
import { generatedOperation, type Operation } from './support/generated-operation.js';
import { type Caller, type GraphStack, startGraphStack } from './support/graph-stack.js';
import { shrunk } from './support/shrink.js';
import { difference, resultOf, trueResult } from './support/truth.js';

/** `TEST_SEED=17` runs the operation of this seed alone; a failure names its seed. */
const ONLY = env['TEST_SEED'];
/** Each batch has a stack of its own, for its clock moves by days with each operation. */
const BATCH = 300;
/** Where batches begin, and how many operations each has: few with `npm test`, 10,000 with `npm run test:long`. */
function batchesOf(shape: Shape): readonly (readonly [from: number, count: number])[] {
  if (ONLY !== undefined) return [[Number(ONLY), 1]];
  const all = runs(shape === 'apart' ? 15 : 30);
  return Array.from({ length: Math.ceil(all / BATCH) }, (_, at) => [at * BATCH, Math.min(BATCH, all - at * BATCH)]);
}
/** One of so many operations is sent by somebody who is logged in. */
const LOGGED_IN = 8;
/** Failures that are shrunk and shown whole; of the others, the seeds are enough. */
const SHOWN = 5;

describe.each(SHAPES)('Generated operations over the whole graph, %s', (shape) => {
  let graph: GraphStack;
  let sent = 0;
  /** Operations whose first and third response took calls, and those with an error. */
  let counts = { first: 0, third: 0, failing: 0 };
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    graph = await startGraphStack(shape);
    counts = { first: 0, third: 0, failing: 0 };
  });
  afterEach(async () => {
    await graph.stack.close();
    vi.useRealTimers();
  });

  test.each(batchesOf(shape))(
    'are answered as graphql-js answers them over plain data, new and repeated, from seed %i',
    async (from, count) => {
      const seeds: number[] = [];
      const texts: string[] = [];
      for (let seed = from; seed < from + count; seed += 1) {
        const operation = generatedOperation(seed, graph.roots);
        const caller = graph.callers[seed % LOGGED_IN === 0 ? 1 : 0];
        if ((await wrongIn(operation, caller)) === undefined) continue;
        if (seeds.push(seed) <= SHOWN) texts.push(`TEST_SEED=${seed}, shrunk:\n${await shown(operation, caller)}`);
      }
      expect(seeds.length, [`wrong: ${seeds}`, ...texts].join('\n\n')).toBe(0);
      if (ONLY !== undefined) return;
      expect(counts.first).toBeGreaterThan(count / 2);
      expect(counts.third).toBeLessThan(count / 20);
      expect(counts.failing).toBeGreaterThan(count / 8);
    },
  );

  /** What is wrong with the first or the third response to an operation; undefined if nothing is. */
  async function wrongIn(generated: Operation, { forget, send, resolver }: Caller): Promise<string | undefined> {
    await forget();
    // A document that was never sent before, even if an equal one was.
    const operation = { ...generated, query: `${generated.query} # ${sent++}` };
    try {
      const first = await received('first');
      const truth = await trueResult(operation, resolver);
      await send(operation);
      const third = await received('third');
      if (truth.errors.length > 0) counts.failing += 1;
      const wrong = { first: difference(truth, first), third: difference(truth, third) };
      const texts = Object.entries(wrong).flatMap(([name, text]) =>
        text === undefined ? [] : [`${name} response\n${text}`],
      );
      return texts.length === 0 ? undefined : texts.join('\n');
    } catch (error) {
      return String(error);
    }

    async function received(time: 'first' | 'third') {
      graph.stack.forgetCalls();
      const result = resultOf(await send(operation));
      if (graph.stack.calls().length > 0) counts[time] += 1;
      return result;
    }
  }

  async function shown(operation: Operation, caller: Caller): Promise<string> {
    const small = await shrunk(operation, async (smaller) => (await wrongIn(smaller, caller)) !== undefined);
    const variables = JSON.stringify(small.variables);
    const wrong = (await wrongIn(small, caller)) ?? 'which was right when it was sent again';
    return [small.query, variables === '{}' ? '' : `variables ${variables}`, wrong].join('\n');
  }
});
