import { ApolloGateway } from '@apollo/gateway';
import type { QueryPlan } from '@apollo/query-planner';
import { parse } from 'graphql';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPlanStore } from '../../gateway/execution/operation-stores.js';
import { createPlanAhead } from '../../gateway/execution/planning/plan-ahead.js';
import { type PlannerThread, startPlannerThread } from '../../gateway/execution/planning/planner-thread.js';
import { POLLING } from '../polling.js';
import { createMemoryLog } from '../scenarios/memory-log.js';
import { SUPERGRAPH } from './support/open-gateway.js';

const PLAN: QueryPlan = { kind: 'QueryPlan' };
const HASH = 'hash of the text';
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
    const gateway = new ApolloGateway({ supergraphSdl: SUPERGRAPH, queryPlannerConfig });
    const { executor } = await gateway.load({});
    const document = operationName === undefined ? parse('{ __typename }') : DOCUMENT;
    const request = { document, queryHash: HASH, request: { ...(operationName && { operationName }), variables: {} } };
    await createPlanAhead(store, { plan: async () => PLAN, close: async () => {} })(request);
    // Of the whole request, planning reads no more.
    await executor({ ...request, context: {}, cache: {} } as never);
    expect(found).toEqual([PLAN]);
    await gateway.stop();
  });

  it('are made once for those who ask at the same time, and again only when they are gone', async () => {
    const store = createPlanStore();
    const plan = vi.fn(async () => PLAN);
    const planAhead = createPlanAhead(store, { plan, close: async () => {} });
    const operation = { document: DOCUMENT, queryHash: HASH, request: { operationName: 'One' } };
    await Promise.all([planAhead(operation), planAhead(operation)]);
    await planAhead(operation);
    expect(plan).toHaveBeenCalledTimes(1);
    store.clear();
    await planAhead(operation);
    expect(plan).toHaveBeenCalledTimes(2);
  });
});

describe('The thread of the planner', () => {
  let thread: PlannerThread | null = null;
  afterEach(() => thread?.close());

  /** A thread that does this with each operation, and what the log says. */
  function start(onMessage: string) {
    const log = createMemoryLog();
    const source = `import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ id, text }) => { ${onMessage} });
      parentPort.postMessage('ready');`;
    const started = startPlannerThread('', log, new URL(`data:text/javascript,${encodeURIComponent(source)}`));
    if (started === null) throw new Error('No thread was started.');
    thread = started;
    return { thread: started, log };
  }

  const ANSWERS =
    "if (text === 'end') process.exit(); else parentPort.postMessage({ id, plan: { kind: 'QueryPlan' } })";

  /** As soon as the thread gives plans. */
  const ready = (started: PlannerThread) =>
    vi.waitFor(async () => expect(await started.plan('', undefined)).toEqual(PLAN), POLLING);

  it('gives no plan before it is ready: others plan', async () => {
    const { thread: started } = start(ANSWERS);
    expect(await started.plan('', undefined)).toBeNull();
    await ready(started);
  });

  it('rejects what ended it, and starts again for the next one', async () => {
    const { thread: started } = start(ANSWERS);
    await ready(started);
    await expect(started.plan('end', undefined)).rejects.toThrow('ended');
    expect(await started.plan('', undefined)).toEqual(PLAN);
  });

  it('refuses more than a thousand operations that wait', async () => {
    const { thread: started } = start(`if (text !== 'wait') { ${ANSWERS} }`);
    await ready(started);
    const waiting = Promise.allSettled(Array.from({ length: 1_000 }, () => started.plan('wait', undefined)));
    await expect(started.plan('wait', undefined)).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await started.close();
    await waiting;
  });

  it('that cannot start is reported, and others plan', async () => {
    const log = createMemoryLog();
    const broken = startPlannerThread('', log, new URL('data:text/javascript,throw new Error("broken")'));
    thread = broken;
    await vi.waitFor(() => expect(log.text()).toContain('the thread of the query planner failed'), POLLING);
    expect(await broken?.plan('', undefined)).toBeNull();
  });
});
