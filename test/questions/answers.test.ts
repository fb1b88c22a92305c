import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { compose } from '../../analyst/questions/compose.js';
import { readWords } from '../../analyst/questions/words.js';
import { the } from '../scenarios/samples.js';
import { exportSettled, ONE_SHAPE, type Stack, startStack } from '../scenarios/stack.js';
import { pageKnowledge } from './finders.js';

/** Extents of communes: west, south, east, north. */
const BOXES: readonly { readonly id: string; readonly bbox: readonly [number, number, number, number] }[] =
  createRequire(import.meta.url)('@etalab/fr-bounding-boxes/dist/communes.json');

let stack: Stack;
let known: Awaited<ReturnType<typeof pageKnowledge>>;
beforeAll(async () => {
  stack = await startStack({ shape: ONE_SHAPE });
  await exportSettled(stack.log);
  known = await pageKnowledge(stack.url);
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await stack.close();
});

/** What the page answers to a text that it understands whole. */
async function answered(text: string) {
  const { question, unknown, choices } = await readWords(text, await known.findersNow());
  expect([unknown, choices]).toEqual([[], []]);
  await known.learnFor(question);
  const { composed, problems } = compose(question, known.knownNow());
  expect(problems).toEqual([]);
  const { data, errors } = await stack.send(composed?.query ?? '', { variables: { ...composed?.variables } });
  expect(errors).toEqual([]);
  return { question, data };
}

test('A question about all offers in Guadeloupe has all of them, and not those of a sample trade', async () => {
  const { question, data } = await answered('All offers in Guadeloupe');
  const { data: all } = await stack.send('{ exportedOffers(where: { department: "971" }) { totalCount } }');
  expect(question.criteria).toEqual({ place: ['departement:971'] });
  expect([data.exportedOffers.totalCount, all.exportedOffers.totalCount]).toEqual([16, 16]);
});

test('A sentence of more words than are read says which ones are not understood', async () => {
  const { question, unknown } = await readWords(
    `missions ${'de '.repeat(59)}zorglub à Rouen`,
    await known.findersNow(),
  );
  expect([question.subject, question.criteria]).toEqual(['missions', {}]);
  expect(unknown).toEqual(['zorglub à Rouen']);
});

test('A question about missions in Bordeaux has all around it, and not those of a sample domain', async () => {
  const { data } = await answered('missions within 30 km of Bordeaux');
  const [minLon, minLat, maxLon, maxLat] = the(BOXES.find(({ id }) => id === 'fr:commune:33063')).bbox;
  const middle = { lat: (minLat + maxLat) / 2, lon: (minLon + maxLon) / 2 };
  const near = stack.sandbox.world.missions.filter(({ addresses }) =>
    (addresses as { location: Point | null }[]).some(
      ({ location }) => location !== null && kilometres(location, middle) <= 30,
    ),
  );
  expect(near.length).toBeGreaterThan(50);
  expect(data.commune.missions.totalCount).toBe(near.length);
});

test('A question about how many apprenticeship offers there are by département counts offers', async () => {
  const { question, data } = await answered('How many apprenticeship offers per department?');
  expect(question).toMatchObject({ subject: 'offers', form: 'count', by: ['departement'] });
  const { data: all } = await stack.send(
    '{ exportedOffers(where: { contractType: APPRENTISSAGE, department: "75" }, first: 0) { totalCount } }',
  );
  const paris = data.exportedOfferCounts.groups.find(({ key }: { key: string[] }) => key[0] === '75');
  expect(paris?.count ?? 0).toBe(all.exportedOffers.totalCount);
});

interface Point {
  readonly lat: number;
  readonly lon: number;
}

/** By the spherical law of cosines. */
function kilometres(one: Point, other: Point): number {
  const [a = 0, b = 0, turn = 0] = [one.lat, other.lat, other.lon - one.lon].map(
    (degrees) => (degrees * Math.PI) / 180,
  );
  return 6371 * Math.acos(Math.min(1, Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(turn)));
}
