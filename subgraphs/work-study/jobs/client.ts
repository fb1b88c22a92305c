import { createSingleLoader, type Load } from '../../graph/loader.js';
import type { Upstream, UpstreamRequest } from '../../rest/upstream.js';
import { type JobSearchFilter, jobSearchQuery } from './search.js';
import { JobOffer, type JobOfferView, JobSearch, type JobSearchView } from './shapes.js';

/** The service forwards these routes and gives up after 10 s, so we wait a little longer (work-study 5.3). */
export const FORWARDED_MS = 12_000;

function requestSearch(filter: JobSearchFilter): UpstreamRequest<JobSearchView> {
  return {
    query: jobSearchQuery(filter),
    parse: JobSearch.parse,
    ...search('/job/v1/search', '/job/v1/search'),
  };
}

function requestOffer(id: string): UpstreamRequest<JobOfferView> {
  return {
    unknown: 'null',
    parse: JobOffer.parse,
    ...search('/job/v1/offer/{id}', `/job/v1/offer/${encodeURIComponent(id)}`),
  };
}

function search(template: string, path: string) {
  return {
    method: 'GET',
    template,
    path,
    attemptMs: FORWARDED_MS,
    cache: 'search',
    key: 'caller-or-operator',
  } as const;
}

/** Offers for one request, already loaded or to be loaded. */
export interface JobsLoaders {
  /** The offers and recruiters that a search finds (work-study 7.1). */
  readonly search: Load<JobSearchFilter, JobSearchView | null>;
  /** By identifier in the store (work-study 7.2); null when unknown. */
  readonly offer: Load<string, JobOfferView | null>;
}

/** Loaders of offers for one request. Equal searches share one call. */
export function createJobsLoaders(upstream: Upstream): JobsLoaders {
  return {
    search: createSingleLoader(
      (filter, operation) => upstream.read(requestSearch(filter), operation),
      (filter) => JSON.stringify(jobSearchQuery(filter)),
    ),
    offer: createSingleLoader((id, operation) => upstream.read(requestOffer(id), operation)),
  };
}
