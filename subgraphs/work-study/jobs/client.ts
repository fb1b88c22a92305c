import { createSingleLoader } from '../../graph/loader.js';
import type { Upstream, UpstreamRequest } from '../../rest/upstream.js';
import { FORWARDED, queryOf, route, SEARCHED } from '../values/calls.js';
import type { JobSearchFilter } from './search.js';
import { JobOffer, type JobOfferView, JobSearch, type JobSearchView } from './shapes.js';

const ROUTE = { ...SEARCHED, ...FORWARDED };

function requestSearch(filter: JobSearchFilter): UpstreamRequest<JobSearchView> {
  return { ...route('GET', '/job/v1/search'), ...ROUTE, query: queryOf(filter), parse: JobSearch.parse };
}

function requestOffer(id: string): UpstreamRequest<JobOfferView> {
  return { ...route('GET', '/job/v1/offer/{id}', id), ...ROUTE, unknown: 'null', parse: JobOffer.parse };
}

/** Offers for one request, already loaded or to be loaded. */
export type JobsLoaders = ReturnType<typeof createJobsLoaders>;

/** Loaders of offers for one request. Equal searches share one call. */
export function createJobsLoaders(upstream: Upstream) {
  return {
    /** The offers and recruiters that a search finds (work-study 7.1). */
    search: createSingleLoader(
      (filter: JobSearchFilter, operation) => upstream.read(requestSearch(filter), operation),
      (filter) => JSON.stringify(queryOf(filter)),
    ),
    /** By identifier in the store (work-study 7.2); null when unknown. */
    offer: createSingleLoader((id: string, operation) => upstream.read(requestOffer(id), operation)),
  };
}
