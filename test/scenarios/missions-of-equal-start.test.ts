import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { callsOfWalk } from '../calls-of-walk.js';
import { parseCsv } from '../web/support.js';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

/** Guards reading all missions page by page where many start on the same day, which leaves their order open. */

describe.each(USUAL_SHAPE)('All pages of missions that have no order among equal starts, %s', (shape) => {
  let stack: Stack;
  let total: number;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.2 } });
    const { data } = await stack.send('{ missions(first: 0) { totalCount } }');
    total = data.missions.totalCount;
    expect(total).toBeGreaterThan(1_100);
  });
  beforeEach(() => {
    expect(stack.sandbox.volunteering.order).toBe('turning');
    stack.forgetCalls();
  });
  afterEach(() => stack.sandbox.volunteering.reset());
  afterAll(() => stack.close());

  interface Page {
    readonly nodes: readonly { readonly id: string; readonly domain: string | null }[];
    readonly complete: boolean | null;
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  }

  const read = async (field: string, headers: Record<string, string> = {}): Promise<Page> => {
    const selected = 'nodes { id domain } complete pageInfo { hasNextPage endCursor }';
    const { data, errors } = await stack.send(`{ page: ${field} { ${selected} } }`, { headers });
    expect(errors).toEqual([]);
    return data.page;
  };

  const walk = async (list: string, args: string, later = args) => {
    const ids: string[] = [];
    const complete: unknown[] = [];
    for (let field = `${list}(${args})`; ; ) {
      const { nodes, pageInfo, ...page } = await read(field);
      ids.push(...nodes.map(({ id }) => id));
      complete.push(page.complete);
      if (!pageInfo.hasNextPage) break;
      field = `${list}(${later}, after: "${pageInfo.endCursor}")`;
    }
    return { ids, distinct: new Set(ids).size, complete, calls: stack.calls().length };
  };

  const WALKS = [
    { list: 'missions', first: 25, calls: 5 },
    { list: 'missions', first: 1_000, calls: 2 },
    { list: 'missionSearch', first: 25, calls: 5 },
  ];
  test.each(WALKS)(
    '$list by pages of $first lack none and repeat none, in $calls calls',
    async ({ list, first, calls }) => {
      const found = await walk(list, `first: ${first}`);
      expect([found.ids.length, found.distinct, found.calls]).toEqual([total, total, calls]);
      expect(callsOfWalk(first, total)).toBe(calls);
      expect(found.complete.at(-1)).toBe(true);
      expect(new Set(found.complete.slice(0, -1))).toEqual(new Set([null]));
    },
  );

  test('are complete in one page, which is a walk by calls of at most a thousand rows', async () => {
    const { complete, distinct } = await walk('missions', 'first: 2000, remote: [NO, POSSIBLE, FULL, LOCAL]');
    expect([complete, distinct > 1_000]).toEqual([[true], true]);
    const [first, second, ...others] = stack.calls().map((call) => new URL(call.split(' ')[2] ?? '', stack.url));
    expect([first?.searchParams.get('limit'), first?.searchParams.has('skip'), others]).toEqual(['1000', false, []]);
    const [skip, limit] = ['skip', 'limit'].map((name) => Number(second?.searchParams.get(name)));
    expect([limit, skip]).toEqual([1_500 - Number(skip), expect.toSatisfy((at) => at >= 500 && at < 1_000)]);
  });

  test('are not complete where the source counts more than it has, or sends one twice', async () => {
    stack.sandbox.volunteering.surplus = 1;
    const { complete, distinct } = await walk('missions', 'first: 400, country: ["FR"]');
    expect([complete.at(-1), distinct > 400]).toEqual([false, true]);
    stack.sandbox.volunteering.surplus = 0;
    const twice = (body: unknown) => {
      const { data } = body as { data: unknown[] };
      return { ...(body as object), data: [...data.slice(1), data.at(-1)] };
    };
    const end = stack.sandbox.volunteering.fault({ kind: 'wrong-type', path: '/v0/mission', change: twice });
    expect((await read('missions(first: 999, domain: ["sport"])')).complete).toBe(false);
    end();
  });

  test('are not known to be complete where reading began anew: each page is then read by itself', async () => {
    const { complete, ids } = await walk('missions', 'first: 600', 'first: 601');
    expect([ids.length, complete]).toEqual([total, [null, null]]);
    const first = await stack.send('{ missions(first: 30) { edges { cursor } } }');
    stack.forgetCalls();
    // From the middle of a page it goes on over its end, to the rest of that block and into the next.
    await read(`missions(first: 30, after: "${first.data.missions.edges[9].cursor}")`);
    expect(stack.calls()).toEqual([
      expect.stringMatching(/^volunteering GET \/v0\/mission\?(skip=\d+&)?limit=\d+ operator$/),
    ]);
  });

  test('are read by each key for itself: a cursor leads nobody into the block of another', async () => {
    const keyOf = (name: 'alice' | 'bob') => ({ 'x-volunteering-key': stack.sandbox.keys.volunteering[name] });
    const first = await read('missions(first: 20)', keyOf('alice'));
    const second = `missions(first: 20, after: "${first.pageInfo.endCursor}")`;
    await read(second, keyOf('alice'));
    const [own] = stack.calls().slice(-1);
    expect(own).toMatch(/^volunteering GET \/v0\/mission\?(skip=\d+&)?limit=\d+ alice$/);
    stack.forgetCalls();
    const others = await read(second, keyOf('bob'));
    expect(stack.calls()).toEqual(['volunteering GET /v0/mission?skip=20&limit=20 bob']);
    expect([others.nodes.length, others.complete]).toEqual([20, null]);
  });

  test('have the facets of their page, and none where it is only a part of what the source counted', async () => {
    const field = (after: string) =>
      `missionSearch(first: 15${after}) { facets { counted domains { docCount } } pageInfo { endCursor } }`;
    const { missionSearch: one } = (await stack.send(`{ ${field('')} }`)).data;
    const two = await stack.send(`{ ${field(`, after: "${one.pageInfo.endCursor}"`)} }`);
    const counted = one.facets.domains.reduce((sum: number, { docCount }: { docCount: number }) => sum + docCount, 0);
    expect([one.facets.counted, counted > 0, counted <= 15]).toEqual([15, true, true]);
    expect(two.data.missionSearch.facets).toBeNull();
    expect(stack.calls()).toHaveLength(2);
  });

  test('are all in a file of all pages', async () => {
    const query = '{ missions(first: 24) { nodes { id } } }';
    const response = await fetch(`${stack.url}/graphql?${new URLSearchParams({ query, format: 'csv', pages: 'all' })}`);
    expect(response.headers.get('x-passerelle-incomplete')).toBeNull();
    const ids = parseCsv(await response.text())
      .slice(1)
      .flat();
    expect([ids.length, new Set(ids).size, stack.calls().length]).toEqual([total, total, callsOfWalk(24, total)]);
  });
});
