import { describe, expect, it } from 'vitest';
import { CodedError } from '../../kernel/errors.js';
import { connectionOf, readPage } from '../../subgraphs/graph/connection.js';
import { type OffsetPage, type OffsetSource, readPlainPage } from '../../subgraphs/volunteering/values/lists.js';

interface Source extends OffsetSource<number, OffsetPage<number>> {
  readonly requests: string[];
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

async function walk(
  first: number,
  read: (page: ReturnType<typeof readPage>) => ReturnType<typeof readPlainPage<number, OffsetPage<number>>>,
) {
  const seen: unknown[] = [];
  let pages = 0;
  for (let after: string | null | undefined; after !== null; pages++) {
    const page = readPage({ first, after }, RULES);
    const { content } = await read(page);
    const connection = connectionOf(page, content);
    seen.push(...connection.nodes);
    after = connection.pageInfo.hasNextPage ? connection.pageInfo.endCursor() : null;
  }
  return { seen, pages };
}

describe('readPlainPage', () => {
  it('walks every row exactly once', async () => {
    const source = sourceOf(10);
    const { seen, pages } = await walk(4, (page) => readPlainPage(page, source));
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(pages).toBe(3);
    expect(source.requests).toEqual(['0+4', '4+4', '8+4']);
  });

  it('never requests no rows, which some revisions take for all: it requests one and shows none', async () => {
    const source = sourceOf(10);
    const { content } = await readPlainPage(readPage({ first: 0 }, RULES), source);
    expect(source.requests).toEqual(['0+1']);
    expect(content).toMatchObject({ items: [], totalCount: 10, hasNextPage: true });
  });

  it('stops at the place where the source cuts the list off, without a call beyond', async () => {
    const source = sourceOf(30, { ceiling: 12 });
    const { seen } = await walk(5, (page) => readPlainPage(page, source));
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(source.requests).toEqual(['0+5', '5+5', '10+2']);
  });

  it('requests nothing of a page that begins where the source ends', async () => {
    const source = sourceOf(30, { ceiling: 12 });
    const page = readPage({ first: 5, after: readPage({}, RULES).cursorAt(11) }, RULES);
    const { content, response } = await readPlainPage(page, source);
    expect(source.requests).toEqual([]);
    expect(response).toBeNull();
    expect(content).toMatchObject({ items: [], hasNextPage: false });
  });

  it('looks one row ahead where the source tells no total, so that the last page is known to be the last', async () => {
    const source = sourceOf(8, { lookAhead: true, total: null });
    const { seen, pages } = await walk(4, (page) => readPlainPage(page, source));
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(pages).toBe(2);
    expect(source.requests).toEqual(['0+5', '4+5']);
  });

  it('cannot look ahead of a largest page: then a full one promises another', async () => {
    const source = sourceOf(8, { lookAhead: true, total: null, maximum: 4 });
    const { seen } = await walk(4, (page) => readPlainPage(page, source));
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(source.requests).toEqual(['0+4', '4+4', '8+4']);
  });

  it('shows no more rows than asked when the source sends more', async () => {
    const source = sourceOf(10);
    const generous = { ...source, fetch: () => source.fetch(0, 10) };
    const { content } = await readPlainPage(readPage({ first: 3 }, RULES), generous);
    expect(content.items).toEqual([0, 1, 2]);
  });

  it('keeps the rows when the total is of a wrong type', async () => {
    const wrong = new CodedError('UPSTREAM_INVALID_RESPONSE', 'wrong type');
    const { content } = await readPlainPage(readPage({ first: 3 }, RULES), sourceOf(3, { total: wrong }));
    expect(content.items).toEqual([0, 1, 2]);
    expect(content.totalCount).toBe(wrong);
  });
});
