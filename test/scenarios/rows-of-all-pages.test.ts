import { strFromU8, unzipSync } from 'fflate';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Price } from '../../kernel/price.js';
import { callsOfWalk } from '../calls-of-walk.js';
import { parseCsv } from '../web/support.js';
import { type Stack, startStack, USUAL_SHAPE } from './stack.js';

const QUERY = `query Rows($after: String, $first: Int = 20) {
  missions(first: $first, after: $after) {
    nodes { id title domain places commune { nom } location { lon lat } }
  }
}`;

/** A search finds more than its source serves. */
const BEYOND = { kind: 'wrong-type', path: '/v0/mission/search', set: { '/total': 17_571 } } as const;

interface Row {
  readonly id: string;
  readonly title: string;
  readonly domain: string | null;
  readonly places: number | null;
  readonly commune: { readonly nom: string } | null;
  readonly location: { readonly lon: number; readonly lat: number } | null;
}

let stack: Stack;
let all: readonly Row[];

/** @param scale 0.1 makes six hundred missions */
async function open(shape: (typeof USUAL_SHAPE)[number], scale: number, query = QUERY): Promise<void> {
  // Until its length is known, a list counts as full: a thousand missions, each with a commune.
  const env = { MAX_CALLS_PER_REQUEST: query === QUERY ? '1500' : '500' };
  stack = await startStack({ shape, sandbox: { scale }, env });
  // Lists are compared with one that was read before, in its order.
  stack.sandbox.volunteering.order = 'stable';
  const { data, errors } = await stack.send(query.replace('nodes {', 'totalCount nodes {'), {
    variables: { first: 1000 },
  });
  expect(errors).toEqual([]);
  expect(data.missions.nodes).toHaveLength(data.missions.totalCount);
  all = data.missions.nodes;
  expect(all.length).toBeGreaterThan(100);
}

const get = (more: Record<string, string> | [string, string][], query = QUERY): Promise<Response> => {
  const search = new URLSearchParams(more);
  search.set('query', query);
  if (!search.has('format')) search.set('format', 'csv');
  return fetch(`${stack.url}/graphql?${search}`);
};
const rowsOf = async (response: Response): Promise<string[][]> => parseCsv(await response.text()).slice(1);
/** The value beside a name on the second sheet of a workbook. */
const aboutOf = async (response: Response, name: string): Promise<string | undefined> => {
  const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
  const sheet = strFromU8(files['xl/worksheets/sheet2.xml'] ?? new Uint8Array());
  return new RegExp(`>${name}</t></is></c>.*?<(?:t xml:space="preserve"|v)>([^<]*)<`).exec(sheet)?.[1];
};
const refusalOf = async (response: Response) => {
  const { errors } = (await response.json()) as { errors: { message: string; extensions: { code: string } }[] };
  const { message, extensions } = errors[0] ?? {};
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, retryAfter, code: extensions?.code, message, extensions };
};
const listCalls = () => stack.calls().filter((line) => line.includes('GET /v0/mission?'));

