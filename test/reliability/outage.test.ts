import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { UpstreamCall } from '../../kernel/trace.js';
import { POLLING } from '../polling.js';
import { openReplicas, type Replica, type Replicas } from './support/replicas.js';
import { RNAS, ROMES } from './support/small-world.js';

/**
 * A source that is down for a while, as callers and the source see it. How long trials wait, how many fit into half a
 * minute and how a source is let in again is tested on a virtual clock (test/rest/breaker.test.ts).
 */

/** Failures in a row that open the breaker. */
const OPENS_AFTER = 5;
/** Earliest times of the trials, in milliseconds: after pauses of 1, 2, 4 and then 8 s, each less a fifth. */
const TRIALS_FROM_MS = [800, 2400, 5600, 12_000, 18_400, 24_800];
/** The limit of ten seconds is tested on a virtual clock (test/rest/breaker.test.ts). */
const SERVING = { ...POLLING, interval: 200 };

let replicas: Replicas;
let replica: Replica;
beforeEach(async () => {
  replicas = await openReplicas({ CACHE_DIR: 'off' });
  replica = await replicas.open();
});
afterEach(() => replicas.close());

let requested = 0;
/** A search that has not been made before. */
const search = (signal?: AbortSignal) => {
  requested += 1;
  const query = 'query ($rome: ROMECode!) { jobSearch(romes: [$rome]) { truncated } }';
  return replica.send(query, { variables: { rome: ROMES[requested] }, ...(signal && { signal }) });
};

async function stateOfWorkStudy(): Promise<string> {
  const ready = await fetch(`${replica.url}/readyz`);
  expect(ready.status).toBe(200);
  const { sources } = (await ready.json()) as { sources: { name: string; state: string }[] };
  return sources.find(({ name }) => name === 'work-study')?.state ?? '';
}

describe('A source that answers every call with 500', () => {
  test('is asked five times and then left alone; callers hear at once, with a time, and other sources are asked as ever', async () => {
    const { workStudy } = replicas.sandbox;
    workStudy.fault({ kind: 'status', status: 500 });
    for (let failed = 0; failed < OPENS_AFTER - 1; failed += 1) await search();
    const lastFailureMs = performance.now();
    await search();
    expect(workStudy.calls).toHaveLength(OPENS_AFTER);
    const responses = await Promise.all(Array.from({ length: 20 }, () => search()));
    for (const { errors } of responses) {
      expect(errors.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_UNAVAILABLE']);
      expect(errors[0]?.extensions.retryAfterSeconds).toBeGreaterThan(0);
    }
    const passedMs = performance.now() - lastFailureMs;
    const trials = TRIALS_FROM_MS.filter((fromMs) => fromMs <= passedMs).length;
    expect(workStudy.calls.length).toBeLessThanOrEqual(OPENS_AFTER + trials);
    expect(['DOWN', 'DEGRADED']).toContain(await stateOfWorkStudy());
    const { data, errors } = await replica.send(`{ organization(rna: "${RNAS[0]}") { rna } }`);
    expect(errors).toEqual([]);
    expect(data).toEqual({ organization: { rna: RNAS[0] } });
  });

  test('serves again after its return, without a restart, and is told as up', async () => {
    const { workStudy } = replicas.sandbox;
    const end = workStudy.fault({ kind: 'status', status: 500 });
    for (let failed = 0; failed < OPENS_AFTER; failed += 1) await search();
    end();
    await vi.waitFor(async () => expect((await search()).errors).toEqual([]), SERVING);
    // It is let in step by step, one call, then two, then four, until it counts as up.
    while ((await stateOfWorkStudy()) !== 'UP') expect((await search()).errors).toEqual([]);
    expect(workStudy.calls.filter(({ status }) => status === 429)).toEqual([]);
  });
});

describe('A source that was down when it was last called', () => {
  test('is told as up again although nobody calls, and the first caller is served', async () => {
    const { workStudy } = replicas.sandbox;
    const end = workStudy.fault({ kind: 'status', status: 500 });
    for (let failed = 0; failed < OPENS_AFTER; failed += 1) await search();
    const readDetail = async () => {
      const { sources } = (await (await fetch(`${replica.url}/readyz`)).json()) as { sources: { detail?: string }[] };
      return sources.map(({ detail }) => detail ?? '').join();
    };
    expect(await readDetail()).toContain('not available: /job/v1');
    end();
    await vi.waitFor(async () => expect(await readDetail()).toContain('recovering: /job/v1'), SERVING);
    expect((await search()).errors).toEqual([]);
    const told = replica.log.lines.filter(({ message }) => message.startsWith('the circuit is '));
    expect(told.map(({ level, message, fields }) => ({ level, message, fields }))).toEqual(
      [
        { level: 'warn', message: 'the circuit is open: only trials are sent' },
        { level: 'info', message: 'the circuit is half-open: the service answers again' },
      ].map((line) => ({ ...line, fields: { service: 'work-study', routes: '/job/v1' } })),
    );
  });

  test('is in the log with the calls that failed, and at debug level with each trial that fails after them', async () => {
    replicas.sandbox.workStudy.fault({ kind: 'status', status: 500 });
    for (let failed = 0; failed < OPENS_AFTER; failed += 1) await search();
    const failedCalls = () =>
      replica.log.lines.filter(
        ({ fields, message }) =>
          message === 'upstream call failed' && (fields as { call: UpstreamCall }).call.status === 500,
      );
    await vi.waitFor(() => expect(failedCalls().length).toBeGreaterThan(OPENS_AFTER), SERVING);
    const levels = failedCalls().map(({ level }) => level);
    expect(levels.slice(0, OPENS_AFTER)).toEqual(Array(OPENS_AFTER).fill('warn'));
    expect(new Set(levels.slice(OPENS_AFTER))).toEqual(new Set(['debug']));
  });
});

describe('A source that takes every call and never answers', () => {
  test('holds up no query to another: those are answered before it has answered one', async () => {
    const { workStudy } = replicas.sandbox;
    workStudy.fault({ kind: 'silent' });
    const leaving = new AbortController();
    let over = 0;
    const waiting = Array.from({ length: 40 }, () => search(leaving.signal).finally(() => (over += 1)));
    await workStudy.seen(({ url }) => url.includes('/search'));
    for (const rna of RNAS.slice(0, 3)) {
      const { data, errors } = await replica.send(`{ organization(rna: "${rna}") { rna } }`);
      expect({ data, errors }).toEqual({ data: { organization: { rna } }, errors: [] });
    }
    expect(over).toBe(0);
    leaving.abort();
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(Array(40).fill('rejected'));
  });
});
