import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { extentOfList, whyPartial } from '../../analyst/page/lists/extent.js';
import { followPages, pagingOf } from '../../analyst/page/paging/follow-pages.js';
import { language } from '../../analyst/page/state/language.js';
import type { GraphqlRequest, QueryResult } from '../../analyst/page/state/query-result.js';
import { allPages } from '../../rows/all-pages.js';
import { readPage, toPagedQuery } from '../../rows/page-query.js';
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
  /** Why the pages with these rows, of a list of so many, are not all; and how many of them were read. */
  async function endOf(pages: readonly (readonly JsonObject[])[], totalCount: number | null = 100) {
    const pageAt = (at: number) => {
      const pageInfo = { hasNextPage: at < pages.length - 1, endCursor: String(at) };
      return { data: { list: { totalCount, edges: (pages[at] ?? []).map((node) => ({ node })), pageInfo } } };
    };
    const following = allPages(pageAt(0), {
      ...{ paged: { connection: ['list'], list: 'edges', id: 'id' }, path: 'list.edges[]', isLater: false },
      ...{ language: 'en', limit: () => null, fetchAfter: async (cursor) => pageAt(Number(cursor) + 1) },
    });
    let read = 0;
    let step = await following.next();
    for (; step.done !== true; step = await following.next()) read += 1;
    return { read, why: step.value };
  }

  test('is not stopped by a small page that repeats rows, but by the second in a row', async () => {
    const pages = [rowsFrom(0, 5), rowsFrom(1, 4), rowsFrom(5, 5), rowsFrom(2, 5), rowsFrom(2, 5), rowsFrom(90, 5)];
    expect(await endOf(pages)).toEqual({
      read: 4,
      why: 'page 5 has only rows of earlier pages: the source gave 10 different rows of 100',
    });
  });

  test('is stopped by empty pages: two in a row of a list with a total, else ten', async () => {
    const pages = [rowsFrom(0, 5), ...Array.from({ length: 20 }, () => []), rowsFrom(5, 5)];
    const why = (empty: number, of: string) =>
      `${empty} pages in a row are empty: the source gave 5 different rows${of}`;
    expect(await endOf(pages)).toEqual({ read: 2, why: why(2, ' of 100') });
    expect(await endOf(pages, null)).toEqual({ read: 10, why: why(10, '') });
  });

  test('remembers no more rows than a file may hold', async () => {
    const pages = Array.from({ length: 22 }, (_, page) => rowsFrom(page * 5_000, 5_000));
    expect(await endOf([...pages, rowsFrom(100_000, 5_000)], null)).toEqual({ read: 23, why: null });
    const { read, why } = await endOf([...pages, rowsFrom(95_000, 5_000), rowsFrom(0, 1)], null);
    expect([read, why]).toEqual([22, expect.stringMatching(/^page 23 has only rows of earlier pages/)]);
  });

  test('counts rows that repeat within their page, and rows without an identifier', async () => {
    const pages = [
      [{ id: 'a' }, { id: 'a' }, { id: null }],
      [{ id: 'a' }, { id: null }],
    ];
    expect(await endOf(pages, 4)).toEqual({ read: 2, why: null });
    expect(await endOf(pages, 5)).toEqual({ read: 2, why: 'the source gave 4 different rows of 5' });
  });
});
