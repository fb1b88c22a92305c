import { isRomeCode } from '../../codes/certification-codes.js';
import { isDateTime } from '../../codes/dates.js';
import { badUserInput, checkCode, checkLength, checkNotOther, checkRange, checkSiret } from '../../graph/arguments.js';
import type {
  JobOfferApplyInput,
  JobOfferContractInput,
  JobOfferDetailsInput,
  JobOfferInput,
  JobOfferWorkplaceInput,
} from '../__generated__/resolvers.js';
import {
  CONTRACT_TYPES,
  EUROPEAN_LEVELS,
  JOB_OFFER_STATUSES,
  JOB_REMOTES,
  sourceWord,
} from '../values/vocabularies.js';
import type { Body } from './client.js';
import { checkEmail, checkNotNull, checkPhone, checkUri } from './contact-checks.js';

type Given<T> = T | null | undefined;

/**
 * An offer in the source's format, checked as far as its rules are documented (work-study 12.2.11). Omitted values stay
 * omitted, so that the source's defaults apply; texts are passed on unchanged. Throws `BAD_USER_INPUT`, which names the
 * argument.
 */
export function offerBody({ identifier, workplace, apply, contract, offer }: JobOfferInput): Body {
  checkNotNull('input.identifier', identifier);
  checkNotNull('input.contract', contract);
  return {
    identifier: identifier ? { partner_job_id: identifier.partnerJobId } : undefined,
    workplace: workplaceBody(workplace),
    apply: applyBody(apply),
    contract: contract ? contractBody(contract) : undefined,
    offer: detailsBody(offer),
  };
}

function workplaceBody({ siret, name, description, website, location }: JobOfferWorkplaceInput): Body {
  checkSiret('input.workplace.siret', siret);
  checkUri('input.workplace.website', website);
  return { siret, name, description, website, location: location && { address: location.address } };
}

function applyBody({ email, url, phone }: JobOfferApplyInput): Body {
  checkEmail('input.apply.email', email);
  checkUri('input.apply.url', url);
  checkPhone('input.apply.phone', phone);
  if ((email ?? url ?? phone ?? null) === null) {
    throw badUserInput('input.apply', 'needs at least one of email, url and phone');
  }
  return { email, url, phone };
}

function contractBody({ duration, start, remote, type }: JobOfferContractInput): Body {
  checkRange('input.contract.duration', duration, { min: 0, max: Number.MAX_SAFE_INTEGER, unit: 'months' });
  checkZoned('input.contract.start', start);
  checkNotNull('input.contract.type', type);
  return {
    duration,
    start,
    remote: readWord('input.contract.remote', JOB_REMOTES, remote),
    type: type?.map((kind) => readWord('input.contract.type', CONTRACT_TYPES, kind)),
  };
}

function detailsBody(offer: JobOfferDetailsInput): Body {
  const { title, description, romeCodes, targetDiploma, publication } = offer;
  checkLength('input.offer.title', title, { min: 3 });
  checkLength('input.offer.description', description, { min: 30 });
  for (const name of ['desiredSkills', 'toBeAcquiredSkills', 'accessConditions', 'openingCount'] as const) {
    checkNotNull(`input.offer.${name}`, offer[name]);
  }
  for (const name of ['publication', 'multicast', 'status'] as const) checkNotNull(`input.offer.${name}`, offer[name]);
  for (const code of romeCodes ?? []) {
    checkCode('input.offer.romeCodes', code, { isValid: isRomeCode, expected: 'a list of ROME codes' });
  }
  return {
    title,
    description,
    desired_skills: offer.desiredSkills,
    to_be_acquired_skills: offer.toBeAcquiredSkills,
    access_conditions: offer.accessConditions,
    opening_count: offer.openingCount,
    rome_codes: romeCodes,
    target_diploma: targetDiploma && { european: readLevel(targetDiploma.european) },
    publication: publication ? publicationBody(publication) : undefined,
    multicast: offer.multicast,
    origin: offer.origin,
    status: readWord('input.offer.status', JOB_OFFER_STATUSES, offer.status),
  };
}

function publicationBody({ creation, expiration }: { creation?: Given<string>; expiration?: Given<string> }): Body {
  checkZoned('input.offer.publication.creation', creation);
  checkZoned('input.offer.publication.expiration', expiration);
  return { creation, expiration };
}

/** A published offer leads to a level from 3 to 7. */
function readLevel(level: Given<string>): Given<string> {
  const word = readWord('input.offer.targetDiploma.european', EUROPEAN_LEVELS, level);
  if (word !== null && word !== undefined && (word < '3' || word > '7')) {
    throw badUserInput('input.offer.targetDiploma.european', 'must be a level from 3 to 7');
  }
  return word;
}

function readWord(argument: string, words: Readonly<Record<string, string>>, word: Given<string>): Given<string> {
  if (word === null || word === undefined) return word;
  checkNotOther(argument, [word]);
  return sourceWord(words, word);
}

/** The source refuses a date-time without a zone, and a plain date (work-study 7.4). */
function checkZoned(argument: string, value: Given<string>): void {
  checkCode(argument, value, {
    isValid: isDateTime,
    expected: 'a date and time with its zone (2026-01-31T08:00:00+01:00)',
  });
}
