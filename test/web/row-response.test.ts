import { strFromU8, unzipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readRowRequest } from '../../gateway/files/row-request.js';
import { rowResponse } from '../../gateway/files/row-response.js';
import { CodedError } from '../../kernel/errors.js';
import { type OpenedGateway, openGateway } from '../gateway/support/open-gateway.js';
import { parseCsv } from './support.js';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const QUERY = '{ missions { id title postalCode location { lon lat } } }';

const MISSIONS = [
  { id: '1', title: 'Lire « à voix haute »', postalCode: '01004', location: { lon: 2.3, lat: 48.8 } },
  { id: '2', title: '=cmd|calc', postalCode: null, location: null },
];

let gateway: OpenedGateway;
let failing = false;
let missions = MISSIONS;

beforeEach(async () => {
  failing = false;
  missions = MISSIONS;
  gateway = await openGateway({
    resolvers: {
      volunteering: {
        Query: {
          missions: () => {
            if (failing) throw new CodedError('UPSTREAM_UNAVAILABLE', 'Down.', { service: 'volunteering' });
            return missions;
          },
        },
      },
      'work-study': { Query: { jobs: () => [{ siret: '1' }, { siret: '2' }, { siret: '3' }] } },
    },
  });
});
afterEach(() => gateway.close());

const address = (query: string, more: Record<string, string> = {}) =>
  `${gateway.url}/graphql?${new URLSearchParams({ query, ...more })}`;

