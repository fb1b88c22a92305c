import { describe, expect, test } from 'vitest';
import { sharedWorld } from '../../sandbox/world/index.js';
import type { Json } from '../../sandbox/world/types.js';
import { commune, missionLocale } from '../work-study/support/records.js';
import { tinyWorld } from '../work-study/support/tiny-world.js';
import { selectionOf, setAt, valuesAt } from './support/documented.js';
import { stackOfRules } from './support/stack-of-rules.js';

/** Communes, départements and missions locales: work-study 12.2.2 to 12.2.4. */

const rules = stackOfRules({
  sandbox: {
    era: 'seed',
    world: tinyWorld({
      communes: [
        ...tinyWorld().communes,
        commune({
          insee: '01187',
          nom: 'Haut Valromey',
          postaux: ['01260'],
          centre: [5.68, 45.99],
          anciennes: [{ nom: 'Hotonnes', codeInsee: '01176' }],
        }),
      ],
    }),
  },
});

describe('required keys', () => {
  test.each([
    [
      'Commune',
      '/api/geographie/v1/commune/search',
      'communes(code: "94003")',
      commune({
        insee: '94003',
        nom: 'Arcueil',
        postaux: ['94110'],
        centre: [2.3, 48.8],
        missionLocale: missionLocale(),
      }),
    ],
    ['Departement', '/api/geographie/v1/departement', 'departements', tinyWorld().departements[0]],
    [
      'MissionLocale',
      '/api/geographie/v1/mission-locale',
      'missionsLocales(latitude: 1, longitude: 1)',
      missionLocale(),
    ],
  ])(
    'WS-52 all keys of a %s are required: a dropped one is an error of that field alone',
    async (resource, path, field, record = {}) => {
      const keys = Object.keys(record);
      rules.sandbox.workStudy.fault({
        kind: 'wrong-type',
        path,
        change: () => keys.map((key) => without(record, key)),
      });
      const { data, errors } = await rules.send(`{ list: ${field} { ${selectionOf(resource)} } }`);
      expect(errors.map(({ extensions, path: place = [] }) => `${extensions.code} ${place.join('.')}`).sort()).toEqual(
        keys.map((key, index) => `UPSTREAM_INVALID_RESPONSE list.${index}.${camel(key)}`).sort(),
      );
      for (const [index, node] of data.list.entries()) {
        expect(Object.keys(node).filter((name) => node[name] === null)).toEqual([camel(keys[index] ?? '')]);
      }
    },
  );
});

describe('communes', () => {
  test('WS-53 an INSEE code is of one commune, and no two communes of the sandbox share one', async () => {
    const { commune: found } = await rules.read('{ commune(insee: "77433") { nom code { insee } } }');
    expect(found).toEqual({ nom: 'Beautheil-Saints', code: { insee: '77433' } });
    const codes = sharedWorld({ scale: 0.01 }).communes.flatMap((row) => valuesAt(row, 'code.insee'));
    expect(codes.length).toBeGreaterThan(34_000);
    expect(new Set(codes).size).toBe(codes.length);
  });

  test('WS-54 a postal code may have several communes, and a commune several postal codes', async () => {
    const { communes, commune: paris } = await rules.read(
      '{ communes(code: "20167") { nom } commune(insee: "75056") { code { postaux } } }',
    );
    expect(communes.map(({ nom }: { nom: string }) => nom).sort()).toEqual(['Afa', 'Ajaccio', 'Alata']);
    expect(paris.code.postaux).toEqual(['75001', '75003', '75007', '75020']);
  });

  test('WS-55 anciennes are the communes that were merged into it', async () => {
    const { commune: merged } = await rules.read('{ commune(insee: "01187") { nom anciennes { nom codeInsee } } }');
    expect(merged).toEqual({ nom: 'Haut Valromey', anciennes: [{ nom: 'Hotonnes', codeInsee: '01176' }] });
  });

  test('WS-56 the centre is a GeoJSON point and lies in the box, a GeoJSON polygon, both as they were sent', async () => {
    const { commune: found } = await rules.read(
      '{ commune(insee: "2A001") { localisation { centre { type coordinates } bbox { type coordinates } } } }',
    );
    const { centre, bbox } = found.localisation;
    const sent = rules.sandbox.world.communes.find((row) => valuesAt(row, 'code.insee')[0] === '2A001');
    expect(found.localisation).toEqual(sent?.['localisation']);
    expect([centre.type, bbox.type]).toEqual(['Point', 'Polygon']);
    const [ring] = bbox.coordinates;
    for (const axis of [0, 1]) {
      const edges = ring.map((corner: number[]) => corner[axis]);
      expect(centre.coordinates[axis]).toBeGreaterThanOrEqual(Math.min(...edges));
      expect(centre.coordinates[axis]).toBeLessThanOrEqual(Math.max(...edges));
    }
  });

  test('WS-57 a mission locale is whole or null', async () => {
    const { paris, afa } = await rules.read(
      `{ paris: commune(insee: "75056") { missionLocale { ${selectionOf('MissionLocale')} } } afa: commune(insee: "2A006") { missionLocale { id } } }`,
    );
    expect(afa).toEqual({ missionLocale: null });
    expect(paris.missionLocale).toEqual({ ...missionLocale(), id: 'MissionLocale:226' });
  });
});

describe('missions locales', () => {
  test('WS-58 only the point, the e-mail, the telephone and the site may be null, and an e-mail is one', async () => {
    const { missionsLocales } = await rules.read(`{ missionsLocales { ${selectionOf('MissionLocale')} } }`);
    const [whole, bare] = missionsLocales;
    expect(whole.contact.email).toMatch(/^[^@\s]+@[^@\s]+\.[^@\s]+$/);
    expect(bare.localisation).toEqual({
      geopoint: null,
      adresse: '17 Rue des Tanneurs',
      cp: '77140',
      ville: 'NEMOURS',
    });
    expect(bare.contact).toEqual({ email: null, telephone: null, siteWeb: null });
    expect(Object.values({ ...bare, contact: '' }).every((value) => value !== null)).toBe(true);
  });
});

function without(record: Json, key: string): Json {
  const copy = structuredClone(record);
  setAt(copy, key, undefined);
  return copy;
}

function camel(key: string): string {
  return key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
