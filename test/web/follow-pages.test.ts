import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { FileProgress, fileResponse } from '../../gateway/files/row-file.js';
import { readRowRequest } from '../../gateway/files/row-request.js';
import { followPages, type PageResponse } from '../../gateway/files/row-response.js';
import { FRENCH } from '../../rows/cells.js';
import { limitsOfPath } from '../../rows/extent.js';
import { layoutOf, shapesOf } from '../../rows/layout.js';
import { MAX_ROWS } from '../../rows/page-query.js';
import { type JsonObject, readPath } from '../../rows/path.js';
import { pickRows } from '../../rows/row-choice.js';
import { sortSteps } from '../../rows/steps.js';
import { stepsInTurns } from '../../runtime/event-loop/turns.js';
import { turnsDuring } from '../turns-during.js';

const paged = {
  ...{ query: '', variable: 'after', startOf: () => null },
  ...({ connection: ['missions'], list: 'nodes', id: 'id' } as const),
};

function pageOf(number: number, pages: number, text = 'a', rows = 10): PageResponse {
  const nodes = Array.from({ length: rows }, (_, row) => ({ id: number * rows + row, text }));
  const pageInfo = { hasNextPage: number < pages - 1, endCursor: String(number) };
  return { data: { missions: { nodes, pageInfo } }, errors: [], errorCount: 0, calls: [], callsMade: 1, services: [] };
}

async function follow(
  pages: number,
  more: { remainingMs?: () => number; fetchAfter?: (cursor: string) => PageResponse; path?: string } = {},
) {
  const soFar = new FileProgress();
  const fetched: string[] = [];
  const path = more.path ?? 'missions.nodes[]';
  const following = {
    ...{ paged, path, limits: limitsOfPath(path) },
    maxCalls: 500,
    caller: { signal: new AbortController().signal, remainingMs: more.remainingMs ?? (() => 25_000) },
    fetchAfter: async (cursor: string) => {
      fetched.push(cursor);
      return more.fetchAfter?.(cursor) ?? pageOf(Number(cursor) + 1, pages);
    },
  };
  const seen: JsonObject[] = [];
  for await (const data of followPages(pageOf(0, pages), soFar, following)) seen.push(data);
  return { soFar, fetched, seen };
}

describe('The pages of an export', () => {
  test('are followed to the last one', async () => {
    const { soFar, fetched, seen } = await follow(4);
    expect(seen).toHaveLength(4);
    expect(fetched).toEqual(['0', '1', '2']);
    expect(soFar).toMatchObject({ pages: 4, callsMade: 4, cut: null });
  });

  test('say of the first with rows whose own pages go on that they do', async () => {
    const near = (hasNextPage: boolean) => ({ near: { nodes: [{ id: 1 }], pageInfo: { hasNextPage } } });
    const pageWith = (number: number, ...rows: JsonObject[]): PageResponse => {
      const { missions } = (pageOf(number, 3).data ?? {}) as { missions: JsonObject };
      return { ...pageOf(number, 3), data: { missions: { ...missions, nodes: rows } } };
    };
    const { soFar, seen } = await follow(3, {
      path: 'missions.nodes[].near.nodes[]',
      fetchAfter: (cursor) => pageWith(Number(cursor) + 1, near(false), near(cursor === '1')),
    });
    expect([seen.length, soFar.cut]).toEqual([
      3,
      'one page of each missions.nodes.near.nodes: 1 of 2 have more rows on page 3; a larger first gives more',
    ]);
  });

  test('end at 500 calls', async () => {
    const { soFar, fetched } = await follow(1000);
    expect(fetched).toHaveLength(499);
    expect(soFar.cut).toBe('one request may make 500 calls');
  });

  test('end with the time of the request', async () => {
    let left = 1000;
    const { soFar, seen } = await follow(100, { remainingMs: () => (left -= 300) });
    expect([seen.length, soFar.cut]).toEqual([4, 'the deadline of the request was exceeded']);
  });

  test('end where a source gives the same page again', async () => {
    const { soFar, seen } = await follow(100, { fetchAfter: () => pageOf(0, 100) });
    expect([seen.length, soFar.cut]).toEqual([2, 'the source returned the same page twice']);
  });

  test('end at a page that says there is more, but not after which row', async () => {
    const empty = { data: { missions: { nodes: [], pageInfo: { hasNextPage: true, endCursor: null } } } };
    const { soFar, seen } = await follow(100, { fetchAfter: () => ({ ...pageOf(1, 100), ...empty }) });
    expect([seen.length, soFar.cut]).toEqual([2, 'this page does not lead to the next one']);
  });

  test('end at a page that fails, with its words', async () => {
    const failed = {
      data: { missions: null },
      errors: [{ message: 'Away.' }],
      errorCount: 1,
      calls: [],
      callsMade: 1,
      services: [],
    };
    const { soFar, seen } = await follow(100, { fetchAfter: (cursor) => (cursor === '1' ? failed : pageOf(1, 100)) });
    expect([seen.length, soFar.cut, soFar.errors]).toEqual([2, 'the next page failed: Away.', 1]);
  });
});

