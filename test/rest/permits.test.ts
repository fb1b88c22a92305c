import { describe, expect, it } from 'vitest';
import { CodedError } from '../../kernel/errors.js';
import { createCallAllowance } from '../../kernel/operation.js';
import type { Ports } from '../../subgraphs/rest/ports/ports.js';
import { type Transport, TransportFailure } from '../../subgraphs/rest/ports/transport.js';
import { createOperation } from './support/operation.js';
import { createHarness, createToolkit, search } from './support/toolkit.js';
import { createVirtualClock } from './support/virtual-clock.js';
import { createVirtualQuotaLog } from './support/virtual-quota-log.js';

const SECOND = 1_000;
const ROW_MS = 0.24;

interface Outcome {
  readonly caller: string;
  readonly atMs: number;
  readonly code: string;
  readonly error: unknown;
}

/** A service with one thread, which goes on with abandoned requests; and processes that call it. */
function oneThread(processes = 1, ports: Partial<Ports> = {}) {
  const clock = createVirtualClock();
  const flight = { rows: 0, most: 0, begun: [] as string[], freeAtMs: 0 };
  const transport: Transport = {
    send: ({ url }, signal) =>
      new Promise((resolve, reject) => {
        const rows = Number(url.searchParams.get('limit'));
        flight.rows += rows;
        flight.most = Math.max(flight.most, flight.rows);
        flight.begun.push(url.pathname);
        flight.freeAtMs = Math.max(flight.freeAtMs, clock.monotonicMs()) + rows * ROW_MS;
        clock.after(flight.freeAtMs - clock.monotonicMs(), () => {
          flight.rows -= rows;
          resolve({ status: 200, headers: {}, body: Buffer.from(JSON.stringify({ rows })) });
        });
        signal.addEventListener('abort', () => reject(new TransportFailure('aborted', signal.reason)));
      }),
    open: () => Promise.reject(new Error('Not part of this wire.')),
    close: async () => {},
  };
  const log = createVirtualQuotaLog(clock);
  const shared = { sharedQuota: () => log };
  let seed = 0;
  const toolkits = Array.from({ length: processes }, () => {
    seed += 0.1;
    const random = seed;
    const more = processes > 1 ? shared : {};
    return createToolkit('http://service.test', {}, { clock, transport, random: () => random, ...more, ...ports });
  });
  const outcomes: Outcome[] = [];
  const callers = new Map<string, object>();
  let number = 0;
  /** A read of so many rows by a caller, through one of the processes. Returns the function by which the caller leaves. */
  function read(caller: string, rows: number, { ms = 25 * SECOND, process = 0 } = {}): () => void {
    number += 1;
    const untilMs = clock.monotonicMs() + ms;
    const operation = createOperation({ remainingMs: () => Math.max(0, untilMs - clock.monotonicMs()) });
    const request = callers.get(caller) ?? {};
    callers.set(caller, request);
    const path = `/${caller}/${number}`;
    const done = (code: string, error: unknown = null) =>
      void outcomes.push({ caller, atMs: clock.monotonicMs(), code, error });
    toolkits[process]?.call(search({ path, query: [['limit', String(rows)]], rows }), { ...operation, request }).then(
      () => done('OK'),
      (error: unknown) => done(error instanceof CodedError ? String(error.code) : 'none', error),
    );
    return operation.leave;
  }
  const codesOf = (caller: string) => outcomes.filter((one) => one.caller === caller).map(({ code }) => code);
  return { clock, flight, outcomes, read, codesOf };
}

