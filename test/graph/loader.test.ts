import { describe, expect, it } from 'vitest';
import type { OperationContext } from '../../kernel/operation.js';
import { inTurns, isTurnSpent } from '../../runtime/event-loop/turns.js';
import { createBatchLoader, createPendingLookUps } from '../../subgraphs/graph/loader.js';

function deferred() {
  let resolve = () => {};
  let reject: (reason: Error) => void = () => {};
  const promise = new Promise<void>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve: () => resolve(), reject: (reason: Error) => reject(reason) };
}

const operation = (planNode = '', request: object = {}) => ({ planNode, request }) as OperationContext;

describe('createBatchLoader', () => {
  function batches(maximum = 10) {
    const called: string[][] = [];
    const lookUps = createPendingLookUps();
    const load = createBatchLoader<string>({
      load: async (keys) => {
        called.push([...keys]);
        return keys.map((key) => (key === 'bad' ? new Error('refused') : key.toUpperCase()));
      },
      maximum,
      lookUps,
    });
    return { called, lookUps, load };
  }

  it('loads all keys of a request at once, also those that it finds in later turns', async () => {
    const { called, load } = batches();
    const request = {};
    // Each item but the first waits for a turn of its own, as those of a long list do.
    const found = inTurns(request, ['a', 'b', 'c', 'a'], (key) => {
      while (!isTurnSpent());
      return load(key, operation('', request));
    });
    expect(await Promise.all(found)).toEqual(['A', 'B', 'C', 'A']);
    expect(called.map((keys) => keys.toSorted())).toEqual([['a', 'b', 'c']]);
  });

  it('waits for look-ups that may need further keys, whether they succeed or fail', async () => {
    const { called, lookUps, load } = batches();
    const [found, lost] = [deferred(), deferred()];
    const request = {};
    const first = load('a', operation('', request));
    const second = Promise.resolve(lookUps.note(found.promise)).then(() => load('b', operation('', request)));
    const third = Promise.resolve(lookUps.note(lost.promise)).then(undefined, () => 'lost');
    setImmediate(() => {
      expect(called).toEqual([]);
      found.resolve();
      lost.reject(new Error('away'));
    });
    expect(await Promise.all([first, second, third])).toEqual(['A', 'B', 'lost']);
    expect(called).toEqual([['a', 'b']]);
  });

  it('splits what is more than a call takes, and keeps a failure to its own key', async () => {
    const { called, load } = batches(2);
    const request = {};
    const settled = await Promise.allSettled(['a', 'bad', 'c'].map((key) => load(key, operation('', request))));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(called).toEqual([['a', 'bad'], ['c']]);
  });
});
