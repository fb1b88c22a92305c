import type { OperationContext } from '../../../schema/operation.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { matchWorkplaceCommune } from '../communes/match-workplace.js';
import { circleAround, readCircle } from '../geography/circle.js';
import { checkOfferId } from '../values/argument-checks.js';
import type { JobsLoaders } from './loaders.js';
import { type JobSearchFilter, readJobSearch } from './search-filter.js';
import { NOTHING_FOUND, searchResultOf } from './search-result.js';

/** What a search uses of the request's context. */
interface JobsContext {
  readonly operation: OperationContext;
  readonly loaders: { readonly jobs: JobsLoaders };
}

/** Offers by id and searched: by arguments, or around a commune, a département, a certification. */
export const jobsResolvers: Resolvers = {
  Query: {
    jobSearch: (_root, args, context) => searchJobs(readJobSearch(readCircle(args), args), context),
    jobOffer(_root, { id }, { loaders, operation }) {
      checkOfferId(id);
      return loaders.jobs.offer(id, operation);
    },
  },
  Commune: {
    async jobSearch(commune, args, context) {
      // Checked before the commune is fetched: a caller's mistake costs no call.
      const filter = readJobSearch(null, args);
      const around = await circleAround(commune, args.radius);
      return around === null ? null : searchJobs({ ...filter, around }, context);
    },
  },
  Departement: {
    jobSearch({ codeInsee }, args, context) {
      const filter = readJobSearch(null, args);
      return codeInsee === null ? null : searchJobs({ ...filter, departements: [codeInsee] }, context);
    },
  },
  Certification: {
    jobSearch({ identifiant }, args, context) {
      const filter = readJobSearch(readCircle(args), args);
      const rncp = identifiant?.rncp ?? null;
      return rncp === null ? NOTHING_FOUND : searchJobs({ ...filter, rncp }, context);
    },
  },
  JobOffer: {
    id: ({ identifier }) => identifier?.id ?? null,
    isDelegated: ({ isDelegated }) => isDelegated ?? false,
  },
  JobRecruiter: { id: ({ identifier }) => identifier?.id ?? null },
  JobContract: {
    typeRaw: ({ typeRaw }) => (typeRaw?.some((word) => word !== null) ? [...typeRaw] : null),
  },
  Workplace: {
    commune({ location }, _args, { loaders, operation }) {
      const insee = matchWorkplaceCommune(location?.geopoint?.coordinates, location?.address);
      return insee === null ? null : loaders.geography.commune(insee, operation);
    },
  },
};

async function searchJobs(filter: JobSearchFilter, { loaders, operation }: JobsContext) {
  const found = await loaders.jobs.search(filter, operation);
  return found === null ? null : searchResultOf(found, filter.partnersToExclude);
}
