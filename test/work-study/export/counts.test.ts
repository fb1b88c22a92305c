import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countMatching } from '../../../subgraphs/work-study/export/answers.js';
import { SiretDirectory } from '../../../subgraphs/work-study/export/siret-directory.js';
import { operationFor } from '../../subgraph-harness.js';
import { temporaryFolder } from '../../temporary-folder.js';
import { createService } from '../support/siret-directories.js';

/** So many pairs are possible that there cannot be a place for each. */
const [ROWS, SIRETS, TRADES] = [8_000, 4_000, 400];

const siretOf = (row: number) => (row % 11 === 0 ? null : String(35600000000000 + ((row * 7919) % SIRETS)));
const tradesOf = (row: number) =>
  Array.from({ length: row % 4 }, (_, place) => `M${1000 + ((row * 31 + place * 17) % TRADES)}`);

const offers = Array.from({ length: ROWS }, (_, row) => ({
  identifier: { id: String(row), partner_label: row % 5 === 0 ? 'Indeed' : 'Hellowork' },
  workplace: { siret: siretOf(row) },
  offer: { title: 'Boulanger', status: 'Active', rome_codes: tradesOf(row) },
}));

/** The counts of pairs, the largest first, equal ones by their keys, of which none (an empty one) comes first. */
function counted(pairs: readonly string[]) {
  const counts = new Map<string, number>();
  for (const pair of pairs) counts.set(pair, (counts.get(pair) ?? 0) + 1);
  const sorted = [...counts].sort(([one, count], [other, more]) => more - count || (one < other ? -1 : 1));
  return sorted.map(([pair, count]) => ({ key: pair.split(',').map((key) => key || 'UNKNOWN'), count }));
}

describe('Counts by two dimensions with many groups', () => {
  const { service, options } = createService();
  service.file = JSON.stringify(offers);
  const directory = new SiretDirectory({
    ...options,
    folder: temporaryFolder(),
  });
  beforeAll(() => directory.refreshIfDue());
  afterAll(() => directory.close());

  it.each([
    ['SIRET', 'ROME'],
    ['ROME', 'SIRET'],
  ] as const)('are those of the rows, also where a row is in several: %s, %s', async (...by) => {
    const from = { directory, upstream: options, operation: operationFor({}) };
    const found = await countMatching(from, { by, top: 1000 }, 'OFFER');
    const expected = counted(
      offers.flatMap(({ workplace: { siret }, offer: { rome_codes: trades } }) =>
        (trades.length === 0 ? [''] : trades).map((trade) =>
          (by[0] === 'SIRET' ? [siret, trade] : [trade, siret]).join(),
        ),
      ),
    );
    expect(found.groups.map(({ key, count }) => ({ key, count }))).toEqual(expected.slice(0, 1000));
    expect(found).toMatchObject({ total: ROWS, groupCount: expected.length });
    expect(found.others).toBe(expected.slice(1000).reduce((sum, { count }) => sum + count, 0));
  });
});

/** The month of each; null where it is no date that exists. `Date.parse` reads all of them. */
const CREATIONS: readonly (readonly [creation: string, month: string | null])[] = [
  ['2026-01-31T23:30:00.000Z', '2026-01'],
  ['2026-02-01T00:30:00+02:00', '2026-01'],
  ['2026-01-31T23:30:00', '2026-01'],
  ['2026-01-09', '2026-01'],
  ['01/09/2026', null],
  ['9 January 2026', null],
  ['Offre 7', null],
  ['2026-02-30T10:00:00.000Z', null],
  ['+275760-09-13T00:00:00.000Z', null],
  ['+020026-01-09T00:00:00.000Z', null],
];

describe('Counts by month', () => {
  const { service, options } = createService();
  service.file = JSON.stringify(
    CREATIONS.map(([creation], row) => ({
      identifier: { id: String(row), partner_label: 'Hellowork' },
      workplace: { siret: siretOf(1) },
      offer: { title: 'Boulanger', status: 'Active', rome_codes: [], publication: { creation } },
    })),
  );
  const directory = new SiretDirectory({
    ...options,
    folder: temporaryFolder(),
  });
  beforeAll(() => directory.refreshIfDue());
  afterAll(() => directory.close());

  it('are in UTC, as are filters, and of dates that exist alone, whatever the zone of the process', async () => {
    const from = { directory, upstream: options, operation: operationFor({}) };
    const { groups } = await countMatching(from, { by: ['MONTH'], top: 100 }, 'OFFER');
    const none = CREATIONS.filter(([, month]) => month === null).length;
    expect(groups.map(({ key, count }) => ({ key, count }))).toEqual([
      { key: ['UNKNOWN'], count: none },
      { key: ['2026-01'], count: CREATIONS.length - none },
    ]);
    const since = async (createdAfter: string) =>
      (await countMatching(from, { by: ['MONTH'], top: 100, createdAfter }, 'OFFER')).total;
    expect(await since('1970-01-01')).toBe(CREATIONS.length - none);
    expect(await since('2026-01-31T23:00:00Z')).toBe(2);
  });
});
