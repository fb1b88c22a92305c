import type { FastifyInstance } from 'fastify';
import { sendBackendError, sendBackendValidationError } from '../http/errors.js';
import { type KeyedRequest, keyedRoute, takesAnything } from '../http/route.js';
import { checkOffer } from './offer-check.js';
import type { OfferStore } from './offer-store.js';
import { STORE_ID } from './read-routes.js';

const BODY_LIMIT = 1024 * 1024;

/** Creating and replacing offers (work-study 7.4, 7.5). */
export function jobWriteRoutes(app: FastifyInstance, store: OfferStore): void {
  const common = { permission: 'jobs:write', bodyLimit: BODY_LIMIT, read: takesAnything } as const;
  keyedRoute(app, {
    ...common,
    method: 'POST',
    path: '/job/v1/offer',
    handle: (_, request) => create(store, request),
  });
  keyedRoute(app, {
    ...common,
    method: 'PUT',
    path: '/job/v1/offer/:id',
    handle: (_, request) => replace(store, request),
  });
}

/** 200 with the id: that of the organisation's offer with the same partner_job_id, if there is one. */
function create(store: OfferStore, { body, era, now, caller, reply }: KeyedRequest): object {
  const checked = checkOffer(body, { era, now });
  if ('issues' in checked) return sendBackendValidationError(reply, 'body', checked.issues);
  const { write } = checked;
  // The seed's service accepts only active offers; today's code does not require that (work-study 12.3, 7.4).
  if (era === 'seed' && write.offer.status !== 'Active') {
    return sendBackendError(reply, 400, 'Status must be Active when an offer is created');
  }
  return { id: store.write({ write, organisation: caller.organisation, era, now }) };
}

/** 204. The checks are in the backend's order: id, owner, body, offer, status (work-study 7.5). */
function replace(store: OfferStore, { body, params, era, now, caller, reply }: KeyedRequest): object {
  const id = (params['id'] ?? '').toLowerCase();
  if (!STORE_ID.test(id)) return sendBackendError(reply, 500, 'Une erreur est survenue');
  const offer = store.get(id, now);
  if (offer !== undefined && offer.label !== caller.organisation) return sendBackendError(reply, 403, 'Unauthorized');
  const checked = checkOffer(body, { era, now });
  if ('issues' in checked) return sendBackendValidationError(reply, 'body', checked.issues);
  if (offer === undefined) return sendBackendError(reply, 404, 'Job offer not found');
  if (era === 'today' && offer.status !== 'Active') {
    return sendBackendError(reply, 400, 'Job must be active in order to be modified');
  }
  // The partner's id does not change: `identifier` is ignored here (work-study 7.5).
  const write = { ...checked.write, partnerJobId: offer.partnerJobId };
  store.write({ write, organisation: caller.organisation, era, now, id });
  return reply.code(204).send();
}
