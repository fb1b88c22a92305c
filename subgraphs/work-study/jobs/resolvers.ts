import { whenThere } from '../../../kernel/awaitable.js';
import type { FieldPrice } from '../../../kernel/price.js';
import { orNull } from '../../rest/shape.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { communeOfWorkplace } from '../communes/match-commune.js';
import type { Context } from '../context.js';
import { readCircle, searchAround } from '../geography/circle.js';
import { AFTER_COMMUNE, callOf, ONE_CALL } from '../values/calls.js';
import { checkOfferId, RECRUITER_LABELS } from '../values/words.js';
import { type JobSearchFilter, NOTHING_FOUND, readSearchFilter, rowsOf, searchResultOf } from './search.js';
import type { JobOfferView } from './shapes.js';

/** The service sends up to three parts of 150 offers, and recruiters (work-study 7.1). */
const SEARCH: FieldPrice = { ...callOf('GET /job/v1/search'), rows: 450 };

/** Offers by id, and searches: by arguments, around a commune, in a département, for a certification. */
export const jobsResolvers: Resolvers = {
  Query: {
    jobSearch: {
      price: SEARCH,
      resolve: (_root, args, context) =>
        searchJobs(
          readSearchFilter(() => readCircle(args), args),
          context,
        ),
    },
    jobOffer: {
      price: callOf('GET /job/v1/offer/{id}'),
      resolve(_root, { id }, { loaders, operation }) {
        checkOfferId(id);
        return loaders.jobs.offer(id, operation);
      },
    },
  },
  Commune: {
    jobSearch: {
      price: { ...SEARCH, calls: AFTER_COMMUNE },
      resolve: (commune, args, context) =>
        searchAround(
          { commune, radius: args.radius },
          (readAround) => readSearchFilter(readAround, args),
          (filter, around) => searchJobs({ ...filter, ...around }, context),
        ),
    },
  },
  Departement: {
    jobSearch: {
      price: SEARCH,
      resolve({ codeInsee }, args, context) {
        const filter = readSearchFilter(() => null, args);
        return codeInsee === null ? null : searchJobs({ ...filter, departements: [codeInsee] }, context);
      },
    },
  },
  Certification: {
    jobSearch: {
      price: SEARCH,
      resolve({ identifiant }, args, context) {
        const filter = readSearchFilter(() => readCircle(args), args);
        const rncp = identifiant?.rncp ?? null;
        return rncp === null ? NOTHING_FOUND : searchJobs({ ...filter, rncp }, context);
      },
    },
  },
  JobOffer: {
    id: ({ identifier }) => (isRecruiter(identifier) ? null : identifier?.offerId || null),
    isDelegated: ({ isDelegated }) => isDelegated ?? false,
  },
  JobRecruiter: { id: ({ identifier }) => identifier?.recruiterId || null },
  JobContract: {
    typeRaw: ({ typeRaw }) => (typeRaw?.some((word) => word !== null) ? [...typeRaw] : null),
  },
  Workplace: {
    commune: {
      price: ONE_CALL,
      resolve: (workplace, _args, { loaders, operation }) =>
        loaders.geography.commune(communeOfWorkplace(workplace), operation),
    },
  },
};

/** Whether an offer is a likely recruiter in its shape: its identifier is that of a `JobRecruiter`. */
const isRecruiter = (identifier: JobOfferView['identifier']) =>
  orNull(() => RECRUITER_LABELS.includes(identifier?.partnerLabel)) === true;

function searchJobs(filter: JobSearchFilter, { loaders, operation }: Context) {
  return whenThere(loaders.jobs.search(filter, operation), (found) =>
    found === null ? null : searchResultOf(found, filter.partners_to_exclude, rowsOf(operation)),
  );
}
