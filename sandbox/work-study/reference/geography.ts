import type { FastifyInstance } from 'fastify';
import type { Json, World } from '../../world/types.js';
import { keyedRoute, takesAnything } from '../http/route.js';
import { positionOf, withinRadius } from '../values/distance.js';
import { valueAt } from '../values/fields.js';
import { invalidFormat, invalidType } from '../values/issues.js';
import { createQueryReader, MISSING_COORDINATE_FR, readAround, valuesOf } from '../values/query.js';
import type { CommuneSearch } from './commune-search.js';

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
