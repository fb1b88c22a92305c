import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
import { CodedError } from '../../../kernel/errors.js';
import type { FieldPrice } from '../../../kernel/price.js';
import { inTurn } from '../../../runtime/event-loop/turns.js';
import { DEPARTMENTS } from '../../codes/departments.js';
import { epciByCode } from '../../codes/epcis.js';
import { isInseeCode } from '../../codes/places.js';
import { badUserInput, checkCode, checkLength, checkRange, together } from '../../graph/arguments.js';
import { idOf, readId } from '../../graph/ids.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { arrondissementsIn, communesMeant, refuseAmbiguous } from '../communes/asked-commune.js';
import { communeIndex, countCommunes, resolveInsee } from '../communes/commune-index.js';
import { findCommunesByName, findPlaces, readWrittenName, type WrittenName } from '../communes/commune-names.js';
import { matchCommune } from '../communes/match-commune.js';
import type { Context } from '../context.js';
import type { DepartementParent } from '../parents.js';
import { ONE_CALL } from '../values/calls.js';
import { readCircle } from './circle.js';
import { DEPARTEMENTS, requestMissionsLocales } from './client.js';
import { type Commune, joinCentreOf, type LazyCommune, lazyCommune } from './lazy-commune.js';
import type { CommuneView } from './shapes.js';

/** The longest name of the official list has 45 characters. */
const MAX_NAME_LENGTH = 100;
/** Each commune with a selected field that only the service knows costs one call. */
const MAX_COMMUNES = 100;
const FEW_COMMUNES = 10;

const SOME_COMMUNES: FieldPrice = { ...ONE_CALL, rows: ({ code }) => countCommunes(code) };
/** One call for each commune of which more than name and département is selected. */
const NAMED_COMMUNES: FieldPrice = { ...ONE_CALL, calls: ({ first }) => (typeof first === 'number' ? first : 10) };
/** Communes of the largest EPCI, of which more than name and département may be selected. */
const MOST_MEMBERS = 158;
/** Missions locales in one list; all of France has 440. */
const OFFICES = { ...ONE_CALL, rows: 440 };

function checkInsee(insee: string): void {
  const expected = `an INSEE code: five characters, in Corsica starting with 2A or 2B${communesMeant(insee)}`;
  checkCode('insee', insee, { isValid: isInseeCode, expected });
  refuseAmbiguous('insee', insee);
}

