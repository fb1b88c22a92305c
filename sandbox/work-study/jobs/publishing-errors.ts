/** Why an offer is not published: codes with their labels; the last six exist only today (work-study 7.3). */
const PUBLISHING_ERRORS = {
  CLOSED_COMPANY: 'The company is closed',
  DUPLICATE: 'The offer is considered as a duplicate of another published offer',
  STAGE: 'The offer is considered an internship',
  EXPIRED: 'The offer has expired',
  CFA: 'The offer is published by a training entity',
  ROME_BLACKLISTED: "The offer's profession is not published",
  WRONG_DATA: 'The offer contains bad data',
  NON_DIFFUSIBLE: "The company's contact informations are not publishable",
  CFA_CLASSIFIED: 'The offer is classified as a training entity',
  CFA_BLACKLISTED: 'The offer is blacklisted as a training entity',
  CLASSIFICATION_PENDING: "The offer's classification is being processed",
  TRUSTED_COMPANY_JOB_DUPLICATE: 'The offer is a duplicate from a secondary source of a primary company job partner',
  FULL_TIME: 'The offer is considered a full-time position',
  GEOLOCATION_NOT_FOUND: "We were unable to geolocate the offer's address",
} as const;

/** A reason why an offer is not published (work-study 7.3). */
export type PublishingErrorCode = keyof typeof PUBLISHING_ERRORS;

/** Codes that only today's service returns, with those that the seed's returns instead (work-study 12.2.9). */
const SEED_CODES: Partial<Record<PublishingErrorCode, PublishingErrorCode>> = {
  CFA_CLASSIFIED: 'CFA',
  CFA_BLACKLISTED: 'CFA',
  CLASSIFICATION_PENDING: 'WRONG_DATA',
  TRUSTED_COMPANY_JOB_DUPLICATE: 'DUPLICATE',
  FULL_TIME: 'WRONG_DATA',
  GEOLOCATION_NOT_FOUND: 'WRONG_DATA',
};

/** A code as an era's service returns it. */
export function publishingErrorIn(era: 'today' | 'seed', code: PublishingErrorCode) {
  const shown = era === 'seed' ? (SEED_CODES[code] ?? code) : code;
  return { code: shown, label: PUBLISHING_ERRORS[shown] };
}

/**
 * Offers that the sandbox has refused from its start, one per code, so that each can be fetched by id: `0fe0…00` for
 * the first code of the table, `0fe0…01` for the second, and so on.
 */
export const REFUSED_OFFER_IDS: ReadonlyMap<string, PublishingErrorCode> = new Map(
  Object.keys(PUBLISHING_ERRORS)
    .filter(isPublishingErrorCode)
    .map((code, i) => [`0fe0${String(i).padStart(20, '0')}`, code]),
);

function isPublishingErrorCode(text: string): text is PublishingErrorCode {
  return text in PUBLISHING_ERRORS;
}
