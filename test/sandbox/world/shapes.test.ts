import { describe, expect, it } from 'vitest';
import { sharedWorld } from '../../../sandbox/world/index.js';
import { IS_LONG } from '../../runs.js';
import { missionShape, organizationShape } from './documented-volunteering.js';
import * as workStudy from './documented-work-study.js';

const world = sharedWorld();
/** A tenth of the communes, which are all made alike; in long runs, all. */
const communes = world.communes.filter((_, at) => IS_LONG || at % 10 === 0);

describe('The records of the world', () => {
  it.each([
    ['Commune (work-study 9.9)', communes, workStudy.communeShape],
    ['Departement (work-study 9.10)', world.departements, workStudy.departementShape],
    ['MissionLocale (work-study 9.11)', world.missionsLocales, workStudy.missionLocaleShape],
    ['Certification (work-study 9.7)', world.certifications, workStudy.certificationShape],
    ['Organisme (work-study 9.8)', world.organismes, workStudy.organismeShape],
    ['Formation (work-study 9.6)', world.formations, workStudy.formationShape],
    ['JobOfferRead (work-study 9.2)', world.offers, workStudy.offerShape],
    ['JobRecruiter (work-study 9.1)', world.recruiters, workStudy.recruiterShape],
    ['Organization (volunteering 10.7)', world.organizations, organizationShape],
    ['Mission with an address (volunteering 10.1)', missions({ withAddress: true }), missionShape],
  ])('have the keys and types of %s', (_, records, shape) => {
    expect(records.length).toBeGreaterThan(0);
    expect(departures(records, shape)).toEqual([]);
  });

  it('have no flat address keys when a mission has no address (volunteering 4.1)', () => {
    const flat = ['address', 'city', 'postalCode', 'departmentCode', 'departmentName', 'country', 'location'];
    const without = missionShape.split('\n').filter((line) => !flat.some((key) => line.startsWith(`${key} `)));
    const records = missions({ withAddress: false });
    expect(records.length).toBeGreaterThan(0);
    expect(departures(records, without.join('\n'))).toEqual([]);
  });

  it('repeat the mission locale and the organismes whole where they are nested', () => {
    const locales = communes.flatMap(({ mission_locale }) => mission_locale ?? []);
    const organismes = world.formations.flatMap(({ formateur, responsable }) =>
      [formateur, responsable].flatMap((partner) => (partner as { organisme: object | null }).organisme ?? []),
    );
    expect(departures(locales as object[], workStudy.missionLocaleShape)).toEqual([]);
    expect(departures(organismes, workStudy.organismeShape)).toEqual([]);
  });

  it('make each documented null happen, so that clients meet it', () => {
    expect(unmet(world.certifications, workStudy.certificationShape)).toEqual([]);
    expect(unmet(missions({ withAddress: true }), missionShape)).toEqual([]);
    expect(unmet(world.offers, workStudy.offerShape)).toEqual([]);
  });
});

function missions({ withAddress }: { withAddress: boolean }) {
  return world.missions.filter((mission) => (mission['addresses'] as unknown[]).length > 0 === withAddress);
}

/** What departs from the documented shape: paths that are missing, undocumented or of another type. */
function departures(records: readonly object[], shape: string): string[] {
  const allowed = readShape(shape);
  const wrong = new Set<string>();
  const check = (value: unknown, path: string) => {
    const types = allowed.get(path);
    if (types === undefined) wrong.add(`${path} is not documented`);
    else if (!types.includes(typeOf(value))) wrong.add(`${path} is ${typeOf(value)}, not ${types.join(' or ')}`);
    else if (Array.isArray(value)) for (const item of value) check(item, `${path}[]`);
    else if (value !== null && typeof value === 'object' && parents.has(path)) checkKeys(value, `${path}.`);
  };
  const parents = new Set([...allowed.keys()].flatMap(parentsOf));
  const checkKeys = (record: object, prefix: string) => {
    for (const [key, value] of Object.entries(record)) check(value, prefix + key);
    for (const key of keysOf(prefix)) if (!(key in record)) wrong.add(`${prefix}${key} is missing`);
  };
  const known = new Map<string, string[]>();
  const keysOf = (prefix: string) => {
    const keys = known.get(prefix) ?? childKeys(allowed, prefix);
    known.set(prefix, keys);
    return keys;
  };
  for (const record of records) checkKeys(record, '');
  return [...wrong];
}

/** The parents of a path: `a` and `a.b[]` for `a.b[].c`. */
function parentsOf(path: string): string[] {
  const steps = path.split('.');
  return steps.slice(1).map((_, index) => steps.slice(0, index + 1).join('.'));
}

function childKeys(allowed: ReadonlyMap<string, unknown>, prefix: string): string[] {
  const behind = [...allowed.keys()].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
  return behind.filter((rest) => /^\w+$/.test(rest));
}

/** Paths that may be null by the documentation, but are in no record. */
function unmet(records: readonly object[], shape: string): string[] {
  const nullable = [...readShape(shape)].filter(([, types]) => types.includes('null')).map(([path]) => path);
  return nullable.filter((path) => !records.some((record) => valuesAt(record, path).includes(null)));
}

function valuesAt(value: unknown, path: string): unknown[] {
  return path.split('.').reduce<unknown[]>(
    (values, step) =>
      values.flatMap((one) => {
        const next =
          typeof one === 'object' && one !== null ? (one as Record<string, unknown>)[step.replace('[]', '')] : [];
        return step.endsWith('[]') ? (next ?? []) : [next];
      }),
    [value],
  );
}

function readShape(shape: string): Map<string, string[]> {
  const lines = shape.trim().split('\n');
  return new Map(lines.map((line) => [line.split(' ')[0] ?? '', (line.split(' ')[1] ?? '').split('|')]));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
