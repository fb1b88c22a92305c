import type { OperationContext } from '../../../schema/operation.js';
import type { Upstream } from '../../rest/call/upstream.js';
import { type JobSearchFilter, jobSearchQuery } from './search-filter.js';
import { JobOffer, type JobOfferView, JobSearch, type JobSearchView } from './shapes.js';

/** The service forwards these routes and gives up after 10 s: we wait a little longer (work-study 5.3). */
export const FORWARDED_MS = 12_000;

/** The routes that read offers. */
export interface JobsClient {
  search(filter: JobSearchFilter, operation: OperationContext): Promise<JobSearchView | null>;
  /** One offer by its identifier in the store; null when it is unknown. */
  offer(id: string, operation: OperationContext): Promise<JobOfferView | null>;
}

/** Routes that read offers (work-study 7.1 and 7.2). */
export function createJobsClient(upstream: Upstream): JobsClient {
  return {
    search: (filter, operation) => upstream.call(requestSearch(filter, upstream), operation),
    offer: (id, operation) => upstream.call(requestOffer(id, upstream), operation),
  };
}

function requestSearch(filter: JobSearchFilter, { origin }: Upstream) {
  return {
    ...search('/job/v1/search', '/job/v1/search'),
    query: jobSearchQuery(filter),
    parse: ({ json }: { json: unknown }) => JobSearch.view(json, origin),
  };
}

function requestOffer(id: string, { origin }: Upstream) {
  return {
    ...search('/job/v1/offer/{id}', `/job/v1/offer/${encodeURIComponent(id)}`),
    unknown: 'null',
    parse: ({ json }: { json: unknown }) => JobOffer.view(json, origin),
  } as const;
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
