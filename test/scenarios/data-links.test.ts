import { createHash } from 'node:crypto';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { POLLING } from '../polling.js';
import { parseCsv } from '../web/support.js';
import { READERS, type ReadCell } from '../web/workbook-readers.js';
import { ONE_SHAPE, type Stack, startStack } from './stack.js';

const QUERY = `query ($first: Int) {
  missionSearch(first: $first) { pageInfo { hasNextPage } nodes { id title addresses { city } } }
}`;

let stack: Stack;

const today = () => new Date().toISOString().slice(0, 10);

const get = (query: string, more: Record<string, string> = {}): Promise<Response> =>
  fetch(`${stack.url}/graphql?${new URLSearchParams({ query, format: 'csv', ...more })}`);

async function fileOf(query: string, more: Record<string, string> = {}) {
  const response = await get(query, more);
  const [head, ...rows] = parseCsv(await response.text());
  const name = /filename="([^"]*)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  const [incomplete, omitted] = ['incomplete', 'omitted-lists'].map((part) =>
    response.headers.get(`x-passerelle-${part}`),
  );
  // The last line may be a note that names the lists without columns.
  const note = rows.at(-1)?.[0]?.startsWith('#') ? rows.pop()?.[0] : undefined;
  return { status: response.status, name, head, rows, incomplete, omitted, note };
}

