import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countMatching } from '../../../subgraphs/work-study/export/answers.js';
import { SiretDirectory } from '../../../subgraphs/work-study/export/siret-directory.js';
import { operationFor } from '../../subgraph-harness.js';
import { temporaryFolder } from '../../temporary-folder.js';
import { BAKERY, createService } from '../support/siret-directories.js';

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
      workplace: { siret: BAKERY },
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
      { key: [null], count: none },
      { key: ['2026-01'], count: CREATIONS.length - none },
    ]);
    const since = async (after: string) =>
      (await countMatching(from, { by: ['MONTH'], top: 100, where: { created: { after } } }, 'OFFER')).total;
    expect(await since('1970-01-01')).toBe(CREATIONS.length - none);
    expect(await since('2026-01-31T23:00:00Z')).toBe(2);
  });
});
