import type { OperationContext } from '../../../kernel/operation.js';
import type { Upstream } from '../../rest/upstream.js';
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

/** The routes around publishing. A write that exceeds the service's own limit rejects with `BUSINESS_QUOTA`. */
export interface PublishingClient {
  /** How far the publication of an offer has got; null for an unknown one. */
  publishing(id: string, operation: OperationContext): Promise<JobOfferPublishingView | null>;
  exportLink(operation: OperationContext): Promise<JobOfferExportView | null>;
  create(offer: Body, operation: OperationContext): Promise<WrittenView | null>;
  update(id: string, offer: Body, operation: OperationContext): Promise<{ readonly id: string } | null>;
  apply(application: Body, operation: OperationContext): Promise<WrittenView | null>;
}

/** Routes around publishing (work-study 7.3 to 7.7). Responses are never cached, and writes are never repeated. */
export function createPublishingClient(upstream: Upstream, applyPath: string): PublishingClient {
  const { origin } = upstream;
  return {
    publishing: (id, operation) =>
      upstream.call(
        {
          ...get('/job/v1/offer/{id}/publishing-informations'),
          path: `/job/v1/offer/${encodeURIComponent(id)}/publishing-informations`,
          unknown: 'null',
          parse: ({ json }) => JobOfferPublishing.view(json, origin),
        },
        operation,
      ),
    exportLink: (operation) =>
      upstream.call({ ...get('/job/v1/export'), parse: ({ json }) => JobOfferExport.view(json, origin) }, operation),
    create: (offer, operation) =>
      upstream.call(
        { ...write('POST', '/job/v1/offer'), body: offer, parse: ({ json }) => Written.view(json, origin) },
        operation,
      ),
    update: (id, offer, operation) =>
      upstream.call(
        {
          ...write('PUT', '/job/v1/offer/{id}'),
          path: `/job/v1/offer/${encodeURIComponent(id)}`,
          body: offer,
          // 204, without a body.
          parse: () => ({ id }),
        },
        operation,
      ),
    apply: (application, operation) =>
      upstream.call(
        { ...write('POST', applyPath), body: application, parse: ({ json }) => Written.view(json, origin) },
        operation,
      ),
  };
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
