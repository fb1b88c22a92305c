import type { FastifyInstance } from 'fastify';
import { perWorld } from '../../world/per-world.js';
import type { Json, World } from '../../world/types.js';
import { keyedRoute } from '../http/route.js';
import { textAt, valueAt } from '../values/fields.js';
import { custom } from '../values/issues.js';
import { createQueryReader, paginate, type QueryReader, readPage } from '../values/query.js';
import { hasLuhnSiret, hasUaiLetter } from './identifiers.js';

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

/** The identifiers to match. */
export interface MatchRequest {
  readonly siret: string | undefined;
  readonly uai: string | undefined;
}

/**
 * The service's matcher: the best match and the candidates, each reduced to identifiers and booleans (work-study 7.12,
 * 8.2). Formateurs, responsables and training places are derived from the formations.
 */
function createOrganismeMatcher(world: World) {
  return ({ siret, uai }: MatchRequest) => {
    const links = linksOf(world);
    const rows = candidatesOf(world, { siret, uai }, links).map((organisme) =>
      describe(organisme, { siret, uai }, links),
    );
    const best = rows.find(isCertain);
    return {
      metadata: {
        uai:
          uai === undefined ? null : { status: world.organismes.some((one) => uaiOf(one) === uai) ? 'ok' : 'inconnu' },
        siret: siret === undefined ? null : { status: siretStatus(world, siret, links) },
      },
      resultat: best ?? null,
      candidats: rows.filter((row) => row !== best),
    };
  };
}

/** Links between organisations, from the formations; each key is a SIRET. */
interface Links {
  /** SIRETs of the responsables of the formations that a formateur teaches. */
  readonly responsables: Map<string, Set<string>>;
  readonly formateurs: Map<string, Set<string>>;
  /** UAIs of the places where a formateur teaches. */
  readonly places: Map<string, Set<string>>;
  /** SIRETs that the company register knows, excluding training organisations. */
  readonly register: Set<string>;
}

const linksOf = perWorld(indexLinks);

function indexLinks(world: World): Links {
  const links: Links = { responsables: new Map(), formateurs: new Map(), places: new Map(), register: new Set() };
  for (const formation of world.formations) {
    const formateur = textAt(formation, 'formateur', 'organisme', 'identifiant', 'siret');
    const responsable = textAt(formation, 'responsable', 'organisme', 'identifiant', 'siret');
    if (formateur !== null) add(links.responsables, formateur, responsable);
    if (responsable !== null) add(links.formateurs, responsable, formateur);
    if (formateur !== null) add(links.places, formateur, textAt(formation, 'lieu', 'uai'));
  }
  for (const row of [...world.offers, ...world.recruiters]) {
    const siret = textAt(row, 'workplace', 'siret');
    if (siret !== null) links.register.add(siret);
  }
  for (const organization of world.organizations) {
    const siret = textAt(organization, 'siret');
    if (siret !== null) links.register.add(siret);
  }
  return links;
}

function add(index: Map<string, Set<string>>, key: string, value: string | null): void {
  const values = index.get(key) ?? new Set();
  index.set(key, values);
  if (value !== null) values.add(value);
}

function candidatesOf(world: World, { siret, uai }: MatchRequest, links: Links): Json[] {
  if (siret === undefined && uai === undefined) return [];
  return world.organismes.filter((organisme) => {
    const own = siretOf(organisme);
    return (
      (siret !== undefined && (own === siret || links.responsables.get(own)?.has(siret) === true)) ||
      (uai !== undefined && (uaiOf(organisme) === uai || links.places.get(own)?.has(uai) === true))
    );
  });
}

function describe(organisme: Json, { siret, uai }: MatchRequest, links: Links) {
  const own = siretOf(organisme);
  return {
    status: {
      ouvert: valueAt(organisme, 'etablissement', 'ouvert') === true,
      declaration_catalogue: links.responsables.has(own) || links.formateurs.has(own),
      validation_uai: uaiOf(organisme) !== null,
    },
    correspondances: {
      uai:
        uai === undefined
          ? null
          : { lui_meme: uaiOf(organisme) === uai, son_lieu: links.places.get(own)?.has(uai) === true },
      siret:
        siret === undefined
          ? null
          : {
              lui_meme: own === siret,
              son_formateur: links.formateurs.get(own)?.has(siret) === true && own !== siret,
              son_responsable: links.responsables.get(own)?.has(siret) === true && own !== siret,
            },
    },
    organisme: { identifiant: { uai: uaiOf(organisme), siret: own } },
  };
}

/** The best match must be open, and match each code that was given. */
function isCertain({ status, correspondances: { uai, siret } }: ReturnType<typeof describe>): boolean {
  return status.ouvert && uai?.lui_meme !== false && siret?.lui_meme !== false;
}

function siretStatus(world: World, siret: string, links: Links): 'inconnu' | 'fermé' | 'ok' {
  const known = world.organismes.find((organisme) => siretOf(organisme) === siret);
  if (known !== undefined) return valueAt(known, 'etablissement', 'ouvert') === true ? 'ok' : 'fermé';
  return links.register.has(siret) ? 'ok' : 'inconnu';
}

function siretOf(organisme: Json): string {
  return textAt(organisme, 'identifiant', 'siret') ?? '';
}

function uaiOf(organisme: Json): string | null {
  return textAt(organisme, 'identifiant', 'uai');
}