/** Communes by code, by name, by reference and of missions; départements and missions locales. */
export const geographyResolvers: Resolvers = {
  Query: {
    commune: {
      price: ONE_CALL,
      resolve(_root, { insee }, context) {
        checkInsee(insee);
        const current = resolveInsee(insee);
        // The service may know a commune that is newer than the list.
        if (current === null) return context.loaders.geography.commune(insee, context.operation);
        const [askedArrondissement] = arrondissementsIn([insee]);
        const commune = communeOf(current, context);
        return askedArrondissement === undefined ? commune : { ...commune, askedArrondissement };
      },
    },
    communes: {
      price: SOME_COMMUNES,
      resolve(_root, { code }, { loaders, operation }) {
        // The source refuses anything else too (work-study 7.14).
        if (!/^\d{5}$/.test(code)) throw badUserInput('code', 'must have five digits');
        return loaders.geography.communes(code, operation);
      },
    },
    communesByName: {
      price: NAMED_COMMUNES,
      resolve: (_root, { name, first }, context) =>
        named(name, first, (written, limit) =>
          findCommunesByName(written, limit).map(({ insee }) => communeOf(insee, context)),
        ),
    },
    placesByName: (_root, { name, kinds, first }) =>
      named(name, first, (written, limit) => findPlaces({ text: name, written, kinds: kinds ?? [], limit })),
    epcisByName: (_root, { name, first }) =>
      named(name, first, (written, limit) =>
        findPlaces({ text: name, written, kinds: ['EPCI'], limit }).flatMap(({ code }) => epciByCode(code) ?? []),
      ),
    departements: {
      price: { ...ONE_CALL, rows: DEPARTMENTS.length },
      resolve: (_root, _args, { upstream, operation }) => upstream.read(DEPARTEMENTS, operation),
    },
    missionsLocales: {
      price: OFFICES,
      resolve: (_root, args, { upstream, operation }) =>
        upstream.read(requestMissionsLocales(readCircle(args)), operation),
    },
  },
  Commune: {
    __resolveReference({ code }, context) {
      const insee = code?.insee;
      // A malformed code from another source joins to nothing; it is not the caller's error.
      return typeof insee === 'string' && isInseeCode(insee) ? communeOf(insee, context) : null;
    },
    id: idOfCommune,
    epci: ({ code }) => communeIndex().byInsee.get(resolveInsee(code?.insee ?? '') ?? '')?.epci ?? null,
    joinCentre: joinCentreOf,
    departement: (commune) =>
      whenThere('whole' in commune ? commune.departement() : commune.departement, (departement) =>
        departement === null ? null : new DepartementOfCommune(commune, departement),
      ),
  },
  Epci: {
    __resolveReference: ({ id }) => epciByCode(readId(id)?.code ?? '') ?? null,
    id: ({ code }) => idOf('Epci', code),
    communes: {
      price: { ...ONE_CALL, calls: MOST_MEMBERS },
      resolve: ({ members }, _args, context) => members.split(' ').map((insee) => communeOf(insee, context)),
    },
  },
  Place: {
    id: ({ kind, code }) => idOf('Place', `${kind}:${code}`),
    commune: {
      price: ONE_CALL,
      resolve: ({ kind, code }, _args, context) => (kind === 'COMMUNE' ? communeOf(code, context) : null),
    },
  },
  Mission: {
    // The address comes with the reference, so matching it takes no call.
    commune: {
      price: ONE_CALL,
      resolve: (mission, _args, { loaders, operation }) =>
        loaders.geography.commune(matchCommune(mission).insee, operation),
    },
    communeMatch: matchCommune,
  },
  CommuneCandidate: { id: ({ insee }) => idOf('CommuneCandidate', insee) },
  CommuneAncienne: { id: ({ codeInsee }) => idOf('CommuneAncienne', codeInsee) },
  CommuneArrondissement: { id: ({ code }) => idOf('CommuneArrondissement', code) },
  Departement: { id: ({ codeInsee }) => idOf('Departement', codeInsee) },
  Region: { id: ({ codeInsee }) => idOf('Region', codeInsee) },
  Academie: { id: ({ id }) => idOf('Academie', id) },
  MissionLocale: { id: ({ id }) => idOf('MissionLocale', id) },
};

/** By the INSEE code, by which every commune is known here. Throws if a record lacks it. */
function idOfCommune({ code }: Commune): string {
  const insee = code?.insee;
  if (insee !== null && insee !== undefined && insee !== '') return idOf('Commune', insee);
  throw new CodedError('UPSTREAM_INVALID_RESPONSE', 'work-study sent a commune without its code.', {
    service: 'work-study',
  });
}

/** What a search by name finds, in a turn of its own. Throws `BAD_USER_INPUT`. */
function named<T>(
  name: string,
  first: number | null | undefined,
  find: (written: WrittenName, limit: number) => T,
): Awaitable<T> {
  const [written] = together(
    () => readCommuneName(name),
    () => checkRange('first', first, { min: 1, max: MAX_COMMUNES }),
  );
  return inTurn(() => find(written, first ?? FEW_COMMUNES));
}

function communeOf(insee: string, { loaders, operation }: Context): LazyCommune {
  return lazyCommune(insee, () => loaders.geography.commune(insee, operation));
}

/** A name, with what stands beside it. Throws `BAD_USER_INPUT`. */
function readCommuneName(name: string): WrittenName {
  checkLength('name', name, { max: MAX_NAME_LENGTH });
  const written = readWrittenName(name);
  if (written.folded === '' && written.postalCode === null) throw badUserInput('name', 'names no commune');
  return written;
}

/**
 * The département of a commune in the form of the root field's; each field is read when it is selected. A class, as of
 * objects with a prototype or getters of their own each has a hidden class, too.
 */
class DepartementOfCommune implements DepartementParent {
  readonly #commune: Commune;
  readonly #departement: NonNullable<CommuneView['departement']>;

  constructor(commune: Commune, departement: NonNullable<CommuneView['departement']>) {
    this.#commune = commune;
    this.#departement = departement;
  }

  get nom() {
    return this.#departement.nom;
  }

  get codeInsee() {
    return this.#departement.codeInsee;
  }

  get region() {
    return this.#commune.region;
  }

  get academie() {
    return this.#commune.academie;
  }
}
