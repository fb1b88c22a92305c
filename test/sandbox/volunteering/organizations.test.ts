import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVolunteering, type VolunteeringService, volunteeringKeys } from '../../../sandbox/volunteering/index.js';
import { readJson } from '../read-json.js';
import { ORGANIZATION_KEYS } from './documented-keys.js';
import { organization, world } from './small-world.js';

const organizations = [
  organization('cross', {
    title: 'croix rouge francaise',
    rna: 'W751206979',
    siren: '775672272',
    siret: '77567227221138',
  }),
  organization('green', {
    title: 'croix verte',
    siret: '33273739400012',
    sirets: ['33273739400012', '33273739400020'],
  }),
  organization('corsica', { title: 'a cumpagnia', rna: 'W2A1000123' }),
  organization('newest', { title: 'club de go', updatedAt: '2026-01-01T00:00:00.000Z' }),
  ...Array.from({ length: 110 }, (_, index) => organization(`many-${index}`, { title: 'amicale' })),
];

let service: VolunteeringService;

beforeAll(async () => {
  service = await startVolunteering({ world: world({ organizations }) });
});
afterAll(() => service.close());

const get = (query: string) =>
  fetch(`${service.url}/v0/organization?${query}`, { headers: { apikey: volunteeringKeys.operator } });

async function ids(query: string): Promise<unknown[]> {
  const rows = await readJson(get(query), 'data');
  return Array.isArray(rows) ? rows.map(({ _id }) => _id) : [];
}

describe('the organization list (volunteering 4.4)', () => {
  it('has no total, and every column with `_id` last', async () => {
    const body = await readJson(get('rna=W751206979'));
    expect(Object.keys(Object(body))).toEqual(['ok', 'data']);
    const keys = Object.keys(Object(await readJson(get('rna=W751206979'), 'data.0')));
    expect(keys.at(-1)).toBe('_id');
    expect(keys.sort()).toEqual([...ORGANIZATION_KEYS].sort());
  });

  const table: [string, string, string[]][] = [
    ['an exact RNA', 'rna=%20W751206979', ['cross']],
    ['an RNA in another case', 'rna=w751206979', []],
    ['a SIRET', 'siret=77567227221138', ['cross']],
    ['one of several SIRETs', 'siret=33273739400020', ['green']],
    ['a prefix of a SIRET', 'siret=775672272', []],
    ['q like an RNA', 'q=W751206979', ['cross']],
    ['q like a SIRET', 'q=77567227221138', ['cross']],
    ['q like a SIREN', 'q=775672272', ['cross']],
    ['q with all words as prefixes, without accents', 'q=Croix%20frànç', ['cross']],
    ['q that is a Corsican RNA, which is text to it', 'q=W2A1000123', ['corsica']],
    ['q without a token of three letters, a plain substring', 'q=a%20cu', ['corsica']],
    ['a SIRET typed with spaces, which finds nothing', 'q=775%20672%20272%2021138', []],
    ['conditions that are all met', 'q=croix&rna=W751206979', ['cross']],
    ['two SIRETs with a comma, which are one value', 'siret=77567227221138,33273739400012', []],
  ];
  it.each(table)('finds by %s', async (_, query, expected) => {
    expect(await ids(query)).toEqual(expected);
  });

  it('comes newest first, 25 at a time and at most 100', async () => {
    expect((await ids(''))[0]).toBe('newest');
    expect(await ids('')).toHaveLength(25);
    expect(await ids('limit=100')).toHaveLength(100);
    expect(await ids('limit=100&skip=100')).toHaveLength(14);
    expect(await ids('limit=0')).toHaveLength(1);
    const response = await get('limit=101');
    expect(response.status).toBe(400);
    expect(await readJson(response, 'code')).toBe('INVALID_QUERY');
  });

  it('does not search the object', async () => {
    expect(await ids('q=choral')).toEqual([]);
  });
});
