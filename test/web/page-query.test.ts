import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { Asked, Question } from '../../gateway/web/page/asking/asked.js';
import { followPages, forecast } from '../../gateway/web/page/paging/all-pages.js';
import { pagedQuestion, readPage } from '../../gateway/web/page/paging/page-query.js';
import { findLists } from '../../gateway/web/rows/lists.js';

const compact = (query: string | undefined) => query?.replace(/\s+/g, ' ').trim();

describe('A question is made to be asked page by page', () => {
  test('with a variable for the cursor, and the end of the page asked for', () => {
    const paged = pagedQuestion('{ missions(first: 2) { nodes { id } } }', undefined, 'missions.nodes[]');
    expect(compact(paged?.query)).toBe(
      'query ($passerelleAfter: String) { missions(first: 2, after: $passerelleAfter) { nodes { id } pageInfo { hasNextPage endCursor } } }',
    );
    expect(paged).toMatchObject({ variable: 'passerelleAfter', connection: ['missions'], list: 'nodes' });
  });

  test('with the variable that the question has already', () => {
    const query = 'query Q($a: String) { m: missions(after: $a) { edges { node { id } } } }';
    const paged = pagedQuestion(query, 'Q', 'm.edges[]');
    expect(paged?.variable).toBe('a');
    expect(compact(paged?.query)).toContain('missions(after: $a) { edges { node { id } } pageInfo');
    expect(paged?.query.match(/\$/g)).toHaveLength(2);
  });

  test('below a field that is no list, and inside an inline fragment', () => {
    const query =
      '{ commune(insee: "1") { ... on Commune { missions(after: "x") { nodes { id } } } } missions { nodes { id } } }';
    const paged = pagedQuestion(query, undefined, 'commune.missions.nodes[]');
    expect(compact(paged?.query)).toContain('missions(after: $passerelleAfter) { nodes { id } pageInfo');
    expect(compact(paged?.query)).toContain('} missions { nodes { id } } }');
    expect(() => parse(paged?.query ?? '')).not.toThrow();
  });

  test('of the operation that is named', () => {
    const query = 'query A { missions { nodes { id } } } query B { missions { nodes { id } } }';
    expect(compact(pagedQuestion(query, 'B', 'missions.nodes[]')?.query)).toMatch(/^query A \{ missions \{ nodes/);
  });

  test.each([
    ['a list that is no connection', '{ communes { nom } }', 'communes[]'],
    ['a connection below a list', '{ communes { missions { nodes { id } } } }', 'communes[].missions.nodes[]'],
    ['a mutation', 'mutation { m { nodes { id } } }', 'm.nodes[]'],
  ])('but not for %s', (_name, query, path) => {
    expect(pagedQuestion(query, undefined, path)).toBeNull();
  });
});

const QUERY = '{ missions(first: 2) { totalCount nodes { id } } }';

describe('All pages', () => {
  test('are followed to the end, and their rows are one answer', async () => {
    const { followed, asked } = await follow({ pages: 3 });
    expect(followed.end).toBe('all');
    expect(findLists(followed.asked.answer.data ?? {})).toEqual([{ path: 'missions.nodes[]', count: 6 }]);
    expect(asked).toEqual(['c1', 'c2']);
    expect(followed.asked.trace?.totals.callsMade).toBe(3);
    expect(followed.asked.question.query).toBe(QUERY);
  });

  test('stop at the cap, to the row', async () => {
    const { followed, asked } = await follow({ pages: 9, cap: 5 });
    expect([followed.end, followed.rows, asked.length]).toEqual(['cap', 5, 2]);
  });

  test('keep what came when one is cancelled or fails', async () => {
    const cancelled = await follow({ pages: 9, cancelAt: 'c2' });
    expect([cancelled.followed.end, cancelled.followed.rows]).toEqual(['cancelled', 4]);
    const failed = await follow({ pages: 9, failAt: 'c2' });
    expect(failed.followed).toMatchObject({ end: 'failed', rows: 4, message: 'The quota is spent.' });
  });

  test('say what they will cost before they start', () => {
    const paged = pagedQuestion(QUERY, undefined, 'missions.nodes[]');
    if (paged === null) throw new Error('not paged');
    expect(forecast(pageOf(0, 10, 19), paged, 10_000)).toEqual({ pages: 9, callsPerPage: 1 });
    expect(forecast(pageOf(0, 10, 19), paged, 6)).toEqual({ pages: 2, callsPerPage: 1 });
    expect(forecast(pageOf(0, 10, null), paged, 10_000).pages).toBeNull();
  });
});

interface Follow {
  pages: number;
  cap?: number;
  cancelAt?: string;
  failAt?: string;
}

async function follow({ pages, cap = 10_000, cancelAt, failAt }: Follow) {
  const paged = pagedQuestion(QUERY, undefined, 'missions.nodes[]');
  if (paged === null) throw new Error('not paged');
  const stop = new AbortController();
  const asked: string[] = [];
  const ask = async ({ variables }: Question): Promise<Asked> => {
    const cursor = String(variables?.[paged.variable]);
    if (cursor === cancelAt) {
      stop.abort();
      throw new Error('aborted');
    }
    if (cursor === failAt)
      return { ...pageOf(0, 1, 0), answer: { data: null, errors: [{ message: 'The quota is spent.' }] } };
    asked.push(cursor);
    return pageOf(Number(cursor.slice(1)), pages, pages * 2);
  };
  const first = pageOf(0, pages, pages * 2);
  const followed = await followPages({ first, paged, cap, signal: stop.signal, ask, progress: () => {} });
  expect(readPage(first.answer.data, paged)?.rows).toHaveLength(2);
  return { followed, asked };
}

function pageOf(page: number, pages: number, totalCount: number | null): Asked {
  const hasNextPage = page < pages - 1;
  const pageInfo = { hasNextPage, endCursor: `c${page + 1}` };
  const nodes = [{ id: `${page}a` }, { id: `${page}b` }];
  const totals = { callsMade: 1, savedByCache: 0, savedBySharing: 0 };
  return {
    question: { query: QUERY },
    answer: { data: { missions: { totalCount, nodes, pageInfo } } },
    trace: {
      requestId: 'r',
      timings: { planMs: 0, executeMs: 0, totalMs: 0 },
      plan: null,
      calls: [],
      callsOmitted: 0,
      totals,
      sources: [],
    },
    status: 200,
    ms: 1,
    bytes: 1,
  };
}
