import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { sharedWorld } from '../../../sandbox/world/index.js';
import type { Json } from '../../../sandbox/world/types.js';

const world = sharedWorld();
const rows = world.missions.map((mission) => {
  const truth = world.truth.get(String(mission['_id']));
  if (truth === undefined) throw new Error(`No truth about ${mission['_id']}`);
  return { mission, truth };
});
const communes = new Map(
  world.communes.map(({ nom, code, localisation }) => {
    const { insee, postaux } = code as { insee: string; postaux: string[] };
    const { bbox } = localisation as { bbox: { coordinates: [number, number][][] } };
    const [[west, south] = [0, 0], , [east, north] = [0, 0]] = bbox.coordinates[0] ?? [];
    return [insee, { nom: String(nom), postaux, box: [west, south, east, north] as const }];
  }),
);

describe('The mess of the missions', () => {
  it.each([
    ['no-postal-code', 8],
    ['no-point', 5],
    ['neighbour-point', 3],
    ['swapped-axes', 1],
    ['former-name', 4],
    ['cedex', 3],
    ['upper-case', 10],
    ['arrondissement', 2],
    ['no-address', 2],
  ])('has the promised share of %s: %i in a hundred', (kind, percent) => {
    const share = (100 * having(kind).length) / rows.length;
    expect(Math.abs(share - percent)).toBeLessThan(0.3);
  });

  it('leaves out what is said to be missing', () => {
    for (const { mission } of having('no-postal-code')) expect(mission['postalCode']).toBeNull();
    for (const { mission } of having('no-city')) expect(mission['city']).toBeNull();
    for (const { mission } of having('no-point')) expect(mission['location']).toBeNull();
    for (const { mission, truth } of having('no-address')) {
      expect([mission['postalCode'] ?? null, mission['city'] ?? null, mission['location'] ?? null]).toEqual([
        null,
        null,
        null,
      ]);
      expect(truth.insee).toBeNull();
    }
  });

  it('writes a postal code of the commune, or one of no commune at all behind a CEDEX', () => {
    const all = new Set([...communes.values()].flatMap(({ postaux }) => postaux));
    for (const { mission, truth } of placed()) {
      const code = mission['postalCode'];
      if (code === null) continue;
      const isOwn = communes.get(truth.insee)?.postaux.includes(String(code));
      expect(isOwn || (truth.mess.includes('cedex') && !all.has(String(code)))).toBe(true);
    }
  });

  it('puts the point into the box of the commune, unless the mess says otherwise', () => {
    const wrong = ['neighbour-point', 'swapped-axes', 'stray-town'];
    for (const { mission, truth } of placed()) {
      const { lon, lat } = (mission['location'] ?? {}) as { lon?: number; lat?: number };
      if (lon === undefined || lat === undefined || truth.mess.some((kind) => wrong.includes(kind))) continue;
      const [west, south, east, north] = communes.get(truth.insee)?.box ?? [0, 0, 0, 0];
      expect(lon >= west && lon <= east && lat >= south && lat <= north).toBe(true);
    }
  });

  it('draws nine points in ten around towns of another source than the boxes', () => {
    const towns = placed().filter(({ truth }) => truth.source === 'town').length;
    expect(towns / placed().length).toBeGreaterThan(0.85);
  });

  it('gives a wrong point only to missions whose postal code and name are there to contradict it', () => {
    for (const { mission, truth } of [...having('neighbour-point'), ...having('stray-town')]) {
      if (world.inventedBoxes.has(truth.insee ?? '')) continue;
      expect(mission['postalCode']).not.toBeNull();
      expect(mission['city']).not.toBeNull();
    }
  });

  it('is resolvable where nothing contradicts a point, and never where a neighbour has it', () => {
    const clean = rows.filter(({ truth }) => truth.insee !== null && truth.mess.length === 0);
    const resolvable = clean.filter(({ truth }) => truth.resolvable).length;
    expect(resolvable / clean.length).toBeGreaterThan(0.995);
    for (const { truth } of having('neighbour-point')) {
      // The boxes of islands are invented, so a point in one of them contradicts no other data.
      expect(truth.resolvable).toBe(world.inventedBoxes.has(truth.insee ?? ''));
    }
  });

  it('writes names as people do: former ones, abbreviated ones, arrondissements, foreign towns', () => {
    const cities = (kind: string) => having(kind).map(({ mission }) => String(mission['city']));
    for (const { mission, truth } of having('former-name')) {
      expect(mission['city']).not.toBe(communes.get(truth.insee ?? '')?.nom);
    }
    expect(cities('cedex').every((city) => /cedex/i.test(city))).toBe(true);
    expect(cities('arrondissement').every((city) => /^(paris|lyon|marseille) \d/i.test(city))).toBe(true);
    expect(cities('upper-case').every((city) => city === city.toUpperCase() && /^[ -~]*$/.test(city))).toBe(true);
    expect(rows.filter(({ mission }) => /\bSte?-/.test(String(mission['city']))).length).toBeGreaterThan(50);
    expect(having('foreign').every(({ mission }) => mission['country'] !== 'FR')).toBe(true);
  });

  it('copies the first address to the flat fields', () => {
    const keys = ['city', 'postalCode', 'departmentCode', 'departmentName', 'country', 'location'];
    const differs = ({ mission }: (typeof rows)[number]) => {
      const [first] = mission['addresses'] as Json[];
      return keys.some((key) => !isDeepStrictEqual(mission[key], first?.[key]));
    };
    expect(rows.filter(differs)).toEqual([]);
  });
});

function having(kind: string) {
  const found = rows.filter(({ truth }) => truth.mess.includes(kind));
  expect(found.length).toBeGreaterThan(0);
  return found;
}

function placed() {
  return rows.flatMap(({ mission, truth }) =>
    truth.insee === null ? [] : [{ mission, truth: { ...truth, insee: truth.insee } }],
  );
}
