import type { FastifyInstance } from 'fastify';
import type { Era } from '../../server/types.js';
import { sendBackendError, sendBackendValidationError } from '../http/errors.js';
import { type KeyedRequest, keyedRoute, takesAnything } from '../http/route.js';
import { hasLuhnSiret } from '../reference/identifiers.js';
import { BodyReader, notEmail, notPhone } from '../values/body-reader.js';
import { custom, type Issue } from '../values/issues.js';
import type { OfferStore } from './offer-store.js';
import { STORE_ID } from './read-routes.js';
import { DIPLOMA_LEVELS } from './search.js';
import type { OfferWrite } from './stored-offer.js';

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

const CONTRACTS = ['Apprentissage', 'Professionnalisation'] as const;
const REMOTES = ['onsite', 'remote', 'hybrid'] as const;
const STATUSES = ['Active', 'Filled', 'Cancelled'] as const;
/** A date-time with zone; a plain date is refused (work-study 7.4). */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;
const TOLERANCE_MS = 5 * 60_000;

/** The time of a check, and the era whose rules apply. */
export interface WriteContext {
  readonly era: Era;
  readonly now: number;
}

type Checked = { readonly issues: readonly Issue[] } | { readonly write: OfferWrite };

/** Checks a JobOfferWrite by the rules of work-study 7.4 and 12.2.11. */
function checkOffer(body: unknown, context: WriteContext): Checked {
  const reader = new BodyReader();
  const root = reader.root(body);
  const write: OfferWrite = {
    partnerJobId: readPartnerJobId(reader, root),
    workplace: readWorkplace(reader, root),
    apply: readApply(reader, root, context),
    contract: readContract(reader, root),
    offer: readOffer(reader, root, context),
  };
  // The validator compares fields only if each is well formed by itself.
  if (reader.issues.length === 0) reader.issues.push(...contactIssues(write));
  return reader.issues.length > 0 ? { issues: reader.issues } : { write };
}

type Body = ReturnType<BodyReader['root']>;

/** `identifier` is optional; if present, it must contain the partner's id. */
function readPartnerJobId(reader: BodyReader, root: Body): string | null {
  if (root['identifier'] === undefined) return null;
  const identifier = reader.object(root, ['identifier'], {});
  return reader.text(identifier, ['identifier', 'partner_job_id'], { required: true });
}

function readWorkplace(reader: BodyReader, root: Body): OfferWrite['workplace'] {
  const workplace = reader.object(root, ['workplace'], { required: true });
  const location = reader.object(workplace, ['workplace', 'location'], { nullable: true });
  const check = (siret: string): string | undefined => (hasLuhnSiret(siret) ? undefined : 'SIRET invalide');
  return {
    siret: reader.text(workplace, ['workplace', 'siret'], { required: true, pattern: /^\d{14}$/, check }) ?? '',
    name: reader.text(workplace, ['workplace', 'name'], { nullable: true }),
    description: reader.text(workplace, ['workplace', 'description'], { nullable: true }),
    website: reader.text(workplace, ['workplace', 'website'], { nullable: true, check: notUrl }),
    address: reader.text(location, ['workplace', 'location', 'address'], { nullable: true }),
  };
}

function readApply(reader: BodyReader, root: Body, { era }: WriteContext): OfferWrite['apply'] {
  const apply = reader.object(root, ['apply'], { required: true });
  return {
    email: reader.text(apply, ['apply', 'email'], { nullable: true, check: notEmail }),
    url: reader.text(apply, ['apply', 'url'], { nullable: true, check: notUrl }),
    phone: reader.text(apply, ['apply', 'phone'], { nullable: true, check: (text) => notPhone(text, era) }),
  };
}

function readContract(reader: BodyReader, root: Body): OfferWrite['contract'] {
  const contract = reader.object(root, ['contract'], {});
  return {
    start: reader.text(contract, ['contract', 'start'], { nullable: true, check: notDateTime }),
    duration: reader.number(contract, ['contract', 'duration'], { nullable: true, min: 0, integer: true }),
    type: reader.eachOneOf(contract, ['contract', 'type'], { values: CONTRACTS }) ?? [...CONTRACTS],
    remote: reader.oneOf(contract, ['contract', 'remote'], { values: REMOTES, nullable: true }),
  };
}

function readOffer(reader: BodyReader, root: Body, context: WriteContext): OfferWrite['offer'] {
  const offer = reader.object(root, ['offer'], { required: true });
  const publication = reader.object(offer, ['offer', 'publication'], {});
  const diploma = reader.object(offer, ['offer', 'target_diploma'], { nullable: true });
  const skills = (name: string): string[] => reader.texts(offer, ['offer', name], {}) ?? [];
  const { now } = context;
  return {
    title: reader.text(offer, ['offer', 'title'], { required: true, min: 3 }) ?? '',
    description: reader.text(offer, ['offer', 'description'], { required: true, min: 30 }) ?? '',
    desiredSkills: skills('desired_skills'),
    toBeAcquiredSkills: skills('to_be_acquired_skills'),
    accessConditions: skills('access_conditions'),
    openingCount: reader.number(offer, ['offer', 'opening_count'], {}) ?? 1,
    romeCodes: reader.texts(offer, ['offer', 'rome_codes'], { nullable: true, pattern: /^[A-Z]\d{4}$/ }),
    level: reader.oneOf(diploma, ['offer', 'target_diploma', 'european'], { values: DIPLOMA_LEVELS, nullable: true }),
    creation: reader.text(publication, ['offer', 'publication', 'creation'], {
      nullable: true,
      check: (text) =>
        notDateTime(text) ??
        (Date.parse(text) > now + TOLERANCE_MS ? 'Creation date cannot be in the future' : undefined),
    }),
    expiration: reader.text(publication, ['offer', 'publication', 'expiration'], {
      nullable: true,
      check: (text) =>
        notDateTime(text) ??
        (Date.parse(text) < now - TOLERANCE_MS ? 'Expiration date cannot be in the past' : undefined),
    }),
    multicast: reader.boolean(offer, ['offer', 'multicast'], {}) ?? true,
    status: readStatus(reader, offer, context),
  };
}

/** Today `Pending` is accepted too, though only the backend knows it; `origin` is ignored (work-study 7.4). */
function readStatus(reader: BodyReader, offer: Body, { era }: WriteContext): string {
  const statuses = era === 'today' ? [...STATUSES, 'Pending'] : STATUSES;
  return reader.oneOf(offer, ['offer', 'status'], { values: statuses }) ?? 'Active';
}

/** If there is no contact at all, the validator reports one issue for each of the three (work-study 7.4). */
function contactIssues({ apply }: OfferWrite): Issue[] {
  if (apply.email !== null || apply.url !== null || apply.phone !== null) return [];
  return ['url', 'email', 'phone'].map((name) =>
    custom(['apply', name], 'At least one of url, email, or phone is required'),
  );
}

function notDateTime(text: string): string | undefined {
  return DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)) ? undefined : 'Expected ISO 8601 date string';
}

function notUrl(text: string): string | undefined {
  return URL.canParse(text) ? undefined : 'Invalid URL';
}
