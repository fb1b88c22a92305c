import { describe, expect, it } from 'vitest';
import type { OperationContext } from '../../kernel/operation.js';
import { createSingleLoader, perRequest } from '../../subgraphs/graph/loader.js';

const operation = (planNode = '', request: object = {}) => ({ planNode, request }) as OperationContext;

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

  it('puts the call down to the operation that asked first, as long as the request lives', async () => {
    const called: string[] = [];
    const load = createSingleLoader<string, string>(async (key, { planNode }) => {
      called.push(`${key} for ${planNode}`);
      return key.toUpperCase();
    });
    expect(await Promise.all([load('a', operation('one')), load('a', operation('two'))])).toEqual(['A', 'A']);
    expect(await load('a', operation('three'))).toBe('A');
    expect(called).toEqual(['a for one']);
  });

  it('settles each key on its own, however long another one takes', async () => {
    const load = createSingleLoader<string, string>((key) =>
      key === 'slow' ? new Promise(() => {}) : Promise.resolve(key),
    );
    void load('slow', operation());
    expect(await load('quick', operation())).toBe('quick');
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
