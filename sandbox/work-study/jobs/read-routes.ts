import { type Answer, jsonAnswer } from '../../kit/answer.js';
import type { Route } from '../../kit/routes.js';
import type { Era } from '../../kit/types.js';
import type { Json, World } from '../../world/types.js';
import { backendError, backendValidationError } from '../http/errors.js';
import { type KeyedRequest, keyedRoute, takesAnything } from '../http/route.js';
import { isRecord, textAt } from '../values/fields.js';
import { custom } from '../values/issues.js';
import { isStoredIn, labelIn, offerIn } from './eras.js';
import type { OfferBook, Recruiter } from './offer-book.js';
import { publishingErrorIn } from './publishing-errors.js';
import { romesOfRncp } from './rncp.js';
import { searchOffers, searchRecruiters } from './search.js';
import { readJobQuery } from './search-query.js';
import { LIKELY_RECRUITERS } from './stored-offer.js';

/** A row of the search's `warnings` (work-study 7.1). */
export interface JobWarning {
  readonly code: string;
  readonly message: string;
}

export interface JobReading {
  readonly world: World;
  readonly book: OfferBook;
  /** What the next searches warn of. */
  readonly warnings: () => readonly JobWarning[];
}

/** Search, offer by id and its publishing state: forwarded routes, so every 400 is in envelope B (work-study 7.1 to 7.3). */
export function jobReadRoutes(reading: JobReading): Route[] {
  const read = takesAnything;
  return [
    keyedRoute({
      method: 'GET',
      path: '/job/v1/search',
      read,
      handle: (_, request) => search(reading, request),
    }),
    keyedRoute({
      method: 'GET',
      path: '/job/v1/offer/:id',
      read,
      handle: (_, request) => withId(request, (id) => offerById(reading.book, id, request)),
    }),
    keyedRoute({
      method: 'GET',
      path: '/job/v1/offer/:id/publishing-informations',
      read,
      handle: (_, request) => withId(request, (id) => publishing(reading.book, id, request)),
    }),
  ];
}

function search({ world, book, warnings }: JobReading, { query, era, now }: KeyedRequest): Answer {
  const asked = readJobQuery(query, era);
  if ('issues' in asked) return backendValidationError('querystring', asked.issues);
  const { rncp, romes } = asked.value;
  const romesOfRecord = rncp === undefined ? [] : romesOfRncp(world, rncp);
  if (romesOfRecord === undefined) {
    return backendError(400, 'Cannot find an active Certification for the given RNCP', { rncp });
  }
  const anyCode = rncp !== undefined || romes !== undefined;
  const allRomes = anyCode ? new Set([...(romes ?? []), ...romesOfRecord]) : undefined;
  const jobSearch = { ...asked.value, allRomes, era, now };
  return jsonAnswer(200, {
    jobs: searchOffers(book, jobSearch),
    recruiters: searchRecruiters(book.recruiters, jobSearch),
    warnings: warnings(),
  });
}

/** Ids of the store: 24 hexadecimal characters (work-study 7.2). */
export const STORE_ID = /^[0-9a-f]{24}$/i;

function withId({ params }: KeyedRequest, answer: (id: string) => Answer): Answer {
  const id = params['id'] ?? '';
  if (!STORE_ID.test(id)) return backendValidationError('params', [custom(['id'], 'Invalid input')]);
  return answer(id.toLowerCase());
}

/** Whatever its status or expiry; likely recruiters too, in the shape of an offer (work-study 7.2). */
function offerById(book: OfferBook, id: string, { era, now }: KeyedRequest): Answer {
  const offer = book.get(id, now);
  if (offer !== undefined && isStoredIn(era, offer)) return jsonAnswer(200, offerIn(era, offer));
  const recruiter = book.recruiters.find((one) => one.id === id);
  return recruiter === undefined ? unknownOffer(id) : jsonAnswer(200, recruiterAsOffer(recruiter, era));
}

function publishing(book: OfferBook, id: string, { era, now }: KeyedRequest): Answer {
  const state = book.publishing(id, now);
  if (state === undefined) return unknownOffer(id);
  if (state.status !== 'WILL_NOT_BE_PUBLISHED') return jsonAnswer(200, { publishing: { status: state.status } });
  const error = publishingErrorIn(era, state.code);
  return jsonAnswer(200, { publishing: { status: state.status, error } });
}

function unknownOffer(id: string): Answer {
  return backendError(404, `Aucune offre d'emploi trouvée pour l'ID: ${id}`);
}

/** A likely recruiter in the shape of an offer, as the export and the route by id show it (work-study 7.2, 7.6). */
export function recruiterAsOffer({ id, siret, romes, record }: Recruiter, era: Era): Json {
  const { workplace, apply } = record;
  return {
    identifier: { id, partner_job_id: siret ?? id, partner_label: labelIn(era, LIKELY_RECRUITERS) },
    workplace,
    apply: isRecord(apply) ? { recipient_id: null, ...apply } : apply,
    contract: { start: null, duration: null, type: ['Apprentissage', 'Professionnalisation'], remote: null },
    offer: {
      title: textAt(record, 'workplace', 'name') ?? 'Candidature spontanée',
      desired_skills: [],
      to_be_acquired_skills: [],
      access_conditions: [],
      opening_count: 1,
      publication: { creation: null, expiration: null },
      rome_codes: romes,
      description: '',
      target_diploma: null,
      status: 'Active',
    },
    is_delegated: false,
  };
}
