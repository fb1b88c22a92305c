import { jsonReply } from '../../server/reply.js';
import type { Route } from '../../server/routes.js';
import type { Json, World } from '../../world/types.js';
import { keyedRoute, takesAnything } from '../http/route.js';
import { positionOf, withinRadius } from '../values/distance.js';
import { valueAt } from '../values/fields.js';
import { invalidFormat, invalidType } from '../values/issues.js';
import { createQueryReader, MISSING_COORDINATE_FR, readAround } from '../values/query.js';
import type { CommuneSearch } from './commune-search.js';

const COMMUNE_CODE = /^\d{5}$/;

/** Communes, départements and missions locales (work-study 7.14 to 7.16). */
export function geographyRoutes(world: World, communesOf: CommuneSearch): Route[] {
  return [
    keyedRoute({
      method: 'GET',
      path: '/geographie/v1/commune/search',
      read({ query }) {
        const codes = query.getAll('code');
        const [code] = codes;
        if (code === undefined || codes.length > 1) {
          return { issues: [invalidType(['code'], 'string', code === undefined ? undefined : codes)] };
        }
        return COMMUNE_CODE.test(code) ? { value: code } : { issues: [invalidFormat(['code'], COMMUNE_CODE)] };
      },
      handle: (code) => jsonReply(200, communesOf(code)),
    }),
    keyedRoute({
      method: 'GET',
      path: '/geographie/v1/departement',
      read: takesAnything,
      handle: () => jsonReply(200, world.departements),
    }),
    keyedRoute({
      method: 'GET',
      path: '/geographie/v1/mission-locale',
      read({ query }) {
        const reader = createQueryReader(query);
        const around = readAround(reader, MISSING_COORDINATE_FR);
        return reader.issues.length > 0 ? { issues: reader.issues } : { value: around };
      },
      handle(around) {
        const all = world.missionsLocales;
        if (around === undefined) return jsonReply(200, all);
        const positionOfOffice = (office: Json) => positionOf(valueAt(office, 'localisation', 'geopoint'));
        return jsonReply(200, withinRadius(all, around, positionOfOffice));
      },
    }),
  ];
}
