import { createSingleLoader, type Load } from '../../graph/loader.js';
import type { Upstream } from '../../rest/upstream.js';
import { readJobOffer, readJobSearch } from './client.js';
import { type JobSearchFilter, jobSearchQuery } from './search.js';
import type { JobOfferView, JobSearchView } from './shapes.js';

/** Offers for one request, already loaded or to be loaded. */
export interface JobsLoaders {
  readonly search: Load<JobSearchFilter, JobSearchView | null>;
  /** By identifier in the store; null when unknown. */
  readonly offer: Load<string, JobOfferView | null>;
}

/** Loaders of offers for one request. Equal searches share one call. */
export function createJobsLoaders(upstream: Upstream): JobsLoaders {
  return {
    search: createSingleLoader(
      (filter, operation) => readJobSearch(upstream, filter, operation),
      (filter) => JSON.stringify(jobSearchQuery(filter)),
    ),
    offer: createSingleLoader((id, operation) => readJobOffer(upstream, id, operation)),
  };
}
