import { describe, expect, it } from 'vitest';
import { Sqlite } from '../../../database/sqlite.js';
import { LoadedExport, type Place } from '../../../subgraphs/work-study/export/ask.js';
import { readOrder, readQuestion, type Where } from '../../../subgraphs/work-study/export/questions.js';
import { createChance } from '../../chance.js';
import { BAKERY, fileIn, POST_OFFICE, useDirectories } from '../support/siret-directories.js';

/** Guards that a list is the same whichever way it is sorted: at once, by walking an index, or in growing circles. */

const random = createChance(11).next;
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
const day = (number: number) => new Date(Date.UTC(2026, 0, 1 + number)).toISOString();
const text = 'Vous préparez les pains et les viennoiseries avec notre équipe, dans un atelier au cœur de la ville.';

/** Rows of two partners, some of which have the same post, some no place, date or title, and some expire. */
const ROWS = Array.from({ length: 400 }, (_, row) => ({
  identifier: { id: String(row), partner_label: pick(['Hellowork', 'Indeed']) },
  workplace: {
    name: pick(['Fournil', 'Moulin', '']),
    siret: pick([BAKERY, POST_OFFICE]),
    location: { geopoint: random() < 0.1 ? null : { coordinates: [2.3 + random() / 4, 48.8 + random() / 4] } },
  },
  contract: { start: random() < 0.1 ? null : day(Math.floor(random() * 40)), type: ['Apprentissage'] },
  offer: {
    title: pick(['Boulanger', 'Pâtissier', 'Vendeuse', '']) + pick(['', ' de nuit', ` ${'abcdefghij'[row % 10]}`]),
    description: text,
    status: pick(['Active', 'Active', 'Active', 'Filled']),
    publication: { creation: day(row % 90), expiration: pick([null, day(100), day(200)]) },
  },
}));

const near = { position: { latitude: 48.9, longitude: 2.4 } };
const FILTERS: readonly Where[] = [
  {},
  { near, radius: 30 },
  { near, radius: 3 },
  { near, radius: 300 },
  { near, includeExpired: true },
].flatMap((where) => [where, { ...where, duplicates: 'GROUP' as const }]);

describe('A list of the export', () => {
  const directories = useDirectories();

  it('has the same pages whether all that matches is sorted, or an index walked, or circles grow', async () => {
    const { service, directory } = directories.start();
    service.file = JSON.stringify(ROWS);
    await directory.refreshIfDue();
    const path = await fileIn(directories.folder());
    const asOf = Date.parse(day(150));
    const planned = (circled: number, grown: number) =>
      new LoadedExport(Sqlite.read(path), { walked: circled, circled, grown });
    const plans = [planned(1e9, 1e9), planned(1, 1), planned(1, 1e9)] as const;
    let compared = 0;
    for (const where of FILTERS) {
      for (const field of ['CREATION', 'START', 'TITLE', 'WORKPLACE', 'DISTANCE'] as const) {
        if (field === 'DISTANCE' && !where.near) continue;
        for (const direction of ['ASC', 'DESC'] as const) {
          const asked = readQuestion('OFFER', where, asOf);
          const orderBy = readOrder({ field, direction }, asked.near);
          const question = { ...asked, grouped: where.duplicates === 'GROUP' ? orderBy : null };
          for (let after: Place | null = null; ; ) {
            const [sorted, ...others] = plans.map((one) => one.page(question, { orderBy, size: 7, after }));
            for (const page of others) expect(page, JSON.stringify({ where, field, direction, after })).toEqual(sorted);
            compared += sorted?.rows.length ?? 0;
            after = sorted?.rows.at(-1) ?? null;
            if (!sorted?.hasMore) break;
          }
        }
      }
    }
    expect(compared).toBeGreaterThan(5000);
    for (const one of plans) one.close();
  });
});
