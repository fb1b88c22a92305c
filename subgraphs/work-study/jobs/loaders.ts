import { createSingleLoader, type Load } from '../../graph/loader.js';
import type { JobsClient } from './client.js';
import { type JobSearchFilter, jobSearchQuery } from './search.js';
import type { JobOfferView, JobSearchView } from './shapes.js';

/** Offers for one request, already loaded or to be loaded. */
export interface JobsLoaders {
  readonly search: Load<JobSearchFilter, JobSearchView | null>;
  /** By identifier in the store; null when unknown. */
  readonly offer: Load<string, JobOfferView | null>;
}

/** Loaders of offers for one request. Equal searches share one call. */
export function createJobsLoaders(client: JobsClient): JobsLoaders {
  return {
    search: createSingleLoader(client.search, (filter) => JSON.stringify(jobSearchQuery(filter))),
    offer: createSingleLoader(client.offer),
  };
}
