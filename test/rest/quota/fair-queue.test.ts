import { describe, expect, it } from 'vitest';
import { createFairQueue } from '../../../subgraphs/rest/quota/priority-queue.js';

function drain<T>(queue: { shift(): T | undefined }): T[] {
  const items: T[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
}

describe('the fair queue', () => {
  it('lets requests take turns', () => {
    const queue = createFairQueue<string>();
    const [huge, small] = [{}, {}];
    for (const item of ['h1', 'h2', 'h3', 'h4']) queue.push(item, huge);
    for (const item of ['s1', 's2']) queue.push(item, small);
    expect(drain(queue)).toEqual(['h1', 's1', 'h2', 's2', 'h3', 'h4']);
  });

  it('serves one call within two places of a request of two hundred that has long begun', () => {
    const queue = createFairQueue<string>();
    const huge = {};
    for (let n = 0; n < 200; n += 1) queue.push(`h${n}`, huge);
    for (let n = 0; n < 50; n += 1) queue.shift();
    queue.push('small', {});
    expect([queue.shift(), queue.shift()]).toContain('small');
  });

  it('gives a request that was idle no credit for it', () => {
    const queue = createFairQueue<string>();
    const [busy, idle] = [{}, {}];
    for (let n = 0; n < 10; n += 1) queue.push(`b${n}`, busy);
    drain(queue);
    for (const item of ['i1', 'i2', 'i3']) queue.push(item, idle);
    queue.push('b10', busy);
    expect(drain(queue)).toEqual(['i1', 'i2', 'b10', 'i3']);
  });

  it('forgets who leaves', () => {
    const queue = createFairQueue<string>();
    for (const item of ['a', 'b', 'c']) queue.push(item, {});
    queue.remove('b');
    expect(queue.size).toBe(2);
    expect(queue.items()).toEqual(['a', 'c']);
    expect(drain(queue)).toEqual(['a', 'c']);
  });
});
