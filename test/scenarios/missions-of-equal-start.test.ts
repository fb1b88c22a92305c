import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SHAPES, type Stack, startStack } from './stack.js';

/** Guards reading all missions page by page where many start on the same day, which leaves their order open. */

describe.each(SHAPES)('All pages of missions that have no order among equal starts, %s', (shape) => {
  let stack: Stack;
  let total: number;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.2 } });
    const { data } = await stack.send('{ missions(first: 0) { totalCount } }');
    total = data.missions.totalCount;
    expect(total).toBeGreaterThan(1_100);
  });
  beforeEach(() => {
    stack.sandbox.volunteering.order = 'turning';
    stack.forgetCalls();
  });
  afterEach(() => stack.sandbox.volunteering.reset());
  afterAll(() => stack.close());

  const walk = async (list: string, args: string) => {
    const ids: string[] = [];
    const complete: unknown[] = [];
    for (let after = ''; ; ) {
      const query = `{ page: ${list}(${args}${after}) { nodes { id } complete pageInfo { hasNextPage endCursor } } }`;
      const { data, errors } = await stack.send(query);
      expect(errors).toEqual([]);
      ids.push(...data.page.nodes.map(({ id }: { id: string }) => id));
      complete.push(data.page.complete);
      const { hasNextPage, endCursor } = data.page.pageInfo;
      if (!hasNextPage) break;
      after = `, after: "${endCursor}"`;
    }
    return { ids, distinct: new Set(ids).size, complete, calls: stack.calls().length };
  };

  test.each([
    ['missions', 25, 5],
    ['missions', 7, 6],
    ['missions', 99, 4],
    ['missions', 1_000, 2],
    ['missionSearch', 25, 5],
  ])('%s by pages of %i lack none and repeat none, in %i calls', async (list, first, calls) => {
    const found = await walk(list, `first: ${first}`);
    expect([found.ids.length, found.distinct, found.calls]).toEqual([total, total, calls]);
    expect(found.complete.at(-1)).toBe(true);
    expect(new Set(found.complete.slice(0, -1))).toEqual(new Set([null]));
  });
});
