import { describe, expect, it } from 'vitest';
import { allOf, ready, unwrap } from '../../kernel/cached-values.js';

describe('ready', () => {
  it('makes a promise of a value whose then uses it at once', async () => {
    const doubled = ready(21).then((value) => 2 * value);
    expect(unwrap(doubled)).toBe(42);
    expect(unwrap(doubled.then())).toBe(42);
    expect(await doubled).toBe(42);
  });

  it('waits where what follows has to wait', async () => {
    const later = ready(1).then(async (value) => value + 1);
    expect(unwrap(later)).toBe(later);
    expect(await later).toBe(2);
  });

  it('returns a promise as it is', async () => {
    const promise = Promise.resolve(1);
    expect(ready(promise)).toBe(promise);
    expect(unwrap(promise)).toBe(promise);
  });

  it('throws what the function throws', () => {
    const fail = () => {
      throw new Error('at once');
    };
    expect(() => ready(1).then(fail)).toThrow('at once');
  });
});

describe('allOf', () => {
  it('is ready if all are', async () => {
    expect(unwrap(allOf([ready('a'), ready('b')]))).toEqual(['a', 'b']);
    const mixed = allOf([ready('a'), Promise.resolve('b')]);
    expect(unwrap(mixed)).toBe(mixed);
    expect(await mixed).toEqual(['a', 'b']);
    expect(unwrap(allOf([]))).toEqual([]);
  });
});