describe('The rows of a data link', () => {
  beforeAll(async () => {
    stack = await startStack({ shape: ONE_SHAPE, sandbox: { scale: 0.02 } });
    // A file is compared with another response, row by row.
    stack.sandbox.volunteering.order = 'stable';
  });
  afterAll(() => stack.close());

  test.each([2, 10, 90])(
    'are without `path` those of the list with pages, however long the others: %i',
    async (first) => {
      const { name, head, rows, incomplete } = await fileOf(QUERY, { variables: `{"first":${first}}` });
      expect([name, head?.slice(0, 2), rows.length]).toEqual(['missionSearch-incomplete.csv', ['id', 'title'], first]);
      expect(incomplete).toBe(`one page of ${first} rows; pages=all gives all`);
    },
  );

  test('are of the same list with `pages=all`, and with nulls in place of all lists', async () => {
    const two = '{ commune(insee: "76540") { missions(first: 900) { edges { node { id } } } } jobs: sources { name } }';
    const page = await fileOf(two);
    const all = await fileOf(two, { pages: 'all' });
    expect([page.name, page.head, page.rows]).toEqual([all.name, all.head, all.rows]);
    expect(page).toMatchObject({ name: 'missions.csv', head: ['id'] });
    const nowhere = await fileOf(two.replace('76540', '99999'));
    expect(nowhere).toMatchObject({ status: 200, name: 'missions.csv', head: ['id'], rows: [] });
  });

  test('are of the same list where the query is sent by its hash alone', async () => {
    const query = '{ commune(insee: "99999") { missions(first: 9) { nodes { id startAt } } } jobs: sources { name } }';
    const sha256Hash = createHash('sha256').update(query).digest('hex');
    const extensions = JSON.stringify({ persistedQuery: { version: 1, sha256Hash } });
    const byHash = (more: Record<string, string> = {}): Promise<Response> =>
      fetch(`${stack.url}/graphql?${new URLSearchParams({ extensions, format: 'csv', ...more })}`);
    expect(await (await byHash()).json()).toMatchObject({
      errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
    });
    await get(query, { extensions });
    for (const more of [{}, { pages: 'all' }, { where: 'startAt:gt:2026-01-01' }]) {
      const response = await byHash(more);
      expect(response.headers.get('content-disposition')).toBe('attachment; filename="missions.csv"');
      expect(await response.text()).toBe('id,startAt\r\n');
    }
    expect(await (await byHash({ path: 'jobs' })).text()).toMatch(/^name\r\n/);
  });

  test('asked for by HEAD run no search, and are refused as they would be', async () => {
    const query = '{ missions(first: 17) { nodes { id startAt } } }';
    const headOf = async (more: Record<string, string> = {}) => {
      const address = `${stack.url}/graphql?${new URLSearchParams({ query, format: 'csv', ...more })}`;
      const response = await fetch(address, { method: 'HEAD' });
      return [response.status, response.headers.get('content-type')];
    };
    stack.forgetCalls();
    expect(await headOf()).toEqual([200, 'text/csv']);
    expect(await headOf({ pages: 'all', format: 'geojson' })).toEqual([200, 'application/geo+json']);
    expect((await headOf({ where: 'nothing:eq:1' }))[0]).toBe(400);
    expect(stack.calls()).toEqual([]);
  });

  test('are of the first of several lists with pages', async () => {
    const two = '{ organizations(first: 20) { nodes { id } } missions(first: 90) { nodes { title } } }';
    for (const [name, more] of [
      ['organizations-incomplete.csv', {}],
      ['organizations.csv', { pages: 'all' }],
    ] as const) {
      expect(await fileOf(two, more)).toMatchObject({ status: 200, name, head: ['id'] });
    }
  });

  test.each([{}, { pages: 'all' }])(
    'compare dates by the day, and with dates alone, before a call: %j',
    async (more) => {
      const query = '{ missions(first: 80) { nodes { id startAt } } }';
      const days = (await fileOf(query, more)).rows.map(([, startAt]) => startAt?.slice(0, 10) ?? '');
      const day = days.find((one) => one !== '') ?? '';
      const rowsWhere = async (where: string) => (await fileOf(query, { ...more, where })).rows.length;
      expect(await rowsWhere(`startAt:eq:${day}`)).toBe(days.filter((one) => one === day).length);
      expect(await rowsWhere(`startAt:gt:${day}`)).toBe(days.filter((one) => one > day).length);
      expect(await rowsWhere('startAt:lt:-P0D')).toBe(days.filter((one) => one !== '' && one < today()).length);
      expect(await rowsWhere('startAt:ge:-P50Y')).toBe(days.filter((one) => one !== '').length);
      for (const [operator, value] of [
        ['gt', '01/09/2026'],
        ['eq', 'abc'],
        ['le', '2026-02-30'],
        ['eq', '2026-02-30'],
        ['ge', 'P30D'],
      ]) {
        stack.forgetCalls();
        const response = await get(query.replace('80', '79'), { ...more, where: `startAt:${operator}:${value}` });
        expect([response.status, await response.text()]).toEqual([
          400,
          expect.stringContaining(`dates with \\"${value}\\"`),
        ]);
        expect(stack.calls()).toEqual([]);
      }
    },
  );

  test('compare dates with dates also in a list without pages, by the type of the column', async () => {
    const query = '{ sources { name ... on WorkStudySource { exportLoadedAt } } }';
    const statusWhere = async (value: string) => (await get(query, { where: `exportLoadedAt:ne:${value}` })).status;
    expect(await Promise.all(['2026-01-01', '', 'abc'].map(statusWhere))).toEqual([200, 200, 400]);
  });

  test.each([{}, { pages: 'all' }])(
    'compare numbers, and true and false, with such alone, before a call: %j',
    async (more) => {
      const query = '{ missions(first: 80) { nodes { id places openToMinors } } }';
      const { rows } = await fileOf(query, more);
      const rowsWhere = async (where: string) => (await fileOf(query, { ...more, where })).rows.length;
      const [places, minors] = [1, 2].map((column) => rows.map((cells) => cells[column]));
      expect(await rowsWhere('places:in:["", "2.0"]')).toBe(places?.filter((one) => one === '2').length);
      expect(await rowsWhere('openToMinors:ne:true')).toBe(minors?.filter((one) => one !== 'true').length);
      for (const [where, wrong] of [
        ['places:eq:1,5', 'numbers with \\"1,5\\"'],
        ['places:in:["2","deux"]', 'numbers with \\"deux\\"'],
        ['places:lt:', 'numbers with \\"\\"'],
        ['openToMinors:eq:oui', 'true and false with \\"oui\\"'],
      ] as const) {
        stack.forgetCalls();
        const response = await get(query.replace('80', '78'), { ...more, where });
        expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(wrong)]);
        expect(stack.calls()).toEqual([]);
      }
    },
  );

  test.each([
    ['{ missions { nodes { titel } } }', 'Cannot query field'],
    ['{ missions { nodes { id } ...A } }', 'Unknown fragment'],
    ['{ missions { nodes } }', 'must have a selection of subfields'],
    ['{ missions { nodes { id ... on Nowhere { titel } } } }', 'Unknown type'],
  ])('of an invalid query say what is wrong with it, not with the link: %s', async (query, said) => {
    for (const more of [{ columns: 'titel' }, { path: 'missions.lists', pages: 'all' }]) {
      const { errors } = (await (await get(query, more)).json()) as {
        errors: { message: string; extensions: object }[];
      };
      expect(errors[0]?.message).toContain(said);
      expect(errors[0]?.extensions).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED' });
    }
  });

  const NESTED = '{ missions(first: 50) { edges { node { id title addresses { city location { lon lat } } } } } }';
  const ADDRESSES = 'missions.edges.node.addresses';

  test.each([{}, { pages: 'all' }])(
    'name the lists inside them that have no columns, in a header and beside the rows: %j',
    async (more) => {
      const lists = `${ADDRESSES} (path=${ADDRESSES} has the rows of the first)`;
      const response = await get(NESTED, { ...more, format: 'geojson' });
      expect(response.headers.get('x-passerelle-omitted-lists')).toBe(ADDRESSES);
      expect(response.headers.get('content-disposition')).toMatch(/filename="missions(-incomplete)?\.geojson"$/);
      expect(await response.json()).toMatchObject({ omittedLists: lists });
      const { note, ...file } = await fileOf(NESTED, more);
      expect(file).toMatchObject({ omitted: ADDRESSES, head: ['id', 'title'] });
      expect(note ?? '').not.toContain(ADDRESSES);
      const sheets = unzipSync(new Uint8Array(await (await get(NESTED, { ...more, format: 'xlsx' })).arrayBuffer()));
      const [rows, about] = [1, 2].map((n) => strFromU8(sheets[`xl/worksheets/sheet${n}.xml`] ?? new Uint8Array()));
      expect(about).toContain(lists);
      expect(rows).not.toContain(ADDRESSES);
      expect((await fileOf(NESTED, { ...more, path: ADDRESSES })).omitted).toBeNull();
    },
  );

  test('name the lists beside them only where no path chose one, and none without rows', async () => {
    const two =
      '{ missions(first: 5) { nodes { id tasks } } sources { name } jobSearch(radius: 30) { warnings { code } } }';
    expect(await fileOf(two)).toMatchObject({ name: 'missions-incomplete.csv', omitted: 'sources' });
    expect((await fileOf(two, { path: 'missions' })).omitted).toBeNull();
  });

  test('say in name, header and last line that they are one page, and nothing where they are all, at no further call', async () => {
    const query = (first: number) => `{ missions(first: ${first}) { nodes { id } } }`;
    const { data } = await stack.send('{ missions(first: 9999) { totalCount nodes { id } } }');
    const { totalCount, nodes } = data.missions;
    expect(nodes.length).toBe(totalCount);
    stack.forgetCalls();
    const { rows, note, ...part } = await fileOf(query(12));
    const why = 'one page of 12 rows; pages=all gives all';
    expect(part).toMatchObject({ name: 'missions-incomplete.csv', incomplete: why });
    expect([rows.length, note]).toEqual([12, `# incomplete: cut after 12 rows: ${why.replace(';', ' -')}`]);
    expect(stack.calls()).toHaveLength(1);
    const all = await fileOf(query(totalCount + 1));
    expect(all).toMatchObject({ name: 'missions.csv', incomplete: null, note: undefined });
    expect(all.rows.map(([id]) => id)).toEqual(nodes.map(({ id }: { id: string }) => id));
    const bare = '{ communesByName(name: "saint", first: 3) { nom } }';
    const perhaps = 'perhaps not all: communesByName has as many rows as the query asks for';
    expect(await fileOf(bare)).toMatchObject({ name: 'communesByName-incomplete.csv', incomplete: perhaps });
    expect(await fileOf(bare.replace('saint', 'monteux'))).toMatchObject({
      name: 'communesByName.csv',
      incomplete: null,
    });
  });

  test.each(READERS.map((reader) => [reader.name, reader] as const))(
    'are in a workbook, as %s reads it, what they are in JSON',
    async (_name, reader) => {
      const query = '{ missions(first: 90) { nodes { id title postalCode places openToMinors startAt } } }';
      const { data } = await stack.send(query);
      const workbook = await (await get(query, { format: 'xlsx' })).arrayBuffer();
      const [[head, ...rows] = []] = await reader.sheetsOf(Buffer.from(workbook));
      expect(head).toEqual(['id', 'title', 'postalCode', 'places', 'openToMinors', 'startAt']);
      expect(rows.pop()?.[0]).toMatch(/^# incomplete: /);
      const inJson = (data.missions.nodes as Record<string, string | null>[]).map((node) => Object.values(node));
      const digits = (cell: ReadCell) => (typeof cell === 'number' && !reader.tellsDigits ? String(cell) : cell);
      expect(rows.map((cells) => [...cells.slice(0, 3).map(digits), ...cells.slice(3, 5)])).toEqual(
        inJson.map((cells) => cells.slice(0, 5)),
      );
      const days = rows.map((cells) => dayOf(cells[5] ?? null));
      expect(days).toEqual(inJson.map((cells) => cells[5]?.slice(0, 10) ?? null));
    },
  );

  test('say that errors left gaps in them, and nothing of errors elsewhere', async () => {
    const query = '{ viewer { name } missions(first: 9998) { nodes { id } } }';
    expect(await fileOf(query, { path: 'missions' })).toMatchObject({ name: 'missions.csv', incomplete: null });
    const broken = '{ missions(first: 9997) { nodes { id commune { nom } } } }';
    const release = stack.sandbox.workStudy.fault({ kind: 'status', path: '/api/geographie', status: 500 });
    const { name, incomplete, note } = await fileOf(broken, { path: 'missions' });
    release();
    expect(name).toBe('missions-incomplete.csv');
    expect(incomplete).toMatch(/^\d+ errors left rows or cells empty$/);
    expect(note).toBe(`# incomplete: ${incomplete}`);
    // The circuit breaker closes before the next test, which needs the source.
    const isUp = async () => expect((await stack.send('{ communes(code: "76540") { nom } }')).errors).toEqual([]);
    await vi.waitFor(isUp, POLLING);
  });

  test('say that what they are part of is one page of more', async () => {
    const variables = { variables: '{"first":20}' };
    const path = 'missionSearch.nodes.addresses';
    const { name, rows, incomplete } = await fileOf(QUERY, { ...variables, path });
    expect([name, rows.length > 0]).toEqual(['addresses-incomplete.csv', true]);
    expect(incomplete).toBe('one page of 20 rows of missionSearch.nodes; pages=all gives all');
    expect((await fileOf(QUERY, { ...variables, path, pages: 'all' })).incomplete).toBeNull();
  });

  test('say that pages below their list go on, which no query follows', async () => {
    const query = (first: number) =>
      `{ communes(code: "76540") { nom missions(radius: 90, first: ${first}) { totalCount nodes { id } } } }`;
    const path = 'communes.missions';
    const { rows, incomplete } = await fileOf(query(1), { path });
    const { length } = rows;
    const said = `one page of each communes.missions.nodes: ${length} of ${length} have more rows; a larger first gives more`;
    expect(length).toBeGreaterThan(1);
    expect(incomplete).toBe(said);
    expect((await fileOf(query(1000), { path })).incomplete).toBeNull();
  });
});

/** The day of a date, or of the number that it is without its style. */
function dayOf(cell: ReadCell): string | null {
  if (cell === null) return null;
  const date = typeof cell === 'number' ? new Date((cell - 25_569) * 86_400_000) : cell;
  // Readers cut or round the milliseconds of a fraction of a day.
  return new Date(Number(date) + 1).toISOString().slice(0, 10);
}
