import type { FastifyInstance } from 'fastify';
import type { World } from '../../world/types.js';
import { keyedRoute } from '../http/route.js';
import { custom } from '../values/issues.js';
import { createQueryReader, paginate, type QueryReader, readPage } from '../values/query.js';
import { hasLuhnSiret, hasUaiLetter } from './identifiers.js';
import { createOrganismeMatcher } from './organisme-matcher.js';

/** The matcher of training organisations and their paged list (work-study 7.12, 7.13). */
export function organismeRoutes(app: FastifyInstance, world: World): void {
  const match = createOrganismeMatcher(world);
  keyedRoute(app, {
    method: 'GET',
    path: '/organisme/v1/recherche',
    read({ query }) {
      const reader = createQueryReader(query);
      const siret = readSiret(reader);
      const uai = readUai(reader);
      return reader.issues.length > 0 ? { issues: reader.issues } : { value: { siret, uai } };
    },
    handle: (identifiers) => match(identifiers),
  });
  keyedRoute(app, {
    method: 'GET',
    path: '/organisme/v1/export',
    read({ query }) {
      const reader = createQueryReader(query);
      const page = readPage(reader);
      return reader.issues.length > 0 ? { issues: reader.issues } : { value: page };
    },
    handle: (page) => paginate(world.organismes, page),
  });
}

/** Reads 9 to 14 digits, pads them with zeros on the left, then checks them. */
function readSiret(reader: QueryReader): string | undefined {
  const given = reader.pattern('siret', /^\d{9,14}$/);
  const siret = given?.padStart(14, '0');
  if (siret !== undefined && reader.issues.length === 0 && !hasLuhnSiret(siret)) {
    reader.issues.push(custom(['siret'], 'SIRET invalide'));
  }
  return siret;
}

/** Reads 1 to 7 digits and a letter in either case, pads them with zeros, then checks them. */
function readUai(reader: QueryReader): string | undefined {
  const wrongBefore = reader.issues.length;
  const given = reader.pattern('uai', /^\d{1,7}[a-zA-Z]$/);
  const uai = given?.toUpperCase().padStart(8, '0');
  if (uai !== undefined && reader.issues.length === wrongBefore && !hasUaiLetter(uai)) {
    reader.issues.push(custom(['uai'], 'UAI invalide'));
  }
  return uai;
}
