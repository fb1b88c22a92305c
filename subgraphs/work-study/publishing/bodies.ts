/** The bodies of what is written to the service: offers and applications, and checks of the contacts in them. */

import { isDateTime } from '../../../kernel/dates.js';
import { ownValue } from '../../../kernel/text.js';
import {
  badUserInput,
  checkCode,
  checkEach,
  checkLength,
  checkRange,
  checkSiret,
  eachItem,
  GraphQLEmailAddress,
  GraphQLPhoneNumber,
  GraphQLURL,
  isAcceptedBy,
  together,
} from '../../graph/arguments.js';
import type {
  ApplicationInput,
  JobOfferApplyInput,
  JobOfferContractInput,
  JobOfferDetailsInput,
  JobOfferInput,
  JobOfferWorkplaceInput,
} from '../__generated__/resolvers.js';
import { CONTRACT_TYPES, checkRome, JOB_OFFER_STATUSES, JOB_REMOTES, readLevel, sourceWord } from '../values/words.js';
import type { Body } from './client.js';

type Given<T> = T | null | undefined;

/**
 * An offer in the source's format, checked as far as its rules are documented (work-study 12.2.11). Omitted values stay
 * omitted, so that the source's defaults apply; texts are passed on unchanged. Throws `BAD_USER_INPUT`, which names the
 * argument.
 */
export function offerBody({ identifier, workplace, apply, contract, offer }: JobOfferInput): Body {
  const [workplaceSent, applySent, contractSent, offerSent] = together(
    () => workplaceBody(workplace),
    () => applyBody(apply),
    () => (contract ? contractBody(contract) : undefined),
    () => detailsBody(offer),
    () => checkNotNull('input.identifier', identifier),
    () => checkNotNull('input.contract', contract),
  );
  return {
    identifier: identifier ? { partner_job_id: identifier.partnerJobId } : undefined,
    workplace: workplaceSent,
    apply: applySent,
    contract: contractSent,
    offer: offerSent,
  };
}

function workplaceBody({ siret, name, description, website, location }: JobOfferWorkplaceInput): Body {
  together(
    () => checkSiret('input.workplace.siret', siret),
    () => checkUri('input.workplace.website', website),
  );
  return { siret, name, description, website, location: location && { address: location.address } };
}

function applyBody({ email, url, phone }: JobOfferApplyInput): Body {
  together(
    () => checkEmail('input.apply.email', email),
    () => checkUri('input.apply.url', url),
    () => checkPhone('input.apply.phone', phone),
  );
  if ((email ?? url ?? phone ?? null) === null) {
    throw badUserInput('input.apply', 'needs at least one of email, url and phone');
  }
  return { email, url, phone };
}

function contractBody({ duration, start, remote, type }: JobOfferContractInput): Body {
  together(
    () => checkRange('input.contract.duration', duration, { min: 0, max: Number.MAX_SAFE_INTEGER, unit: 'months' }),
    () => checkZoned('input.contract.start', start),
    () => checkNotNull('input.contract.type', type),
  );
  return {
    duration,
    start,
    remote: wordOf(JOB_REMOTES, remote),
    type: type?.map((kind) => wordOf(CONTRACT_TYPES, kind)),
  };
}

/** Details that may be omitted, but not be null. */
const OMITTABLE = [
  ...(['desiredSkills', 'toBeAcquiredSkills', 'accessConditions', 'openingCount'] as const),
  ...(['publication', 'multicast', 'status'] as const),
];

function detailsBody(offer: JobOfferDetailsInput): Body {
  const { title, description, romeCodes, targetDiploma, publication } = offer;
  const [european, published] = together(
    () => targetDiploma?.european && readLevel(targetDiploma.european, LEVELS, 'input.offer.targetDiploma.european'),
    () => (publication ? publicationBody(publication) : undefined),
    () => checkLength('input.offer.title', title, { min: 3 }),
    () => checkLength('input.offer.description', description, { min: 30 }),
    () => checkEach(OMITTABLE, (name) => checkNotNull(`input.offer.${name}`, offer[name])),
    () => eachItem('input.offer.romeCodes', romeCodes, checkRome),
  );
  return {
    title,
    description,
    desired_skills: offer.desiredSkills,
    to_be_acquired_skills: offer.toBeAcquiredSkills,
    access_conditions: offer.accessConditions,
    opening_count: offer.openingCount,
    rome_codes: romeCodes,
    target_diploma: targetDiploma && { european },
    publication: published,
    multicast: offer.multicast,
    origin: offer.origin,
    status: wordOf(JOB_OFFER_STATUSES, offer.status),
  };
}

