import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { callsOfWalk } from '../calls-of-walk.js';
import { parseCsv } from '../web/support.js';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

/** Guards reading all pages where the source's paging cannot be trusted. */

describe.each(USUAL_SHAPE)('All pages of a source whose paging cannot be trusted, %s', (shape) => {
  let stack: Stack;
  let total: number;
  beforeAll(async () => {
    stack = await startStack({ shape, sandbox: { scale: 0.1 } });
    const { data } = await stack.send('{ missions(first: 0) { totalCount } }');
    total = data.missions.totalCount;
    expect(total).toBeGreaterThan(500);
  });
  beforeEach(() => stack.forgetCalls());
  afterEach(() => stack.sandbox.volunteering.reset());
  afterAll(() => stack.close());

  const exported = async (query: string) => {
    const search = new URLSearchParams({ query, format: 'csv', pages: 'all' });
    const response = await fetch(`${stack.url}/graphql?${search}`);
    const name = /filename="([^"]*)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
    const rows = parseCsv(await response.text()).slice(1);
    const isCut = rows.at(-1)?.[0]?.startsWith('# incomplete:') === true;
    const values = (isCut ? rows.slice(0, -1) : rows).map(([value]) => value);
    const end = isCut ? rows.at(-1)?.[0] : null;
    return { name, end, values, incomplete: response.headers.get('x-passerelle-incomplete') };
  };

  test.each([
    ['rows', 'missions', '{ missions(first: 99) { nodes { id } } }'],
    ['a search', 'missionSearch', '{ missionSearch(first: 96) { nodes { title } } }'],
    ['few rows a page', 'missions', '{ missions(first: 9) { nodes { title } } }'],
  ])('end where it begins all pages at its first row: %s', async (_name, list, query) => {
    stack.sandbox.volunteering.paging = 'ignored';
    const size = Number(/first: (\d+)/.exec(query)?.[1]);
    const { name, end, values, incomplete } = await exported(query);
    expect(name).toBe(`${list}-incomplete.csv`);
    expect(incomplete).toMatch(new RegExp(`the source gave ${values.length} different rows of ${total}$`));
    expect(end).toContain(incomplete);
    expect([values.length >= size, values.length < total, new Set(values).size > size / 2]).toEqual([true, true, true]);
    expect(stack.calls().length).toBeLessThanOrEqual(callsOfWalk(size, total));
  });

  test('end after two empty pages where it reports far more rows than it has', async () => {
    stack.sandbox.volunteering.surplus = 40_000;
    const { name, values, incomplete } = await exported('{ missions(first: 95) { nodes { title } } }');
    const why = `2 pages in a row are empty: the source gave ${total} different rows of ${total + 40_000}`;
    expect([name, incomplete]).toEqual(['missions-incomplete.csv', why]);
    expect(values).toHaveLength(total);
    expect(stack.calls()).toHaveLength(callsOfWalk(95, total));
  });

  test('are not called complete where the source reports fewer rows than it sends', async () => {
    const end = stack.sandbox.volunteering.fault({ kind: 'wrong-type', path: '/v0/mission', set: { '/total': 0 } });
    const { name, values, incomplete } = await exported('{ missions(first: 92) { nodes { title } } }');
    end();
    expect([name, values.length]).toEqual(['missions-incomplete.csv', 92]);
    expect(incomplete).toContain('the list is not complete');
  });

  test('say how many rows are missing where the source sends some twice', async () => {
    let sent: unknown[] = [];
    const again = stack.sandbox.volunteering.fault({
      kind: 'wrong-type',
      path: '/v0/mission',
      change: (body) => {
        const { data } = body as { data: unknown[] };
        const [first] = sent;
        sent = data;
        return first === undefined ? body : { ...(body as object), data: [...data.slice(0, -1), first] };
      },
    });
    const { name, values, incomplete } = await exported('{ missions(first: 25) { nodes { id } } }');
    again();
    const distinct = new Set(values).size;
    expect([values.length, distinct < total]).toEqual([distinct, true]);
    expect([name, incomplete]).toEqual([
      'missions-incomplete.csv',
      `the source gave ${distinct} different rows of ${total}`,
    ]);
  });

  test('end where pages without a total repeat the first, or are empty however many the source announces', async () => {
    const query = (first: number) => `{ organismes(first: ${first}) { nodes { identifiant { uai siret } } } }`;
    const { workStudy } = stack.sandbox;
    const path = '/api/organisme/v1/export';
    const whole = await exported(query(18));
    expect([whole.name, whole.values.length > 30]).toEqual(['organismes.csv', true]);
    stack.forgetCalls();
    let first: unknown;
    const repeated = workStudy.fault({ kind: 'wrong-type', path, change: (body) => (first ??= body) });
    const same = await exported(query(20));
    repeated();
    const why = 'page 2 has only rows of earlier pages: the source gave 20 different rows';
    expect([same.values.length, same.incomplete, stack.calls().length]).toEqual([20, why, 2]);
    stack.forgetCalls();
    const announced = workStudy.fault({ kind: 'wrong-type', path, set: { '/pagination/page_count': 5_000 } });
    const empty = await exported(query(15));
    announced();
    expect([empty.values.length, empty.incomplete]).toEqual([
      whole.values.length,
      `10 pages in a row are empty: the source gave ${whole.values.length} different rows`,
    ]);
    expect(stack.calls()).toHaveLength(Math.ceil(whole.values.length / 15) + 10);
  });

  test.each([
    ['missions', 'createdAt: { after: "2000-01-01", before: "2100-01-01" }, first: 1000', 1_000, 4],
    ['organizations', 'department: "75", first: 100', 100, 3],
  ])('are not read on for one page of %s where a call repeats the one before', async (list, argument, most, calls) => {
    Object.assign(stack.sandbox.volunteering, { paging: 'ignored', surplus: 40_000 });
    const { data, errors } = await stack.send(`{ ${list}(${argument}) { nodes { id } pageInfo { hasNextPage } } }`);
    const ids = data[list].nodes.map(({ id }: { id: string }) => id);
    expect([errors, data[list].pageInfo.hasNextPage]).toEqual([[], true]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeLessThanOrEqual(most);
    expect(stack.calls()).toHaveLength(calls);
  });

  test('are whole where they begin after a cursor, and where rows look alike', async () => {
    const { data } = await stack.send('{ missions(first: 400) { pageInfo { endCursor } } }');
    const { endCursor } = data.missions.pageInfo;
    const later = await exported(`{ missions(first: 94, after: "${endCursor}") { nodes { id } } }`);
    expect([later.name, later.values.length]).toEqual(['missions.csv', total - 400]);
    const alike = await exported('{ missions(first: 93) { nodes { __typename } } }');
    expect([alike.name, alike.values.length]).toEqual(['missions.csv', total]);
  });
});
