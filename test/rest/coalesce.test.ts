import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { TextStore } from '../../runtime/stores/text-store.js';
import { createOperation } from './support/operation.js';
import { createHarness, search } from './support/toolkit.js';
import { settle } from './support/virtual-clock.js';

/** Two callers of one call in flight; the first is its leader. */
async function twoCallers() {
  const harness = createHarness();
  const leader = createOperation();
  const waiter = createOperation();
  const responses = [harness.toolkit.call(search(), leader), harness.toolkit.call(search(), waiter)] as const;
  for (const response of responses) response.catch(() => {});
  await settle();
  return { ...harness, leader, waiter, responses };
}

describe('equal calls in flight', () => {
  it('go on for the leader when the waiter leaves', async () => {
    const { transport, responses, waiter } = await twoCallers();
    waiter.leave();
    await expect(responses[1]).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect(transport.sent[0]?.closed).toBe(false);
    transport.sent[0]?.respond({ number: 1 });
    expect(await responses[0]).toEqual({ number: 1 });
  });

  it('are not made again for a caller who reads the store while the first call lands', async () => {
    const { store, reads } = slowStore();
    const { toolkit, transport } = createHarness({}, { sharedStore: store });
    const request = search({ cache: 'reference', key: 'operator' });
    const first = toolkit.call(request, createOperation());
    await settle();
    reads.shift()?.(undefined);
    await settle();
    const operation = createOperation();
    const second = toolkit.call(request, operation);
    await settle();
    transport.sent[0]?.respond({ number: 1 });
    expect(await first).toEqual({ number: 1 });
    reads.shift()?.(undefined);
    await settle();
    transport.sent[1]?.respond({ number: 2 });
    expect(await second).toEqual({ number: 1 });
    expect(operation.rows).toMatchObject([{ cache: 'HIT' }]);
  });

  it('are not made for a caller who leaves while the cache is read', async () => {
    const { store, reads } = slowStore();
    const { toolkit, transport } = createHarness({}, { privateStore: store });
    const operation = createOperation();
    const response = toolkit.call(search(), operation);
    response.catch(() => {});
    await settle();
    operation.leave();
    while (reads.length > 0) {
      for (const end of reads.splice(0)) end(undefined);
      await settle();
    }
    await expect(response).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect(transport.sent).toHaveLength(0);
    expect(getEventListeners(operation.signal, 'abort')).toEqual([]);
  });

  it.each([
    ['the leader, then the waiter', ['leader', 'waiter']],
    ['the waiter, then the leader', ['waiter', 'leader']],
  ] as const)('close the socket at once when all have left: %s', async (_order, order) => {
    const callers = await twoCallers();
    for (const name of order) callers[name].leave();
    expect(callers.transport.sent[0]?.closed).toBe(true);
    await settle();
    // A caller who comes now gets a new call, not the one that was broken off.
    callers.transport.respond = () => ({ body: { number: 2 } });
    expect(await callers.toolkit.call(search(), createOperation())).toEqual({ number: 2 });
    expect(callers.transport.sent).toHaveLength(2);
  });

  it('let one caller’s time run out without the other’s', async () => {
    const { toolkit, transport, clock } = createHarness();
    const hasty = toolkit.call(search(), createOperation({ remainingMs: () => 50 }));
    const patient = toolkit.call(search(), createOperation());
    const end = expect(hasty).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await clock.advance(50);
    await end;
    transport.sent[0]?.respond({ number: 1 });
    expect(await patient).toEqual({ number: 1 });
    expect(clock.pending).toBe(0);
  });

  it('a later caller after the response is no part of the flight', async () => {
    const { transport, responses, toolkit } = await twoCallers();
    transport.sent[0]?.respond({ message: 'no' }, 500);
    await Promise.allSettled(responses);
    transport.respond = () => ({ body: { number: 2 } });
    expect(await toolkit.call(search(), createOperation())).toEqual({ number: 2 });
  });
});

/** A store whose reads end when a test ends them. */
function slowStore() {
  const reads: ((text: undefined) => void)[] = [];
  const get = () => new Promise<undefined>((resolve) => reads.push(resolve));
  const store: TextStore = { get, set: async () => {} };
  return { store, reads };
}
