import { ApolloGateway } from '@apollo/gateway';
import type { QueryPlan } from '@apollo/query-planner';
import { parse } from 'graphql';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCallerQueue } from '../../gateway/limits/caller-queue.js';
import { createPlanner, type Planner } from '../../gateway/remote/planner.js';
import { unwatched } from '../../kernel/caches.js';
import { POLLING } from '../polling.js';
import { createMemoryLog } from '../scenarios/memory-log.js';
import { GRAPH } from './support/open-gateway.js';

const PLAN: QueryPlan = { kind: 'QueryPlan' };
const ANYONE = { callerId: 'anyone', signal: new AbortController().signal, onCutoff: () => () => {} };

/** Answers every task with that plan, and counts them in the plan's kind. */
const ANSWERS = `count += 1;
  parentPort.postMessage({ id, result: { kind: 'QueryPlan', count } });`;

let planner: Planner | null = null;
afterEach(() => planner?.close());

/** Starts a planner whose thread runs `onMessage` for each task. */
function start(onMessage: string): Planner {
  const source = `import { parentPort } from 'node:worker_threads';
    let count = 0;
    parentPort.on('message', ({ id }) => { ${onMessage} });
    parentPort.postMessage('ready');`;
  const script = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
  planner = createPlanner({ sdl: '', log: createMemoryLog(), watchCache: unwatched, script });
  return planner;
}

describe('A plan', () => {
  it('is found by the library at the key of its text', async () => {
    const started = start(ANSWERS);
    const found: unknown[] = [];
    const get = async (key: string) => {
      const plan = await started.plans.get(key);
      found.push(plan);
      return plan;
    };
    const queryPlannerConfig = { cache: { ...started.plans, get } };
    const gateway = new ApolloGateway({ supergraphSdl: GRAPH.supergraph, queryPlannerConfig });
    const { executor } = await gateway.load({});
    await started.plan({ text: '{ __typename }', key: 'key' }, ANYONE);
    // Planning reads nothing else of the request.
    const request = { document: parse('{ __typename }'), queryHash: 'key', request: {}, context: {}, cache: {} };
    await executor(request as never);
    expect(found).toEqual([{ ...PLAN, count: 1 }]);
    await gateway.stop();
  });

  it('is made once for those who ask at the same time, and again only when it is gone', async () => {
    const started = start(ANSWERS);
    const operation = { text: '{ missions { id } }', key: 'key' };
    await Promise.all([started.plan(operation, ANYONE), started.plan(operation, ANYONE)]);
    await started.plan(operation, ANYONE);
    expect(await started.plans.get('key')).toMatchObject({ count: 1 });
    started.plans.clear();
    await started.plan(operation, ANYONE);
    expect(await started.plans.get('key')).toMatchObject({ count: 2 });
  });
});

describe('Work for new documents', () => {
  const caller = (callerId: string) => ({ callerId, signal: new AbortController().signal });

  it('of one caller is done one after the other, and that of another waits for none of it', async () => {
    const inTurn = createCallerQueue();
    const begun: string[] = [];
    const release: (() => void)[] = [];
    const work = (name: string) => () => {
      begun.push(name);
      return new Promise<void>((resolve) => release.push(resolve));
    };
    const noisy = ['noisy 1', 'noisy 2', 'noisy 3'].map((name) => inTurn(caller('noisy'), work(name)));
    const other = inTurn(caller('other'), work('other'));
    await vi.waitFor(() => expect(begun).toEqual(['noisy 1', 'other']), POLLING);
    release.shift()?.();
    await noisy[0];
    await vi.waitFor(() => expect(begun).toEqual(['noisy 1', 'other', 'noisy 2']), POLLING);
    for (const end of release.splice(0)) end();
    await Promise.all([other, noisy[1]]);
    await vi.waitFor(() => expect(begun.at(-1)).toBe('noisy 3'), POLLING);
    release[0]?.();
    await noisy[2];
  });

  it('is not done for a request that ended, and what fails keeps nobody waiting', async () => {
    const inTurn = createCallerQueue();
    const gone = new AbortController();
    const failed = inTurn(ANYONE, () => Promise.reject(new Error('failed')));
    const late = inTurn({ callerId: ANYONE.callerId, signal: gone.signal }, async () => 'done');
    const last = inTurn(ANYONE, async () => 'done');
    gone.abort(new Error('gone'));
    await expect(failed).rejects.toThrow('failed');
    await expect(late).rejects.toThrow('gone');
    expect(await last).toBe('done');
  });

  it('that waits is at most a thousand of one caller, who alone is refused more', async () => {
    const inTurn = createCallerQueue();
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const waiting = Array.from({ length: 1_000 }, () => inTurn(caller('noisy'), () => ended));
    await expect(inTurn(caller('noisy'), async () => {})).rejects.toMatchObject({
      extensions: { code: 'TOO_MANY_REQUESTS', retryAfterSeconds: 1 },
    });
    expect(await inTurn(caller('other'), async () => 'done')).toBe('done');
    end();
    await Promise.all(waiting);
  });
});
