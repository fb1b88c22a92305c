import { ApolloGateway } from '@apollo/gateway';
import type { QueryPlan } from '@apollo/query-planner';
import { parse } from 'graphql';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPlanStore } from '../../gateway/execution/operation-stores.js';
import { createPlanAhead } from '../../gateway/execution/planning/plan-ahead.js';
import { type PlannerThread, startPlannerThread } from '../../gateway/execution/planning/planner-thread.js';
import { createCallerQueue } from '../../gateway/limits/caller-queue.js';
import { POLLING } from '../polling.js';
import { createMemoryLog } from '../scenarios/memory-log.js';
import { GRAPH } from './support/open-gateway.js';

const PLAN: QueryPlan = { kind: 'QueryPlan' };
const DATA = { sdl: '', introspection: true };
const HASH = 'hash of the text';
const ANYONE = { callerId: 'anyone', signal: new AbortController().signal };
const DOCUMENT = parse('query One { __typename } query Two { __typename }');

describe('Plans made ahead', () => {
  it.each(['One', undefined])('are found by the library at its own key (operation %s)', async (operationName) => {
    const store = createPlanStore();
    const found: unknown[] = [];
    const get = async (key: string) => {
      const plan = await store.get(key);
      found.push(plan);
      return plan;
    };
    const queryPlannerConfig = { cache: { ...store, get } };
    const gateway = new ApolloGateway({ supergraphSdl: GRAPH.supergraph, queryPlannerConfig });
    const { executor } = await gateway.load({});
    const document = operationName === undefined ? parse('{ __typename }') : DOCUMENT;
    const request = { document, queryHash: HASH, request: { ...(operationName && { operationName }), variables: {} } };
    await createPlanAhead({ store, thread: { plan: async () => PLAN }, inTurn: createCallerQueue() })(request, ANYONE);
    // Planning reads nothing else of the request.
    await executor({ ...request, context: {}, cache: {} } as never);
    expect(found).toEqual([PLAN]);
    await gateway.stop();
  });

  it('are made once for those who ask at the same time, and again only when they are gone', async () => {
    const store = createPlanStore();
    const plan = vi.fn(async () => PLAN);
    const planAhead = createPlanAhead({ store, thread: { plan }, inTurn: createCallerQueue() });
    const operation = { document: DOCUMENT, queryHash: HASH, request: { operationName: 'One' } };
    await Promise.all([planAhead(operation, ANYONE), planAhead(operation, ANYONE)]);
    await planAhead(operation, ANYONE);
    expect(plan).toHaveBeenCalledTimes(1);
    store.clear();
    await planAhead(operation, ANYONE);
    expect(plan).toHaveBeenCalledTimes(2);
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

describe('The thread of the planner', () => {
  let thread: PlannerThread | null = null;
  afterEach(() => thread?.close());

  /** Starts a thread that runs `onMessage` for each operation; returns it and its log. */
  function start(onMessage: string) {
    const log = createMemoryLog();
    const source = `import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ id, task: { text } }) => { ${onMessage} });
      parentPort.postMessage('ready');`;
    const started = startPlannerThread(DATA, log, new URL(`data:text/javascript,${encodeURIComponent(source)}`));
    if (started === null) throw new Error('No thread was started.');
    thread = started;
    return { thread: started, log };
  }

  const ANSWERS =
    "if (text === 'end') process.exit(); else parentPort.postMessage({ id, result: { kind: 'QueryPlan' } })";

  it('is waited for while it starts', async () => {
    const { thread: started } = start(ANSWERS);
    expect(await started.plan('', undefined)).toEqual(PLAN);
  });

  it('rejects what ended it, and starts again for the next one', async () => {
    const { thread: started } = start(ANSWERS);
    await started.plan('', undefined);
    await expect(started.plan('end', undefined)).rejects.toThrow('ended');
    expect(await started.plan('', undefined)).toEqual(PLAN);
  });

  it('ends over one operation, and others are planned by the next thread', async () => {
    const { thread: started } = start(ANSWERS);
    await started.plan('', undefined);
    const [broken, ...others] = await Promise.allSettled(['end', '', ''].map((text) => started.plan(text, undefined)));
    expect(broken).toMatchObject({ status: 'rejected' });
    expect(others).toEqual([1, 2].map(() => ({ status: 'fulfilled', value: PLAN })));
  });

  it('that cannot start is reported, and others plan', async () => {
    const log = createMemoryLog();
    const broken = startPlannerThread(DATA, log, new URL('data:text/javascript,throw new Error("broken")'));
    thread = broken;
    expect(await broken?.plan('', undefined)).toBeNull();
    expect(log.text()).toContain('the thread of the query planner failed');
    expect(await broken?.plan('', undefined)).toBeNull();
  });
});
