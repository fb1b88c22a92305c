import { derived } from '../../../schema/cached-object.js';
import { pure } from '../../../schema/declared-field.js';
import { whenThere } from '../../../schema/is-promise.js';
import type { OperationContext } from '../../../schema/operation.js';
import { type FieldPrice, priced } from '../../../schema/price.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { matchWorkplaceCommune } from '../communes/match-workplace.js';
import { circleAround, readCircle } from '../geography/circle.js';
import { checkOfferId } from '../values/argument-checks.js';
import { callOf, ONE_CALL } from '../values/scopes.js';
import type { JobsLoaders } from './loaders.js';
import { countRows } from './row-budget.js';
import { type JobSearchFilter, readJobSearch } from './search-filter.js';
import { NOTHING_FOUND, searchResultOf } from './search-result.js';
import type { JobContractView, JobOfferView, JobRecruiterView, WorkplaceView } from './shapes.js';

/** The part of the request's context that a search uses. */
interface JobsContext {
  readonly operation: OperationContext;
  readonly loaders: { readonly jobs: JobsLoaders };
}

/** The service sends at most 150 offers per partner. */
const SEARCH: FieldPrice = { ...callOf('GET /job/v1/search'), rows: 150 };

/** Offers by id, and searches: by arguments, around a commune, in a département, for a certification. */
export const jobsResolvers: Resolvers = {
  Query: {
    jobSearch: priced(SEARCH, (_root, args, context) => searchJobs(readJobSearch(readCircle(args), args), context)),
    jobOffer: priced(callOf('GET /job/v1/offer/{id}'), (_root, { id }, { loaders, operation }) => {
      checkOfferId(id);
      return loaders.jobs.offer(id, operation);
    }),
  },
  Commune: {
    jobSearch: priced(SEARCH, (commune, args, context) => {
      // Checked before the commune is fetched, so that a caller's mistake costs no call.
      const filter = readJobSearch(null, args);
      return whenThere(circleAround(commune, args.radius), (around) =>
        around === null ? null : searchJobs({ ...filter, around }, context),
      );
    }),
  },
  Departement: {
    jobSearch: priced(SEARCH, ({ codeInsee }, args, context) => {
      const filter = readJobSearch(null, args);
      return codeInsee === null ? null : searchJobs({ ...filter, departements: [codeInsee] }, context);
    }),
  },
  Certification: {
    jobSearch: priced(SEARCH, ({ identifiant }, args, context) => {
      const filter = readJobSearch(readCircle(args), args);
      const rncp = identifiant?.rncp ?? null;
      return rncp === null ? NOTHING_FOUND : searchJobs({ ...filter, rncp }, context);
    }),
  },
  JobOffer: {
    id: pure(({ identifier }: JobOfferView) => identifier?.id || null),
    isDelegated: pure(({ isDelegated }: JobOfferView) => isDelegated ?? false),
  },
  JobRecruiter: { id: pure(({ identifier }: JobRecruiterView) => identifier?.id || null) },
  JobContract: {
    typeRaw: pure(({ typeRaw }: JobContractView) => (typeRaw?.some((word) => word !== null) ? [...typeRaw] : null)),
  },
  Workplace: {
    commune: priced(ONE_CALL, (workplace, _args, { loaders, operation }) => {
      const insee = communeOf(workplace);
      return insee === null ? null : loaders.geography.commune(insee, operation);
    }),
  },
};

/** INSEE code of a workplace's commune, matched once for a cached workplace. */
const communeOf = derived(
  ({ location }: WorkplaceView) => matchWorkplaceCommune(location?.geopoint?.coordinates, location?.address),
  () => 40,
);

function searchJobs(filter: JobSearchFilter, { loaders, operation }: JobsContext) {
  return whenThere(loaders.jobs.search(filter, operation), (found) =>
    found === null ? null : countRows(searchResultOf(found, filter.partnersToExclude), operation),
  );
}
