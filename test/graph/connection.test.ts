import { describe, expect, it } from 'vitest';
import { type CursorState, connectionOf, type PageArguments, readPage } from '../../subgraphs/graph/connection.js';

const LIST = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const RULES = { list: 'letters', filter: { case: 'lower' }, maximum: 100 };

function pageOf(args: PageArguments, rules: Parameters<typeof readPage>[1] = RULES) {
  const page = readPage(args, rules);
  return connectionOf(page, {
    items: LIST.slice(page.offset, page.offset + page.size),
    totalCount: LIST.length,
  });
}

function cursorOf(rules: Parameters<typeof readPage>[1], place = 0): string {
  return readPage({}, rules).cursorAt(place);
}

describe('readPage', () => {
  it('requests 25 items from the start when nothing is said', () => {
    expect(readPage({}, RULES)).toMatchObject({ offset: 0, size: 25 });
    expect(readPage({ first: null, after: null }, RULES)).toMatchObject({ offset: 0, size: 25 });
  });

  it('never requests more than the source serves, by default either', () => {
    expect(readPage({}, { list: 'short', maximum: 10 }).size).toBe(10);
  });

  it('takes a page of size zero: a count without items', () => {
    const connection = pageOf({ first: 0 });
    expect(connection.nodes).toEqual([]);
    expect(connection.totalCount).toBe(7);
    expect(connection.pageInfo().startCursor()).toBeNull();
    expect(connection.pageInfo().endCursor()).toBeNull();
    expect(connection.pageInfo().hasNextPage).toBe(true);
  });

  it.each([[-1], [101], [2 ** 31 - 1]])('refuses a page of %i, naming the argument', (first) => {
    expect(() => readPage({ first }, RULES)).toThrow(
      expect.objectContaining({ code: 'BAD_USER_INPUT', message: expect.stringMatching(/^first /) }),
    );
  });

  it('says how large a page may be', () => {
    expect(() => readPage({ first: 101 }, RULES)).toThrow(/at most 100/);
  });

  it.each([
    ['no base64', '%%%'],
    ['empty', ''],
    ['no JSON', Buffer.from('offset:10').toString('base64url')],
    ['JSON of another form', Buffer.from('{"offset":10}').toString('base64url')],
    ['a place without its mark', Buffer.from('[10]').toString('base64url')],
    ['a negative place', Buffer.from('[-1,"x"]').toString('base64url')],
    ['a place that is no number', Buffer.from('["1","x"]').toString('base64url')],
    ['null', Buffer.from('null').toString('base64url')],
  ])('refuses a cursor that is %s', (_name, after) => {
    expect(() => readPage({ after }, RULES)).toThrow(
      expect.objectContaining({ code: 'BAD_USER_INPUT', message: expect.stringMatching(/^after /) }),
    );
  });

  it('refuses a cursor whose place was changed', () => {
    const [, mark] = JSON.parse(Buffer.from(cursorOf(RULES, 3), 'base64url').toString());
    const forged = Buffer.from(JSON.stringify([4, mark])).toString('base64url');
    expect(() => readPage({ after: forged }, RULES)).toThrow(/after/);
  });

  it('refuses a cursor with something added', () => {
    expect(() => readPage({ after: `${cursorOf(RULES)}=` }, RULES)).toThrow(/after/);
  });

  it('refuses a cursor of another list, and of the same list with another filter', () => {
    expect(() => readPage({ after: cursorOf({ ...RULES, list: 'digits' }) }, RULES)).toThrow(/after/);
    expect(() => readPage({ after: cursorOf({ ...RULES, filter: { case: 'upper' } }) }, RULES)).toThrow(/after/);
  });

  it('takes a cursor whatever order the filter was written in, and whether null was said or left out', () => {
    const written = { ...RULES, filter: { city: ['Paris'], domain: 'sport', text: null } };
    const again = { ...RULES, filter: { domain: 'sport', city: ['Paris'] } };
    expect(readPage({ after: cursorOf(written, 6) }, again).offset).toBe(7);
  });

  it('tells apart filters whose values merely look alike', () => {
    const one = { ...RULES, filter: { city: ['a,b'] } };
    const two = { ...RULES, filter: { city: ['a', 'b'] } };
    expect(() => readPage({ after: cursorOf(one) }, two)).toThrow(/after/);
  });

  it('lets the size of the page change between pages', () => {
    expect(readPage({ first: 2, after: cursorOf(RULES, 4) }, RULES)).toMatchObject({ offset: 5, size: 2 });
  });
});

describe('connectionOf', () => {
  it('walks every item exactly once', () => {
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const connection = pageOf({ first: 3, after });
      seen.push(...connection.nodes);
      after = connection.pageInfo().hasNextPage ? connection.pageInfo().endCursor() : null;
    } while (after !== null);
    expect(seen).toEqual(LIST);
  });

  it('gives each edge the cursor from which the items after it are reached', () => {
    const cursors = pageOf({ first: 4 })
      .edges()
      .map(({ cursor }) => cursor());
    expect(cursors.map((after) => pageOf({ first: 1, after }).nodes)).toEqual([['b'], ['c'], ['d'], ['e']]);
  });

  it('says which pages have neighbours', () => {
    expect(pageOf({ first: 3 }).pageInfo()).toMatchObject({ hasPreviousPage: false, hasNextPage: true });
    const second = pageOf({ first: 4, after: cursorOf(RULES, 2) }).pageInfo();
    expect(second).toMatchObject({ hasPreviousPage: true, hasNextPage: false });
  });

  it('keeps the places of items that are not neighbours in the list', () => {
    const page = readPage({ first: 2 }, RULES);
    const connection = connectionOf(page, { items: ['b', 'f'], places: [1, 5], totalCount: null, hasNextPage: true });
    expect(connection.pageInfo().endCursor()).toBe(page.cursorAt(5));
    expect(connection.edges()[0]?.cursor()).toBe(page.cursorAt(1));
  });

  it('leads on from where the list was read to, even when nothing of it is shown', () => {
    const page = readPage({ first: 2 }, RULES);
    const connection = connectionOf(page, { items: [], totalCount: null, hasNextPage: true, readUpTo: 6 });
    expect(connection.pageInfo().startCursor()).toBeNull();
    expect(connection.pageInfo().endCursor()).toBe(page.cursorAt(6));
  });

  it('knows no count and no next page where the source tells none', () => {
    const connection = connectionOf(readPage({ first: 2 }, RULES), { items: ['a', 'b'], totalCount: null });
    expect(connection.totalCount).toBeNull();
    expect(connection.pageInfo().hasNextPage).toBe(false);
  });

  it('carries what the list wrote into the cursor, which nobody can change', () => {
    const page = readPage({ first: 2 }, RULES);
    const state = (): CursorState => [0, 0, 'of the list'];
    const cursor = connectionOf(page, { items: ['a', 'b'], totalCount: 7, state })
      .pageInfo()
      .endCursor();
    expect(readPage({ after: cursor }, RULES)).toMatchObject({ offset: 2, state: [0, 0, 'of the list'] });
    expect(readPage({ after: cursorOf(RULES, 1) }, RULES).state).toBeNull();
    const parts = JSON.parse(Buffer.from(cursor ?? '', 'base64url').toString());
    const changed = Buffer.from(JSON.stringify([...parts.slice(0, -1), 'of another'])).toString('base64url');
    expect(() => readPage({ after: changed }, RULES)).toThrow(/^after /);
  });
});
