import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Era } from '../../server/types.js';
import { sendBackendError, sendBackendValidationError } from '../http/errors.js';
import { type KeyedRequest, keyedRoute, takesAnything } from '../http/route.js';
import { BodyReader, notEmail, notPhone } from '../values/body-reader.js';
import { textAt } from '../values/fields.js';
import type { Issue } from '../values/issues.js';
import { isStoredIn } from './eras.js';
import type { OfferStore } from './offer-store.js';

/** 5 × 1024² (work-study 2, "Request body limit"). */
const BODY_LIMIT = 5 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60_000;
const DISPOSABLE_DOMAINS = ['mailinator.com', 'yopmail.com', 'guerrillamail.com'];
/** Applications after which an offer is closed (work-study 4.3). */
const MAX_PER_OFFER = 80;

/** The target of an application: an offer or a likely recruiter. */
interface Recipient {
  readonly id: string;
  readonly siret: string | null;
  readonly isOffer: boolean;
  readonly refusal?: string;
}

/** Counts of applications, by the key of each business quota (work-study 4.3). */
export type ApplicationCounts = Map<string, number>;

/** Applications: today's route and, in the other era, also the one that the seed documents (work-study 6, 7.7, 12.4). */
export function applicationRoutes(app: FastifyInstance, store: OfferStore, counts: ApplicationCounts): void {
  const common = {
    method: 'POST',
    permission: 'applications:write',
    bodyLimit: BODY_LIMIT,
    read: takesAnything,
    handle: (_: undefined, request: KeyedRequest) => apply(request, store, counts),
  } as const;
  keyedRoute(app, { ...common, path: '/job/v1/apply' });
  keyedRoute(app, { ...common, era: 'seed', path: '/v3/jobs/apply' });
}

function apply(request: KeyedRequest, store: OfferStore, counts: ApplicationCounts): FastifyReply {
  const { reply } = request;
  const checked = checkApplication(request.body, request.era);
  if ('issues' in checked) return sendBackendValidationError(reply, 'body', checked.issues);
  const { application } = checked;
  const malformed = malformedRecipient(application.recipientId);
  if (malformed !== undefined) return sendBackendError(reply, 500, malformed);
  const recipient = findRecipient(application.recipientId, request, store);
  const refusal = refusalOf(application, recipient);
  if (refusal !== undefined || recipient === undefined) return sendBackendError(reply, 400, refusal ?? 'UNKNOWN');
  const quotas = quotasOf(application, recipient, request);
  const spent = quotas.find(({ key, most }) => (counts.get(key) ?? 0) >= most);
  if (spent !== undefined) return sendBackendError(reply, 429, `Maximum application per ${spent.name} reached`);
  const sent = count(counts, 'all');
  for (const { key } of quotas) count(counts, key);
  if (recipient.isOffer && count(counts, `offer ${recipient.id}`) > MAX_PER_OFFER) store.cancel(recipient.id);
  return reply.code(202).send({ id: `ca${String(sent).padStart(22, '0')}` });
}

/** A client's mistake that the backend reports as its own error (work-study 5.2). */
function malformedRecipient(recipientId: string): string | undefined {
  const [collection, id] = recipientId.split('_');
  if (collection !== 'partners' && collection !== 'recruiters') return `Invalid collection name: ${collection}`;
  return /^[0-9a-f]{24}$/i.test(id ?? '') ? undefined : `Invalid job identifier: ${id}`;
}

function findRecipient(recipientId: string, { era, now }: KeyedRequest, store: OfferStore): Recipient | undefined {
  const id = recipientId.split('_')[1]?.toLowerCase() ?? '';
  const offer = store.get(id, now);
  if (offer !== undefined && isStoredIn(era, offer)) {
    const { siret, record } = offer;
    const ended = offer.status !== 'Active' || offer.expiresAt <= now;
    const closed = textAt(record, 'apply', 'recipient_id') === null ? NO_CONTACT : undefined;
    const refusal = ended ? 'Job offer has expired' : closed;
    return { id, siret, isOffer: true, ...(refusal !== undefined && { refusal }) };
  }
  const recruiter = store.recruiters.find((one) => one.id === id);
  if (recruiter === undefined) return undefined;
  const closed = textAt(recruiter.record, 'apply', 'recipient_id') === null;
  return { id, siret: recruiter.siret, isOffer: false, ...(closed && { refusal: NO_CONTACT }) };
}

