import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { extentOfList, whyPartial } from '../../analyst/page/lists/extent.js';
import { followPages } from '../../analyst/page/paging/follow-pages.js';
import { pagingOf } from '../../analyst/page/paging/paging.js';
import { language } from '../../analyst/page/state/language.js';
import type { GraphqlRequest, QueryResult } from '../../analyst/page/state/query-result.js';
import { readPage, toPagedQuery } from '../../rows/page-query.js';
import { PageSequence } from '../../rows/page-sequence.js';
import type { JsonObject } from '../../rows/path.js';

const PATH = 'missions.nodes[]';

interface Service {
  /** The rows of the page that begins there. */
  rows(start: number): JsonObject[];
  readonly total: number;
}

const rowsFrom = (start: number, count: number) =>
  Array.from({ length: count }, (_, row) => ({ id: `${start + row}` }));

/** Follows all pages of 20 rows, each of which begins where the one before it should have ended. */
async function follow({ rows, total }: Service) {
  const query = '{ missions(first: 20) { totalCount nodes { id } } }';
  const paged = toPagedQuery(parse(query), undefined, PATH);
  if (paged === null) throw new Error('not paged');
  let calls = 0;
  const pageFrom = (start: number, request: GraphqlRequest): QueryResult => {
    calls += 1;
    const pageInfo = { hasNextPage: start + 20 < total, endCursor: String(start + 20) };
    const missions = { totalCount: total, nodes: rows(start), pageInfo };
    return {
      request,
      response: { data: { missions } },
      trace: null,
      status: 200,
      ms: 1,
      bytes: 1,
      receivedAt: new Date(0),
    };
  };
  const followed = await followPages({
    ...{ first: pageFrom(0, { query }), paged, cap: 10_000, signal: new AbortController().signal },
    send: async (request) => pageFrom(Number(request.variables?.[paged.variable]), request),
    progress: () => {},
  });
  const { result, end, message } = followed;
  const why = whyPartial(result, PATH, extentOfList(result, PATH, null));
  return { end, message, why, calls, rows: readPage(result.response.data, paged)?.rows.length, result };
}

describe('All pages on the page', () => {
  test('end where the source gives the same page for ever, and say that they are not all', async () => {
    const same = await follow({ rows: () => rowsFrom(0, 20), total: 200 });
    const message = 'page 2 has only rows of earlier pages: the source gave 20 different rows of 200';
    expect(same).toMatchObject({ end: 'failed', message, why: message, calls: 2, rows: 20 });
    expect(pagingOf(same.result, PATH)).toMatchObject({ kind: 'cannot' });
  });

  test('say in both languages how many rows are missing where pages repeat some', async () => {
    const overlapping = (start: number) => rowsFrom(Math.max(0, start - 1), 20);
    const english = await follow({ rows: overlapping, total: 200 });
    expect(english).toMatchObject({ end: 'failed', why: 'the source gave 199 different rows of 200', calls: 10 });
    language.set('fr');
    const { why } = await follow({ rows: overlapping, total: 200 }).finally(() => language.set('en'));
    expect(why).toBe('la source a donné 199 lignes différentes sur 200');
  });
});

describe('A sequence of pages', () => {
  const sequence = () => new PageSequence({ list: 'edges', id: 'id' });
  const page = (rows: JsonObject[]) => ({
    ...{ rows: rows.map((node) => ({ node })), endCursor: 'c', hasNext: true, ownEnd: 'c' },
    ...{ totalCount: 100 },
  });

  test('is not stopped by a small page that repeats rows, but by the second in a row', () => {
    const pages = sequence();
    expect(pages.add(page(rowsFrom(0, 5)))).toBeNull();
    expect(pages.add(page(rowsFrom(1, 4)))).toBeNull();
    expect(pages.add(page(rowsFrom(5, 5)))).toBeNull();
    expect(pages.add(page(rowsFrom(2, 5)))).toBeNull();
    expect(pages.add(page(rowsFrom(2, 5)))).toEqual({ kind: 'repeated', page: 5, idle: 2, rows: 10, of: 100 });
  });

  test('remembers no more rows than a file may hold', () => {
    const pages = sequence();
    for (let start = 0; start <= 100_000; start += 5_000) expect(pages.add(page(rowsFrom(start, 5_000)))).toBeNull();
    expect(pages.add(page(rowsFrom(100_000, 5_000)))).toBeNull();
    expect(pages.add(page(rowsFrom(95_000, 5_000)))).toMatchObject({ kind: 'repeated' });
  });

  test('counts rows that repeat within their page, and rows without an identifier', () => {
    const pages = sequence();
    pages.add(page([{ id: 'a' }, { id: 'a' }, { id: null }]));
    pages.add(page([{ id: 'a' }, { id: null }]));
    expect(pages.lack({ ...page([]), totalCount: 4 })).toBeNull();
    expect(pages.lack({ ...page([]), totalCount: 5 })).toEqual({ kind: 'lost', page: 2, idle: 0, rows: 4, of: 5 });
  });
});
