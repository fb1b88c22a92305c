import { describe, expect, it } from 'vitest';
import type { OperationContext } from '../../schema/operation.js';
import { createLoader, createSingleLoader, perRequest } from '../../subgraphs/graph/loader.js';

const operation = (planNode = '', request: object = {}) => ({ planNode, request }) as OperationContext;

describe('createLoader', () => {
  it('asks for equal keys once, and puts the call down to the operation that asked first', async () => {
    const batches: string[][] = [];
    const load = createLoader<string, string>(async (asked) => {
      batches.push(asked.map(({ key, operation: { planNode } }) => `${key} for ${planNode}`));
      return asked.map(({ key }) => key.toUpperCase());
    });
    const values = await Promise.all([
      load('a', operation('one')),
      load('b', operation('one')),
      load('a', operation('two')),
    ]);
    expect(values).toEqual(['A', 'B', 'A']);
    expect(await load('a', operation('three'))).toBe('A');
    expect(batches).toEqual([['a for one', 'b for one']]);
  });

  it('fails the key that failed and no other', async () => {
    const load = createLoader<string, string>(async (asked) =>
      asked.map(({ key }) => (key === 'bad' ? new Error('no such key') : key)),
    );
    const settled = await Promise.allSettled([load('good', operation()), load('bad', operation())]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});

describe('createSingleLoader', () => {
  it('calls once for each distinct key, by the text that tells keys apart', async () => {
    const called: object[] = [];
    const load = createSingleLoader<{ id: number }, number>(
      async (key) => {
        called.push(key);
        return key.id;
      },
      ({ id }) => String(id),
    );
    const values = await Promise.all([
      load({ id: 1 }, operation()),
      load({ id: 2 }, operation()),
      load({ id: 1 }, operation()),
    ]);
    expect(values).toEqual([1, 2, 1]);
    expect(called).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('keeps a failure to its own key', async () => {
    const load = createSingleLoader<string, string>(async (key) => {
      if (key === 'bad') throw new Error('refused');
      return key;
    });
    const settled = await Promise.allSettled([load('bad', operation()), load('good', operation())]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  });
});

describe('perRequest', () => {
  it('makes loaders once for a request, and new ones for another', () => {
    let made = 0;
    const loadersOf = perRequest(() => ({ number: ++made }));
    const request = {};
    expect(loadersOf(operation('one', request))).toBe(loadersOf(operation('two', request)));
    expect(loadersOf(operation('one', {}))).toEqual({ number: 2 });
  });
});
