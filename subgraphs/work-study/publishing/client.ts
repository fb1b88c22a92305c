import type { UpstreamRequest } from '../../rest/upstream.js';
import { FORWARDED, route } from '../values/calls.js';
import {
  JobOfferExport,
  type JobOfferExportView,
  JobOfferPublishing,
  type JobOfferPublishingView,
  Written,
  type WrittenView,
} from './shapes.js';

/** A body in the source's format; undefined keys are omitted. */
export type Body = Readonly<Record<string, unknown>>;

/*
 * Routes around publishing (work-study 7.3 to 7.7). Responses are never cached, and writes are never repeated. A write
 * that exceeds the service's own limit rejects with `BUSINESS_QUOTA`.
 */
const READ = { ...FORWARDED, cache: 'never', key: 'caller-or-operator' } as const;
const WRITE = { ...FORWARDED, cache: 'never', key: 'caller' } as const;

/** How far the publication of an offer has got; null for an unknown one. */
export function requestPublishing(id: string): UpstreamRequest<JobOfferPublishingView> {
  return {
    ...route('GET', '/job/v1/offer/{id}/publishing-informations', id),
    ...READ,
    unknown: 'null',
    parse: JobOfferPublishing.parse,
  };
}

/** A signed link to the daily export. */
export const EXPORT_LINK: UpstreamRequest<JobOfferExportView> = {
  ...route('GET', '/job/v1/export'),
  ...READ,
  parse: JobOfferExport.parse,
};

/** Publishes an offer. */
export function requestOffer(offer: Body): UpstreamRequest<WrittenView> {
  return { ...route('POST', '/job/v1/offer'), ...WRITE, body: offer, parse: Written.parse };
}

/** Replaces an offer. The response is a 204, without a body. */
export function requestUpdate(id: string, offer: Body): UpstreamRequest<{ readonly id: string }> {
  return { ...route('PUT', '/job/v1/offer/{id}', id), ...WRITE, body: offer, parse: () => ({ id }) };
}

/** Sends an application (work-study 7.7). */
export function requestApplication(application: Body): UpstreamRequest<WrittenView> {
  return { ...route('POST', '/job/v1/apply'), ...WRITE, body: application, parse: Written.parse };
}
