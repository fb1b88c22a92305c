import type { UpstreamRequest } from '../../rest/upstream.js';
import { FORWARDED_MS } from '../jobs/client.js';
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

/** How far the publication of an offer has got; null for an unknown one. */
export function requestPublishing(id: string): UpstreamRequest<JobOfferPublishingView> {
  const template = '/job/v1/offer/{id}/publishing-informations';
  return {
    unknown: 'null',
    parse: JobOfferPublishing.parse,
    ...get(template, `/job/v1/offer/${encodeURIComponent(id)}/publishing-informations`),
  };
}

/** A signed link to the daily export. */
export const EXPORT_LINK: UpstreamRequest<JobOfferExportView> = {
  parse: JobOfferExport.parse,
  ...get('/job/v1/export'),
};

/** Publishes an offer. */
export function requestOffer(offer: Body): UpstreamRequest<WrittenView> {
  return { body: offer, parse: Written.parse, ...write('POST', '/job/v1/offer') };
}

/** Replaces an offer. The response is a 204, without a body. */
export function requestUpdate(id: string, offer: Body): UpstreamRequest<{ readonly id: string }> {
  const path = `/job/v1/offer/${encodeURIComponent(id)}`;
  return { body: offer, parse: () => ({ id }), ...write('PUT', '/job/v1/offer/{id}', path) };
}

/** Sends an application (work-study 7.7). */
export function requestApplication(application: Body): UpstreamRequest<WrittenView> {
  return { body: application, parse: Written.parse, ...write('POST', '/job/v1/apply') };
}

function get(template: string, path = template) {
  return {
    method: 'GET',
    template,
    path,
    attemptMs: FORWARDED_MS,
    cache: 'never',
    key: 'caller-or-operator',
  } as const;
}

function write(method: 'POST' | 'PUT', template: string, path = template) {
  return { method, template, path, attemptMs: FORWARDED_MS, cache: 'never', key: 'caller' } as const;
}
