import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createWorld, sharedWorld } from '../../../sandbox/world/index.js';
import type { Json } from '../../../sandbox/world/types.js';

const world = sharedWorld();
const small = sharedWorld({ scale: 0.1 });

describe('A world', () => {
  it('is the same each time that it is made', () => {
    // Compares everything, but without a diff of thirty-five thousand communes, which would help nobody.
    expect(isDeepStrictEqual(createWorld({ scale: 0.1 }), small)).toBe(true);
  });

  it('is large enough by default for deep paging and exports', () => {
    expect(world.missions.length).toBeGreaterThanOrEqual(5_000);
    expect(world.organizations.length).toBeGreaterThanOrEqual(2_000);
    expect(world.offers.length + world.recruiters.length).toBeGreaterThanOrEqual(3_000);
    expect(world.communes).toHaveLength(34_969);
    expect(world.departements).toHaveLength(109);
  });

  it('grows and shrinks by its scale, its geography excepted', () => {
    expect(small.missions).toHaveLength(world.missions.length / 10);
    expect(small.organizations).toHaveLength(world.organizations.length / 10);
    expect(small.communes).toHaveLength(world.communes.length);
  });

  it('gives every record of a kind an id of its own', () => {
    for (const ids of [
      world.missions.map(({ _id }) => _id),
      world.organizations.map(({ _id }) => _id),
      [...world.offers, ...world.recruiters].map(({ identifier }) => (identifier as Json)['id']),
      world.missionsLocales.map(({ id }) => id),
      world.formations.map(({ identifiant }) => (identifiant as Json)['cle_ministere_educatif']),
    ]) {
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it('covers every département with missions, organizations and offers', () => {
    const all = world.departements.map(({ codeInsee }) => String(codeInsee)).sort();
    const ofMissions = [...world.truth.values()].map(({ insee }) => insee).filter((insee) => insee !== null);
    expect(departementsOf(ofMissions)).toEqual(all);
    expect(
      departementsOf(places(world.organizations, (row) => [row['addressPostalCode'], row['addressCity']])),
    ).toEqual(all.filter((code) => code !== '984'));
    expect(departementsOf(places(world.offers, addressEnd))).toEqual(all.filter((code) => code !== '984'));
  });

  it('has a box, a centre and postal codes for each commune, and says which boxes are invented', () => {
    expect(world.inventedBoxes.size).toBe(101);
    // One assertion for all: thirty-five thousand would take seconds.
    expect(world.communes.filter((commune) => !isInItsBox(commune)).map(({ code }) => code)).toEqual([]);
  });

  it('knows former communes, arrondissements, académies and missions locales of communes', () => {
    const paris = communeOf('75056');
    expect(paris['arrondissements']).toHaveLength(20);
    expect(paris['arrondissements']).toContainEqual({ code: '75120', nom: 'Paris 20e Arrondissement' });
    expect(paris['academie']).toEqual({ id: 'A01', code: '01', nom: 'Paris' });
    expect(communeOf('01015')['anciennes']).toEqual([{ nom: 'Saint-Bois', codeInsee: '01340' }]);
    expect(communeOf('97501')['academie']).toMatchObject({ code: '44' });
    const withoutOffice = world.communes.filter(({ mission_locale }) => mission_locale === null);
    expect(withoutOffice.length).toBeGreaterThan(100);
    expect(withoutOffice.length).toBeLessThan(500);
  });
});

/** Whether the box is a closed ring around the centre. */
function isInItsBox({ localisation }: Json): boolean {
  const { centre, bbox } = localisation as { centre: { coordinates: number[] }; bbox: { coordinates: number[][][] } };
  const [lon = Number.NaN, lat = Number.NaN] = centre.coordinates;
  const [[west = Number.NaN, south = Number.NaN] = [], , [east = Number.NaN, north = Number.NaN] = [], ...rest] =
    bbox.coordinates[0] ?? [];
  const closed = rest.length === 2 && rest[1]?.[0] === west && rest[1]?.[1] === south;
  return closed && lon > west && lon < east && lat > south && lat < north;
}

function communeOf(insee: string): Json {
  const found = world.communes.find(({ code }) => (code as Json)['insee'] === insee);
  if (found === undefined) throw new Error(`No commune ${insee}`);
  return found;
}

function departementsOf(codes: readonly string[]): string[] {
  return [...new Set(codes.map((insee) => (/^9[78]/.test(insee) ? insee.slice(0, 3) : insee.slice(0, 2))))].sort();
}

const inseeByPlace = new Map(
  world.communes.flatMap(({ nom, code }) => {
    const { insee, postaux } = code as { insee: string; postaux: string[] };
    return postaux.flatMap((postal) => [
      [`${postal} ${nom}`, insee],
      [`${postal} ${capitals(String(nom))}`, insee],
    ]);
  }) as [string, string][],
);

/** INSEE codes of the records whose postal code and city are known; the others are omitted. */
function places(rows: readonly Json[], read: (row: Json) => unknown[]): string[] {
  return rows.flatMap((row) => inseeByPlace.get(read(row).join(' ')) ?? []);
}

function addressEnd({ workplace }: Json): string[] {
  const { address } = (workplace as { location: { address: string } }).location;
  return [/\d{5} .*$/.exec(address)?.[0] ?? ''];
}

function capitals(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .replaceAll('œ', 'OE')
    .replaceAll('Œ', 'OE')
    .toUpperCase()
    .replaceAll('-', ' ');
}
