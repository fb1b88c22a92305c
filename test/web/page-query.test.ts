import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { followPages, furtherPages, pagingOf } from '../../analyst/page/paging/follow-pages.js';
import {
  combine,
  type GraphqlRequest,
  type QueryResult,
  type ResponseError,
  servicesOf,
} from '../../analyst/page/state/query-result.js';
import type { UpstreamCall } from '../../kernel/trace.js';
import { findLists } from '../../rows/lists.js';
import { readPage, toPagedQuery } from '../../rows/page-query.js';
import type { JsonObject } from '../../rows/path.js';

const compact = (query: string | undefined) => query?.replace(/\s+/g, ' ').trim();

describe('A request is made to be result page by page', () => {
  test('with a variable for the cursor, and the end of the page result for', () => {
    const paged = toPagedQuery(parse('{ missions(first: 2) { nodes { id } } }'), undefined, 'missions.nodes[]');
    expect(compact(paged?.query)).toBe(
      'query ($passerelleAfter: String) { missions(first: 2, after: $passerelleAfter) { nodes { id } pageInfo { hasNextPage endCursor } } }',
    );
    expect(paged).toMatchObject({ variable: 'passerelleAfter', connection: ['missions'], list: 'nodes' });
  });

  test('with the variable that the request has already', () => {
    const query = 'query Q($a: String) { m: missions(after: $a) { edges { node { id } } } }';
    const paged = toPagedQuery(parse(query), 'Q', 'm.edges[]');
    expect(paged?.variable).toBe('a');
    expect(compact(paged?.query)).toContain('missions(after: $a) { edges { node { id } } pageInfo');
    expect(paged?.query.match(/\$/g)).toHaveLength(2);
  });

  test('with another variable where its own has another place too, and begin where that says', () => {
    const query =
      'query Q($a: String = "x", $passerelleAfter: Int) { missions(after: $a, first: $passerelleAfter) { nodes { id } } organizations(after: $a) { totalCount } }';
    const paged = toPagedQuery(parse(query), 'Q', 'missions.nodes[]');
    expect(paged?.variable).toBe('passerelleAfter_');
    expect(compact(paged?.query)).toContain('missions(first: $passerelleAfter, after: $passerelleAfter_) {');
    expect(compact(paged?.query)).toContain('organizations(after: $a)');
    expect([paged?.startOf({}), paged?.startOf({ a: 'y' })]).toEqual(['x', 'y']);
  });

  test('below a field that is no list, and inside an inline fragment', () => {
    const query =
      '{ commune(insee: "1") { ... on Commune { missions(after: "x") { nodes { id } } } } missions { nodes { id } } }';
    const paged = toPagedQuery(parse(query), undefined, 'commune.missions.nodes[]');
    expect(compact(paged?.query)).toContain('missions(after: $passerelleAfter) { nodes { id } pageInfo');
    expect(compact(paged?.query)).toContain('} missions { nodes { id } } }');
    expect(() => parse(paged?.query ?? '')).not.toThrow();
  });

  test('inside a fragment with a name', () => {
    const query =
      'query Q { ...A } fragment A on Query { commune(insee: "1") { ...B } } fragment B on Commune { missions { nodes { id } } }';
    const paged = toPagedQuery(parse(query), 'Q', 'commune.missions.nodes[]');
    expect(compact(paged?.query)).toContain('query Q($passerelleAfter: String)');
    expect(compact(paged?.query)).toContain('fragment B on Commune { missions(after: $passerelleAfter)');
  });

  test('of the operation that is named, without the others, which may spread the same fragment', () => {
    const query = 'query A { ...Q } query B { ...Q } fragment Q on Query { missions { nodes { id } } }';
    const paged = toPagedQuery(parse(query), 'B', 'missions.nodes[]');
    expect(compact(paged?.query)).toBe(
      'query B($passerelleAfter: String) { ...Q } fragment Q on Query { missions(after: $passerelleAfter) { nodes { id } pageInfo { hasNextPage endCursor } } }',
    );
  });

  test('wherever the connection is written: equal fields keep equal arguments', () => {
    const query = '{ missions(city: "a") { totalCount } ... on Query { missions(city: "a") { nodes { id } } } }';
    const paged = compact(toPagedQuery(parse(query), undefined, 'missions.nodes[]')?.query);
    expect(paged?.match(/missions\(city: "a", after: \$passerelleAfter\)/g)).toHaveLength(2);
  });

  test.each([
    ['a list that is no connection', '{ communes { nom } }', 'communes[]'],
    ['a connection below a list', '{ communes { missions { nodes { id } } } }', 'communes[].missions.nodes[]'],
    ['a mutation', 'mutation { m { nodes { id } } }', 'm.nodes[]'],
  ])('but not for %s', (_name, query, path) => {
    expect(toPagedQuery(parse(query), undefined, path)).toBeNull();
  });
});

