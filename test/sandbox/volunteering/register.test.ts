import { afterAll, beforeAll, expect, it } from 'vitest';
import { startVolunteering, type VolunteeringService, volunteeringKeys } from '../../../sandbox/volunteering/index.js';
import { numberedSiret } from '../../../sandbox/world/identifiers.js';
import { sharedWorld } from '../../../sandbox/world/index.js';
import { createRegister } from '../../../sandbox/world/register.js';
import { readJson } from '../read-json.js';
import { organization, world } from './small-world.js';

/** Guards the register of the real size, whose rows are computed on demand: what finds a row agrees with the row. */

const register = createRegister(sharedWorld({ scale: 0.1 }).organizations.slice(0, 20), 0.03, 3_300);
const rows = Array.from({ length: register.size }, (_, number) => register.row(number));

let service: VolunteeringService;
beforeAll(async () => {
  const organizations = [organization('older', { title: 'Amicale', searchText: 'amicale' })];
  service = await startVolunteering({ world: { ...world({ organizations }), register } });
});
afterAll(() => service.close());

async function ids(query: Record<string, unknown>): Promise<unknown> {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const headers = { apikey: volunteeringKeys.operator };
  const found = await readJson(fetch(`${service.url}/v0/organization?${text}`, { headers }), 'data');
  return Array.isArray(found) ? found.map(({ _id }) => _id) : found;
}

it('has 500 rows of each of the small one, no code twice, latest first', () => {
  const codes = rows.flatMap(({ rna, sirets }) => [rna, ...(sirets as string[])]).filter((code) => code !== null);
  expect([rows.length, new Set(codes).size]).toEqual([10_000, codes.length]);
  const updates = rows.map(({ updatedAt }) => String(updatedAt));
  expect(updates).toEqual([...updates].sort().reverse());
});

it.each(['rna', 'siret'])('finds each row by its %s, and no other', async (name) => {
  for (let number = 7; number < rows.length; number += 997) {
    const { [name]: code, _id } = rows[number] ?? {};
    if (code !== null) expect(await ids({ [name]: code })).toEqual([_id]);
  }
});

it('finds units by SIREN with all their SIRETs, a second SIRET, and nothing by a code that it does not have', async () => {
  const { _id, siren, sirets } = rows.find((row) => row['siren'] !== null && Object(row['sirets']).length === 2) ?? {};
  for (const query of [{ q: siren }, { siret: Object(sirets)[1] }]) expect(await ids(query)).toEqual([_id]);
  const absent = [{ q: '299999999' }, { siret: numberedSiret('9', 1) }, { rna: 'W759999999' }];
  for (const query of absent) expect(await ids(query)).toEqual([]);
});

it('finds the rows that a look at every title finds, page by page', async () => {
  const words = ['amicale', 'lect'];
  const wanted = rows.filter(({ searchText }) => {
    const all = String(searchText).split(' ');
    return words.every((word) => all.some((one) => one.startsWith(word)));
  });
  expect(wanted.length).toBeGreaterThan(20);
  const pages = [await ids({ q: words.join(' '), limit: 15 }), await ids({ q: words.join(' '), limit: 100, skip: 15 })];
  expect(pages.flat()).toEqual(wanted.map(({ _id }) => _id));
  expect(await ids({ q: 'xyzzy' })).toEqual([]);
});

it('goes on to the older rows after its own', async () => {
  expect(await ids({ skip: rows.length - 1 })).toEqual([rows.at(-1)?.['_id'], 'older']);
  expect(await ids({ skip: rows.length })).toEqual(['older']);
});

it('has the share of the employers that was asked for', () => {
  const known = new Set(rows.flatMap(({ sirets }) => sirets as string[]));
  const employers = Array.from({ length: 3_300 }, (_, number) => numberedSiret('9', number));
  expect(employers.filter((siret) => known.has(siret))).toHaveLength(100);
});
