import { afterEach, describe, expect, test, vi } from 'vitest';
import { callsOfWalk } from '../calls-of-walk.js';
import { POLLING } from '../polling.js';
import { parseCsv } from '../web/support.js';
import { ONE_SHAPE, type Stack, startStack } from './stack.js';

/** Guards `CALLER_CALLS_PER_MINUTE` when one request fetches many pages with the operator's key. */

describe('The pages of an export are paid from the calls of its caller', () => {
  let stack: Stack;
  afterEach(() => stack.close());

  const open = async (limit: number) => {
    const env = { CALLER_CALLS_PER_MINUTE: String(limit), TRUSTED_PROXIES: '127.0.0.0/8' };
    stack = await startStack({ shape: ONE_SHAPE, sandbox: { scale: 0.02 }, env });
    const elsewhere = { 'x-forwarded-for': '192.0.2.200' };
    const { data } = await stack.send('{ missions(first: 0) { totalCount } }', { headers: elsewhere });
    stack.forgetCalls();
    return data.missions.totalCount as number;
  };

  const exportAll = async (query: string, address = '192.0.2.1') => {
    const response = await fetch(`${stack.url}/graphql?format=csv&pages=all`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ query }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const leftIn = (headers: Headers) => Number(/"calls";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

  test('one that costs more than is left is refused after its first page, with its price', async () => {
    const rows = await open(3);
    const { status, headers, text } = await exportAll('{ missions(first: 2) { nodes { id } } }');
    const pages = Math.ceil(rows / 2) - 1;
    // They share calls.
    const further = callsOfWalk(2, rows) - 1;
    const [error] = (JSON.parse(text) as { errors: { message: string; extensions: { code: string } }[] }).errors;
    expect([status, error?.extensions.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
    expect(error?.message).toContain(
      `All pages cost about ${further} more calls (${pages} more pages), more than you have left: a caller may make 3 a minute.`,
    );
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(stack.calls()).toHaveLength(1);
    expect(leftIn(headers)).toBe(2);
  });

  test('several at once make no more calls than the caller has, and another caller has their own', async () => {
    const rows = await open(15);
    const sizes = [2, 3, 4, 5, 6, 7, 9, 10];
    expect(sizes.reduce((sum, size) => sum + callsOfWalk(size, rows), 0)).toBeGreaterThan(2 * 15 - 5);
    const exports = await Promise.all(sizes.map((size) => exportAll(`{ missions(first: ${size}) { nodes { id } } }`)));
    expect(stack.calls().length).toBeLessThanOrEqual(15);
    const statuses = exports.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    for (const { status, headers, text } of exports) {
      if (status !== 200) continue;
      expect(headers.get('x-passerelle-incomplete')).toBeNull();
      expect(parseCsv(text)).toHaveLength(rows + 1);
    }
    stack.forgetCalls();
    const other = await exportAll('{ missions(first: 10) { nodes { title } } }', '192.0.2.2');
    expect([other.status, parseCsv(other.text).length]).toEqual([200, rows + 1]);
    // Calls that were reserved but not made were given back.
    const { headers } = await exportAll('{ missions(first: 1000) { nodes { id } } }', '192.0.2.2');
    expect(leftIn(headers)).toBe(15 - stack.calls().length);
  });

  /** A query of ten pages, what each page costs with its communes, and where each page begins. */
  const joined = 'missions(first: 10';
  const pagesOf = async (most: number) => {
    const costs: number[] = [];
    for (let after: string | null = null; costs.length < most; ) {
      // Each page is read by somebody else.
      const headers = { 'x-forwarded-for': `192.0.2.${100 + costs.length}` };
      const { data, trace } = await stack.send(
        `{ ${joined}${after === null ? '' : `, after: "${after}"`}) { nodes { id commune { nom } } pageInfo { hasNextPage endCursor } } }`,
        { headers },
      );
      costs.push(trace?.totals.callsMade ?? 0);
      if (!data.missions.pageInfo.hasNextPage) break;
      after = data.missions.pageInfo.endCursor;
    }
    return costs;
  };
  const sum = (costs: readonly number[]) => costs.reduce((all, one) => all + one, 0);

  test('one whose first page is cached is refused if the others cost more than is left, by the first of them that is not', async () => {
    const rows = await open(40);
    await pagesOf(1);
    stack.forgetCalls();
    const { status, text } = await exportAll(`{ ${joined}) { nodes { id commune { nom } } } }`);
    const made = stack.calls().length;
    const further = Math.ceil(rows / 10) - 2;
    const [error] = (JSON.parse(text) as { errors: { message: string }[] }).errors;
    expect([made > 4, status]).toEqual([true, 429]);
    const calls = further * (made - 1) + callsOfWalk(10, rows) - 1;
    expect(error?.message).toContain(
      `All pages cost about ${calls} more calls (${further} more pages), more than you have left: a caller may make 40 a minute.`,
    );
  });

  test('one of which some pages are cached costs nothing for these', async () => {
    const rows = await open(60);
    const costs = await pagesOf(Math.ceil(rows / 10) - 2);
    stack.forgetCalls();
    const { status, text } = await exportAll(`{ ${joined}) { nodes { id commune { nom } } } }`);
    expect([status, parseCsv(text).length]).toEqual([200, rows + 1]);
    const made = stack.calls().length;
    expect([sum(costs) + made > 60, made > 2, made <= 2 * (costs[0] ?? 0)]).toEqual([true, true, true]);
  });

  test('one whose later pages cost more than its first is cut when nothing is left, and says why', async () => {
    const rows = await open(18);
    // Another query has the communes of the first page, so that it needs only its list.
    const elsewhere = { 'x-forwarded-for': '192.0.2.200' };
    await stack.send('{ missions(first: 11) { nodes { commune { nom } } } }', { headers: elsewhere });
    stack.forgetCalls();
    const { status, headers, text } = await exportAll(`{ ${joined}) { nodes { id commune { nom } } } }`);
    expect(status).toBe(200);
    expect(stack.calls().length).toBeLessThanOrEqual(18);
    expect(stack.calls().length).toBeGreaterThan(8);
    const end = parseCsv(text).at(-1)?.[0];
    expect(end).toMatch(/^# incomplete: cut after \d+ rows: the next page failed: This request has made all/);
    expect(headers.get('x-passerelle-incomplete')).toMatch(/^the next page failed: This request has made all/);
    expect(parseCsv(text).length).toBeLessThan(rows);
  });

  test('one whose reader leaves gives back what was set aside for its pages', async () => {
    await open(200);
    const query = '{ missions(first: 2) { nodes { id commune { nom } } } }';
    const { volunteering } = stack.sandbox;
    let sendFirst = () => {};
    const until = new Promise<void>((resolve) => {
      sendFirst = resolve;
    });
    volunteering.fault({ kind: 'latency', until, times: 1 });
    const left = new AbortController();
    const requested = fetch(`${stack.url}/graphql?${new URLSearchParams({ query, format: 'csv', pages: 'all' })}`, {
      headers: { 'x-forwarded-for': '192.0.2.1' },
      signal: left.signal,
    });
    await volunteering.seen(({ url }) => url.includes('/v0/mission'));
    const release = volunteering.fault({ kind: 'latency', ms: 60_000 });
    sendFirst();
    await vi.waitFor(() => expect(stack.calls().join()).toContain('limit=8 '), POLLING);
    const leftNow = async () => {
      const headers = { 'x-forwarded-for': '192.0.2.1', 'x-passerelle-calls': '1' };
      return leftIn((await stack.send(query, { headers })).headers);
    };
    expect(await leftNow()).toBeLessThan(150);
    left.abort();
    await expect(requested).rejects.toThrow('abort');
    await vi.waitFor(async () => expect(await leftNow()).toBeGreaterThanOrEqual(190), POLLING);
    release();
  });

  test('one that is cached costs nothing, whatever is left', async () => {
    const rows = await open(20);
    const query = '{ missions(first: 8) { nodes { id } } }';
    await exportAll(query, '192.0.2.3');
    stack.forgetCalls();
    for (let count = 0; count < 20; count++) {
      await stack.send(`{ missions(first: 1, city: ["Nowhere ${count}"]) { nodes { id } } }`, {
        headers: { 'x-forwarded-for': '192.0.2.1' },
      });
    }
    expect(stack.calls()).toHaveLength(20);
    const { status, text } = await exportAll(query);
    expect([status, parseCsv(text).length, stack.calls().length]).toEqual([200, rows + 1, 20]);
  });
});
