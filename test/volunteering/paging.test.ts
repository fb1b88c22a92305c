import { describe, expect, it } from 'vitest';
import { CodedError } from '../../kernel/errors.js';
import { connectionOf, readPage } from '../../subgraphs/graph/connection.js';
import { type OffsetPage, readPlainPage } from '../../subgraphs/volunteering/values/lists.js';

interface Source {
  readonly maximum: number;
  readonly requests: string[];
  fetch(skip: number, limit: number): Promise<OffsetPage<number>>;
}

/** A list of the numbers below `length` that records its requests. */
function sourceOf(length: number, parts: Partial<Source> & { total?: OffsetPage<number>['total'] } = {}): Source {
  const { total = length, ...rest } = parts;
  const requests: string[] = [];
  const rows = Array.from({ length }, (_, index) => index);
  return {
    requests,
    maximum: 10_000,
    fetch: async (skip, limit) => {
      requests.push(`${skip}+${limit}`);
      return { rows: rows.slice(skip, skip + limit), total };
    },
    ...rest,
  };
}

const RULES = { list: 'numbers', maximum: 10_000 };

const read = async (first: number, { fetch, maximum }: Source, after?: string | null) => {
  const page = readPage({ first, after }, RULES);
  return connectionOf(page, await readPlainPage(page, fetch, maximum));
};

async function walk(first: number, source: Source) {
  const seen: unknown[] = [];
  const totals: unknown[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const connection = await read(first, source, after);
    seen.push(...connection.nodes);
    totals.push(connection.totalCount);
    after = connection.pageInfo().hasNextPage ? connection.pageInfo().endCursor() : null;
  }
  return { seen, totals, pages: totals.length };
}

describe('readPlainPage', () => {
  it('walks every row exactly once', async () => {
    const source = sourceOf(10);
    const { seen, pages } = await walk(4, source);
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(pages).toBe(3);
    expect(source.requests).toEqual(['0+5', '4+5', '8+5']);
  });

  it('never requests no rows, which some revisions take for all: it requests one and shows none', async () => {
    const source = sourceOf(10);
    const { nodes, totalCount, pageInfo } = await read(0, source);
    expect(source.requests).toEqual(['0+1']);
    expect([nodes, totalCount, pageInfo().hasNextPage]).toEqual([[], 10, true]);
  });

  it('looks one row ahead where the source tells no total, so that the last page is known to be the last', async () => {
    const source = sourceOf(8, { total: null });
    const { seen, pages } = await walk(4, source);
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(pages).toBe(2);
    expect(source.requests).toEqual(['0+5', '4+5']);
  });

  it('cannot look ahead of a largest page: then a full one promises another', async () => {
    const source = sourceOf(8, { total: null, maximum: 4 });
    const { seen, totals } = await walk(4, source);
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(source.requests).toEqual(['0+4', '4+4', '8+4']);
    expect(totals, 'of the page past the end too').toEqual([null, null, null]);
  });

  it('shows no more rows than asked when the source sends more', async () => {
    const source = sourceOf(10);
    const generous = { ...source, fetch: () => source.fetch(0, 10) };
    expect((await read(3, generous)).nodes).toEqual([0, 1, 2]);
  });

  it('keeps the rows when the total is of a wrong type', async () => {
    const wrong = new CodedError('UPSTREAM_INVALID_RESPONSE', 'wrong type');
    const { nodes, totalCount } = await read(3, sourceOf(3, { total: wrong }));
    expect(nodes).toEqual([0, 1, 2]);
    expect(totalCount).toBe(wrong);
  });
});
