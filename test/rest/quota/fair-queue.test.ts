import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../subgraphs/rest/quota/fair-queue.js';

/** The caller of a request, unless a test says otherwise. */
const caller = 'someone';

function next<T>(queue: FairQueue<T>): T {
  const [item] = queue.items() as [T];
  queue.serve(item);
  return item;
}

function drain<T>(queue: FairQueue<T>): T[] {
  return Array.from({ length: queue.size }, () => next(queue));
}

describe('the fair queue', () => {
  it('gives a request that was idle no credit for it', () => {
    const queue = new FairQueue<string>();
    const [busy, idle] = [{}, {}];
    for (let n = 0; n < 10; n += 1) queue.push(`b${n}`, { caller, request: busy });
    drain(queue);
    for (const item of ['i1', 'i2', 'i3']) queue.push(item, { caller, request: idle });
    queue.push('b10', { caller, request: busy });
    expect(drain(queue)).toEqual(['i1', 'b10', 'i2', 'i3']);
  });

  it('lets no caller who comes back at once go before others again', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'a3']) queue.push(item, { caller: 'a', request: {} });
    const served: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      if (!queue.has('b')) queue.push('b', { caller: 'b', request: {} });
      served.push(next(queue));
    }
    expect(served).toEqual(['a1', 'b', 'a2', 'b', 'a3']);
  });

  it('forgets who leaves', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a', 'b', 'c']) queue.push(item, { caller, request: {} });
    queue.remove('b');
    expect(queue.size).toBe(2);
    expect(queue.items()).toEqual(['a', 'c']);
    expect(drain(queue)).toEqual(['a', 'c']);
  });
});
