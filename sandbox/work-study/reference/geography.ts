import type { FastifyInstance } from 'fastify';
import type { Json, World } from '../../world/types.js';
import { keyedRoute, takesAnything } from '../http/route.js';
import { positionOf, withinRadius } from '../values/distance.js';
import { listAt, textAt, valueAt } from '../values/fields.js';
import { invalidFormat, invalidType } from '../values/issues.js';
import { createQueryReader, MISSING_COORDINATE_FR, readAround, valuesOf } from '../values/query.js';

const COMMUNE_CODE = /^\d{5}$/;

/** Communes, départements and missions locales (work-study 7.14 to 7.16). */
export function geographyRoutes(app: FastifyInstance, world: World, communesOf: CommuneSearch): void {
  keyedRoute(app, {
    method: 'GET',
    path: '/geographie/v1/commune/search',
    read({ query }) {
      const codes = valuesOf(query, 'code');
      const [code] = codes;
      if (code === undefined || codes.length > 1) {
        return { issues: [invalidType(['code'], 'string', code === undefined ? undefined : codes)] };
      }
      return COMMUNE_CODE.test(code) ? { value: code } : { issues: [invalidFormat(['code'], COMMUNE_CODE)] };
    },
    handle: (code) => communesOf(code),
  });
  keyedRoute(app, {
    method: 'GET',
    path: '/geographie/v1/departement',
    read: takesAnything,
    handle: () => world.departements,
  });
  keyedRoute(app, {
    method: 'GET',
    path: '/geographie/v1/mission-locale',
    read({ query }) {
      const reader = createQueryReader(query);
      const around = readAround(reader, MISSING_COORDINATE_FR);
      return reader.issues.length > 0 ? { issues: reader.issues } : { value: around };
    },
    handle(around) {
      const all = world.missionsLocales;
      if (around === undefined) return all;
      const positionOfOffice = (office: Json) => positionOf(valueAt(office, 'localisation', 'geopoint'));
      return withinRadius(all, around, positionOfOffice);
    },
  });
}

/** The communes of an INSEE or postal code. */
export type CommuneSearch = (code: string) => readonly Json[];

/**
 * Communes by any of their four kinds of code: INSEE, postal, arrondissement, former commune (work-study 7.14). The
 * index is built at the first search, not at startup.
 */
export function createCommuneSearch(world: World): CommuneSearch {
  return (code) => indexOf(world).get(code) ?? [];
}

/** Indexes by list of communes: worlds of all scales share one list. */
const indexes = new WeakMap<readonly Json[], Map<string, Json[]>>();

function indexOf({ communes }: World): Map<string, Json[]> {
  const index = indexes.get(communes) ?? indexCommunes(communes);
  indexes.set(communes, index);
  return index;
}

function indexCommunes(communes: readonly Json[]): Map<string, Json[]> {
  const index = new Map<string, Json[]>();
  for (const commune of communes) {
    const put = (code: unknown): void => {
      if (typeof code !== 'string') return;
      const found = index.get(code);
      if (found === undefined) index.set(code, [commune]);
      // The codes of one commune are added together, so it is either the last in the list or not in it.
      else if (found.at(-1) !== commune) found.push(commune);
    };
    const { code } = commune;
    put(valueAt(code, 'insee'));
    for (const postal of listAt(code, 'postaux')) put(postal);
    for (const one of listAt(commune, 'arrondissements')) put(textAt(one, 'code'));
    for (const one of listAt(commune, 'anciennes')) put(textAt(one, 'codeInsee'));
  }
  return index;
}