function publicationBody({ creation, expiration }: { creation?: Given<string>; expiration?: Given<string> }): Body {
  together(
    () => checkZoned('input.offer.publication.creation', creation),
    () => checkZoned('input.offer.publication.expiration', expiration),
  );
  return { creation, expiration };
}

/** Levels that a published offer leads to. */
const LEVELS = ['3', '4', '5', '6', '7'];

function wordOf(words: Readonly<Record<string, string>>, word: Given<string>): Given<string> {
  return word === null || word === undefined ? word : sourceWord(words, word);
}

/** The source refuses a date-time without a zone, and a plain date (work-study 7.4). */
function checkZoned(argument: string, value: Given<string>): void {
  checkCode(argument, value, {
    isValid: isDateTime,
    expected: 'a date and time with its zone (2026-01-31T08:00:00+01:00)',
  });
}

/** Longest content of an attachment, in characters of its data URL (work-study 7.7). */
const MAX_CONTENT_LENGTH = 4_215_276;

/** Prefix of a data URL, by the file name's extension (work-study 7.7). */
const DATA_URL_PREFIXES: Readonly<Record<string, string>> = {
  pdf: 'data:application/pdf;base64,',
  docx: 'data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64,',
};

/**
 * An application in the source's format, checked as far as its rules are documented (work-study 7.7), because a refused
 * one would send megabytes for nothing. Throws `BAD_USER_INPUT`, which names the argument and never repeats its value.
 */
export function applicationBody(input: ApplicationInput): Body {
  together(
    () => checkLength('input.applicantFirstName', input.applicantFirstName, { min: 1, max: 50 }),
    () => checkLength('input.applicantLastName', input.applicantLastName, { min: 1, max: 50 }),
    () => checkEmail('input.applicantEmail', input.applicantEmail),
    () => checkPhone('input.applicantPhone', input.applicantPhone),
    () => checkAttachment(input.applicantAttachmentName, input.applicantAttachmentContent),
    () => checkLength('input.recipientId', input.recipientId, { min: 1 }),
  );
  return {
    applicant_first_name: input.applicantFirstName,
    applicant_last_name: input.applicantLastName,
    applicant_email: input.applicantEmail,
    applicant_phone: input.applicantPhone,
    applicant_attachment_name: input.applicantAttachmentName,
    applicant_attachment_content: input.applicantAttachmentContent,
    applicant_message: input.applicantMessage,
    recipient_id: input.recipientId,
  };
}

function checkAttachment(name: string, content: string): void {
  const [, extension = ''] = /\.(pdf|docx)$/i.exec(name) ?? [];
  const prefix = ownValue(DATA_URL_PREFIXES, extension.toLowerCase());
  if (prefix === undefined) throw badUserInput('input.applicantAttachmentName', 'must end with .pdf or .docx');
  checkLength('input.applicantAttachmentContent', content, { max: MAX_CONTENT_LENGTH });
  if (!content.startsWith(prefix)) {
    throw badUserInput('input.applicantAttachmentContent', `must begin with ${prefix} for a file of that name`);
  }
}

/** Refuses all but an e-mail address whose domain has a dot, without which the source refuses it. */
export function checkEmail(argument: string, value: Given<string>): void {
  checkCode(argument, value, {
    isValid: (text) => isAcceptedBy(GraphQLEmailAddress, text) && text.lastIndexOf('.') > text.lastIndexOf('@'),
    expected: 'an e-mail address',
  });
}

/** Refuses all but an absolute http or https address. */
export function checkUri(argument: string, value: Given<string>): void {
  checkCode(argument, value, { isValid: isWebAddress, expected: 'a web address: http:// or https:// and a host' });
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && isAcceptedBy(GraphQLURL, text);
}

/**
 * Refuses all but a telephone number in French form (0 and nine digits) or international form (+ and 8 to 15 digits),
 * ignoring spaces, dots, hyphens and brackets. The source decides which countries and kinds of numbers it accepts
 * (work-study 7.4).
 */
export function checkPhone(argument: string, value: Given<string>): void {
  checkCode(argument, value, {
    isValid: isPhone,
    expected: 'a telephone number in French (0…) or international (+…) form',
  });
}

/**
 * Length is checked first, because the library's expression backtracks exponentially on digits that form no number. It
 * accepts numbers of any country and form, so the two forms are distinguished here.
 */
function isPhone(text: string): boolean {
  const number = text.replace(/[\s.()-]/g, '');
  return /^(0[1-9].{8}|(\+|00)[1-9].{7,14})$/.test(number) && isAcceptedBy(GraphQLPhoneNumber, number);
}

/** Refuses null for an optional value that may be omitted (work-study 12.2.11). */
function checkNotNull(argument: string, value: unknown): void {
  if (value === null) throw badUserInput(argument, 'may be omitted, but not null');
}
