import { describe, expect, it } from 'vitest';
import { shape, text } from '../../subgraphs/rest/shape.js';
import { parsePage, readStretch, type SourcePage } from '../../subgraphs/work-study/values/calls.js';

/** A source of `count` items that serves whole pages and records which were requested. */
function source(count: number) {
  const requests: string[] = [];
  return {
    requests,
    read: async (pageIndex: number, pageSize: number): Promise<SourcePage<number>> => {
      requests.push(`${pageIndex}×${pageSize}`);
      const from = pageIndex * pageSize;
      const items = Array.from({ length: Math.max(0, Math.min(pageSize, count - from)) }, (_, index) => from + index);
      return { items, hasNext: from + pageSize < count };
    },
  };
}

describe('readStretch', () => {
  it.each([
    [0, 5, ['0×5'], [0, 1, 2, 3, 4], true],
    [5, 5, ['1×5'], [5, 6, 7, 8, 9], true],
    [7, 5, ['1×5', '2×5'], [7, 8, 9, 10, 11], false],
    [10, 5, ['2×5'], [10, 11], false],
    [3, 2, ['1×2', '2×2'], [3, 4], true],
    [11, 3, ['3×3'], [11], false],
    [40, 5, ['8×5'], [], false],
    [3, 0, ['3×1'], [], true],
    [12, 0, ['12×1'], [], false],
  ])('from %d on, %d items: requests %j', async (offset, size, requests, items, hasNext) => {
    const pages = source(12);
    expect(await readStretch({ offset, size }, pages.read)).toEqual({ items, hasNext });
    expect(pages.requests).toEqual(requests);
  });

  it('finds each item once, however the stretches are cut', async () => {
    for (const sizes of [[1], [2, 3], [5, 1, 4], [100]]) {
      const { read } = source(12);
      const found: (number | null)[] = [];
      for (let turn = 0, more = true; more; turn++) {
        const { items, hasNext } = await readStretch(
          { offset: found.length, size: sizes[turn % sizes.length] ?? 1 },
          read,
        );
        found.push(...items);
        more = hasNext;
      }
      expect(found).toEqual(Array.from({ length: 12 }, (_, index) => index));
    }
  });
});

describe('parsePage', () => {
  const Row = shape('Row', { name: text() });
  const drifts: string[] = [];
  const parse = (json: unknown) =>
    parsePage(Row, json, { service: 'work-study', drift: (place) => drifts.push(place) });

  it('tells from the page count whether pages follow', () => {
    const data = [{ name: 'one' }];
    expect(parse({ data, pagination: { page_count: 2, page_size: 1, page_index: 0 } }).hasNext).toBe(true);
    expect(parse({ data, pagination: { page_count: 2, page_size: 1, page_index: 1 } }).hasNext).toBe(false);
    expect(parse({ data: [], pagination: { page_count: 0, page_size: 1, page_index: 0 } }).hasNext).toBe(false);
  });

  it('stays useful without a page count that can be read, and counts it', () => {
    expect(parse({ data: [{ name: 'one' }] })).toMatchObject({ hasNext: true });
    expect(parse({ data: [] })).toMatchObject({ hasNext: false });
    expect(drifts).toContain('Row page.pagination');
  });

  it('refuses what is no page', () => {
    for (const json of [null, [], 'page', { data: 'none' }, undefined]) {
      expect(() => parse(json)).toThrow(expect.objectContaining({ code: 'UPSTREAM_INVALID_RESPONSE' }));
    }
  });
});