const NO_CONTACT = 'Internal error: no contact email found for the corresponding ressource';

function refusalOf(application: Application, recipient: Recipient | undefined): string | undefined {
  if (!isSupportedFile(application)) return 'File type is not supported';
  const domain = application.email.split('@')[1]?.toLowerCase() ?? '';
  if (DISPOSABLE_DOMAINS.includes(domain)) return 'Disposable email are not allowed';
  return recipient === undefined ? 'Job or recruiter not found' : recipient.refusal;
}

/** The three business quotas, in the order in which they are checked (work-study 4.3). */
function quotasOf({ email }: Application, { id, siret }: Recipient, { now, caller }: KeyedRequest) {
  const day = Math.floor(now / DAY_MS);
  const applicant = email.toLowerCase();
  return [
    { name: 'day', key: `day ${day} ${applicant}`, most: 100 },
    { name: 'offer', key: `applicant ${applicant} ${id}`, most: 3 },
    { name: 'recruiter', key: `recruiter ${day} ${caller.organisation} ${siret}`, most: 20 },
  ];
}

function count(counts: ApplicationCounts, key: string): number {
  const counted = (counts.get(key) ?? 0) + 1;
  counts.set(key, counted);
  return counted;
}

/** The parts of an application that the rest of the route needs; none is stored. */
export interface Application {
  readonly email: string;
  readonly recipientId: string;
  readonly attachmentName: string;
  readonly attachment: string;
}

const ATTACHMENT_LIMIT = 4_215_276;

/** Checks the body of an application (work-study 7.7). */
function checkApplication(body: unknown, era: Era): { issues: readonly Issue[] } | { application: Application } {
  const reader = new BodyReader();
  const root = reader.root(body);
  const required = (name: string, rules: Omit<Parameters<typeof reader.text>[2], 'required'>): string =>
    reader.text(root, [name], { required: true, ...rules }) ?? '';
  required('applicant_first_name', { min: 1, max: 50 });
  required('applicant_last_name', { min: 1, max: 50 });
  required('applicant_phone', { check: (text) => notPhone(text, era) });
  reader.text(root, ['applicant_message'], { nullable: true });
  reader.texts(root, ['applicant_contract_duration'], { nullable: true });
  reader.texts(root, ['applicant_contract_start'], { nullable: true });
  reader.text(root, ['applicant_formation_description'], { nullable: true, max: 200 });
  reader.text(root, ['applicant_rythm_description'], { nullable: true, max: 200 });
  reader.boolean(root, ['applicant_inscription_formation'], { nullable: true });
  const application = {
    email: required('applicant_email', { check: notEmail }),
    recipientId: required('recipient_id', {}),
    attachmentName: required('applicant_attachment_name', { pattern: /((.*?))(\.)+([Dd][Oo][Cc][Xx]|[Pp][Dd][Ff])$/ }),
    attachment: required('applicant_attachment_content', { max: ATTACHMENT_LIMIT }),
  };
  return reader.issues.length > 0 ? { issues: reader.issues } : { application };
}

const PDF = 'data:application/pdf;base64,';
const DOCX = 'data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64,';

/** Whether an attachment's content and data URL match its name (work-study 7.7). */
function isSupportedFile({ attachmentName, attachment }: Application): boolean {
  const [prefix, start] = /\.pdf$/i.test(attachmentName) ? [PDF, '%PDF'] : [DOCX, 'PK'];
  if (!attachment.startsWith(prefix)) return false;
  const content = Buffer.from(attachment.slice(prefix.length, prefix.length + 64), 'base64').toString('latin1');
  return content.startsWith(start);
}
