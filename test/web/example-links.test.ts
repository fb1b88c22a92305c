import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readExamples } from '../../gateway/web/home.js';
import { followPages } from '../../gateway/web/page/paging/all-pages.js';
import { pagingOf } from '../../gateway/web/page/paging/paging.js';
import type { GraphqlRequest, GraphqlResponse, QueryResult } from '../../gateway/web/page/responses/query-result.js';
import { type Sorting, sortRows } from '../../gateway/web/page/responses/sort-rows.js';
import { dataLink } from '../../gateway/web/page/results/data-link.js';
import { ROW_FORMATS, writeRows } from '../../gateway/web/rows/formats.js';
import { findLists } from '../../gateway/web/rows/lists.js';
import { readPage, toPagedQuery } from '../../gateway/web/rows/page-query.js';
import { readTable, type Table } from '../../gateway/web/rows/table.js';
import { distanceKm } from '../../subgraphs/codes/distances.js';
import { type Stack, startStack } from '../scenarios/stack.js';

const examples = await readExamples();

/** What the page does with a response, without a browser: its table, its downloads, its links. */
describe('The rows on the page and the rows by link', () => {
  let stack: Stack;
  let headers: Record<string, string>;
  beforeAll(async () => {
    stack = await startStack({ shape: 'in process', sandbox: { scale: 0.05 } });
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
    return { request, response, trace: null, status: http.status, ms: 1, bytes: body.length };
  }

  function tableOf({ response: { data } }: QueryResult): Table {
    if (!data) throw new Error('There is no response.');
    return readTable(data, findLists(data)[0]?.path ?? '');
  }

  const onPage = (table: Table, sorting: Sorting | null): string => {
    const [csv] = ROW_FORMATS;
    if (csv === undefined) throw new Error('There is no CSV.');
    const rows = sortRows([...table.rows()], sorting, (row) => row.cells());
    return [...writeRows(csv, table, rows)].join('');
  };

  const byLink = async (result: QueryResult, table: Table, sorting: Sorting | null): Promise<string> => {
    const response = await fetch(`${stack.url}/graphql?${dataLink(result, table, sorting).search}`, { headers });
    return response.text();
  };

  async function allPages(first: QueryResult): Promise<QueryResult | null> {
    const paging = pagingOf(first, tableOf(first).path);
    if (paging?.kind !== 'can') return null;
    const { signal } = new AbortController();
    const nothing = () => {};
    const waitForNoQuota = () => Promise.reject(new Error('A quota is spent.'));
    const following = { first, paged: paging.paged, cap: 100_000, signal, send, wait: waitForNoQuota };
    const { result, end } = await followPages({ ...following, progress: nothing });
    expect(end).toBe('all');
    return result;
  }

  /** How many rows the list says that it has; those that came where it does not say. */
  function totalOf({ response, request }: QueryResult, all: QueryResult): number | null {
    const paged = toPagedQuery(request.query, undefined, tableOf(all).path);
    const page = paged === null ? null : readPage(response.data, paged);
    return page?.totalCount ?? all.pages?.rows ?? null;
  }

  test.each(examples.map((example) => [example.name, example] as const))(
    'are the same for %s, page by page and in every order',
    async (_name, { query, variables }) => {
      const first = await send({ query, variables });
      const all = await allPages(first);
      if (all !== null) expect([...tableOf(all).rows()]).toHaveLength(totalOf(first, all) ?? 0);
      for (const result of all === null ? [first] : [first, all]) {
        const table = tableOf(result);
        const last = table.columns.length - 1;
        for (const sorting of [null, { column: 0, descending: true }, { column: last, descending: false }]) {
          expect(await byLink(result, table, sorting)).toBe(onPage(table, sorting));
        }
      }
    },
  );

  test('of a response that is all pages say that nothing follows, in JSON too', async () => {
    const query = '{ missions(first: 100) { totalCount nodes { id } pageInfo { hasNextPage endCursor } } }';
    const all = await allPages(await send({ query }));
    const page = readPage(all?.response.data, { connection: ['missions'], list: 'nodes' });
    expect(page?.rows).toHaveLength(page?.totalCount ?? 0);
    expect(page?.isLast).toBe(true);
    if (all !== null) expect(pagingOf(all, 'missions.nodes[]')).toBeNull();
  });

  test.each(['missions-near-a-commune', 'organizations-that-hire'])(
    'lie within the circle of %s, as GeoJSON',
    async (name) => {
      const example = examples.find((candidate) => candidate.name === name);
      if (example === undefined) throw new Error(`The example ${name} is gone.`);
      const { query } = example;
      // The sandbox is small here: a wide circle has enough of it.
      const variables = { ...example.variables, radius: 100 };
      const centre = await centreOf(variables);
      const first = await send({ query, variables });
      const result = (await allPages(first)) ?? first;
      const path = findLists(result.response.data ?? {}).find((list) => list.path.endsWith('edges[]'))?.path ?? '';
      const { search } = dataLink(result, readTable(result.response.data ?? {}, path), null);
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
