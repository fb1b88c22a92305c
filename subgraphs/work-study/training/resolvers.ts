import { whenThere } from '../../../kernel/awaitable.js';
import { stepsInTurns } from '../../../runtime/event-loop/turns.js';
import { wordsOfPlaceName } from '../../codes/places.js';
import { isRomeCode } from '../../codes/registers.js';
import { badUserInput, checkLength, together } from '../../graph/arguments.js';
import { checkFirst, connectionOf, cutFrom, type PageArguments, readPage } from '../../graph/connection.js';
import type { AppointmentInput, QueryFormationsArgs, Resolvers } from '../__generated__/resolvers.js';
import type { Context } from '../context.js';
import { type Circle, circleAt, DEFAULT_RADIUS_KM, readCircle, searchAround } from '../geography/circle.js';
import { AFTER_COMMUNE, MAX_PAGE_SIZE, ONE_CALL } from '../values/calls.js';
import { checkRomes, readLevel, readRncp } from '../values/words.js';
import { type AppointmentKey, type FormationFilter, requestAppointmentLink } from './client.js';
import { isNamed, organizationsOf } from './organizations.js';
import type { FormationView } from './shapes.js';

/** Courses by key, and searches: by arguments, or for a commune, a certification or an offer. */
export const trainingResolvers: Resolvers = {
  Query: {
    formations: {
      price: ONE_CALL,
      resolve: (_root, args, context) =>
        listFormations(
          readFilter(() => readCircle(args), args),
          args,
          context,
        ),
    },
    formation: {
      price: ONE_CALL,
      resolve(_root, { id }, { loaders, operation }) {
        if (id === '') throw badUserInput('id', 'is empty');
        return loaders.training.formation(id, operation);
      },
    },
  },
  Mutation: {
    generateAppointmentLink: {
      price: ONE_CALL,
      resolve: (_root, { input }, { upstream, operation }) =>
        upstream.call(requestAppointmentLink(readAppointment(input)), operation),
    },
  },
  Commune: {
    formations: {
      price: { ...ONE_CALL, calls: AFTER_COMMUNE },
      resolve: (commune, args, context) =>
        searchAround(
          { commune, radius: args.radius },
          (readAround) => readFilter(readAround, args),
          (filter, around) => listFormations({ ...filter, around }, args, context),
        ),
    },
    trainingOrganizations: {
      price: { ...ONE_CALL, calls: AFTER_COMMUNE },
      resolve: (commune, args, context) =>
        searchAround(
          { commune, radius: args.radius },
          (readAround) => {
            const [filter] = together(
              () => readFilter(readAround, args),
              () => checkLength('name', args.name, { min: 1 }),
            );
            return filter;
          },
          (filter, around) => listOrganizations({ ...filter, around }, args, context),
        ),
    },
  },
  Certification: {
    formations: {
      price: ONE_CALL,
      resolve({ identifiant }, args, context) {
        const filter = readFilter(() => readCircle(args), args);
        const rncp = identifiant?.rncp ?? null;
        return rncp === null ? noFormations(args) : listFormations({ ...filter, rncp }, args, context);
      },
    },
  },
  JobOffer: {
    formations: {
      price: ONE_CALL,
      resolve({ offer, workplace }, args, context) {
        const filter = readFilter(() => circleAt(workplace?.location?.geopoint ?? null, args.radius), args);
        const romes = (offer?.romeCodes ?? []).filter(
          (code): code is string => typeof code === 'string' && isRomeCode(code),
        );
        return romes.length === 0 ? noFormations(args) : listFormations({ ...filter, romes }, args, context);
      },
    },
  },
  AppointmentLink: {
    userErrors: ({ error }) => (error === null ? [] : [{ message: error, field: [] }]),
  },
  Formation: {
    id: ({ identifiant }) => identifiant?.cleMinistereEducatif || null,
    commune: {
      price: ONE_CALL,
      resolve: ({ lieu }, _args, { loaders, operation }) =>
        loaders.geography.commune(lieu?.adresse?.commune?.codeInsee, operation),
    },
  },
};

type FilterArguments = Omit<QueryFormationsArgs, 'latitude' | 'longitude' | 'radius'>;

const FORMATION_LEVELS = ['1', '2', '3', '4', '5', '6', '7', '8'];

function readFilter(readAround: () => Circle | null, args: FilterArguments): FormationFilter {
  const [around, targetDiplomaLevel, rncp] = together(
    readAround,
    () => readLevel(args.targetDiplomaLevel, FORMATION_LEVELS),
    () => readRncp(args.rncp) ?? null,
    () => checkRomes(args.romes),
    () => checkFirst(args.first, MAX_PAGE_SIZE),
  );
  return {
    around,
    targetDiplomaLevel,
    romes: args.romes ?? [],
    rncp,
    includeArchived: args.includeArchived ?? false,
  };
}

function listFormations(filter: FormationFilter, args: PageArguments, { loaders, operation }: Context) {
  const { around } = filter;
  const meant = { ...filter, around: around && { ...around, radius: around.radius ?? DEFAULT_RADIUS_KM } };
  const page = readPage(args, { list: 'formations', filter: meant, maximum: MAX_PAGE_SIZE });
  return whenThere(loaders.training.stretch(filter, page, operation), ({ items, hasNext }) =>
    connectionOf(page, { items, totalCount: null, hasNextPage: hasNext }),
  );
}

/** The training centres of one page of courses, the largest that the source sends. */
async function listOrganizations(
  filter: FormationFilter,
  args: PageArguments & { readonly name?: string | null | undefined },
  { loaders, operation }: Context,
) {
  const name = wordsOfPlaceName(args.name ?? '');
  const page = readPage(args, { list: 'training organizations', filter: { ...filter, name }, maximum: MAX_PAGE_SIZE });
  const found = await loaders.training.stretch(filter, { offset: 0, size: MAX_PAGE_SIZE }, operation);
  const { organizations, complete } = await stepsInTurns(organizationsOf(found));
  const named = organizations.filter((one) => isNamed(one, name));
  return { ...connectionOf(page, cutFrom(page, named, complete)), complete };
}

/** No courses, for an object without a code to search by. Costs no call. */
function noFormations(args: PageArguments) {
  const page = readPage(args, { list: 'no formations', maximum: MAX_PAGE_SIZE });
  return connectionOf<FormationView | null>(page, { items: [], totalCount: null, hasNextPage: false });
}

/** The one key given, in the words of the source. */
function readAppointment({ parcoursupId, onisepId, cleMinistereEducatif }: AppointmentInput): AppointmentKey {
  if (typeof parcoursupId === 'string') return { parcoursup_id: parcoursupId };
  return typeof onisepId === 'string'
    ? { onisep_id: onisepId }
    : { cle_ministere_educatif: cleMinistereEducatif ?? '' };
}
