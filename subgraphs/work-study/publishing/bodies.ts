/** The bodies of what is written to the service: offers and applications, and checks of the contacts in them. */

import { isDateTime } from '../../../kernel/dates.js';
import { isRecord, ownValue } from '../../../kernel/text.js';
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
import type { ApplicationInput, JobOfferInput } from '../__generated__/resolvers.js';
import {
  CONTRACT_TYPES,
  checkRome,
  EUROPEAN_LEVELS,
  JOB_OFFER_STATUSES,
  JOB_REMOTES,
  readLevel,
  sourceWord,
} from '../values/words.js';
import type { Body } from './client.js';

type Given<T> = T | null | undefined;

/**
 * An offer in the source's format, checked as far as its rules are documented (work-study 12.2.11). Omitted values stay
 * omitted, so that the source's defaults apply; texts are passed on unchanged. Throws `BAD_USER_INPUT`, which names the
 * argument.
 */
export function offerBody(input: JobOfferInput): Body {
  const { identifier, workplace, apply, contract, offer } = input;
  const { targetDiploma, publication } = offer;
  together(
    () => checkSiret('input.workplace.siret', workplace.siret),
    () => checkUri('input.workplace.website', workplace.website),
    () => checkEmail('input.apply.email', apply.email),
    () => checkUri('input.apply.url', apply.url),
    () => checkPhone('input.apply.phone', apply.phone),
    () => checkReachable(apply),
    () => checkRange('input.contract.duration', contract?.duration, { min: 0, max: MAX_MONTHS, unit: 'months' }),
    () => checkZoned('input.contract.start', contract?.start),
    () => checkNotNull('input.contract.type', contract?.type),
    () => readLevel(targetDiploma?.european, LEVELS, 'input.offer.targetDiploma.european'),
    () => checkZoned('input.offer.publication.creation', publication?.creation),
    () => checkZoned('input.offer.publication.expiration', publication?.expiration),
    () => checkLength('input.offer.title', offer.title, { min: 3 }),
    () => checkLength('input.offer.description', offer.description, { min: 30 }),
    () => checkEach(OMITTABLE, (name) => checkNotNull(`input.offer.${name}`, offer[name])),
    () => eachItem('input.offer.romeCodes', offer.romeCodes, checkRome),
    () => checkNotNull('input.identifier', identifier),
    () => checkNotNull('input.contract', contract),
  );
  return inSourceForm(input) as Body;
}

const MAX_MONTHS = Number.MAX_SAFE_INTEGER;
/** Levels that a published offer leads to. */
const LEVELS = ['3', '4', '5', '6', '7'];
/** Details that may be omitted, but not be null. */
const OMITTABLE = [
  ...(['desiredSkills', 'toBeAcquiredSkills', 'accessConditions', 'openingCount'] as const),
  ...(['publication', 'multicast', 'status'] as const),
];

function checkReachable({ email, url, phone }: JobOfferInput['apply']): void {
  if ((email ?? url ?? phone ?? null) === null)
    throw badUserInput('input.apply', 'needs at least one of email, url and phone');
}

/** Names of what has words of a vocabulary. */
const VOCABULARIES = {
  european: EUROPEAN_LEVELS,
  remote: JOB_REMOTES,
  type: CONTRACT_TYPES,
  status: JOB_OFFER_STATUSES,
} as const;

/** A value with the source's names, and its words for those of vocabularies. */
function inSourceForm(value: unknown, words?: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(value)) return value.map((item) => inSourceForm(item, words));
  if (typeof value === 'string') return words === undefined ? value : sourceWord(words, value);
  if (!isRecord(value)) return value;
  const parts = Object.entries(value).map(([name, part]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    inSourceForm(part, ownValue(VOCABULARIES, name)),
  ]);
  return Object.fromEntries(parts);
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
  return inSourceForm(input) as Body;
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