describe('calls of more than a hundred rows', () => {
  it('go in turns by caller, and a large one is not overtaken by smaller ones', async () => {
    const { clock, flight, read } = oneThread();
    for (let n = 0; n < 8; n += 1) read('many', 200);
    read('large', 1000);
    for (let n = 0; n < 8; n += 1) read('many', 200);
    read('other', 500);
    await clock.advance(10 * SECOND);
    const begun = flight.begun.map((path) => path.split('/')[1]);
    expect(begun.indexOf('large')).toBeLessThanOrEqual(6);
    expect(begun.indexOf('other')).toBeLessThanOrEqual(8);
    expect(flight.most).toBe(1000);
  });

  it('are refused at once, with the time to wait, if those ahead leave them no time', async () => {
    const { clock, flight, outcomes, read, codesOf } = oneThread();
    for (let n = 0; n < 16; n += 1) read('many', 1000, { ms: 2 * SECOND });
    await clock.advance(1);
    const refused = outcomes.filter(({ code }) => code === 'RATE_LIMITED');
    expect(refused).toHaveLength(9);
    expect(refused[0]?.error).toMatchObject({ extensions: { service: 'volunteering', retryAfterSeconds: 3 } });
    await clock.advance(10 * SECOND);
    expect(codesOf('many').filter((code) => code === 'OK')).toHaveLength(7);
    expect(flight.begun).toHaveLength(7);
  });

  it('are refused unsent if their own rows take longer than there is time', async () => {
    const { clock, flight, read, codesOf } = oneThread();
    read('hasty', 1000, { ms: 200 });
    await clock.advance(1);
    expect(codesOf('hasty')).toEqual(['RATE_LIMITED']);
    expect(flight.begun).toEqual([]);
  });

  it('keep their permits as long as their rows take when their caller has left', async () => {
    const { clock, flight, read, codesOf } = oneThread();
    const leave = Array.from({ length: 16 }, () => read('gone', 1000));
    await clock.advance(10);
    for (const one of leave) one();
    await clock.advance(1);
    read('next', 1000);
    await clock.advance(5 * SECOND);
    expect(codesOf('next')).toEqual(['OK']);
    expect(flight).toMatchObject({ most: 1000, rows: 0 });
    expect(flight.begun).toHaveLength(2);
  });

  it('go alone if they have more than a thousand', async () => {
    const { clock, flight, read, codesOf } = oneThread();
    read('larger than all', 1100);
    for (let n = 0; n < 3; n += 1) read('another', 900);
    await clock.advance(5 * SECOND);
    expect(flight.most).toBe(1100);
    expect(codesOf('another')).toEqual(['OK', 'OK', 'OK']);
  });
});

describe('what a large list counts as in what its request and caller may make', () => {
  it.each([
    ['one for each started 640 kB of its response', { rows: 1000 }, 1_300_000, 3],
    ['one if few rows came', { rows: 1000 }, 1_000, 1],
    ['one, whatever its size, for a call without a limit of more than a hundred rows', {}, 1_300_000, 1],
  ])('%s', async (_rule, parts, bytes, weight) => {
    const { toolkit, transport } = createHarness();
    transport.respond = () => ({ body: JSON.stringify('x'.repeat(bytes - 2)) });
    const allowance = createCallAllowance(500);
    await toolkit.call(search(parts), { ...createOperation(), allowance });
    expect(allowance.left()).toBe(500 - weight);
    expect(toolkit.rows[0]?.row.weight ?? 1).toBe(weight);
  });

  it('one for each started hundred rows if the service did not answer', async () => {
    const { toolkit, transport, clock } = createHarness();
    const allowance = createCallAllowance(500);
    const call = toolkit.call(search({ rows: 950 }), { ...createOperation(), allowance });
    const outcome = expect(call).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
    await clock.advance(30 * SECOND);
    await outcome;
    expect(transport.sent).toHaveLength(1);
    expect(allowance.left()).toBe(500 - 10);
  });
});

describe('processes that share a store', () => {
  it('have no more than a thousand rows in flight together, in turns, also when one is left', async () => {
    const { clock, flight, read, codesOf } = oneThread(2);
    await clock.advance(20 * SECOND);
    const leave = Array.from({ length: 16 }, (_, n) => read('many', 1000, { process: n % 2 }));
    read('other', 300, { process: 1 });
    await clock.advance(600);
    leave[0]?.();
    leave[2]?.();
    await clock.advance(10 * SECOND);
    expect(flight.most).toBe(1000);
    expect(codesOf('other')).toEqual(['OK']);
    expect(codesOf('many').filter((code) => code === 'OK').length).toBeGreaterThanOrEqual(14);
  });

  it('keep to their shares while the store is away; what is larger goes alone', async () => {
    const away = { change: () => Promise.reject(new Error('away')) };
    const { clock, flight, read, codesOf } = oneThread(1, { sharedQuota: () => away });
    // At least four processes are assumed until any were seen.
    for (let n = 0; n < 4; n += 1) read('many', 200);
    await clock.advance(5);
    expect(flight.most).toBe(200);
    read('many', 1000);
    await clock.advance(5 * SECOND);
    expect(flight.most).toBe(1000);
    expect(codesOf('many')).toEqual(Array(5).fill('OK'));
  });
});
