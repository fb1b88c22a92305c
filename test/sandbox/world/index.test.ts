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

function communeOf(insee: string): Json {
  const found = world.communes.find(({ code }) => (code as Json)['insee'] === insee);
  if (found === undefined) throw new Error(`No commune ${insee}`);
  return found;
}