describe.each(USUAL_SHAPE)('The rows of all pages, %s', (shape) => {
  beforeAll(() => open(shape, 0.02));
  afterAll(() => stack.close());
  afterEach(() => stack.forgetCalls());

  test('are all of them, in the order of the list, page by page', async () => {
    stack.forgetCalls();
    const response = await get({ pages: 'all', path: 'missions.nodes' });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-passerelle-incomplete')).toBeNull();
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="missions.csv"');
    const text = await response.text();
    expect(text).toMatch(/^id,title,domain,places,commune\.nom,location\.lon,location\.lat\r\n/);
    const records = parseCsv(text).slice(1);
    expect(records.map(([id]) => id)).toEqual(all.map(({ id }) => id));
    expect(listCalls()).toHaveLength(callsOfWalk(20, all.length));
    expect(new Set(stack.calls()).size, 'a call is made twice').toBe(stack.calls().length);
  });

  test('need no path when the query has one list with pages, and have every form', async () => {
    const geojson = await (await get({ pages: 'all', format: 'geojson' })).json();
    expect((geojson as { features: unknown[] }).features).toHaveLength(all.length);
    const french = await (await get({ pages: 'all', format: 'csv-fr' })).text();
    expect(parseCsv(french.slice(1), ';')).toHaveLength(all.length + 1);
    const response = await fetch(`${stack.url}/graphql?pages=all`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/csv' },
      body: JSON.stringify({ query: QUERY }),
    });
    expect(await rowsOf(response)).toHaveLength(all.length);
  });

  test('have the columns, the filter and the order that were requested', async () => {
    const response = await get([
      ['pages', 'all'],
      ['columns', 'title,commune.nom'],
      ['where', 'location.lat:gt:46'],
      ['where', 'commune.nom:empty:false'],
      ['order', '-title'],
    ]);
    const compare = new Intl.Collator('fr', { numeric: true, sensitivity: 'base' }).compare;
    const wanted = all
      .filter(({ location, commune }) => (location?.lat ?? 0) > 46 && commune !== null)
      .toSorted((one, other) => -compare(one.title, other.title))
      .map(({ title, commune }) => [title, commune?.nom]);
    expect(wanted.length).toBeGreaterThan(5);
    expect(wanted.length).toBeLessThan(all.length);
    expect(await rowsOf(response)).toEqual(wanted);
  });

  test('name the services of every page, also of one alone and of what came before', async () => {
    const sourcesOf = async (more: Record<string, string>, query = QUERY) =>
      aboutOf(await get({ format: 'xlsx', ...more }, query), 'Sources');
    expect(await sourcesOf({}, '{ missions(first: 31) { nodes { id } } }')).toBe('volunteering');
    expect(await sourcesOf({}, '{ missions(first: 31) { nodes { id } } }')).toBe('volunteering');
    expect(await sourcesOf({})).toBe('volunteering, work-study');
    // The first page is one mission without a commune; some on later pages have one.
    const at = all.findLastIndex(({ commune }) => commune === null);
    const { data } = await stack.send(`{ missions(first: ${at}) { pageInfo { endCursor } } }`);
    const variables = JSON.stringify({ first: 1, after: data.missions.pageInfo.endCursor });
    expect(await sourcesOf({ variables })).toBe('volunteering');
    expect(await sourcesOf({ variables, pages: 'all' })).toBe('volunteering, work-study');
  });

  test('have no column of objects', async () => {
    const response = await get({ pages: 'all', columns: 'id,location' });
    const { errors } = (await response.json()) as { errors: { message: string }[] };
    expect([response.status, errors[0]?.message]).toEqual([
      400,
      '"location" holds objects, to which only `empty` applies. Name a column inside: location.lon, location.lat.',
    ]);
  });

  test('are distinct over all pages, renamed, and searched in every column', async () => {
    const response = await get([
      ['pages', 'all'],
      ['columns', 'domain:Domaine'],
      ['where', '*:has:E'],
      ['distinct', 'true'],
    ]);
    const [head, ...records] = parseCsv(await response.text());
    expect(head).toEqual(['Domaine']);
    const domains = new Set(all.map(({ domain }) => domain));
    expect(records.map(([domain]) => domain).toSorted()).toEqual([...domains].toSorted());
  });
});