describe('Whether the pages of a list can be followed', () => {
  const page = (hasNextPage: boolean) => ({ nodes: [{ id: 1 }], pageInfo: { hasNextPage, endCursor: 'c' } });
  const paging = (query: string, data: JsonObject, path: string) =>
    pagingOf({ ...pageOf(0, 1, 1), request: { query }, response: { data } }, path);

  test('is said of a connection that goes on, and of nothing else', () => {
    const query = '{ missions { nodes { id } pageInfo { hasNextPage endCursor } } }';
    expect(paging(query, { missions: page(true) }, 'missions.nodes[]')).toMatchObject({ kind: 'can' });
    expect(paging(query, { missions: page(false) }, 'missions.nodes[]')).toBeNull();
    expect(paging('{ communes { nom } }', { communes: [{ nom: 'a' }] }, 'communes[]')).toBeNull();
    expect(paging(query, { missions: null }, 'missions.nodes[]')).toBeNull();
  });

  test('below one parent: yes', () => {
    const query = '{ commune(insee: "1") { missions { nodes { id } pageInfo { hasNextPage endCursor } } } }';
    const can = paging(query, { commune: { missions: page(true) } }, 'commune.missions.nodes[]');
    expect(can).toMatchObject({ kind: 'can', paged: { connection: ['commune', 'missions'] } });
  });

  test('below a list: no, and why', () => {
    const query = '{ communes { missions { nodes { id } pageInfo { hasNextPage endCursor } } } }';
    const of = (...rows: JsonObject[]) => paging(query, { communes: rows }, 'communes[].missions.nodes[]');
    expect(of({ missions: page(false) }, { missions: page(false) })).toBeNull();
    const why = 'Each row of communes has its own pages of missions, but a query has only one cursor.';
    expect(of({ missions: page(false) }, { missions: page(true) })).toEqual({
      kind: 'cannot',
      why: expect.stringContaining(why),
    });
  });

  test('without the end of the page: what to send for', () => {
    const query = '{ missions { totalCount nodes { id } } }';
    const data = (totalCount: number) => ({ missions: { totalCount, nodes: [{ id: 1 }] } });
    const why = expect.stringContaining('pageInfo { hasNextPage endCursor } is missing beside nodes');
    const mended = expect.stringMatching(/pageInfo \{\s+hasNextPage\s+endCursor\s+\}/);
    expect(paging(query, data(2), 'missions.nodes[]')).toEqual({ kind: 'cannot', why, mended });
    expect(paging(query, data(1), 'missions.nodes[]')).toBeNull();
  });
});

const QUERY = '{ missions(first: 2) { totalCount nodes { id } } }';

describe('All pages', () => {
  test('are followed to the end, and their rows are one response', async () => {
    const { followed, result } = await follow({ pages: 3 });
    expect(followed.end).toBe('all');
    expect(findLists(followed.result.response.data ?? {})).toEqual([{ path: 'missions.nodes[]', count: 6 }]);
    expect(result).toEqual(['c1', 'c2']);
    expect(followed.result.trace?.totals.callsMade).toBe(3);
    expect(followed.result.request.query).toBe(QUERY);
  });

  test('are from the services of all of them; of what is not traced they are unknown', () => {
    const [one, other] = [pageOf(0, 2, 4), pageOf(1, 2, 4)];
    const called = (result: QueryResult, service: UpstreamCall['service']): QueryResult => {
      if (result.trace === null) throw new Error('not traced');
      return { ...result, trace: { ...result.trace, calls: [call(service, 'MISS')] } };
    };
    const both = combine(called(one, 'volunteering'), called(other, 'work-study'));
    expect(servicesOf(combine(both, called(other, 'work-study')))).toEqual(['volunteering', 'work-study']);
    expect(servicesOf(one)).toEqual(['volunteering', 'work-study']);
    expect(servicesOf({ ...one, trace: null })).toBeNull();
  });

  test('stop at the cap, to the row', async () => {
    const { followed, result } = await follow({ pages: 9, cap: 5 });
    expect([followed.end, followed.rows, result.length]).toEqual(['cap', 5, 2]);
  });

  test('say in the response where they end: at the last page, where one may go on, or within a page', async () => {
    const endOf = async (how: Follow) => {
      const { result } = (await follow(how)).followed;
      return { result, missions: result.response.data?.['missions'] };
    };
    const all = await endOf({ pages: 3 });
    expect(all.missions).toMatchObject({ pageInfo: { hasNextPage: false, endCursor: 'c3' } });
    expect(pagingOf(all.result, 'missions.nodes[]')).toBeNull();
    const cancelled = await endOf({ pages: 9, cancelAt: 'c2' });
    expect(cancelled.missions).toMatchObject({ pageInfo: { hasNextPage: true, endCursor: 'c2' } });
    expect(pagingOf(cancelled.result, 'missions.nodes[]')).toMatchObject({ kind: 'can' });
    const capped = await endOf({ pages: 9, cap: 5 });
    expect(capped.missions).toMatchObject({ pageInfo: { hasNextPage: true, endCursor: null } });
    expect(pagingOf(capped.result, 'missions.nodes[]')).toEqual({
      kind: 'cannot',
      why: 'Loading stopped in the middle of a page. Run the query again to load all pages.',
    });
  });

  test('keep what came when one is cancelled or fails', async () => {
    const cancelled = await follow({ pages: 9, cancelAt: 'c2' });
    expect([cancelled.followed.end, cancelled.followed.rows]).toEqual(['cancelled', 4]);
    const failed = await follow({ pages: 9, failAt: 'c2' });
    expect(failed.followed).toMatchObject({ end: 'failed', rows: 4, message: 'The quota is spent.' });
  });

  test('stop before a page that a spent quota left gaps in, and say where to go on', async () => {
    const { followed } = await follow({ pages: 9, spentAt: 'c2' });
    expect(followed).toMatchObject({ end: 'failed', rows: 4, message: 'Spent.' });
    expect(followed.result.response.data?.['missions']).toMatchObject({ pageInfo: { endCursor: 'c2' } });
    expect(pagingOf(followed.result, 'missions.nodes[]')).toMatchObject({ kind: 'can' });
  });

  test('keep the errors of each page at their rows', async () => {
    const { followed } = await follow({ pages: 3, errorAt: 'c2' });
    expect(followed.result.response.errors?.map(({ path }) => path)).toEqual([
      ['missions', 'nodes', 5, 'commune'],
      ['viewer'],
    ]);
  });

  test('say how many there are before they start', () => {
    const paged = toPagedQuery(parse(QUERY), undefined, 'missions.nodes[]');
    if (paged === null) throw new Error('not paged');
    expect(furtherPages(pageOf(0, 10, 19), paged, 10_000)).toBe(9);
    expect(furtherPages(pageOf(0, 10, 19), paged, 6)).toBe(2);
    expect(furtherPages(pageOf(0, 10, null), paged, 10_000)).toBeNull();
  });
});

