import type { OperationContext } from '../../../kernel/operation.js';
import type { Upstream, UpstreamResponse } from '../../rest/upstream.js';
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
export function readPublishing(
  upstream: Upstream,
  id: string,
  operation: OperationContext,
): Promise<JobOfferPublishingView | null> {
  return upstream.call(
    {
      ...get('/job/v1/offer/{id}/publishing-informations'),
      path: `/job/v1/offer/${encodeURIComponent(id)}/publishing-informations`,
      unknown: 'null',
      parse: ({ json, origin }) => JobOfferPublishing.view(json, origin),
    },
    operation,
  );
}

/** A signed link to the daily export. */
export function readExportLink(upstream: Upstream, operation: OperationContext): Promise<JobOfferExportView | null> {
  return upstream.call(
    { ...get('/job/v1/export'), parse: ({ json, origin }) => JobOfferExport.view(json, origin) },
    operation,
  );
}

/** Publishes an offer. */
export function sendOffer(upstream: Upstream, offer: Body, operation: OperationContext): Promise<WrittenView | null> {
  return upstream.call({ ...write('POST', '/job/v1/offer'), body: offer, parse: parseWritten }, operation);
}

/** Replaces an offer. */
export function sendUpdate(
  upstream: Upstream,
  { id, offer }: { readonly id: string; readonly offer: Body },
  operation: OperationContext,
): Promise<{ readonly id: string } | null> {
  return upstream.call(
    {
      ...write('PUT', '/job/v1/offer/{id}'),
      path: `/job/v1/offer/${encodeURIComponent(id)}`,
      body: offer,
      // 204, without a body.
      parse: () => ({ id }),
    },
    operation,
  );
}

/** Sends an application, to a route that is configured. */
export function sendApplication(
  upstream: Upstream,
  { applyPath, application }: { readonly applyPath: string; readonly application: Body },
  operation: OperationContext,
): Promise<WrittenView | null> {
  return upstream.call({ ...write('POST', applyPath), body: application, parse: parseWritten }, operation);
}

function parseWritten({ json, origin }: UpstreamResponse): WrittenView {
  return Written.view(json, origin);
}

function get(template: string) {
  return {
    method: 'GET',
    template,
    path: template,
    attemptMs: FORWARDED_MS,
    cache: 'never',
    key: 'caller-or-operator',
  } as const;
}

function write<M extends 'POST' | 'PUT'>(method: M, template: string) {
  return { method, template, path: template, attemptMs: FORWARDED_MS, cache: 'never', key: 'caller' } as const;
}
