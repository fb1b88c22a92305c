import { ApolloGateway } from '@apollo/gateway';
import type { QueryPlan } from '@apollo/query-planner';
import { buildSchema, parse } from 'graphql';
import { afterEach, describe, expect, it } from 'vitest';
import { createCallerQueue } from '../../gateway/limits/caller-queue.js';
import { prepareOperation } from '../../gateway/remote/planned-operation.js';
import { createPlanner, PLANS } from '../../gateway/remote/planner.js';
import { unwatched } from '../../kernel/caches.js';
import { CodedError } from '../../kernel/errors.js';
import { createMemoryLog } from '../scenarios/memory-log.js';
import { GRAPH } from './support/open-gateway.js';

const NEW_OPERATIONS = { name: 'new operations', ofCaller: 1, waiting: 1_000 };
const PLAN: QueryPlan = { kind: 'QueryPlan' };
const ANYONE = { callerId: 'anyone', signal: new AbortController().signal, onCutoff: () => () => {} };

/** Answers every task with that plan, and counts them in the plan's kind. */
const ANSWERS = `count += 1;
  parentPort.postMessage({ kind: 'QueryPlan', count });`;

let planner: ReturnType<typeof createPlanner> | null = null;
afterEach(() => planner?.close());

/** Starts a planner whose thread runs `onMessage` for each task. */
function start(onMessage: string) {
  const source = `import { parentPort } from 'node:worker_threads';
    let count = 0;
    parentPort.on('message', () => { ${onMessage} });
    parentPort.postMessage('ready');`;
  const script = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
  planner = createPlanner({ sdl: '', log: createMemoryLog(), watchCache: unwatched, script });
  return planner;
}

/** What the library looks up and finds when it is to execute this plan. */
async function foundByLibrary(queryHash: QueryPlan): Promise<unknown[]> {
  const found: unknown[] = [];
  const get = async (key: string) => {
    const plan = await PLANS.get(key);
    found.push(plan);
    return plan;
  };
  const queryPlannerConfig = { cache: { ...PLANS, get } };
  const gateway = new ApolloGateway({ supergraphSdl: GRAPH.supergraph, queryPlannerConfig });
  const { executor } = await gateway.load({});
  // Planning reads nothing else of the request.
  await executor({ document: parse('{ __typename }'), request: {}, context: {}, cache: {}, queryHash } as never);
  await gateway.stop();
  return found;
}

describe('A plan', () => {
  it('is found by the library', async () => {
    const plan = await start(ANSWERS).plan('{ __typename }', ANYONE);
    expect(await foundByLibrary(plan)).toEqual([{ ...PLAN, count: 1 }]);
  });

  it('is made once for those who ask at the same time', async () => {
    const started = start(ANSWERS);
    const operation = '{ missions { id } }';
    const both = await Promise.all([started.plan(operation, ANYONE), started.plan(operation, ANYONE)]);
    expect([...both, await started.plan(operation, ANYONE)]).toMatchObject(Array(3).fill({ count: 1 }));
  });

  it('that is too large to be remembered is made again, and found all the same', async () => {
    const started = start(`count += 1;
      parentPort.postMessage({ kind: 'QueryPlan', count, padding: 'x'.repeat(9_000_000) });`);
    const plan = await started.plan('{ missions { id } }', ANYONE);
    expect(await started.plan('{ missions { id } }', ANYONE)).toMatchObject({ count: 2 });
    const [found] = await foundByLibrary(plan);
    expect(found).toBe(plan);
  });

  it('is not made of a literal that fragments repeat until no subgraph takes it', async () => {
    const schema = buildSchema('type Query { a: A } type A { b(text: String): Int }');
    const prepare = async (times: number) => {
      const fields = Array.from({ length: times }, (_, at) => `a${at}: a { ...F }`).join(' ');
      const document = parse(`{ ${fields} } fragment F on A { b(text: "${'x'.repeat(30_000)}") }`);
      const [operation] = document.definitions;
      return prepareOperation({ schema, document, operation, request: {} } as never);
    };
    expect((await prepare(5))?.split('x'.repeat(30_000))).toHaveLength(6);
    await expect(prepare(30)).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  });
});

describe('Work for new documents', () => {
  const caller = (callerId: string) => ({ callerId, onCutoff: () => () => {} });

  it('of one caller is done one after the other, and that of another waits for none of it', async () => {
    const queue = createCallerQueue(NEW_OPERATIONS);
    const begun: string[] = [];
    const enter = (callerId: string, name: string) =>
      queue.enter(caller(callerId)).then((leave) => {
        begun.push(name);
        return leave;
      });
    const noisy = ['noisy 1', 'noisy 2', 'noisy 3'].map((name) => enter('noisy', name));
    await enter('other', 'other');
    expect(begun).toEqual(['noisy 1', 'other']);
    for (const next of noisy) (await next)();
    expect(begun).toEqual(['noisy 1', 'other', 'noisy 2', 'noisy 3']);
  });

  it('is not done for a request that ended, which keeps nobody waiting', async () => {
    const queue = createCallerQueue(NEW_OPERATIONS);
    let cutOff: (reason: CodedError) => void = () => {};
    const leave = await queue.enter(ANYONE);
    const late = queue.enter({
      callerId: ANYONE.callerId,
      onCutoff(listener) {
        cutOff = listener;
        return () => {};
      },
    });
    const last = queue.enter(ANYONE);
    cutOff(new CodedError('DEADLINE_EXCEEDED', 'gone'));
    await expect(late).rejects.toThrow('gone');
    leave();
    (await last)();
  });

  it('that waits is at most a thousand of one caller, who alone is refused more', async () => {
    const queue = createCallerQueue(NEW_OPERATIONS);
    const waiting = Array.from({ length: 1_001 }, () => queue.enter(caller('noisy')));
    await expect(queue.enter(caller('noisy'))).rejects.toMatchObject({
      extensions: { code: 'TOO_MANY_REQUESTS', retryAfterSeconds: 1 },
    });
    (await queue.enter(caller('other')))();
    for (const next of waiting) (await next)();
  });

  it('is done for all callers in turn where they share a bound, and for none twice as much as is free', async () => {
    const queue = createCallerQueue({ name: 'operations', ofCaller: 3, ofAll: 4, waiting: 10 });
    const begun: string[] = [];
    const enter = (callerId: string) =>
      queue.enter(caller(callerId)).then((leave) => {
        begun.push(callerId);
        return leave;
      });
    const [first, second] = [enter('a'), enter('a')];
    const waiting = [enter('a'), enter('b'), enter('c'), enter('b'), enter('c')];
    const leaves = [await first, await second, await waiting[1]];
    expect(begun).toEqual(['a', 'a', 'b', 'c']);
    for (const leave of leaves) leave?.();
    for (const next of waiting) (await next)();
    expect(begun.toSorted()).toEqual(['a', 'a', 'a', 'b', 'b', 'c', 'c']);
  });
});
