import { readFileSync } from 'node:fs';
import { buildSchema, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { extentOfList } from '../../analyst/page/lists/extent.js';
import type { ShownRows } from '../../analyst/page/lists/loaded-list.js';
import { followPages, pagingOf } from '../../analyst/page/paging/follow-pages.js';
import { dataLink, describeLink, describeOmitted, linkProblem } from '../../analyst/page/results/data-link.js';
import { language } from '../../analyst/page/state/language.js';
import type { GraphqlRequest, GraphqlResponse, QueryResult } from '../../analyst/page/state/query-result.js';
import type { ListMemory } from '../../analyst/page/state/tab-memory.js';
import { HEADER_BYTES } from '../../kernel/bounds.js';
import { ROW_FORMATS, writeRows } from '../../rows/formats.js';
import { findLists } from '../../rows/lists.js';
import { readPage, toPagedQuery } from '../../rows/page-query.js';
import { EVERYTHING } from '../../rows/row-choice.js';
import { distanceKm } from '../../subgraphs/codes/places.js';
import { sampleQueries } from '../queries/read.js';
import { runs } from '../runs.js';
import { type Stack, startStack } from '../scenarios/stack.js';
import { shownRows } from './shown-rows.js';

const schema = buildSchema(readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8'));

const examples = sampleQueries();

/** What the page makes of a response, without a browser: its table, downloads and links. */
describe('The rows on the page and the rows by link', () => {
  let stack: Stack;
  let headers: Record<string, string>;
  beforeAll(async () => {
    stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 } });
    headers = { authorization: `Bearer ${stack.sandbox.keys.waste.token}` };
  });
  afterAll(() => stack.close());

  async function send(request: GraphqlRequest): Promise<QueryResult> {
    const body = JSON.stringify(request);
    const http = await fetch(`${stack.url}/graphql`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    const response = (await http.json()) as GraphqlResponse;
    return { request, response, trace: null, status: http.status, ms: 1, bytes: body.length, receivedAt: new Date() };
  }

  function shownOf({ response: { data } }: QueryResult, memory: Partial<ListMemory> = {}): ShownRows {
    if (!data) throw new Error('There is no response.');
    return shownRows(data, findLists(data)[0]?.path ?? '', memory);
  }

  const onPage = (shown: ShownRows): string => {
    const [csv] = ROW_FORMATS;
    if (csv === undefined) throw new Error('There is no CSV.');
    return [...writeRows(csv, shown, shown.rows, { omitted: describeOmitted(shown) })].join('');
  };

  const fileByLink = async (result: QueryResult, shown: ShownRows): Promise<string> => {
    const response = await fetch(`${stack.url}/graphql?${dataLink(result, shown)}`, { headers });
    return response.text();
  };

  /** The rows by link. Their last line says that they are not the whole list where the page says so. */
  const byLink = async (result: QueryResult, shown: ShownRows): Promise<string> => {
    const file = await fileByLink(result, shown);
    const rows = file.replace(/# incomplete: [^\r\n]*\r\n$/, '');
    const { kind } = extentOfList(result, shown.list.path, schema);
    if (kind !== 'unknown') expect([shown.list.path, rows !== file]).toEqual([shown.list.path, kind !== 'all']);
    return rows;
  };

  async function allPages(first: QueryResult): Promise<QueryResult | null> {
    const paging = pagingOf(first, shownOf(first).list.path);
    if (paging?.kind !== 'can') return null;
    const { signal } = new AbortController();
    const nothing = () => {};
    const waitForNoQuota = () => Promise.reject(new Error('A quota is spent.'));
    const following = { first, paged: paging.paged, cap: 100_000, signal, send, wait: waitForNoQuota };
    const { result, end } = await followPages({ ...following, progress: nothing });
    expect(end).toBe('all');
    return result;
  }

  /** The total that the list reports; if it reports none, the number of rows fetched. */
  function totalOf({ response, request }: QueryResult, all: QueryResult): number | null {
    const paged = toPagedQuery(parse(request.query), undefined, shownOf(all).list.path);
    const page = paged === null ? null : readPage(response.data, paged);
    return page?.totalCount ?? all.pages?.rows ?? null;
  }

  test.each(examples.map((example) => [example.name, example] as const))(
    'are the same for %s, page by page, in every order, filtered, renamed and distinct',
    async (_name, example) => {
      const { query } = example;
      const variables = widened(example.variables);
      const first = await send({ query, variables });
      const all = await allPages(first);
      if (all !== null) expect(shownOf(all).rows).toHaveLength(totalOf(first, all) ?? 0);
      for (const result of all === null ? [first] : [first, all]) {
        const choices = choicesOf(shownOf(result));
        // Of one page, the last choice has the most in it.
        for (const memory of result === all || all === null ? choices : choices.slice(-runs(1))) {
          const shown = shownOf(result, memory);
          expect(await byLink(result, shown)).toBe(onPage(shown));
        }
      }
    },
  );

  test.each(
    examples.filter(({ query }) => query.includes('exported')).map((example) => [example.name, example] as const),
  )('are the same for %s without its filters, which are then null', async (_name, { query, variables }) => {
    const first = await send({ query, variables: nulled(query, variables) });
    expect(first.response.errors).toBeUndefined();
    const all = await allPages(first);
    for (const result of all === null ? [first] : [first, all]) {
      for (const memory of choicesOf(shownOf(result))) {
        const shown = shownOf(result, memory);
        expect(shown.rows.length).toBeGreaterThan(0);
        expect(await byLink(result, shown)).toBe(onPage(shown));
      }
    }
  });

  test('of a response that is all pages say that nothing follows, in JSON too', async () => {
    const query = '{ missions(first: 100) { totalCount nodes { id } pageInfo { hasNextPage endCursor } } }';
    const all = await allPages(await send({ query }));
    const page = readPage(all?.response.data, { connection: ['missions'], list: 'nodes' });
    expect(page?.rows).toHaveLength(page?.totalCount ?? 0);
    expect(page?.hasNext).toBe(false);
    if (all !== null) expect(pagingOf(all, 'missions.nodes[]')).toBeNull();
  });

  test('are all of them where their columns are more than a link may name, and where some are hidden there is no link', async () => {
    const commune = 'commune { id nom code { insee } departement { nom } region { nom } academie { nom } }';
    const columns = Array.from({ length: 34 }, (_, index) => `c${index}: ${commune}`).join(' ');
    const query = `{ missions(first: 10, domain: ["solidarite-insertion"]) { pageInfo { hasNextPage endCursor } nodes { ${columns} } } }`;
    const first = await send({ query });
    const all = await allPages(first);
    if (all === null) throw new Error('All missions are on the first page.');
    const names = shownOf(first).columns.map(({ name }) => ({ name, title: name }));
    for (const [result, chosen] of [
      [first, names],
      [all, null],
    ] as const) {
      const shown = shownOf(result, { choice: { ...EVERYTHING, columns: chosen } });
      const search = dataLink(result, shown);
      expect([search.has('columns'), linkProblem(search)]).toEqual([false, null]);
      expect(await byLink(result, shown)).toBe(onPage(shown));
    }
    const some = shownOf(first, { choice: { ...EVERYTHING, columns: names.slice(1) } });
    const refusal = JSON.parse(await fileByLink(first, some)).errors[0].message;
    expect(refusal).toContain('203');
    expect(linkProblem(dataLink(first, some))).toContain(refusal);
  });

  test('are of the list that the page shows, also where a link without it would have another', async () => {
    const nodes = 'nodes { id addresses { city } }';
    const query = `{ missions(first: 60) { pageInfo { hasNextPage endCursor } ${nodes} } }`;
    const first = await send({ query });
    const shown = shownOf(first);
    expect(shown.list.path).toBe('missions.nodes[].addresses[]');
    expect(await byLink(first, shown)).toBe(onPage(shown));
    const outer = shownRows(first.response.data ?? {}, 'missions.nodes[]');
    expect(await byLink(first, outer)).toBe(onPage(outer));
    // Both say that there are more pages.
    const described = (rows: ShownRows) => describeLink(first, rows, extentOfList(first, rows.list.path, schema));
    expect([shown, outer].map(described)).toEqual([
      expect.stringContaining(`this page of ${shown.rows.length} rows`),
      expect.stringContaining('this page of 60 rows'),
    ]);
  });

  test('have no link where the gateway would refuse its address for its length', async () => {
    const query = 'query { communes(code: "76600") { nom } } # ';
    const first = await send({ query });
    const longer = async (by: number) => {
      const request = { query: query.padEnd(query.length + by, 'x') };
      const search = dataLink({ ...first, request }, shownOf(first));
      const { status } = await fetch(`${stack.url}/graphql?${search}`, { headers: { cookie: 'c'.repeat(500) } });
      return [`/graphql?${search}`.length, status, linkProblem(search)];
    };
    const [length] = await longer(0);
    const longest = 15 * 1024;
    const by = longest - Number(length);
    expect(await longer(by)).toEqual([longest, 200, null]);
    const tooLong = /^No data link: it would have 15,361 characters, but the gateway accepts only 15,360\. /;
    expect(await longer(by + 1)).toEqual([longest + 1, 200, expect.stringMatching(tooLong)]);
    language.set('fr');
    const tooLongInFrench = expect.stringMatching(/^Pas de lien de données\u202f: il aurait 16.384 caractères/);
    expect(await longer(by + 1024)).toEqual([HEADER_BYTES, 431, tooLongInFrench]);
    language.set('en');
  });

  test.each(['missions-near-a-commune', 'organizations-that-hire'])(
    'lie within the circle of %s, as GeoJSON',
    async (name) => {
      const example = examples.find((candidate) => candidate.name === name);
      if (example === undefined) throw new Error(`The query ${name} is gone.`);
      const { query } = example;
      const variables = widened(example.variables);
      const centre = await centreOf(variables);
      const first = await send({ query, variables });
      const result = (await allPages(first)) ?? first;
      const path = findLists(result.response.data ?? {}).find((list) => list.path.endsWith('edges[]'))?.path ?? '';
      const shown = shownRows(result.response.data ?? {}, path);
      const search = dataLink(result, shown);
      search.set('format', 'geojson');
      const response = await fetch(`${stack.url}/graphql?${search}`, { headers });
      const { features } = (await response.json()) as {
        features: { geometry: { coordinates: [number, number] } | null; properties: Record<string, number> }[];
      };
      expect(features.length).toBeGreaterThan(5);
      for (const { geometry, properties } of features) {
        const [lon, lat] = geometry?.coordinates ?? [0, 0];
        const away = distanceKm(centre, { lon, lat });
        expect(away).toBeLessThanOrEqual(100);
        expect(properties['edge.distance']).toBeCloseTo(away, 6);
      }
    },
  );

  async function centreOf({ insee }: Readonly<Record<string, unknown>>): Promise<{ lon: number; lat: number }> {
    const query = 'query ($insee: INSEECode!) { commune(insee: $insee) { localisation { centre { coordinates } } } }';
    const { data } = await stack.send(query, { variables: { insee } });
    const [lon, lat] = data.commune.localisation.centre.coordinates;
    return { lon, lat };
  }
});

/** The sandbox is small here, so circles are widened to find enough. */
function widened(variables: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return 'radius' in variables ? { ...variables, radius: 100 } : variables;
}

/** Null for each variable that may be. */
function nulled(query: string, variables: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const required = new Set([...query.matchAll(/\$(\w+): \w+!/g)].map(([, name]) => name));
  const names = [...query.matchAll(/\$(\w+):/g)].map(([, name = '']) => name);
  return Object.fromEntries(names.map((name) => [name, required.has(name) ? variables[name] : null]));
}

/** Choices that a user can make in the toolbar for any list. */
function choicesOf({ columns, rows, list }: ShownRows): Partial<ListMemory>[] {
  const names = columns.map(({ name }) => name);
  const [first = '', last = ''] = [names[0], names.at(-1)];
  const cell = rows[0]?.cells().find((value) => typeof value === 'string' && value.length > 2);
  const renamed = [{ name: last, title: 'Last: of all' }, ...(first === last ? [] : [{ name: first, title: first }])];
  const own = list.rows[0]?.cells()[0] ?? null;
  // A column of numbers is compared with numbers alone.
  const other = typeof own === 'number' ? '-1' : 'none';
  const choices: Partial<ListMemory>[] = [
    {},
    { choice: { ...EVERYTHING, order: { column: first, descending: true } } },
    { choice: { ...EVERYTHING, order: { column: last, descending: false } }, hidesUniform: true },
    { choice: { ...EVERYTHING, where: [{ column: '*', operator: 'has', value: String(cell ?? '').slice(1, 5) }] } },
    {
      choice: {
        columns: renamed,
        where: [{ column: first, operator: 'in', value: JSON.stringify([String(own), other]) }],
        order: { column: last, descending: true },
        distinct: true,
      },
    },
  ];
  return names.length > 0 ? choices : [];
}
