import { describe, expect, it } from 'vitest';
import { ReadingBounds } from '../../../subgraphs/work-study/export/reading-bounds.js';
import { operationFor } from '../../subgraph-harness.js';
import { deferred } from '../support/siret-directories.js';

/** Rows of the largest size, together 30 MB. */
const HEAVY = Array.from({ length: 480 }, () => 64 * 1024);

describe('Bytes of the export that are being read', () => {
  /** A read that goes on until it is told to end. */
  function begin(bounds: ReadingBounds, lengths: readonly number[], signal = new AbortController().signal) {
    const end = deferred();
    const state = { isReading: false };
    const done = bounds.read(operationFor({ signal }), lengths, () => {
      state.isReading = true;
      return end.promise;
    });
    return { state, done, end: end.resolve };
  }

  it('are at most 64 MB: a third large read waits for one of two, and a small one behind it too', async () => {
    const bounds = new ReadingBounds();
    const [one, other, third] = [begin(bounds, HEAVY), begin(bounds, HEAVY), begin(bounds, HEAVY)];
    const small = begin(bounds, [10]);
    expect([one, other, third, small].map(({ state }) => state.isReading)).toEqual([true, true, false, false]);
    one.end();
    await one.done;
    await Promise.resolve();
    expect([third, small].map(({ state }) => state.isReading)).toEqual([true, true]);
    for (const read of [other, third, small]) read.end();
    await Promise.all([other.done, third.done, small.done]);
  });

  it('are not waited for by a request that has left, whose place goes to the next', async () => {
    const bounds = new ReadingBounds();
    const leaving = new AbortController();
    const [one, other] = [begin(bounds, HEAVY), begin(bounds, HEAVY)];
    const left = begin(bounds, HEAVY, leaving.signal);
    const next = begin(bounds, HEAVY);
    leaving.abort(new Error('left'));
    await expect(left.done).rejects.toThrow('left');
    one.end();
    await one.done;
    await Promise.resolve();
    expect([left, next].map(({ state }) => state.isReading)).toEqual([false, true]);
    for (const read of [other, next]) read.end();
    await Promise.all([other.done, next.done]);
  });
});