describe('The rows of a query without a browser', () => {
  test('are CSV to whoever requests CSV, by GET', async () => {
    const response = await fetch(address(QUERY), { headers: { accept: 'text/csv', 'accept-encoding': 'gzip' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="missions.csv"');
    expect(response.headers.get('x-passerelle-errors')).toBe('0');
    expect(parseCsv(await response.text())).toEqual([
      ['id', 'title', 'postalCode', 'location.lon', 'location.lat'],
      ['1', 'Lire « à voix haute »', '01004', '2.3', '48.8'],
      ['2', "'=cmd|calc", '', '', ''],
    ]);
  });

  test('have a header line without rows too', async () => {
    missions = [];
    for (const more of [{}, { where: 'title:has:x' }, { columns: 'id,title,postalCode,location.lon,location.lat' }]) {
      const response = await fetch(address(QUERY, { format: 'csv', ...more }));
      expect(await response.text()).toBe('id,title,postalCode,location.lon,location.lat\r\n');
    }
  });

  test.each([
    ['&format=ods', '`format` is one of json, csv, csv-raw, csv-fr, csv-fr-codes, xlsx, geojson.'],
    ['&format=csv&query={__typename}', '`query` may be given only once.'],
    ['&format=csv&path=a&path=b', '`path` may be given only once.'],
    ['&format=csv&path=jobs', '`path` is not a list in this response. It has missions[].'],
  ])('are refused with one code for whatever is wrong with the link: %s', async (more, message) => {
    const response = await fetch(`${address(QUERY)}${more}`);
    const { errors } = (await response.json()) as { errors: { message: string; extensions: { code: string } }[] };
    const [error] = errors;
    expect([response.status, error?.extensions.code, error?.message]).toEqual([400, 'BAD_USER_INPUT', message]);
  });

  test('are none where neither a path nor the text of the query says which list is meant', async () => {
    const page = { data: { jobs: null, sources: [{ name: 'a' }] }, errors: [], errorCount: 0 };
    const request = readRowRequest(undefined, new URLSearchParams('format=csv'));
    if (request === null) throw new Error('No rows are requested.');
    const caller = { signal: new AbortController().signal, remainingMs: () => 1_000 };
    const respond = (path?: string) =>
      rowResponse({ ...page, calls: [], callsMade: 0, services: [] }, { ...request, path }, null, caller);
    await expect(respond()).rejects.toThrow('Name the list in `path`, or send the `query` itself.');
    expect(await respond('sources')).not.toBeNull();
  });

  test('come in the French form to a link that can send no header', async () => {
    const response = await fetch(address(QUERY, { format: 'csv-fr' }));
    const text = Buffer.from(await response.arrayBuffer()).toString('utf8');
    expect(text.startsWith('\uFEFFid;title;')).toBe(true);
    expect(text).toContain('2,3;48,8');
  });

  test('of one column have no blank line, which programs skip as no row', async () => {
    missions = [{ id: '3', title: '  ', postalCode: '', location: { lon: 1, lat: 2 } }, ...MISSIONS];
    const read = async (more: Record<string, string>) =>
      (await fetch(address(QUERY, { format: 'csv', ...more }))).text();
    expect(await read({ columns: 'postalCode' })).toBe('postalCode\r\n""\r\n01004\r\n""\r\n');
    expect(await read({ columns: 'title' })).toMatch(/^title\r\n" {2}"\r\nLire/);
    expect(await read({ columns: 'postalCode', format: 'csv-fr' })).toMatch(/postalCode\r\n""\r\n01004\r\n""\r\n$/);
    expect(await read({ columns: 'postalCode,location.lon' })).toMatch(/\r\n,1\r\n01004,2.3\r\n,\r\n$/);
    expect(parseCsv(await read({ columns: 'postalCode' }))).toEqual([['postalCode'], [''], ['01004'], ['']]);
  });

  test('are a workbook or GeoJSON on demand', async () => {
    const workbook = await fetch(address(QUERY), { headers: { accept: XLSX } });
    expect(workbook.headers.get('content-type')).toBe(XLSX);
    const files = unzipSync(new Uint8Array(await workbook.arrayBuffer()));
    expect(strFromU8(files['xl/worksheets/sheet1.xml'] ?? new Uint8Array())).toContain('>01004<');
    const places = await fetch(address(QUERY), { headers: { accept: 'application/geo+json' } });
    const { features } = (await places.json()) as { features: { geometry: unknown }[] };
    expect(features.map(({ geometry }) => geometry)).toEqual([{ type: 'Point', coordinates: [2.3, 48.8] }, null]);
  });

  test('say in the second sheet of a workbook how many texts a cell cannot hold', async () => {
    const sheetsOf = async () => {
      const workbook = await fetch(address(QUERY, { format: 'xlsx' }));
      const files = unzipSync(new Uint8Array(await workbook.arrayBuffer()));
      return [1, 2].map((sheet) => strFromU8(files[`xl/worksheets/sheet${sheet}.xml`] ?? new Uint8Array()));
    };
    expect((await sheetsOf())[1]).not.toContain('Cut texts');
    const long = { id: '3', title: 'x'.repeat(32_768), postalCode: null, location: null };
    missions = [...MISSIONS, { ...long, title: 'x'.repeat(32_767) }, ...Array.from({ length: 120 }, () => long)];
    const [rows, about] = await sheetsOf();
    expect(Math.max(...(rows?.match(/x+/g) ?? []).map((text) => text.length))).toBe(32_767);
    expect(about).toMatch(/>Cut texts<.*>120: a cell of a workbook holds 32,767 characters; CSV has all</);
  });

  test('are those of the list that path names, else of the largest where none has pages', async () => {
    const two = '{ missions { id } jobs { siret } }';
    expect(await (await fetch(address(two, { format: 'csv' }))).text()).toMatch(/^siret\r\n/);
    expect(await (await fetch(address(two, { format: 'csv', path: 'missions[]' }))).text()).toMatch(/^id\r\n/);
  });

  test('have no column of objects, but may be asked where there are none', async () => {
    const rowsOf = async (more: Record<string, string>) => {
      const response = await fetch(address(QUERY, { format: 'csv', ...more }));
      return parseCsv(await response.text());
    };
    expect((await rowsOf({ columns: 'id', where: 'location:empty:true' })).slice(1)).toEqual([['2']]);
    expect((await rowsOf({ columns: 'id', where: 'location:empty:false' })).slice(1)).toEqual([['1']]);
    for (const choice of [{ columns: 'id,location' }, { order: 'location' }, { where: 'location:has:2' }]) {
      const response = await fetch(address(QUERY, { format: 'csv', ...choice }));
      expect(response.status).toBe(400);
      const { errors } = (await response.json()) as { errors: { message: string; extensions: { code: string } }[] };
      expect(errors[0]?.message).toContain('Name a column inside: location.lon, location.lat.');
      expect(errors[0]?.extensions.code).toBe('BAD_USER_INPUT');
    }
    // The page shows a column even if all its values are null, and its links must work.
    missions = MISSIONS.slice(1);
    expect(await rowsOf({ columns: 'id,location' })).toEqual([
      ['id', 'location'],
      ['2', ''],
    ]);
  });

  test('have empty texts where nulls are: behind all others in either order, and in no range', async () => {
    const mission = { title: 'Lire', location: { lon: 2.3, lat: 48.8 } };
    missions = [...MISSIONS, { id: '3', postalCode: '', ...mission }, { id: '4', postalCode: '69001', ...mission }];
    const idsOf = async (choice: Record<string, string>) => {
      const response = await fetch(address(QUERY, { format: 'csv', columns: 'id', ...choice }));
      return parseCsv(await response.text())
        .slice(1)
        .flat()
        .join('');
    };
    expect(await idsOf({ order: 'postalCode' })).toBe('1423');
    expect(await idsOf({ order: '-postalCode' })).toBe('4123');
    expect(await idsOf({ where: 'postalCode:lt:02000' })).toBe('1');
    expect(await idsOf({ where: 'postalCode:empty:true' })).toBe('23');
  });

  test('are an error, not an empty file, when a failure left none', async () => {
    failing = true;
    const response = await fetch(address(QUERY, { format: 'csv' }));
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }] });
  });

  test('stand where only another part failed, and the header says so', async () => {
    failing = true;
    const response = await fetch(address('{ missions { id } jobs { siret } }', { format: 'csv', path: 'jobs' }));
    expect(response.status).toBe(200);
    expect(response.headers.get('x-passerelle-errors')).toBe('1');
  });

  test('do not come to a browser or a program that takes JSON as well', async () => {
    for (const accept of ['*/*', 'application/json, text/csv', 'text/html, application/json']) {
      const response = await fetch(address(QUERY), { headers: { accept } });
      expect(response.headers.get('content-type')).toContain('json');
    }
  });
});