interface Follow {
  pages: number;
  cap?: number;
  cancelAt?: string;
  failAt?: string;
  /** Cursor of the page with errors: one in its second row, one beside the list. */
  errorAt?: string;
  /** Cursor of the page that lacks what a spent quota refused. */
  spentAt?: string;
}

async function follow({ pages, cap = 10_000, ...events }: Follow) {
  const paged = toPagedQuery(parse(QUERY), undefined, 'missions.nodes[]');
  if (paged === null) throw new Error('not paged');
  const stop = new AbortController();
  const result: string[] = [];
  const send = async ({ variables }: GraphqlRequest): Promise<QueryResult> => {
    const cursor = String(variables?.[paged.variable]);
    if (cursor === events.cancelAt) {
      stop.abort();
      throw new Error('aborted');
    }
    if (cursor === events.failAt) return refused({ message: 'The quota is spent.' });
    result.push(cursor);
    const page = pageOf(Number(cursor.slice(1)), pages, pages * 2);
    const errors = cursor === events.errorAt ? ERRORS : cursor === events.spentAt ? SPENT : null;
    return errors === null ? page : { ...page, response: { ...page.response, errors } };
  };
  const first = pageOf(0, pages, pages * 2);
  const { signal } = stop;
  const followed = await followPages({ first, paged, cap, signal, send, progress: () => {} });
  expect(readPage(first.response.data, paged)?.rows).toHaveLength(2);
  return { followed, result };
}

const ERRORS: ResponseError[] = [
  { message: 'Away.', path: ['missions', 'nodes', 1, 'commune'] },
  { message: 'Away.', path: ['viewer'] },
];

const SPENT: ResponseError[] = [
  { message: 'Spent.', path: ['missions', 'nodes', 1, 'commune'], extensions: { code: 'RATE_LIMITED' } },
];

function refused(error: ResponseError): QueryResult {
  return { ...pageOf(0, 1, 0), response: { data: null, errors: [error] } };
}

function pageOf(page: number, pages: number, totalCount: number | null): QueryResult {
  const hasNextPage = page < pages - 1;
  const pageInfo = { hasNextPage, endCursor: `c${page + 1}` };
  const nodes = [{ id: `${page}a` }, { id: `${page}b` }];
  const totals = { callsMade: 1, savedByCache: 0, savedBySharing: 0 };
  return {
    request: { query: QUERY },
    response: { data: { missions: { totalCount, nodes, pageInfo } } },
    trace: {
      requestId: 'r',
      timings: { planMs: 0, executeMs: 0, totalMs: 0 },
      plan: null,
      calls: [
        call('volunteering', 'MISS'),
        call('work-study', 'MISS'),
        call('work-study', 'HIT'),
        call('work-study', 'COALESCED'),
      ],
      callsOmitted: 0,
      totals,
      sources: [],
    },
    status: 200,
    ms: 1,
    bytes: 1,
    receivedAt: new Date(0),
  };
}

function call(service: UpstreamCall['service'], cache: UpstreamCall['cache']): UpstreamCall {
  const rest = {
    method: 'GET',
    path: '/',
    status: 200,
    startMs: 0,
    ms: 1,
    bytes: 1,
    receivedAt: new Date(0),
    entities: 1,
    retries: 0,
    planNode: '',
  };
  return { service, cache, ...rest };
}
