import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Era } from '../../server/types.js';
import { isRecord, type Json, type World } from '../../world/types.js';
import { sendBackendError, sendBackendValidationError } from '../http/errors.js';
import { type KeyedRequest, keyedRoute, takesAnything } from '../http/route.js';
import { listAt, textAt, valueAt } from '../values/fields.js';
import { custom } from '../values/issues.js';
import { isStoredIn, labelIn, offerIn } from './eras.js';
import type { OfferStore, Recruiter } from './offer-store.js';
import { publishingErrorIn } from './publishing-errors.js';
import { readJobQuery, searchOffers, searchRecruiters } from './search.js';
import { LIKELY_RECRUITERS } from './stored-offer.js';

/** A row of the search's `warnings` (work-study 7.1). */
export interface JobWarning {
  readonly code: string;
  readonly message: string;
}

/** Data of the read routes. */
export interface JobReading {
  readonly world: World;
  readonly store: OfferStore;
  /** Warnings that searches return. */
  readonly warnings: () => readonly JobWarning[];
}

/** Search, offer by id and its publishing state: forwarded, so every 400 is in envelope B (work-study 7.1 to 7.3). */
export function jobReadRoutes(app: FastifyInstance, reading: JobReading): void {
  const read = takesAnything;
  keyedRoute(app, {
    method: 'GET',
    path: '/job/v1/search',
    read,
    handle: (_, request) => search(reading, request),
  });
  keyedRoute(app, {
    method: 'GET',
    path: '/job/v1/offer/:id',
    read,
    handle: (_, request) => withId(request, (id) => offerById(reading.store, id, request)),
  });
  keyedRoute(app, {
    method: 'GET',
    path: '/job/v1/offer/:id/publishing-informations',
    read,
    handle: (_, request) => withId(request, (id) => publishing(reading.store, id, request)),
  });
}

function search({ world, store, warnings }: JobReading, { query, era, now, reply }: KeyedRequest): object {
  const requested = readJobQuery(query, era);
  if ('issues' in requested) return sendBackendValidationError(reply, 'querystring', requested.issues);
  const { rncp, romes } = requested.value;
  const romesOfRecord = rncp === undefined ? [] : romesOfRncp(world, rncp);
  if (romesOfRecord === undefined) {
    return sendBackendError(reply, 400, 'Cannot find an active Certification for the given RNCP', { rncp });
  }
  const anyCode = rncp !== undefined || romes !== undefined;
  const allRomes = anyCode ? new Set([...(romes ?? []), ...romesOfRecord]) : undefined;
  const jobSearch = { ...requested.value, allRomes, era, now };
  return {
    jobs: searchOffers(store, jobSearch),
    recruiters: searchRecruiters(store.recruiters, jobSearch),
    warnings: warnings(),
  };
}

/** Ids of the store: 24 hexadecimal characters (work-study 7.2). */
export const STORE_ID = /^[0-9a-f]{24}$/i;

function withId({ params, reply }: KeyedRequest, handle: (id: string) => object): object {
  const id = params['id'] ?? '';
  if (!STORE_ID.test(id)) return sendBackendValidationError(reply, 'params', [custom(['id'], 'Invalid input')]);
  return handle(id.toLowerCase());
}

/** Any offer, whatever its status or expiry; likely recruiters too, in the shape of an offer (work-study 7.2). */
function offerById(store: OfferStore, id: string, { era, now, reply }: KeyedRequest): object {
  const offer = store.get(id, now);
  if (offer !== undefined && isStoredIn(era, offer)) {
    const shown = offerIn(era, offer);
    return hasUnknownWord(shown) ? sendBackendError(reply, 500, 'Une erreur est survenue') : shown;
  }
  const recruiter = store.recruiters.find((one) => one.id === id);
  return recruiter === undefined ? sendUnknownOffer(reply, id) : recruiterAsOffer(recruiter, era);
}

const TYPES: ReadonlySet<unknown> = new Set(['Apprentissage', 'Professionnalisation']);
const REMOTE: ReadonlySet<unknown> = new Set([null, 'onsite', 'remote', 'hybrid']);
const STATUSES: ReadonlySet<unknown> = new Set(['Active', 'Filled', 'Cancelled', 'Pending']);

/** The backend checks its own response by id, and fails at a word that is stored but is none of its own (work-study 7.2). */
function hasUnknownWord(offer: Json): boolean {
  const types = listAt(offer, 'contract', 'type');
  const [remote, status] = [valueAt(offer, 'contract', 'remote'), valueAt(offer, 'offer', 'status')];
  return !types.every((type) => TYPES.has(type)) || !REMOTE.has(remote ?? null) || !STATUSES.has(status);
}

function publishing(store: OfferStore, id: string, { era, now, reply }: KeyedRequest): object {
  const state = store.publishing(id, now);
  if (state === undefined) return sendUnknownOffer(reply, id);
  if (state.status !== 'WILL_NOT_BE_PUBLISHED') return { publishing: { status: state.status } };
  const error = publishingErrorIn(era, state.code);
  return { publishing: { status: state.status, error } };
}

function sendUnknownOffer(reply: FastifyReply, id: string): FastifyReply {
  return sendBackendError(reply, 404, `Aucune offre d'emploi trouvée pour l'ID: ${id}`);
}

/** A likely recruiter in the shape of an offer, as the export and the route by id show it (work-study 7.2, 7.6). */
export function recruiterAsOffer({ id, siret, romes, record }: Recruiter, era: Era): Json {
  const { workplace, apply } = record;
  const label = labelIn(era, LIKELY_RECRUITERS);
  return {
    identifier: { id, partner_job_id: siret ?? id, partner_label: label },
    workplace,
    apply: isRecord(apply) ? { recipient_id: null, ...apply } : apply,
    contract: { start: null, duration: null, type: [], remote: null },
    offer: {
      title: label,
      desired_skills: [],
      to_be_acquired_skills: [],
      access_conditions: [],
      opening_count: 1,
      publication: { creation: '2026-06-01T03:00:00.000Z', expiration: null },
      rome_codes: romes,
      description: label,
      target_diploma: null,
      status: 'Active',
    },
    is_delegated: false,
  };
}

/**
 * ROME codes of an active RNCP record, or of its active successor (work-study 7.1).
 * @returns undefined if neither exists
 */
function romesOfRncp(world: World, rncp: string): string[] | undefined {
  const ofCode = (code: string) => world.certifications.filter((one) => textAt(one, 'identifiant', 'rncp') === code);
  const records = ofCode(rncp);
  const isActive = (one: unknown): boolean => valueAt(one, 'periode_validite', 'rncp', 'actif') === true;
  const successors = records
    .flatMap((one) => listAt(one, 'continuite', 'rncp'))
    .filter((entry) => valueAt(entry, 'actif') === true)
    .flatMap((entry) => ofCode(textAt(entry, 'code') ?? ''));
  const active = records.filter(isActive);
  const used = active.length > 0 ? active : successors.filter(isActive);
  if (used.length === 0) return undefined;
  const codes = used.flatMap((one) => listAt(one, 'domaines', 'rome', 'rncp')).map((rome) => textAt(rome, 'code'));
  return [...new Set(codes.filter((code) => code !== null))];
}
