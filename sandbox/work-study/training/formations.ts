import type { FastifyInstance } from 'fastify';
import type { Json, World } from '../../world/types.js';
import { sendApiError } from '../http/errors.js';
import { type KeyedRequest, keyedRoute } from '../http/route.js';
import { type Around, positionOf, withinRadius } from '../values/distance.js';
import { listAt, textAt, valueAt } from '../values/fields.js';
import {
  createQueryReader,
  MISSING_COORDINATE_FR,
  type Page,
  paginate,
  readAround,
  readPage,
} from '../values/query.js';

const LEVELS = ['1', '2', '3', '4', '5', '6', '7', '8'] as const;

interface FormationSearch {
  readonly around: Around | undefined;
  readonly level: string | undefined;
  readonly romes: readonly string[] | undefined;
  readonly rncp: string | undefined;
  readonly archived: boolean;
  readonly page: Page;
}

/** Training courses: search and one by id (work-study 7.8, 7.9). */
export function formationRoutes(app: FastifyInstance, world: World): void {
  keyedRoute(app, {
    method: 'GET',
    path: '/formation/v1/search',
    read: readSearch,
    handle: (search) => paginate(searchFormations(world.formations, search), search.page),
  });
  keyedRoute(app, {
    method: 'GET',
    path: '/formation/v1/:id',
    read: ({ params }) => ({ value: params['id'] ?? '' }),
    handle(id, { reply }) {
      const found = world.formations.find((one) => textAt(one, 'identifiant', 'cle_ministere_educatif') === id);
      if (found !== undefined) return found;
      return sendApiError(reply, 404, `Aucune formation trouvée pour l'identifiant ${id}`);
    },
  });
}

function readSearch({ query }: KeyedRequest) {
  const reader = createQueryReader(query);
  const search: FormationSearch = {
    around: readAround(reader, MISSING_COORDINATE_FR),
    level: reader.oneOf('target_diploma_level', LEVELS),
    // Not trimmed: a space after a comma is a 400 (work-study 7.8).
    romes: reader.list('romes', /^[A-Z]\d{4}$/, 'Liste de codes ROME invalide'),
    rncp: reader.pattern('rncp', /^RNCP\d{3,5}$/),
    archived: reader.oneOf('include_archived', ['true', 'false'] as const) === 'true',
    page: readPage(reader),
  };
  return reader.issues.length > 0 ? { issues: reader.issues } : { value: search };
}

/** `romes` and `rncp` are ORed, the other filters ANDed; `supprimé` courses are never found (work-study 7.8). */
function searchFormations(formations: readonly Json[], search: FormationSearch): Json[] {
  const { around, level } = search;
  const found = formations.filter((formation) => {
    const status = textAt(formation, 'statut', 'catalogue');
    if (status !== 'publié' && !(search.archived && status === 'archivé')) return false;
    return isOfLevel(formation, level) && leadsTo(formation, search);
  });
  if (around === undefined) return found;
  return withinRadius(found, around, (one) => positionOf(valueAt(one, 'lieu', 'geolocalisation')));
}

/** Whether the register's or the diploma's level is exactly this one. */
function isOfLevel(formation: Json, level: string | undefined): boolean {
  if (level === undefined) return true;
  const levels = valueAt(formation, 'certification', 'valeur', 'intitule', 'niveau');
  return textAt(levels, 'cfd', 'europeen') === level || textAt(levels, 'rncp', 'europeen') === level;
}

function leadsTo(formation: Json, { romes, rncp }: FormationSearch): boolean {
  if (romes === undefined && rncp === undefined) return true;
  const certification = valueAt(formation, 'certification', 'valeur');
  if (rncp !== undefined && textAt(certification, 'identifiant', 'rncp') === rncp) return true;
  const codes = listAt(certification, 'domaines', 'rome', 'rncp').map((rome) => textAt(rome, 'code'));
  return romes?.some((rome) => codes.includes(rome)) === true;
}