describe('Rows without a browser', () => {
  // There are more missions than calls that one request may make; their communes would cost as many again.
  beforeAll(() => open('in process', 0.1, 'query($first: Int) { missions(first: $first) { nodes { id } } }'));
  afterAll(() => stack.close());
  afterEach(() => stack.forgetCalls());

  test.each<[string, Record<string, string>, string]>([
    ['pages', { pages: '2' }, '`pages` takes only the value `all`.'],
    ['an operator', { where: 'title:is:a' }, '`where` is path:op:value, op one of eq ne in lt le gt ge has empty.'],
    ['a list of values', { where: 'title:in:a,b' }, '`where=path:in:value` takes a JSON list of at most 200 texts'],
    ['a search that is no search', { where: '*:eq:a' }, '`where=*:has:text` is the only operator for any column.'],
    ['a title', { columns: 'title:' }, '`columns=name:Title` needs a title after the colon.'],
    ['one column twice', { columns: 'id,id:A' }, '`columns` names "id" twice.'],
    ['equal titles', { columns: 'id:A,title:A' }, '`columns` has two columns with the title "A".'],
    ['a distinction', { distinct: 'id' }, '`distinct` is true or false.'],
    ['a filter without a value', { where: 'title:eq' }, '`where=path:eq:value` needs a value.'],
    ['an emptiness', { where: 'title:empty:perhaps' }, '`where=path:empty` takes no value but true or false.'],
    ['a column', { columns: 'title,nom', path: 'missions.nodes' }, 'This list has no column "nom". It has id, title,'],
    ['a column of the filter', { where: 'nom:eq:a', pages: 'all' }, 'This list has no column "nom".'],
    ['an order', { order: '-', pages: 'all' }, '`order` is the name of a column, or `-` and its name.'],
    ['an empty column', { columns: 'id,,title' }, '`columns` is a comma-separated list of names.'],
    ['a list', { path: 'mission', pages: 'all' }, '`path` is not a list in this query. It has missions.nodes[].'],
    ['a parameter', { Were: 'title:eq:a' }, '`Were` is not a parameter of a link. Did you mean `where`?'],
    ['all pages', { page: 'all' }, '`page` is not a parameter of a link. Did you mean `pages`?'],
    ['a format', { format: 'ods' }, '`format` is one of json, csv, csv-raw, csv-fr, csv-fr-codes, xlsx, geojson.'],
    ['a longer path', { path: `missions${'.x'.repeat(200)}` }, '`path` has at most 200 steps.'],
    [
      'more columns',
      { columns: Array(201).fill('id').join() },
      '`columns` names 201 columns; at most 200 are allowed.',
    ],
    ['no rows', { format: 'json', order: 'title' }, '`order` applies to rows: add `format=` with one of csv,'],
  ])('are refused for %s that there is not, before a call', async (_name, parameters, message) => {
    stack.forgetCalls();
    const response = await get(parameters);
    const { errors } = (await response.json()) as { errors: { message: string; extensions: { code: string } }[] };
    expect([response.status, errors[0]?.extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
    expect(errors[0]?.message).toContain(message);
    expect(stack.calls()).toEqual([]);
  });

  test.each([
    [
      'below a list',
      '{ communes(code: "76600") { missions { nodes { id } } } }',
      'communes.missions.nodes',
      'is not such a list',
    ],
    ['without pages', '{ communes(code: "76600") { nom } }', '', 'This query has no list with pages.'],
    [
      'under another name',
      '{ missions { rows: nodes { id } } }',
      '',
      'This query has no list with pages. Select `nodes` or `edges` without an alias.',
    ],
  ])('are not followed %s, before a call', async (_name, query, path, message) => {
    stack.forgetCalls();
    const response = await get({ pages: 'all', ...(path !== '' && { path }) }, query);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(message);
    expect(stack.calls()).toEqual([]);
  });

  test('of one page say in name, header and at their end that there are more', async () => {
    const first = await get({});
    expect(first.headers.get('x-passerelle-incomplete')).toBe('one page of 20 rows; pages=all gives all');
    const reported = await get({ order: 'title' }, QUERY.replace('nodes {', 'totalCount nodes {'));
    expect((await get({ utm_source: 'mail', _: '1' })).status).toBe(200);
    const incomplete = `one page of 20 rows of ${all.length}; pages=all gives all`;
    expect(reported.headers.get('x-passerelle-incomplete')).toBe(incomplete);
    expect(reported.headers.get('content-disposition')).toBe('attachment; filename="missions-incomplete.csv"');
    const next = 'query ($first: Int = 20) { missions(first: $first) { nodes { id } pageInfo { hasNextPage } } }';
    const said = async (query: string, more = {}) => (await get(more, query)).headers.get('x-passerelle-incomplete');
    expect(await said(next)).toBe('one page of 20 rows; pages=all gives all');
    expect(await said(next, { variables: '{"first":1000}' })).toBeNull();
    const rows = await rowsOf(reported);
    expect(rows).toHaveLength(21);
    expect(rows.at(-1)?.[0]).toBe(`# incomplete: cut after 20 rows: ${incomplete.replace(';', ' -')}`);
  });

  test('are priced by a dry run, which makes no call: one page, then all that its list says there are', async () => {
    const query = '{ missions(first: 29) { nodes { id city } } }';
    const priceOf = async () => {
      const search = new URLSearchParams({ query, format: 'csv', pages: 'all' });
      const response = await fetch(`${stack.url}/graphql?${search}`, { headers: { 'x-passerelle-dry-run': '1' } });
      const { extensions } = (await response.json()) as { extensions: { passerelle: { price: Price } } };
      const { total, pages } = extensions.passerelle.price;
      return { total, pages };
    };
    const pages = Math.ceil(all.length / 29);
    stack.forgetCalls();
    expect(await priceOf()).toEqual({ total: 1, pages: null });
    expect(stack.calls()).toEqual([]);
    await stack.send('{ missions(first: 29) { totalCount nodes { id } } }');
    stack.forgetCalls();
    const calls = callsOfWalk(29, all.length) - 1;
    expect(await priceOf()).toEqual({ total: calls, pages });
    expect(stack.calls()).toEqual([]);
    expect((await get({ pages: 'all' }, query)).status).toBe(200);
    expect(stack.calls()).toHaveLength(calls);
    stack.forgetCalls();
    expect(await priceOf()).toEqual({ total: 0, pages });
  });

  test('follow one list alone where another one has the same variable for its cursor', async () => {
    const query = `query ($after: String) {
      missions(first: 45, after: $after) { nodes { id } } organizations(first: 1, after: $after) { nodes { id } }
    }`;
    const response = await get({ pages: 'all', path: 'missions.nodes', columns: 'id' }, query);
    expect([response.status, response.headers.get('x-passerelle-errors')]).toEqual([200, '0']);
    expect((await rowsOf(response)).flat()).toEqual(all.map(({ id }) => id));
  });

  test('take a query that has a variable of any name', async () => {
    const query = 'query ($passerelleAfter: Int) { missions(first: $passerelleAfter) { nodes { id } } }';
    const response = await get({ pages: 'all', variables: '{"passerelleAfter":60}' }, query);
    expect([response.status, (await rowsOf(response)).length]).toEqual([200, all.length]);
  });

  const JOINED = '{ missions(first: 1) { nodes { id organization { id } } } }';

  test('are refused with the cost when they cost more calls than a request may make', async () => {
    const refused = await refusalOf(await get({ pages: 'all' }, JOINED));
    expect(refused).toMatchObject({ status: 400, code: 'COST_EXCEEDED' });
    const pages = all.length - 1;
    // The pages share the calls for the list, but each has the organization of its own mission.
    const calls = callsOfWalk(1, all.length) + all.length;
    const cost = `All pages cost about ${calls} calls (${pages} more pages); one request may make 500.`;
    expect(refused.message).toContain(cost);
    expect(stack.calls()).toHaveLength(2);
  });

  test('are priced and refused with the flags that a query has by default', async () => {
    const query =
      'query ($on: Boolean = true) { missions(first: 1) @include(if: $on) { nodes { id organization { title } } } }';
    const refused = await refusalOf(await get({ pages: 'all' }, query));
    expect(refused).toMatchObject({ status: 400, code: 'COST_EXCEEDED' });
  });

  test('of a search are priced to its end', async () => {
    const release = stack.sandbox.volunteering.fault(BEYOND);
    const query = '{ missionSearch(first: 50) { nodes { id } } }';
    await stack.send(query);
    release();
    const search = new URLSearchParams({ query, format: 'csv', pages: 'all' });
    const priced = await fetch(`${stack.url}/graphql?${search}`, { headers: { 'x-passerelle-dry-run': '1' } });
    const { extensions } = (await priced.json()) as { extensions: { passerelle: { price: Price } } };
    expect(extensions.passerelle.price).toMatchObject({ pages: 352, total: callsOfWalk(50, 17_571) - 1 });
  });

  test('are refused with the cost when the quota cannot pay them', async () => {
    const { volunteering, keys } = stack.sandbox;
    const { data } = await stack.send('{ missions(domain: ["sport"]) { totalCount } }');
    const rows = data.missions.totalCount;
    // A new window starts, and somebody else with the same key spends most of it.
    volunteering.advance(61_000);
    const { callsPerMinute } = volunteering;
    volunteering.callsPerMinute = 60;
    const spend = () =>
      fetch(`${volunteering.url}/v0/mission?limit=1`, { headers: { 'x-api-key': keys.volunteering.operator } });
    await Promise.all(Array.from({ length: 20 }, spend));
    stack.forgetCalls();
    const refused = await refusalOf(await get({ pages: 'all' }, JOINED.replace('1', '10, domain: ["sport"]')));
    volunteering.callsPerMinute = callsPerMinute;
    const seconds = Number(/resets in (\d+) s/.exec(refused.message ?? '')?.[1]);
    const extensions = { code: 'RATE_LIMITED', service: 'volunteering', retryAfterSeconds: seconds };
    expect(refused).toMatchObject({ status: 429, retryAfter: String(seconds), extensions });
    const joined = stack.calls().length - 1;
    const further = callsOfWalk(10, rows) - 1 + joined * (Math.ceil(rows / 10) - 1);
    expect(refused.message).toMatch(
      new RegExp(
        `^All pages cost about ${further} more calls to volunteering \\(all routes\\), but only ${39 - joined} of 60 are left; the quota resets in \\d+ s\\.`,
      ),
    );
  });

  test('that are cut by a failure say so in the name of the file, a header and its end', async () => {
    const query = '{ missions(first: 50, city: "") { nodes { id title } } }'.replace(', city: ""', '');
    await get({}, query);
    const release = stack.sandbox.volunteering.fault({ kind: 'status', status: 500 });
    const response = await get({ pages: 'all' }, query);
    release();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="missions-incomplete.csv"');
    expect(response.headers.get('x-passerelle-incomplete')).toMatch(/^the next page failed: /);
    const rows = await rowsOf(response);
    expect(rows.slice(0, 50).map(([id]) => id)).toEqual(all.slice(0, 50).map(({ id }) => id));
    expect(rows.slice(50)).toEqual([
      [expect.stringMatching(/^# incomplete: cut after 50 rows: the next page failed: /), ''],
    ]);
  });

  const TRUNCATED = 'the list is truncated: its source may have more rows than these';
  const NEAR = '{ commune(insee: "75056") { missions(radius: 500, first: 1000) { nodes { id } } } }';

  test.each([
    ['all pages around a commune', NEAR, { pages: 'all' }],
    ['a list without pages', '{ jobSearch(radius: 30) { truncated recruiters { identifier { recruiterId } } } }', {}],
  ])('of a list that its source cuts off say so, as any cut: %s', async (_name, query, more) => {
    const { volunteering, workStudy } = stack.sandbox;
    const full = (body: unknown) => {
      const { recruiters } = body as { recruiters: unknown[] };
      return { ...(body as object), recruiters: Array.from({ length: 150 }, () => recruiters[0]) };
    };
    const release = [
      volunteering.fault(BEYOND),
      workStudy.fault({ kind: 'wrong-type', path: '/api/job/v1/search', change: full }),
    ];
    const response = await get(more, query);
    const workbook = await get({ ...more, format: 'xlsx' }, query);
    for (const end of release) end();
    expect(response.status).toBe(200);
    expect(response.headers.get('x-passerelle-incomplete')).toBe(TRUNCATED);
    expect(response.headers.get('content-disposition')).toContain('-incomplete.csv"');
    const rows = await rowsOf(response);
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.at(-1)?.[0]).toBe(`# incomplete: cut after ${rows.length - 1} rows: ${TRUNCATED}`);
    expect(await aboutOf(workbook, 'Incomplete')).toContain(TRUNCATED);
  });

  test('of one page say that all pages give all', async () => {
    const release = stack.sandbox.volunteering.fault(BEYOND);
    const response = await get({}, '{ missionSearch(first: 7) { totalCount truncated nodes { id } } }');
    release();
    expect(response.headers.get('x-passerelle-incomplete')).toBe('one page of 7 rows of 17571; pages=all gives all');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="missionSearch-incomplete.csv"');
  });

  test('end with the client: the call for the page on its way is cancelled', async () => {
    const query = '{ missions(first: 40) { nodes { id } } }';
    await get({}, query);
    stack.forgetCalls();
    const release = stack.sandbox.volunteering.fault({ kind: 'latency', ms: 20_000 });
    const left = new AbortController();
    const search = new URLSearchParams({ query, format: 'csv', pages: 'all' });
    const requested = fetch(`${stack.url}/graphql?${search}`, { signal: left.signal });
    await stack.sandbox.volunteering.seen(({ url }) => url.includes('/v0/mission'));
    left.abort();
    await expect(requested).rejects.toThrow('abort');
    await stack.sandbox.volunteering.seen(({ aborted }) => aborted);
    release();
  });
});