interface FileOfTest {
  readonly text?: string;
  readonly maxSize?: number;
  readonly endsWith?: string;
  /** The page with rows of which there are more. */
  readonly failsAt?: number;
}

describe('The file of an export', () => {
  let onPage: (gone: AbortController) => void = () => {};
  afterEach(() => {
    onPage = () => {};
    vi.restoreAllMocks();
  });

  /** A file of `pages` pages, each of 1,000 rows of about 100 bytes, and how many of the pages were read. */
  async function fileOf(
    pages: number,
    search: Record<string, string> = {},
    { text = 'x'.repeat(100), maxSize = 1e9, endsWith, failsAt = -1 }: FileOfTest = {},
  ) {
    const taken = { pages: 0 };
    const gone = new AbortController();
    const caller = { signal: gone.signal, remainingMs: () => 60_000 };
    async function* all() {
      for (let page = 0; page < pages; page += 1) {
        taken.pages += 1;
        await setImmediate();
        onPage(gone);
        if (page === failsAt) soFar.failed += 1;
        yield pageOf(page, pages, text, 1000).data ?? {};
      }
      if (endsWith !== undefined) soFar.cutOff(endsWith);
    }
    const request = readRowRequest(undefined, new URLSearchParams({ format: 'csv', ...search }));
    if (request === null) throw new Error('no rows');
    const steps = readPath('missions.nodes[]');
    const layout = layoutOf(steps, shapesOf(pageOf(0, 1).data ?? {}, steps));
    const soFar = new FileProgress();
    const response = await fileResponse({
      ...{
        caller,
        path: 'missions.nodes[]',
        request,
        layout,
        soFar,
        maxSize,
        pages: all(),
        expectedCut: null,
        omitted: [],
      },
      picker: pickRows(layout, request.choice),
    });
    return { response, taken, soFar };
  }
  const textOf = async (body: AsyncIterable<unknown>): Promise<string> => {
    const parts: Buffer[] = [];
    for await (const part of body) parts.push(Buffer.from(part as Uint8Array));
    return Buffer.concat(parts).toString('utf8');
  };

  const linesOf = (text: string) => text.trimEnd().split('\r\n');

  test('is sent while its pages are still fetched for: a megabyte is held, and no more', async () => {
    const { response, taken } = await fileOf(20);
    expect(taken.pages).toBeGreaterThan(5);
    expect(taken.pages).toBeLessThan(15);
    expect(linesOf(await textOf(response.body))).toHaveLength(20_001);
    expect(taken.pages).toBe(20);
  });

  test('has at most 100,000 rows, and says at its end that it was cut', async () => {
    const { response, taken, soFar } = await fileOf(120);
    const lines = linesOf(await textOf(response.body));
    expect(lines).toHaveLength(1 + MAX_ROWS + 1);
    expect(lines.at(-1)).toBe('# incomplete: cut after 100000 rows: a file has at most 100000 rows,');
    expect(soFar.rows).toBe(MAX_ROWS);
    // The page after the last row is read because it shows that there are more.
    expect(taken.pages).toBe(101);
  });

  test.each([
    ['in name, headers and at its end', 20, 3, true],
    ['at its end alone where that shows later', 20, 18, false],
    ['in name, headers and at its end where it is short', 2, 1, true],
  ])('says %s that errors left gaps', async (_name, pages, failsAt, isEarly) => {
    const { response } = await fileOf(pages, {}, { failsAt });
    const said = '1 error left rows or cells empty';
    expect(response.headers['x-passerelle-incomplete']).toBe(isEarly ? said : undefined);
    expect(response.headers['content-disposition']?.includes('incomplete')).toBe(isEarly);
    const lines = linesOf(await textOf(response.body));
    expect([lines.length, lines.at(-1)]).toEqual([pages * 1000 + 2, `# incomplete: ${said},`]);
  });

  test('that is sorted is held whole, so that a cut stands in its name', async () => {
    const { response, taken } = await fileOf(20, { order: '-id' }, { endsWith: 'Away.' });
    expect(taken.pages).toBe(20);
    expect(response.headers['content-disposition']).toBe('attachment; filename="missions-incomplete.csv"');
    expect(response.headers['x-passerelle-incomplete']).toBe('Away.');
    const lines = linesOf(await textOf(response.body));
    expect(lines.slice(1, 4).map((line) => line.split(',')[0])).toEqual(['19999', '19998', '19997']);
  });

  test('that is sorted holds 32 million characters, and says where there are more', async () => {
    const { response, taken } = await fileOf(6, { order: '-id' }, { text: 'x'.repeat(10_000) });
    expect(taken.pages).toBe(4);
    expect(response.headers['x-passerelle-incomplete']).toBe(
      'rows of more than 32 million characters cannot be sorted',
    );
  });

  test.each([
    ['are dropped', { where: '*:has:q' }],
    ['repeat', { columns: 'text', distinct: 'true' }],
    ['wait to be sorted', { order: '-text', where: '*:has:e' }],
  ])('leaves turns to others where rows %s', async (_name, search) => {
    expect(await turnsDuring(() => fileOf(3, search, { text: 'é'.repeat(2_000) }))).toBeGreaterThan(10);
  });

  test('ends when the client is gone, and at the deadline while nothing is sent', async () => {
    onPage = (gone) => gone.abort();
    const gone = await fileOf(100, { where: '*:has:q' }, { text: 'é'.repeat(2_000) });
    expect([gone.soFar.cut, gone.taken.pages]).toEqual(['the client disconnected', 1]);
    const now = performance.now.bind(performance);
    onPage = () => vi.spyOn(performance, 'now').mockImplementation(() => now() + 120_000);
    const late = await fileOf(100, { where: 'id:eq:-1' });
    expect([late.soFar.cut, late.taken.pages]).toEqual(['the deadline of the request was exceeded', 1]);
    expect(late.response.headers['content-disposition']).toContain('missions-incomplete.csv');
  });

  test.each([
    ['no row', { where: 'id:eq:-1', format: 'geojson' }, 3000, 0],
    ['some', { where: 'id:lt:1500', format: 'geojson' }, 3000, 1500],
    ['sorted ones', { where: 'id:lt:1500', order: '-id', format: 'geojson' }, 3000, 1500],
    ['distinct ones', { columns: 'text', distinct: 'true', format: 'geojson' }, 3000, 1],
  ])('that is cut says how many rows were read for it, where it has %s', async (_name, search, read, rows) => {
    const { response, soFar } = await fileOf(3, search, { endsWith: 'Away.' });
    const { incomplete, features } = JSON.parse(await textOf(response.body));
    expect(incomplete).toBe(`cut after ${read} rows, ${rows} of them in this file: Away.`);
    expect([soFar.rows, features.length]).toEqual([rows, rows]);
  });

  test('that is cut at its size counts no row that was read, chosen and not written', async () => {
    const search = { where: 'id:ge:990', format: 'geojson' };
    const { response } = await fileOf(3, search, { maxSize: 10_000 });
    const { incomplete, features } = JSON.parse(await textOf(response.body));
    const { length } = features;
    expect(incomplete).toBe(
      `cut after ${990 + length} rows, ${length} of them in this file: a file has at most 10000 characters`,
    );
  });

  test.each([{}, { order: '-id' }])('is cut at its size, and says after how many rows: %j', async (search) => {
    const { response } = await fileOf(3, search, { maxSize: 10_000 });
    const lines = linesOf(await textOf(response.body));
    expect(lines.length).toBeLessThan(110);
    expect(lines.at(-1)).toBe(`# incomplete: cut after ${lines.length - 2} rows: a file has at most 10000 characters,`);
    expect(response.headers['x-passerelle-incomplete']).toBe('a file has at most 10000 characters');
  });
});

describe('Sorting in pieces', () => {
  test('is the stable sort that the language has', async () => {
    const items = Array.from({ length: 12_345 }, (_, index) => ({ key: (index * 7919) % 101, index }));
    const compare = (one: { key: number }, other: { key: number }) => one.key - other.key;
    expect(await stepsInTurns(sortSteps(items, compare))).toEqual(items.toSorted(compare));
    expect(await stepsInTurns(sortSteps([], compare))).toEqual([]);
  });

  test('lets the event loop turn', async () => {
    const texts = Array.from({ length: 50_000 }, (_, index) => `${-index}`);
    const compare = (one: string, other: string) => FRENCH.compare(one, other);
    expect(await turnsDuring(async () => stepsInTurns(sortSteps(texts, compare)))).toBeGreaterThan(25);
  });
});
